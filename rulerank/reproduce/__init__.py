"""Reproduce: the tables of the papers, ours beside theirs, for the LETOR 3.0 collections that are at hand.

from rulerank.reproduce import ReportSettings, by_name, reproduce

report = reproduce(by_name("TD2003"), Path("Gov/QueryLevelNorm/2003_td_dataset"), ReportSettings())
for table in report.tables:
    print(table.number, [(figure.name, figure.mean, figure.printed, figure.differs) for figure in table.figures])
"""

from rulerank.reproduce.figures import Figure, PaperTable
from rulerank.reproduce.published import (
    KNOWN,
    QUERY_LEVEL,
    SAMPLING,
    Known,
    Printed,
    by_name,
    find_below,
    fold_folder,
    of_folder,
    printed,
)
from rulerank.reproduce.report import Report, ReportSettings, Tried, reproduce

__all__ = [
    "KNOWN",
    "QUERY_LEVEL",
    "SAMPLING",
    "Figure",
    "Known",
    "PaperTable",
    "Printed",
    "Report",
    "ReportSettings",
    "Tried",
    "by_name",
    "find_below",
    "fold_folder",
    "of_folder",
    "printed",
    "reproduce",
]
