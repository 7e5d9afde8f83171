"""How far annotators agree, where they do not, whether it matters to the ranking, and what their grades come to.

Everywhere the same three arrays come in, of equal length: `units` (the document of each grade), `annotators` and
`grades` (0, 1, 2, ...), with one current grade for each document and annotator. Nobody needs to have graded everything.
"""

from rulerank.agreement.aggregate import LABELS, MODELS, RULES, Dispute, aggregate, disputes
from rulerank.agreement.alpha import Alpha, krippendorff_alpha
from rulerank.agreement.dawid_skene import fit_dawid_skene
from rulerank.agreement.latent import GradeModel
from rulerank.agreement.ordered import fit_ordered
from rulerank.agreement.pairs import Confusion, PairKappa, confusion, pairwise_kappa
from rulerank.agreement.rankers import RankerAgreement, kendall_tau, ranker_agreement

__all__ = [
    "LABELS",
    "MODELS",
    "RULES",
    "Alpha",
    "Confusion",
    "Dispute",
    "GradeModel",
    "PairKappa",
    "RankerAgreement",
    "aggregate",
    "confusion",
    "disputes",
    "fit_dawid_skene",
    "fit_ordered",
    "kendall_tau",
    "krippendorff_alpha",
    "pairwise_kappa",
    "ranker_agreement",
]
