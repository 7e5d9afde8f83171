"""The texts of a collection: what its queries ask and what its documents say, and how uploaded files are read."""

from rulerank.texts.model import DocumentText, QueryText, Texts
from rulerank.texts.read import TextFormatError, TextProblem, read_documents, read_queries

__all__ = [
    "DocumentText",
    "QueryText",
    "TextFormatError",
    "TextProblem",
    "Texts",
    "read_documents",
    "read_queries",
]
