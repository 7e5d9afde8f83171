"""Cover: one document of every single-linkage cluster of the pool, without a look at any grade."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulerank.errors import InputError
from rulerank.registry import samplers
from rulerank.rules.items import as_whole
from rulerank.sampling.base import Floats, Sampler
from rulerank.sampling.linkage import single_linkage, unlabelled_clusters
from rulerank.sampling.selection import Key
from rulerank.strategy import Param


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
