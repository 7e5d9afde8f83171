"""Every figure and table of the screens, under one name: `from pages.widgets import charts`.

Functions from arrays and small dataclasses to plotly figures: no database, no session state. `show` puts one on a page.
"""

from pages.widgets.bars import (
    Agreement,
    Speed,
    agreement_dots,
    annotator_speed,
    grade_histogram,
    query_weights_bar,
)
from pages.widgets.competence import competence_heatmaps
from pages.widgets.curves import found_curve, rules_curve
from pages.widgets.figure import alt_text, empty_figure, plotly_config
from pages.widgets.learning import Band, Curve, learning_curve
from pages.widgets.matrices import confusion_matrix, tau_matrix
from pages.widgets.show import current_theme, show
from pages.widgets.tables import score_rules_table

__all__ = [
    "Agreement",
    "Band",
    "Curve",
    "Speed",
    "agreement_dots",
    "alt_text",
    "annotator_speed",
    "competence_heatmaps",
    "confusion_matrix",
    "current_theme",
    "empty_figure",
    "found_curve",
    "grade_histogram",
    "learning_curve",
    "plotly_config",
    "query_weights_bar",
    "rules_curve",
    "score_rules_table",
    "show",
    "tau_matrix",
]
