"""Click models and intent-aware metrics: judge rankings by the users' behaviour, in one language or several.

    log = read_log("clicks.csv", depth=5)
    model = fit("eia", log)                 # parameters with intervals, log-likelihood
    tables = compare(log)                   # the paper's tables 2 and 3 for this log
    rulerank.metrics.intent_err(grades, scores, qids, languages, model.user)

After Drutsa, Shutovich, Pushnyakov, Krokhalyov, Gusev and Serdyukov, *User Model-Based Intent-Aware Metrics for
Multilingual Search ClickEvaluation* (2016); docs/clicks.md has the equations.
"""

from rulerank.clicks.builder import LogBuilder
from rulerank.clicks.compare import Comparison, ComparisonStoppedError, compare
from rulerank.clicks.documents import DocumentFit, fit_documents
from rulerank.clicks.evaluation import (
    ONLINE,
    ClickEvaluation,
    correlations,
    evaluate_clicks,
    gain,
    session_metrics,
    weighted_correlation,
)
from rulerank.clicks.fit import fit
from rulerank.clicks.log import ClickLog, LogReading
from rulerank.clicks.models import PAPER, ClickModel, click_models
from rulerank.clicks.read import LAYOUTS, read_log
from rulerank.clicks.result import Fit, Parameter
from rulerank.clicks.saved import fit_from_dict, load_fit, save_fit
from rulerank.clicks.simulate import bilingual_user, made_up_lists, simulate_log
from rulerank.clicks.source import BadRow, ClickLogError
from rulerank.clicks.write import write_log

__all__ = [
    "LAYOUTS",
    "ONLINE",
    "PAPER",
    "BadRow",
    "ClickEvaluation",
    "ClickLog",
    "ClickLogError",
    "ClickModel",
    "Comparison",
    "ComparisonStoppedError",
    "DocumentFit",
    "Fit",
    "LogBuilder",
    "LogReading",
    "Parameter",
    "bilingual_user",
    "click_models",
    "compare",
    "correlations",
    "evaluate_clicks",
    "fit",
    "fit_documents",
    "fit_from_dict",
    "gain",
    "load_fit",
    "made_up_lists",
    "read_log",
    "save_fit",
    "session_metrics",
    "simulate_log",
    "weighted_correlation",
    "write_log",
]
