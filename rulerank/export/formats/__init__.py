"""Formats: each writes, and checks what was written. Listed in the order in which screens show them."""

# isort: off
from rulerank.export.formats.letor import FeatureNames, LetorFile, LetorFolds
from rulerank.export.formats.lightgbm import LightGBM
from rulerank.export.formats.qrels import Qrels
from rulerank.export.formats.table import Table
from rulerank.export.formats.events import EventLog

# isort: on

__all__ = ["EventLog", "FeatureNames", "LetorFile", "LetorFolds", "LightGBM", "Qrels", "Table"]
