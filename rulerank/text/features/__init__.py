"""Features of a query and one field of a document; a new one is a function that `text_features.register` decorates."""

from rulerank.text.features.registry import text_features

__all__ = ["text_features"]
