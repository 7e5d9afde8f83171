"""The command `warm`: compile the kernels ahead, so that nobody waits for them later."""

from __future__ import annotations

import io

from rulerank.campaign import Campaign, Kind, MemoryLog, Offer, Pool, Settings
from rulerank.cli.output import progress
from rulerank.discretize import Tube
from rulerank.letor import write_letor
from rulerank.metrics import evaluate
from rulerank.ranking import LRAR
from rulerank.synthetic import planted_collection


def warm() -> None:
    """Compile the kernels that labelling uses; they are kept on disk, so this takes time only once."""
    collection = planted_collection(4, 12, 8)
    with progress("preparing (once)", 4) as advance:
        items = Tube(bins=4).fit_transform(collection.features)
        advance(1)
        settings = Settings(dwell_milliseconds=0)
        campaign = Campaign(MemoryLog(), Pool(items, collection.query_index), settings)
        for person in (1, 2):
            offer = campaign.next(person)
            assert isinstance(offer, Offer)
            campaign.submit(person, offer.claim.token, offer.claim.row, Kind.GRADE, grade=1)
        campaign.undo(1)
        advance(1)
        model = LRAR().watch(items).fit(items[:20], collection.grades[:20])
        model.predict(items)
        model.partial_fit(items[30], 1)
        evaluate(collection.grades, model.predict(items), collection.query_index)
        advance(1)
        write_letor(collection, io.BytesIO())
        advance(1)
