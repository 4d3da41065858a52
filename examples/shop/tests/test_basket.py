from shop.basket import Basket
from shop.prices import Price


def test_total_has_the_discount() -> None:
    basket = Basket(discount=10)
    basket.put(Price(1_000))
    assert basket.total() == Price(900)
