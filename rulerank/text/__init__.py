"""Texts as words: the tokeniser, the spans of query terms to highlight, and features of query-document pairs."""

from rulerank.text.compute import compute_features
from rulerank.text.highlight import highlight_terms
from rulerank.text.tokens import Token, query_terms, stem, tokenise, words

__all__ = ["Token", "compute_features", "highlight_terms", "query_terms", "stem", "tokenise", "words"]
