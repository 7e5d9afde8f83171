"""Reproduce: the tables of the papers, ours beside theirs, for the LETOR 3.0 collections that are at hand.

from rulerank.reproduce import Settings, by_name, reproduce

report = reproduce(by_name("TD2003"), Path("Gov/QueryLevelNorm/2003_td_dataset"), Settings())
for table in report.tables:
    print(table.number, [(figure.name, figure.mean, figure.printed, figure.differs) for figure in table.figures])
"""

from rulerank.reproduce.figures import Figure, PaperTable
from rulerank.reproduce.known import KNOWN, Known, by_name, find_below, fold_folder, of_folder
from rulerank.reproduce.published import QUERY_LEVEL, SAMPLING, Printed, printed
from rulerank.reproduce.report import Report, Settings, Tried, reproduce

__all__ = [
    "KNOWN",
    "QUERY_LEVEL",
    "SAMPLING",
    "Figure",
    "Known",
    "PaperTable",
    "Printed",
    "Report",
    "Settings",
    "Tried",
    "by_name",
    "find_below",
    "fold_folder",
    "of_folder",
    "printed",
    "reproduce",
]
