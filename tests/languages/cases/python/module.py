"""What stands at the level of a module."""
# <- doc
# == imports of modules
import os
#      ^ ref import owner=""
# <- import module="os"
import os.path as osp, sys
#         ^ ref import owner=""
#                      ^ ref import owner=""
# <- import module="os.path" alias="osp"
# <- import module="sys"
# == imports of names
from __future__ import annotations
# <- import module="__future__" name="annotations"
from pkg.mod import alpha, beta as b
#                   ^ ref import owner=""
#                          ^ ref import owner=""
# <- import module="pkg.mod" name="alpha"
# <- import module="pkg.mod" name="beta" alias="b"
from pkg.wide import (
# <- import module="pkg.wide" name="gamma"
# <- import module="pkg.wide" name="delta" alias="d"
    gamma,
#   ^ ref import owner=""
    delta as d,
#   ^ ref import owner=""
)
from pkg import *
# <- import module="pkg" name="*"
# == relative imports
from . import sibling
#             ^ ref import owner=""
# <- import module="." name="sibling"
from ..up.side import thing
#                     ^ ref import owner=""
# <- import module="..up.side" name="thing"
# == imports for types only
if TYPE_CHECKING:
    from typing import Protocol
#                      ^ ref import owner=""
# <- import module="typing" name="Protocol"
# == imports inside a function
def late():
#   ^ def fn vis=public sig="def late()" end=+3
    import json
#          ^ ref import owner=late
# <- import module="json"
    from .codec import decode as dec
#                      ^ ref import owner=late
# <- import module=".codec" name="decode" alias="dec"
    return dec(json)
#          ^ ref call owner=late
# == optional import
try:
    import fast
#          ^ ref import owner=""
# <- import module="fast"
except ImportError:
#      ^ ref type owner=""
    fast = None
#   ^ def var vis=public sig="fast = None"
else:
    speed = 2
#   ^ def var vis=public sig="speed = 2"
# == annotated and bare names
count: int = 0
# <- def var vis=public sig="count: int = 0"
#      ^ ref type owner=count
later: dict[str, Sequence[int]]
# <- def var vis=public sig="later: dict[str, Sequence[int]]"
#      ^ ref type owner=later
#           ^ ref type owner=later
#                ^ ref type owner=later
#                         ^ ref type owner=later
_hidden = object()
# <- def var vis=private sig="_hidden = object()"
#         ^ ref call owner=_hidden
__all__ = ["count", "_listed"]
# <- def var vis=public sig="__all__ = [\"count\", \"_listed\"]"
_listed = 1
# <- def var vis=public sig="_listed = 1"
# == several targets
one, two = 1, 2
# <- def var vis=public sig="one, two = 1, 2"
#    ^ def var vis=public sig="one, two = 1, 2"
(three, *rest) = values
#^ def var vis=public sig="(three, *rest) = values"
#        ^ def var vis=public sig="(three, *rest) = values"
first = second = None
# <- def var vis=public sig="first = second = None"
#       ^ def var vis=public sig="first = second = None"
# == lambda
double = lambda n: n * 2
# <- def fn vis=public sig="double = lambda n"
# == type aliases
type Pair[T] = tuple[T, T]
#    ^ def type vis=public sig="type Pair[T] = tuple[T, T]"
#         ^ ref type owner=Pair
#              ^ ref type owner=Pair
#                    ^ ref type owner=Pair
#                       ^ ref type owner=Pair
Name: TypeAlias = "str"
# <- def type vis=public sig="Name: TypeAlias = \"str\""
#     ^ ref type owner=Name
T = TypeVar("T", bound=Base)
# <- def type vis=public sig="T = TypeVar(\"T\", bound=Base)"
#   ^ ref call owner=T
# == branches of the module
if sys.platform == "win32":
    SEP = ";"
#   ^ def const vis=public sig="SEP = \";\""
elif flag:
    SEP = ","
#   ^ def const vis=public sig="SEP = \",\""
else:
    SEP = ":"
#   ^ def const vis=public sig="SEP = \":\""
with lock:
    guarded = make()
#   ^ def var vis=public sig="guarded = make()"
#             ^ ref call owner=guarded
# == locals are no definitions
for item in values:
    total = item
def work(path):
#   ^ def fn vis=public sig="def work(path)" end=+4
    value = path
    with open(path) as handle:
#        ^ ref call owner=work
        text = handle.read()
#                     ^ ref call owner=work recv="handle"
    return [part for part in text]
# == raising and catching
def fail(error):
#   ^ def fn vis=public sig="def fail(error)" end=+6
    try:
        raise Broken("x") from error
#             ^ ref throw owner=fail
    except (KeyError, db.Error) as caught:
#           ^ ref type owner=fail
#                        ^ ref type owner=fail
        raise
    except OSError:
#          ^ ref type owner=fail
        raise errors.Closed
#                    ^ ref throw owner=fail
# == patterns
def match(shape):
#   ^ def fn vis=public sig="def match(shape)" end=+3
    match shape:
        case Circle(radius=r): return r
#            ^ ref type owner=match
        case geo.Square(): return 0
#                ^ ref type owner=match
# == writes
def bump(state):
#   ^ def fn vis=public sig="def bump(state)" end=+3
    state.total += 1
#         ^ ref write owner=bump recv="state"
    state.last = 0
#         ^ ref write owner=bump recv="state"
    count += 1
#   ^ ref write owner=bump
# == names passed on
run(work, key=double, kinds={"a": fail})
# <- ref call owner=""
isinstance(first, (Alpha, Beta))
# <- ref call owner=""
# == unicode names
def größe(länge: Maß) -> int: return länge
#   ^ def fn vis=public sig="def größe(länge: Maß) -> int"
#                   ^ ref type owner=größe
#                            ^ ref type owner=größe
変数 = größe(1)
# <- def var vis=public sig="変数 = größe(1)"
#        ^ ref call owner=変数
# == multi-line head with comments
async def gather(
#         ^ def fn vis=public sig="async def gather( first: int, *rest: str, deadline: float | None = None, ) -> AsyncIterator[ tuple[int, str] ]" doc="Gather them." end=+9
    first: int,  # how many
#          ^ ref type owner=gather
# <- comment
    *rest: str,
#          ^ ref type owner=gather
    deadline: float | None = None,
#             ^ ref type owner=gather
) -> AsyncIterator[
#    ^ ref type owner=gather
    tuple[int, str]
#   ^ ref type owner=gather
#         ^ ref type owner=gather
#              ^ ref type owner=gather
]:
    # said before the text
# <- comment
    """Gather them."""
# <- doc
    yield await first
# == branches within branches
if sys.platform == "linux":
    if flag:
        LIMIT = 10
#       ^ def const vis=public sig="LIMIT = 10"
else:
    try:
        import slow
#              ^ ref import
#   <- import module="slow"
        ready = slow.READY
#       ^ def var vis=public sig="ready = slow.READY"
    except ImportError:
#          ^ ref type
        ready = None
#       ^ def var vis=public sig="ready = None"
