from .models import Order, Customer as Buyer
#                   ^ -> shop/models.py Order
from .pricing import *
