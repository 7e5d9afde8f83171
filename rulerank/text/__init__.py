"""The texts of a collection, how files of them are read, and what is made of them.

That is words (analysers, languages), terms to highlight, best passages, paragraphs put together again, and features of
query-document pairs.
"""

from rulerank.text.analyser import Analyser, Words
from rulerank.text.compute import compute_features, features_of, whole_query
from rulerank.text.corpus import Corpus
from rulerank.text.languages import LANGUAGES, detect_language, languages_of
from rulerank.text.passage import Passage, best_passage, find_terms, highlight_terms, spans_of
from rulerank.text.read import TextFormatError, TextProblem, read_documents, read_queries
from rulerank.text.reflow import reflow
from rulerank.text.texts import DocumentText, QueryText, Texts
from rulerank.text.tokens import Identifiers, Token, query_terms, stem, tokenise, words

__all__ = [
    "LANGUAGES",
    "Analyser",
    "Corpus",
    "DocumentText",
    "Identifiers",
    "Passage",
    "QueryText",
    "TextFormatError",
    "TextProblem",
    "Texts",
    "Token",
    "Words",
    "best_passage",
    "compute_features",
    "detect_language",
    "features_of",
    "find_terms",
    "highlight_terms",
    "languages_of",
    "query_terms",
    "read_documents",
    "read_queries",
    "reflow",
    "spans_of",
    "stem",
    "tokenise",
    "whole_query",
    "words",
]
