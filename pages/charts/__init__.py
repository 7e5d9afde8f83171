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
from pages.charts.figure import alt_text, current_theme, empty_figure, plotly_config, show
from pages.charts.files import Source, citation, figure_data, methods, source_of
from pages.charts.learning import Curve, ShadedBand, learning_curve
from pages.charts.matrices import confusion_matrix, tau_matrix
from pages.charts.saving import SavingArrow, add_saving
from pages.charts.series import LineStyle, ranker_looks, sampler_looks

__all__ = [
    "Agreement",
    "Curve",
    "LineStyle",
    "SavingArrow",
    "ShadedBand",
    "Source",
    "Speed",
    "add_saving",
    "agreement_dots",
    "alt_text",
    "annotator_speed",
    "citation",
    "confusion_matrix",
    "current_theme",
    "empty_figure",
    "figure_data",
    "found_curve",
    "grade_histogram",
    "learning_curve",
    "methods",
    "plotly_config",
    "query_weights_bar",
    "ranker_looks",
    "rules_curve",
    "sampler_looks",
    "show",
    "source_of",
    "tau_matrix",
]
