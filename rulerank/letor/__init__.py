"""LETOR files in and out: `grade qid:Q 1:value 2:value ... #comment`, one document per line."""

from rulerank.letor.read import read_letor
from rulerank.letor.write import write_letor

__all__ = ["read_letor", "write_letor"]
