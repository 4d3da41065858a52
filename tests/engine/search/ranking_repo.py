"""A depot: a repository with what ranking has to tell apart — packages, tests, documents, examples, an old version."""

FILES = {
    "depot/__init__.py": "from depot.parcel import Parcel\n",
    "depot/parcel.py": (
        "class Parcel:\n"
        '    """Something to be delivered."""\n'
        "\n"
        "    def __init__(self, weight, address):\n"
        "        self.weight = weight\n"
        "        self.address = address\n"
        "\n"
        "    def is_heavy(self):\n"
        "        return self.weight > 30\n"
    ),
    "depot/routing/__init__.py": (
        "from depot.parcel import Parcel\n"
        "\n"
        "\n"
        "def plan_route(parcels):\n"
        '    """The order in which parcels are delivered."""\n'
        "    return sorted(parcels, key=distance)\n"
        "\n"
        "\n"
        "def distance(parcel: Parcel):\n"
        "    return len(parcel.address)\n"
    ),
    "depot/routing/cache.py": (
        "class RouteCache:\n"
        "    def __init__(self):\n"
        "        self.known = {}\n"
        "\n"
        "    def invalidate(self, parcel):\n"
        "        self.known.pop(parcel.address, None)\n"
        "\n"
        "    def lookup(self, parcel):\n"
        "        return self.known.get(parcel.address)\n"
    ),
    "depot/tariff.py": (
        "from depot.parcel import Parcel\n"
        "\n"
        "BASE = 4\n"
        "\n"
        "\n"
        "def shipping_price(parcel: Parcel):\n"
        '    """What the delivery of a parcel costs."""\n'
        "    price = BASE + parcel.weight\n"
        "    return price * 2 if parcel.is_heavy() else price\n"
        "\n"
        "\n"
        "def discount(price, customer):\n"
        "    return price - customer.bonus\n"
    ),
    "depot/legacy/tariff.py": "def shipping_price(weight):\n    return 3 + weight\n",
    "depot/labels.py": (
        "from depot.parcel import Parcel\n"
        "\n"
        "\n"
        "class LabelPrinter:\n"
        "    def print_label(self, parcel: Parcel):\n"
        "        return self.render(parcel.address)\n"
        "\n"
        "    def render(self, address):\n"
        "        return address.upper()\n"
    ),
    "depot/validation.py": (
        "from depot.parcel import Parcel\n"
        "\n"
        "\n"
        "class InvalidAddress(ValueError):\n"
        "    pass\n"
        "\n"
        "\n"
        "def validate_address(address):\n"
        "    if not address:\n"
        "        raise InvalidAddress('an address is needed')\n"
        "    return address\n"
    ),
    "depot/_version.py": "VERSION = '1.2'\n",
    "tests/test_tariff.py": (
        "from depot.tariff import shipping_price\n"
        "\n"
        "\n"
        "def test_shipping_price_of_a_heavy_parcel():\n"
        "    assert shipping_price(heavy_parcel()) == 80\n"
        "\n"
        "\n"
        "def heavy_parcel():\n"
        "    return None\n"
    ),
    "examples/send.py": "from depot.tariff import shipping_price\n\nprint(shipping_price(None))\n",
    "docs/shipping.md": (
        "# Shipping\n\nThe shipping price depends on the weight of a parcel. Addresses are validated.\n"
    ),
    "CHANGELOG.md": "# Changes\n\n- the shipping price of heavy parcels doubled\n",
    "settings.json": '{"shipping": {"price": 4}, "label": {"printer": "a"}}\n',
}
