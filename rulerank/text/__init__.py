"""Texts as words: analysers, terms to highlight, best passages, languages, and features of query-document pairs."""

from rulerank.text.analyser import Analyser, Words
from rulerank.text.compute import compute_features, features_of, whole_query
from rulerank.text.corpus import Corpus
from rulerank.text.highlight import highlight_terms, spans_of
from rulerank.text.hits import find_terms
from rulerank.text.languages import LANGUAGES, detect_language, languages_of
from rulerank.text.normalise import normalise_by_query
from rulerank.text.passage import Passage, best_passage
from rulerank.text.tokens import Identifiers, Token, query_terms, stem, tokenise, words

__all__ = [
    "LANGUAGES",
    "Analyser",
    "Corpus",
    "Identifiers",
    "Passage",
    "Token",
    "Words",
    "best_passage",
    "compute_features",
    "detect_language",
    "features_of",
    "find_terms",
    "highlight_terms",
    "languages_of",
    "normalise_by_query",
    "query_terms",
    "spans_of",
    "stem",
    "tokenise",
    "whole_query",
    "words",
]
