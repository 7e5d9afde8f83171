"""Log-likelihood of a model by grade with a latent intent, and its exact gradient.

Free parameters are the logits of the relevance probabilities and, for I intents, I - 1 logits of their shares against
the first one's: every value of them is a proper model, so nothing has to be constrained. With r(t, i) the posterior
probability of intent i for term t of weight w(t), and p the relevance of a cell,

    d logL / d logit(i, cell) = sum over t of w(t) r(t, i) [stopped(t, cell) (1 - p) - passed(t, cell) p]
    d logL / d logit(share i) = sum over t of w(t) (r(t, i) - p_i)

and a parameter that several cells share has the sum of their derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulerank.clicks.log import ClickLog, Codes, Ints, distinct_rows
from rulerank.kernels import kernel


@dataclass(frozen=True, eq=False)
class Terms:
    """The distinct terms of a log."""

    passed: Codes
    """Cells that were passed by, padded with -1."""
    stop: Codes
    """Cell that satisfied, or -1."""
    of_row: Ints
    """Term of each row of the log."""
    cells: int
    """Number of cells there can be, languages * grades."""

    def weights(self, count: Ints) -> NDArray[np.float64]:
        """Return the sessions of each term, from those of each row of the log."""
        return np.bincount(self.of_row, weights=count, minlength=len(self.stop)).astype(np.float64)

    def examined(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how often each cell was passed by, and how often it satisfied."""
        held, ended = self.passed >= 0, self.stop >= 0
        each = np.broadcast_to(weights[:, None], self.passed.shape)[held]
        passed = np.bincount(self.passed[held], weights=each, minlength=self.cells)
        stopped = np.bincount(self.stop[ended], weights=weights[ended], minlength=self.cells)
        return passed.astype(np.float64), stopped.astype(np.float64)


def terms_of(log: ClickLog) -> Terms:
    """Find the terms of a log; this is done once, and splits of the log only weigh them anew."""
    cells = log.cell[log.row_config]
    position = np.arange(1, log.depth + 1)
    stop_at = log.row_stop[:, None]
    above = (stop_at == 0) | (position < stop_at)
    passed = np.sort(np.where(above, cells, -1), axis=1)[:, ::-1]
    stop = np.where(position == stop_at, cells, -1).max(axis=1)
    table = np.concatenate([stop[:, None], passed], axis=1)
    size = len(log.languages) * log.grades
    first, place = distinct_rows(table, size + 1)
    kept = table[first]
    return Terms(np.ascontiguousarray(kept[:, 1:], np.int32), np.ascontiguousarray(kept[:, 0], np.int32), place, size)


Floats = NDArray[np.float64]


@kernel
def _walk(
    passed: Codes,
    stop: Codes,
    weights: Floats,
    log_prior: Floats,
    log_yes: Floats,
    log_no: Floats,
    yes: Floats,
    slope: Floats,
    shares: Floats,
) -> float:
    """Add up the log-likelihood, the derivatives by cell and the expected sessions of each intent."""
    intents = len(log_prior)
    joint = np.empty(intents)
    total = 0.0
    for t in range(len(stop)):
        weight = weights[t]
        if weight == 0.0:
            continue
        end = stop[t]
        top = -np.inf
        for i in range(intents):
            value = log_prior[i]
            for j in range(passed.shape[1]):
                cell = passed[t, j]
                if cell < 0:
                    break
                value += log_no[i, cell]
            if end >= 0:
                value += log_yes[i, end]
            joint[i] = value
            top = max(top, value)
        mass = 0.0
        for i in range(intents):
            joint[i] = np.exp(joint[i] - top)
            mass += joint[i]
        total += weight * (top + np.log(mass))
        for i in range(intents):
            share = weight * joint[i] / mass
            shares[i] += share
            for j in range(passed.shape[1]):
                cell = passed[t, j]
                if cell < 0:
                    break
                slope[i, cell] -= share * yes[i, cell]
            if end >= 0:
                slope[i, end] += share * (1.0 - yes[i, end])
    return total


class Likelihood:
    """The log-likelihood of one model on one weighing of the terms, as a function of the free parameters."""

    def __init__(self, terms: Terms, weights: Floats, table: Ints) -> None:
        self.terms, self.weights = terms, weights
        self.intents = table.shape[0]
        self.table = table.reshape(self.intents, -1)
        self.relevances = int(table.max()) + 1
        self.size = self.relevances + self.intents - 1
        self.sessions = float(weights.sum())

    def parts(self, free: Floats) -> tuple[Floats, Floats]:
        """Return the shares of the intents and the relevance by intent and cell."""
        logits = np.concatenate([[0.0], free[self.relevances :]])
        shares = np.exp(logits - logits.max())
        return shares / shares.sum(), _logistic(free[: self.relevances])[self.table]

    def free(self, prior: Floats, relevance: Floats) -> Floats:
        """Return the free parameters of given shares and relevance by parameter."""
        return np.concatenate([_logit(relevance), np.log(prior[1:] / prior[0])])

    def __call__(self, free: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood and its gradient."""
        prior, yes = self.parts(free)
        logits = free[: self.relevances][self.table]
        slope, shares = np.zeros(self.table.shape), np.zeros(self.intents)
        value = _walk(
            self.terms.passed,
            self.terms.stop,
            self.weights,
            np.log(prior),
            -np.logaddexp(0.0, -logits),
            -np.logaddexp(0.0, logits),
            yes,
            slope,
            shares,
        )
        by_parameter = np.bincount(self.table.ravel(), weights=slope.ravel(), minlength=self.relevances)
        return value, np.concatenate([by_parameter, (shares - self.sessions * prior)[1:]])

    def information(self, free: Floats, step: float = 1e-4) -> Floats:
        """Return the observed information: minus the second derivatives, by central differences of the gradient."""
        found = np.empty((self.size, self.size))
        for place in range(self.size):
            moved = np.zeros(self.size)
            moved[place] = step
            found[place] = (self(free - moved)[1] - self(free + moved)[1]) / (2 * step)
        return (found + found.T) / 2

    def scores(self, free: Floats) -> Floats:
        """Return the derivatives of the log-likelihood of one session of each term, a row per term."""
        prior, yes = self.parts(free)
        logits = free[: self.relevances][self.table]
        rows, cells = np.arange(len(self.terms.stop)), yes.shape[1]
        passed = np.zeros((len(rows), cells + 1))
        for column in self.terms.passed.T:
            passed[rows, column] += 1  # past the end (-1) is counted in the last column, which is cut off
        passed = passed[:, :cells]
        stopped = np.zeros((len(rows), cells + 1))
        stopped[rows, self.terms.stop] = 1
        stopped = stopped[:, :cells]
        joint = np.log(prior) - passed @ np.logaddexp(0.0, logits).T - stopped @ np.logaddexp(0.0, -logits).T
        shares = np.exp(joint - joint.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        found = np.zeros((len(rows), self.size))
        for i in range(self.intents):
            slope = shares[:, i, None] * (stopped * (1.0 - yes[i]) - passed * yes[i])
            for cell, parameter in enumerate(self.table[i]):
                found[:, parameter] += slope[:, cell]
        found[:, self.relevances :] = (shares - prior)[:, 1:]
        return found

    def seen(self) -> NDArray[np.bool_]:
        """Say of each relevance parameter whether any examined result depends on it."""
        passed, stopped = self.terms.examined(self.weights)
        shown = np.broadcast_to(passed + stopped > 0, self.table.shape)
        return np.bincount(self.table.ravel(), weights=shown.ravel(), minlength=self.relevances) > 0


def _logistic(values: Floats) -> Floats:
    return 0.5 * (1.0 + np.tanh(0.5 * values))


def _logit(values: Floats) -> Floats:
    return np.log(values) - np.log1p(-values)
