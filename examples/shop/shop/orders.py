"""Orders: a basket that was paid."""

import sqlite3

from shop.basket import Basket
from shop.prices import apply_discount


class PaymentRefused(Exception):
    """The bank refused the payment."""


def place_order(basket: Basket, account: int) -> int:
    """Take the money and return what is left on the account."""
    price = basket.total()
    if price.cents > account:
        raise PaymentRefused("the account holds too little")
    return account - price.cents


def refund(basket: Basket, account: int) -> int:
    """Give the money back; TODO(ana): refuse a second refund."""
    return account + apply_discount(basket.total(), 0).cents


def find_orders(database: sqlite3.Connection, customer: str) -> list[tuple[int, int]]:
    """All orders of a customer."""
    query = f"SELECT id, cents FROM orders WHERE customer = '{customer}'"
    return database.execute(query).fetchall()
