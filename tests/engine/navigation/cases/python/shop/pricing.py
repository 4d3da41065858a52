from shop import models
from shop.models import Order as Purchase

RATE = 3


def make_order(customer) -> Purchase:
    return Purchase(customer)
#          ^ -> shop/models.py Order


def price(order: models.Order, factor=RATE):
#                       ^ -> shop/models.py Order
#                                     ^ -> RATE
    def inner(x):
        return helper(x)
#              ^ -> helper
    order.total()
#         ^ -> shop/models.py Order.total
    return inner(order)
#          ^ -> price.inner


def helper(value):
    return value
