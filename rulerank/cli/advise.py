"""The command `advise`: which sampler and ranker for a collection, and about how many labels it will take."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from rulerank.advice import PoolFacts, labels_for, recommend
from rulerank.cli.output import print_json, say
from rulerank.cli.source import AsJson, EncodingName, Files, read


def advise(
    files: Files,
    one_in: Annotated[
        float | None,
        typer.Option(
            help="One query-document pair in how many is relevant, as far as you know; grades in the files tell, too.",
            min=1,
            show_default=False,
        ),
    ] = None,
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="The labels are for RankSVM, LambdaMART or the like.")
    ] = False,
    share: Annotated[
        float, typer.Option(help="How good it should become: the share of the MAP of all labels.", min=0.01, max=1.0)
    ] = 0.95,
    encoding: EncodingName = None,
    json_: AsJson = False,
) -> None:
    """Recommend a sampler and a ranker for LETOR files, and say about how many labels they will take.

    Both rest on simulations on other collections. Example: `rulerank advise pool.txt --one-in 50`
    """
    collection = read(files, quiet=json_, encoding=encoding)
    facts = PoolFacts.of(collection, None if one_in is None else 1 / one_in)
    advised = recommend(facts, pairwise=pairwise)
    forecast = labels_for(facts, share, sampler=advised.sampler, ranker=advised.ranker)
    if json_:
        print_json(
            {
                "facts": asdict(facts),
                "recommended": asdict(advised),
                "forecast": None if forecast is None else asdict(forecast),
            }
        )
        return
    say(f"{facts.in_words}, {facts.features} features")
    say(advised.words, lead="recommended:")
    say("too few simulations reached that share" if forecast is None else forecast.sentence, lead="labels:")
