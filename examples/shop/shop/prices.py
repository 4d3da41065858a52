"""Prices: amounts in cents, and the discount of a customer."""

from dataclasses import dataclass

MAX_DISCOUNT = 30
"""Percent. More would sell below cost."""


@dataclass(frozen=True)
class Price:
    """An amount in cents."""

    cents: int

    def add(self, other: "Price") -> "Price":
        return Price(self.cents + other.cents)


def apply_discount(price: Price, percent: int) -> Price:
    """Reduce a price; a percentage beyond the limit counts as the limit."""
    allowed = min(percent, MAX_DISCOUNT)
    return Price(price.cents * (100 - allowed) // 100)
