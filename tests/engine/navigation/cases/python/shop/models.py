from __future__ import annotations

import json


class Entity:
    def save(self) -> "Entity":
        return self

    @classmethod
    def load(cls, key) -> Entity:
#                         ^ -> Entity
        return cls()


class Customer(Entity):
#              ^ -> Entity
    name: str

    def greet(self):
        return self.name.upper()
#                   ^ -> Customer.name


class Order(Entity):
    def __init__(self, customer: Customer):
        self.customer = customer
        self.lines = []

    def total(self):
        self.save()
#            ^ -> Order.save
        self.customer.greet()
#                     ^ -> Customer.greet
        self.customer.save()
#                     ^ -> Entity.save
        self.lines.append(1)
#                  ^ external
        json.dumps({})
#            ^ external
        return self.add(1)
#                   ^ -> Order.add

    def add(self, amount):
        amount.save()
#              ^ unresolved
        return amount

    def save(self):
        return super().save()
#                      ^ -> Entity.save
