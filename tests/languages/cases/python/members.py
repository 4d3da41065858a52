# == accessors
class Account:
#     ^ def class vis=public sig="class Account" doc="Money of one owner." end=+34
    """Money of one owner."""
# <- doc
    @property
#    ^ ref decorator owner=balance
    def balance(self) -> Money:
#       ^ def property scope=Account vis=public sig="def balance(self) -> Money" doc="What is left." end=+2
#                        ^ ref type owner=balance
        """What is left."""
# <- doc
        return self._balance

    @balance.setter
#            ^ ref decorator owner=balance recv="balance"
    def balance(self, value: Money) -> None:
#       ^ def property scope=Account vis=public sig="def balance(self, value: Money) -> None" end=+1
#                            ^ ref type owner=balance
        self._balance = value
#            ^ ref write owner=balance recv="self"

    @functools.cached_property
#              ^ ref decorator owner=history recv="functools"
    def history(self): ...
#       ^ def property scope=Account vis=public sig="def history(self)"

    # == static and class methods
    @staticmethod
#    ^ ref decorator owner=parse
    def parse(text: str) -> "Account":
#       ^ def method scope=Account vis=public sig="def parse(text: str) -> \"Account\"" end=+1
#                   ^ ref type owner=parse
        return Account()
#              ^ ref call owner=parse

    @classmethod
#    ^ ref decorator owner=load
    async def load(cls, *, key: str, **options: object) -> Account: ...
#             ^ def method scope=Account vis=public sig="async def load(cls, *, key: str, **options: object) -> Account"
#                               ^ ref type owner=load
#                                               ^ ref type owner=load
#                                                          ^ ref type owner=load

    # == dunder and mangled names
    def __init__(self, owner): self.owner = owner
#       ^ def method scope=Account vis=public sig="def __init__(self, owner)"
#                                   ^ def field scope=Account vis=public sig="self.owner = owner"

    def __secret(self): return None
#       ^ def method scope=Account vis=private sig="def __secret(self)"

    # == nested class
    class Meta(Options):
#         ^ def class scope=Account vis=public sig="class Meta(Options)" end=+2
#              ^ ref inherit owner=Meta
        ordering = ["id"]
#       ^ def field scope=Account.Meta vis=public sig="ordering = [\"id\"]"
        class Deep: pass
#             ^ def class scope=Account.Meta vis=public sig="class Deep"

    # == several targets in a class
    left = right = None
#   ^ def field scope=Account vis=public sig="left = right = None"
#          ^ def field scope=Account vis=public sig="left = right = None"
    low, high = 0, 9
#   ^ def field scope=Account vis=public sig="low, high = 0, 9"
#        ^ def field scope=Account vis=public sig="low, high = 0, 9"

    # == conditional members
    if DEBUG:
        trace = True
#       ^ def field scope=Account vis=public sig="trace = True"
        def dump(self): print(self)
#           ^ def method scope=Account vis=public sig="def dump(self)"
#                       ^ ref call owner=dump
# == overloads
@overload
#^ ref decorator owner=pick
def pick(at: int) -> str: ...
#   ^ def fn vis=public sig="def pick(at: int) -> str"
#            ^ ref type owner=pick
#                    ^ ref type owner=pick
@overload
#^ ref decorator owner=pick
def pick(at: slice) -> list[str]: ...
#   ^ def fn vis=public sig="def pick(at: slice) -> list[str]"
#            ^ ref type owner=pick
#                      ^ ref type owner=pick
#                           ^ ref type owner=pick
def pick(at): return at
#   ^ def fn vis=public sig="def pick(at)"
# == generics of a class
class Box[T: Base](Container[T], abc.ABC, metaclass=Meta):
#     ^ def class vis=public sig="class Box[T: Base](Container[T], abc.ABC, metaclass=Meta)" end=+1
#         ^ ref type owner=Box
#            ^ ref type owner=Box
#                  ^ ref inherit owner=Box
#                            ^ ref type owner=Box
#                                    ^ ref inherit owner=Box
#                                                   ^ ref inherit owner=Box
    item: T
#   ^ def field scope=Box vis=public sig="item: T"
#         ^ ref type owner=item
# == function inside a function
def outer(limit):
#   ^ def fn vis=public sig="def outer(limit)" end=+6
    local = 1
    def inner(step):
#       ^ def fn scope=outer vis=public sig="def inner(step)" end=+2
        deeper = step
        return deeper
    class Local: pass
#         ^ def class scope=outer vis=public sig="class Local"
    return inner(local)
#          ^ ref call owner=outer
# == enumeration
class Color(enum.Enum):
#     ^ def class vis=public sig="class Color(enum.Enum)" end=+2
#                ^ ref inherit owner=Color
    RED = 1
#   ^ def field scope=Color vis=public sig="RED = 1"
    GREEN = enum.auto()
#   ^ def field scope=Color vis=public sig="GREEN = enum.auto()"
#                ^ ref call owner=GREEN recv="enum"
# == comment as documentation
# Adds one and one.
# <- comment
def plus(): return Color.RED
#   ^ def fn vis=public sig="def plus()" doc="Adds one and one."
# == stacked decorators with arguments
@app.route("/x", methods=[GET])
#    ^ ref decorator owner=view recv="app"
@cached
#^ ref decorator owner=view
def view(request: http.Request): return render(request, "x")
#   ^ def fn vis=public sig="def view(request: http.Request)"
#                      ^ ref type owner=view
#                                       ^ ref call owner=view
