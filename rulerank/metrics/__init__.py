"""Ranking metrics under named conventions: LETOR's scripts and trec_eval, with expected values over ties.

`intent_err` measures by a user model instead: ERR, ERR-IA and ERR-EIA, for documents that have a language. An
`Audience` is several such users.
"""

from rulerank.metrics.audience import Audience
from rulerank.metrics.conventions import Convention, conventions
from rulerank.metrics.intents import (
    IntentERR,
    IntentUser,
    default_relevance,
    err_eia_user,
    err_ia_user,
    err_user,
    intent_err,
)
from rulerank.metrics.measure import CUT_OFFS, EXPECTED, Measure, evaluate
from rulerank.metrics.metric import Metric, metric
from rulerank.metrics.rankings import Rankings, rank

__all__ = [
    "CUT_OFFS",
    "EXPECTED",
    "Audience",
    "Convention",
    "IntentERR",
    "IntentUser",
    "Measure",
    "Metric",
    "Rankings",
    "conventions",
    "default_relevance",
    "err_eia_user",
    "err_ia_user",
    "err_user",
    "evaluate",
    "intent_err",
    "metric",
    "rank",
]
