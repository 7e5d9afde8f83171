"""What the queries of a collection ask and what its documents say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QueryText:
    """What a query says, and (optionally) the need behind it in a sentence.

    `terms` are the query's terms for AR(R_q_d), where whoever prepared the texts has said which; None: nobody has.

    >>> QueryText("wing lift", need="How does a wing carry weight?")
    QueryText(text='wing lift', need='How does a wing carry weight?', terms=None)
    """

    text: str
    need: str = ""
    terms: tuple[str, ...] | None = None


@dataclass(frozen=True)
class DocumentText:
    """What a document says; `language` is a code such as "en", or None if it is not known.

    >>> DocumentText("Wings", "Lift of a wing", language="en")
    DocumentText(title='Wings', body='Lift of a wing', language='en')
    """

    title: str
    body: str
    language: str | None = None


@dataclass(frozen=True)
class Texts:
    """The texts of a collection's queries, by qid, and of its documents, by docid.

    >>> texts = Texts({"q1": QueryText("wing lift")}, {"d1": DocumentText("Wings", "Lift of a wing")})
    >>> texts.documents["d1"].body
    'Lift of a wing'
    """

    queries: dict[str, QueryText]
    documents: dict[str, DocumentText]
