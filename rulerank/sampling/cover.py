"""Cover: one document of every single-linkage cluster of the pool, without a look at any grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rulerank.errors import InputError
from rulerank.kernels import kernel
from rulerank.registry import samplers
from rulerank.rules.items import Ints, as_whole
from rulerank.sampling.base import Floats, Sampler
from rulerank.sampling.selection import Key
from rulerank.strategy import Param

BLOCK = 8
"""Coordinates that are added up before a look at whether the distance is too large already."""


@dataclass(frozen=True)
class Linkage:
    """The merges of single linkage. Nodes 0 to n - 1 are documents, node n + m is merge m, the shortest edge first.

    parent: the merge that a node goes into (-1 for the last). first, count: the documents of a node are
    `order[first : first + count]`. A cut into k clusters undoes the last k - 1 merges.
    """

    parent: Ints
    first: Ints
    count: Ints
    order: Ints
    lengths: Floats


def single_linkage(points: Floats) -> Linkage:
    """Return the single-linkage merges of points (documents by coordinates, each within 0..1) by Euclidean distance.

    Of edges of equal length the one that Prim's algorithm from document 0, lower rows first, finds first counts as
    the shorter one.
    """
    centred = points - points.mean(axis=0)
    # Principal axes, the widest first: most far pairs are distinguished from near ones by a few of these coordinates.
    _, axes = np.linalg.eigh(centred.T @ centred)
    leading = np.zeros((BLOCK, len(points)))
    found = axes[:, ::-1][:, :BLOCK]
    leading[: found.shape[1]] = (centred @ found).T
    spread = np.argsort(-points.var(axis=0), kind="stable")
    padded = np.zeros((len(points), -(-points.shape[1] // BLOCK) * BLOCK))
    padded[:, : points.shape[1]] = points[:, spread]
    ends, squares = _prim(padded, leading)
    shortest = np.argsort(squares, kind="stable")
    parent, first, count, order = _merge(ends[shortest], len(points))
    return Linkage(parent, first, count, order, np.sqrt(squares[shortest]))


@kernel
def _prim(points: Floats, leading: Floats) -> tuple[Ints, Floats]:
    """Return the edges of a minimum spanning tree (pairs of rows) and their squared lengths, as they were found.

    Both arrays are used up: what lies outside of the tree is kept in one piece at their front. `leading` only ever
    saves work; a distance that counts is added up from the points themselves, always in the same order.
    """
    documents, width = points.shape
    ends = np.zeros((documents - 1, 2), np.int64)
    squares = np.zeros(documents - 1)
    rows = np.arange(documents)
    near = np.full(documents, np.inf)
    to = np.zeros(documents, np.int64)
    bound = np.zeros(documents)
    newest, outside = 0, documents
    for edge in range(documents - 1):
        here, ahead, row = points[newest].copy(), leading[:, newest].copy(), rows[newest]
        outside -= 1
        points[newest], leading[:, newest] = points[outside], leading[:, outside]
        rows[newest], near[newest], to[newest] = rows[outside], near[outside], to[outside]
        bound[:outside] = 0.0
        for axis in range(ahead.size):
            for place in range(outside):
                bound[place] += (leading[axis, place] - ahead[axis]) ** 2
        best = 0
        for place in range(outside):
            # The margins are far above what rounding can do to the bound.
            if bound[place] <= near[place] * (1 + 1e-6) + 1e-18:
                there = points[place]
                total = 0.0
                for at in range(0, width, 8):
                    a, b = here[at] - there[at], here[at + 1] - there[at + 1]
                    c, d = here[at + 2] - there[at + 2], here[at + 3] - there[at + 3]
                    e, f = here[at + 4] - there[at + 4], here[at + 5] - there[at + 5]
                    g, h = here[at + 6] - there[at + 6], here[at + 7] - there[at + 7]
                    total += ((a * a + b * b) + (c * c + d * d)) + ((e * e + f * f) + (g * g + h * h))
                    if total >= near[place]:
                        break
                if total < near[place]:
                    near[place], to[place] = total, row
            if near[place] < near[best] or (near[place] == near[best] and rows[place] < rows[best]):
                best = place
        ends[edge, 0], ends[edge, 1] = to[best], rows[best]
        squares[edge] = near[best]
        newest = best
    return ends, squares


@kernel
def _merge(ends: Ints, documents: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return parent, first, count and order of `Linkage`, from edges in the order of their merges."""
    nodes = 2 * documents - 1
    parent = np.full(nodes, -1, np.int64)
    count = np.ones(nodes, np.int64)
    child = np.zeros((documents - 1, 2), np.int64)
    root = np.arange(nodes)  # a path to the newest merge of each node, shortened as it is walked
    for merge in range(documents - 1):
        made = documents + merge
        for side in range(2):
            node = ends[merge, side]
            while root[node] != node:
                root[node] = root[root[node]]
                node = root[node]
            root[node] = made
            parent[node] = made
            child[merge, side] = node
        count[made] = count[child[merge, 0]] + count[child[merge, 1]]
    first = np.zeros(nodes, np.int64)
    for merge in range(documents - 2, -1, -1):
        one, two = child[merge]
        first[one] = first[documents + merge]
        first[two] = first[one] + count[one]
    order = np.zeros(documents, np.int64)
    for row in range(documents):
        order[first[row]] = row
    return parent, first, count, order


@kernel
def unlabelled_clusters(parent: Ints, labelled: npt.NDArray[np.bool_], least: int) -> tuple[Ints, Ints]:
    """Return, for each document, the largest cluster it is in that holds no label, and how many clusters that takes.

    Cuts start at `least` clusters. A labelled document is never in such a cluster: node -1, one cluster more than
    there are documents.
    """
    documents = labelled.size
    nodes = parent.size
    held = np.zeros(nodes, np.bool_)
    held[:documents] = labelled
    for node in range(nodes - 1):
        if held[node]:
            held[parent[node]] = True
    cluster = np.full(nodes, -1, np.int64)
    clusters = np.full(nodes, documents + 1, np.int64)
    kept = 2 * documents - least
    for node in range(nodes - 1, -1, -1):
        if held[node] or node >= kept:
            continue
        above = parent[node]
        if above >= 0 and above < kept and not held[above]:
            cluster[node], clusters[node] = cluster[above], clusters[above]
        else:
            cluster[node] = node
            clusters[node] = max(least, 1 if above < 0 else 2 * documents - above)
    return cluster[:documents], clusters[:documents]


@samplers.register("cover", "Cover (one of every cluster)")
class Cover(Sampler):
    """Chooses the document nearest the middle of a cluster that holds no label yet; grades play no part.

    After Silva, Gomes, Alvim and Gonçalves, Compression-Based Selective Sampling for Learning to Rank (CIKM 2016):
    the pool is cut into as many single-linkage clusters (by a Euclidean minimum spanning tree of the feature values)
    as there are to be labels, and of each cluster the document nearest its centroid is labelled.

    clusters: the published cut, for a budget known ahead. Larger clusters come first; when each holds a label the cut
    grows finer by one cluster at a time. With 1, the default, it does so from the start, and no budget is needed: the
    pool is cut as coarsely as leaves one cluster without a label. Labels given for other reasons count as well.

    What is uncertain, or differs. The method is taken from the paper's abstract and the authors' public program, not
    from the paper's text. The program writes a set, so the order is ours, and so is going on with finer cuts:
    `clusters=n` and n labels give the program's set; the default gives nearly that, since a document that stood for a
    cluster before it was split still stands for the part it lies in. Features are scaled to 0..1 over the pool, which
    changes nothing about LETOR's normalised files where every feature reaches both; the program scales nothing.
    Without feature values the bin numbers stand in. Equal edges and equal distances are decided in the program by the
    order of its lists; here equal distances go to the later row. There is no natural stop.

    >>> items, features = [[0, 0], [0, 0], [0, 1], [1, 1]], [[0.1], [0.2], [0.8], [0.9]]
    >>> Cover().run(items, grades=[2, 2, 1, 0], features=features).order
    [2, 1, 3, 0]
    """

    params = (Param("clusters", int, 1, "Clusters to begin with; 1 cuts finer label by label.", low=1),)

    def __init__(self, clusters: int = 1) -> None:
        self.clusters = clusters

    def _begin(self) -> None:
        least = as_whole(self.clusters)
        if least is None or least < 1:
            raise InputError(f"clusters must be a whole number of at least 1, not {self.clusters!r}")
        self._least = min(least, len(self.pool))
        values = (self.pool if self._features is None else self._features).astype(np.float64)
        low, high = values.min(axis=0), values.max(axis=0)
        # Halved first: the range of very large values may be more than a float holds.
        width = high / 2 - low / 2
        self._points: Floats = (values / 2 - low / 2) / np.where(width > 0, width, 1.0)
        self._linkage = single_linkage(self._points)

    def _keys(self) -> Sequence[Key]:
        labelled = np.zeros(len(self.pool), bool)
        labelled[list(self._grades)] = True
        node, clusters = unlabelled_clusters(self._linkage.parent, labelled, self._least)
        size = np.where(node < 0, 0, self._linkage.count[node])
        keys = [Key("clusters", clusters), Key("documents", size, largest=True)]
        rows = np.flatnonzero(self._available)
        for key in keys:
            rows = key.best(rows) if rows.size else rows
        distance = np.full(len(self.pool), np.inf)
        for chosen in np.unique(node[rows]):
            first = self._linkage.first[chosen]
            members = self._linkage.order[first : first + self._linkage.count[chosen]]
            gap = self._points[members] - self._points[members].mean(axis=0)
            # Rounded, so that a difference in the last bit does not decide: both of a pair are equally near.
            distance[members] = np.round(np.sqrt(np.einsum("ij,ij->i", gap, gap)), 9)
        return (*keys, Key("distance", distance))

    def _reason(self, row: int, keys: dict[str, float]) -> str:
        size, cut = f"{keys['documents']:.0f}", f"cut into {keys['clusters']:.0f} clusters"
        if keys["documents"] == 1:
            return f"with the pool {cut}, it is one by itself, and not labelled"
        return f"with the pool {cut}, it is nearest the middle of one of {size} documents that holds no label"
