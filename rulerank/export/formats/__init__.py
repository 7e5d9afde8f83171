"""One file a format: it writes, and checks what was written. Listed in the order in which screens show them."""

# isort: off
from rulerank.export.formats.letor import LetorFile
from rulerank.export.formats.folds import LetorFolds
from rulerank.export.formats.features import FeatureNames
from rulerank.export.formats.lightgbm import LightGBM
from rulerank.export.formats.qrels import Qrels
from rulerank.export.formats.table import Table
from rulerank.export.formats.events import EventLog

# isort: on

__all__ = ["EventLog", "FeatureNames", "LetorFile", "LetorFolds", "LightGBM", "Qrels", "Table"]
