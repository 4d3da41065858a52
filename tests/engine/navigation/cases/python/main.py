import shop
import shop.models as m
from shop import Order, Buyer, price
#                ^ -> shop/models.py Order
#                       ^ -> shop/models.py Customer
#                              ^ -> shop/pricing.py price
from shop.pricing import make_order
from missing import thing


def main(orders: list[Order], callback):
    buyer = Buyer()
#           ^ -> shop/models.py Customer
    buyer.greet()
#         ^ -> shop/models.py Customer.greet
    order = make_order(buyer)
    order.total()
#         ^ -> shop/models.py Order.total
    for one in orders:
        one.add(1)
#           ^ -> shop/models.py Order.add
    m.Order.load(1).save()
#           ^ -> shop/models.py Entity.load
    shop.price(order)
#        ^ -> shop/pricing.py price
    shop.models.Customer()
#               ^ -> shop/models.py Customer
    thing.run()
#         ^ external
    callback()
#   ^ external
    "a".join([])
#       ^ external
    undefined_here().go()
#                    ^ unresolved
    with make_order(1) as held:
        held.total()
#            ^ -> shop/models.py Order.total
    return len(orders)
#          ^ external
