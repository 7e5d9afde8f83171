"""How well the data know each parameter: confidence intervals, and what they cannot tell apart.

The observed information J is taken at the estimate, in logits. Intervals are logit +- z sqrt(J^-1) carried back to
probabilities, so they stay within 0 and 1; the standard error of a probability is by the delta method, p (1 - p) times
that of its logit. The share of intent i has logit(p_i) as a function of the free logits, and the delta method as well.

A direction in which no term of the log changes its probability is one that the data cannot see. Such directions are the
null space of the terms' scores (their derivatives): eigenvectors of their sum of squares, scaled to a unit diagonal,
whose eigenvalue is nothing but rounding. The parameters that one moves are named together, as not told apart. So are
those along which J does not bend downwards, should there be any left.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rulerank.clicks.fitting import EDGE
from rulerank.clicks.likelihood import Floats, Likelihood
from rulerank.errors import InputError

KNOWN, FIXED, UNSEEN, AT_EDGE, UNTOLD = "estimated", "fixed", "no data", "at the edge", "not identified"
"""What is known of a parameter."""

_FLAT = 1e-6
"""Eigenvalues of the scaled information below this are rounding: differences of gradients are good to about 1e-8."""
_UNSEEN = 1e-9
"""The same for the sum of squared scores, which has no differences in it."""
_MOVED = 0.02
"""A parameter counts as moved from this share of the largest movement on."""
_NEAR_EDGE = 9.0
"""A logit beyond this that the likelihood pushes outwards is a probability of 0 or 1."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Standard errors and intervals of the probabilities, first of the relevance parameters, then of all shares."""

    value: Floats
    error: Floats
    low: Floats
    high: Floats
    status: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    """Parameters that the data cannot tell apart, as places in `value`; groups that overlap are one."""
    directions: int
    """In how many directions they can move together unseen."""


def knowledge(likelihood: Likelihood, free: Floats, level: float = 0.95) -> Knowledge:
    """Return what the data know of every parameter at the estimate."""
    if not 0 < level < 1:
        raise InputError(f"the level of an interval is between 0 and 1, not {level!r}")
    size, relevances = likelihood.size, likelihood.relevances
    unseen = np.zeros(size, bool)
    unseen[:relevances] = ~likelihood.seen()
    edge = ~unseen & (np.abs(free) >= min(_NEAR_EDGE, EDGE))
    asked = np.flatnonzero(~unseen & ~edge)
    covariance, bends = _inverse(likelihood.information(free)[np.ix_(asked, asked)])
    whole = np.zeros((size, size))
    whole[np.ix_(asked, asked)] = covariance
    shown = np.flatnonzero(~unseen)
    scores = likelihood.scores(free)[:, shown] * np.sqrt(likelihood.weights)[:, None]
    flats = [(shown, flat) for flat in _null(scores.T @ scores, _UNSEEN)] or [(asked, bend) for bend in bends]

    prior, _ = likelihood.parts(free)
    slopes, logits = _slopes(prior, free, relevances)
    deviation = np.sqrt(np.maximum(np.einsum("pi,ij,pj->p", slopes, whole, slopes), 0.0))
    value = 0.5 * (1.0 + np.tanh(0.5 * logits))
    reach = NormalDist().inv_cdf(0.5 + level / 2) * deviation
    error = value * (1 - value) * deviation
    low, high = (0.5 * (1.0 + np.tanh(0.5 * (logits + sign * reach))) for sign in (-1, 1))

    status = [KNOWN] * len(value)
    groups: list[set[int]] = []
    for places, flat in flats:
        direction = np.zeros(size)
        direction[places] = flat
        moved = value * (1 - value) * np.abs(slopes @ direction)  # of probabilities: logits at an edge run far
        group = set(np.flatnonzero(moved > _MOVED * max(moved.max(), 1e-300)).tolist())
        for place in group:
            status[place] = UNTOLD
        apart = [other for other in groups if not other & group]
        groups = [*apart, group.union(*(other for other in groups if other & group))]
    for place in range(len(value)):
        source = np.flatnonzero(slopes[place])
        if len(source) and unseen[source].all():
            status[place] = UNSEEN
        elif len(source) and edge[source].any() and status[place] != UNTOLD:
            status[place] = AT_EDGE
        elif not len(source):
            status[place] = FIXED
    unknown = np.isin(status, (UNSEEN, UNTOLD, AT_EDGE))
    error[unknown] = np.nan
    low[unknown], high[unknown] = 0.0, 1.0
    low[np.equal(status, FIXED)] = high[np.equal(status, FIXED)] = value[np.equal(status, FIXED)]
    ordered = tuple(tuple(sorted(group)) for group in groups)
    return Knowledge(value, error, low, high, tuple(status), ordered, len(flats))


def _slopes(prior: Floats, free: Floats, relevances: int) -> tuple[Floats, Floats]:
    """Return d logit / d free of every relevance and share, and the logits themselves."""
    intents, size = len(prior), len(free)
    slopes = np.zeros((relevances + intents, size))
    slopes[:relevances, :relevances] = np.eye(relevances)
    logits = np.concatenate([free[:relevances], np.full(intents, 40.0)])
    if intents > 1:
        # logit(p_i) = log p_i - log(1 - p_i); d log p_i / d eta_j = [i = j] - p_j.
        for i in range(intents):
            rest = max(1.0 - prior[i], 1e-300)
            step = (np.eye(intents)[i] - prior) / rest
            slopes[relevances + i, relevances:] = step[1:]
            logits[relevances + i] = np.log(max(prior[i], 1e-300)) - np.log(rest)
    return slopes, logits


def _inverse(information: Floats) -> tuple[Floats, list[Floats]]:
    """Invert the information on what it can see; return the directions that it cannot, in unscaled parameters."""
    if not len(information):
        return information, []
    scale = _scale(information)
    values, vectors = np.linalg.eigh(information * scale[:, None] * scale)
    kept = np.where(values < _FLAT, np.inf, values)
    covariance = (vectors / kept) @ vectors.T * scale[:, None] * scale
    return covariance, _null(information, _FLAT)


def _null(squares: Floats, least: float) -> list[Floats]:
    """Return the directions in which a matrix vanishes, in unscaled parameters."""
    if not len(squares):
        return []
    scale = _scale(squares)
    values, vectors = np.linalg.eigh(squares * scale[:, None] * scale)
    return [vectors[:, place] * scale for place in np.flatnonzero(values < least)]


def _scale(matrix: Floats) -> Floats:
    """One over the root of the diagonal, 1 where that is nothing."""
    diagonal = np.diag(matrix)
    return np.asarray(1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)))
