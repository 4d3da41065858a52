"""The pages of the shop."""

import sqlite3

from flask import Flask, request

from shop.orders import find_orders

app = Flask(__name__)


@app.get("/orders")
def show_orders() -> str:
    """List the orders of the customer that the page names."""
    customer = request.args["customer"]
    with sqlite3.connect("shop.db") as database:
        return "\n".join(str(order) for order in find_orders(database, customer))
