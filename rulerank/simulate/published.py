"""Published MAP of LETOR's data sets, the mean of five folds, for reference lines beside learning curves.

The figures are those printed in the papers' tables: Learning to Rank using Query-Level Rules (2010, tables V to VIII),
Rule-Based Active Sampling for Learning to Rank (2011, tables 1 and 4; its baselines are LETOR's) and Learning to Rank
at Query-Time using Association Rules (2008, table 3).
"""

from __future__ import annotations

from dataclasses import dataclass

from rulerank.folds import spoken

TITLES = {
    "jidm2010": "Learning to Rank using Query-Level Rules",
    "ssar2011": "Rule-Based Active Sampling for Learning to Rank",
    "sigir2008": "Learning to Rank at Query-Time using Association Rules",
}


@dataclass(frozen=True)
class Reference:
    """One published mean: which method reached which MAP, and where that is printed. All labels were used."""

    dataset: str
    method: str
    map: float
    paper: str
    table: str

    @property
    def source(self) -> str:
        """The paper and the table, in words."""
        return f"{TITLES[self.paper]}, table {self.table}"


_TABLES = """
jidm2010 V OHSUMED: RE-GR 0.456, RE-SR 0.460, RE-QR 0.465, R-SVM 0.433, AdaRank 0.449
jidm2010 VI TD2003: RE-GR 0.288, RE-SR 0.292, RE-QR 0.300, FRank 0.203, ListNet 0.275
jidm2010 VI TD2004: RE-GR 0.263, RE-SR 0.255, RE-QR 0.268, SVMMAP 0.205, R-Boost 0.261
jidm2010 VII HP2003: RE-GR 0.756, RE-SR 0.767, RE-QR 0.766, FRank 0.709, AdaRank 0.771
jidm2010 VII HP2004: RE-GR 0.696, RE-SR 0.706, RE-QR 0.706, R-Boost 0.625, AdaRank 0.722
jidm2010 VIII NP2003: RE-GR 0.708, RE-SR 0.707, RE-QR 0.712, FRank 0.664, R-Boost 0.707
jidm2010 VIII NP2004: RE-GR 0.675, RE-SR 0.672, RE-QR 0.685, R-Boost 0.564, ListNet 0.672
ssar2011 1 TD2003: LRAR 0.2459
ssar2011 1 TD2004: LRAR 0.2463
ssar2011 1 NP2003: LRAR 0.6373
ssar2011 1 NP2004: LRAR 0.5155
ssar2011 1 HP2003: LRAR 0.7083
ssar2011 1 HP2004: LRAR 0.5443
ssar2011 4 TD2003: RankBoost 0.2274, FRank 0.2031, Regression 0.2409
ssar2011 4 TD2004: RankBoost 0.2614, FRank 0.2388, Regression 0.2078
ssar2011 4 NP2003: RankBoost 0.7074, FRank 0.6640, Regression 0.5644
ssar2011 4 NP2004: RankBoost 0.5640, FRank 0.6008, Regression 0.5142
ssar2011 4 HP2003: RankBoost 0.7330, FRank 0.7095, Regression 0.4968
ssar2011 4 HP2004: RankBoost 0.6251, FRank 0.6817, Regression 0.5256
sigir2008 3 OHSUMED: AR(R_d) 0.457, RankBoost 0.440
"""


def _read(text: str) -> tuple[Reference, ...]:
    found = []
    for line in text.strip().splitlines():
        where, _, figures = line.partition(": ")
        paper, table, dataset = where.split()
        for figure in figures.split(", "):
            method, value = figure.rsplit(" ", 1)
            found.append(Reference(dataset, method, float(value), paper, table))
    return tuple(found)


PUBLISHED = _read(_TABLES)


def references(dataset: str) -> list[Reference]:
    """Return the published means of the data set that a name speaks of (`2003_td_dataset`: TD2003), or none."""
    found = spoken(dataset)
    return [each for each in PUBLISHED if found == [each.dataset]]
