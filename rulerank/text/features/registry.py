"""The registry of text features: each takes the Matches of many pairs and returns one number a pair."""

from __future__ import annotations

from collections.abc import Callable

from rulerank.registry import Registry
from rulerank.text.matches import Floats, Matches

TextFeature = Callable[[Matches], Floats]

text_features: Registry[TextFeature] = Registry("text feature", "rulerank.text.features", "rulerank.text_features")
