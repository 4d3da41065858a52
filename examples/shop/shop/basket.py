"""The basket of one customer."""

from shop.prices import Price, apply_discount


class Basket:
    """Items that a customer wants to buy."""

    def __init__(self, discount: int = 0) -> None:
        self.discount = discount
        self.items: list[Price] = []

    def put(self, price: Price) -> None:
        self.items.append(price)

    def total(self) -> Price:
        """The sum of all items, with the discount of the customer."""
        amount = Price(0)
        for item in self.items:
            amount = amount.add(item)
        return apply_discount(amount, self.discount)
