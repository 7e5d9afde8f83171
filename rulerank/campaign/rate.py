"""What is paid in a campaign: an amount per hour or per label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from rulerank.errors import InputError

BY = {"hour": "Per hour", "label": "Per label"}
MOST = Decimal(1_000_000)
LONGEST_CURRENCY = 8


@dataclass(frozen=True)
class Rate:
    """What is paid for an hour or for a label.

    >>> Rate("hour", Decimal("15.50"), "EUR").cost(seconds=5400.0, labels=200)
    Decimal('23.25')
    >>> Rate("label", Decimal("0.125"), "EUR").cost(seconds=5400.0, labels=201)
    Decimal('25.13')
    """

    by: str = "hour"
    amount: Decimal = Decimal(0)
    currency: str = ""

    def __post_init__(self) -> None:
        if self.by not in BY:
            raise InputError(f"pay goes by hour or label, not {self.by!r}")
        if not self.amount.is_finite() or not 0 <= self.amount <= MOST:
            raise InputError(f"a rate must lie in 0 to {MOST:,}, not {self.amount}")
        if len(self.currency) > LONGEST_CURRENCY or not self.currency.isprintable():
            raise InputError(f"a currency has at most {LONGEST_CURRENCY} letters, for example EUR")

    def cost(self, seconds: float, labels: int) -> Decimal:
        """Return the cost of a month's work of one person, to the cent; half a cent is rounded up."""
        number = Decimal(labels) if self.by == "label" else Decimal(seconds) / 3600
        return (number * self.amount).quantize(Decimal("0.01"), ROUND_HALF_UP)

    def to_dict(self) -> dict[str, str]:
        """Return the rate as plain JSON; the amount as text, so that no cent is lost."""
        return {"by": self.by, "amount": str(self.amount), "currency": self.currency}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Rate:
        """Rebuild what `to_dict` returned; a rate that was never set is 0 per hour."""
        try:
            amount = Decimal(str(saved.get("amount", "0")))
        except InvalidOperation as error:
            raise InputError(f"{saved.get('amount')!r} is not an amount of money") from error
        return cls(str(saved.get("by", "hour")), amount, str(saved.get("currency", "")))

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}".strip() + f" {BY[self.by].lower()}"
