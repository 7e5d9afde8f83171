"""The figures that screens share, under one name: `from pages import charts`.

Functions from arrays and small dataclasses to plotly figures: no database, no session state. `show` puts one on a page.
"""

from pages.charts.bars import (
    Agreement,
    Speed,
    agreement_dots,
    annotator_speed,
    grade_histogram,
    query_weights_bar,
)
from pages.charts.curves import found_curve, rules_curve
from pages.charts.figure import alt_text, empty_figure, plotly_config
from pages.charts.learning import Band, Curve, learning_curve
from pages.charts.matrices import confusion_matrix, tau_matrix
from pages.charts.render import current_theme, show

__all__ = [
    "Agreement",
    "Band",
    "Curve",
    "Speed",
    "agreement_dots",
    "alt_text",
    "annotator_speed",
    "confusion_matrix",
    "current_theme",
    "empty_figure",
    "found_curve",
    "grade_histogram",
    "learning_curve",
    "plotly_config",
    "query_weights_bar",
    "rules_curve",
    "show",
    "tau_matrix",
]
