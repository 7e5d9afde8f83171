"""Tables for `st.dataframe`: plain text and numbers, no HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from rulerank.rules.rule import Rule

COLUMNS = ("If the document has", "Grade", "Support", "Confidence")
WEIGHT = "Weight"


def score_rules_table(
    rules: Iterable[Rule],
    item_text: Callable[[int, int], str] | None = None,
    grade_names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the rules behind a score: antecedent in words, grade, support (count) and confidence.

    The surest come first, then the better supported, then the shorter. `item_text` is a discretiser's `describe`. Where
    rules do not all weigh alike, a column tells their weights, and the surest are those with most confidence x weight.
    """
    words = item_text or (lambda feature, number: f"feature {feature + 1} in bin {number}")
    ordered = sorted(
        rules, key=lambda r: (-r.weight * r.confidence, -r.support, len(r.antecedent), r.antecedent, r.grade)
    )
    named = grade_names or ()
    table = pd.DataFrame(
        {
            COLUMNS[0]: pd.Series(
                [" and ".join(words(feature, number) for feature, number in rule.antecedent) for rule in ordered],
                dtype="str",
            ),
            COLUMNS[1]: pd.Series(
                [f"{r.grade} {named[r.grade]}" if 0 <= r.grade < len(named) else str(r.grade) for r in ordered],
                dtype="str",
            ),
            COLUMNS[2]: pd.Series([rule.support for rule in ordered], dtype="int64"),
            COLUMNS[3]: pd.Series([round(rule.confidence, 4) for rule in ordered], dtype="float64"),
        }
    )
    if any(rule.weight != 1.0 for rule in ordered):
        table[WEIGHT] = pd.Series([round(rule.weight, 3) for rule in ordered], dtype="float64")
    return table
