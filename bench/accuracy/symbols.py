"""Symbols: what the text of a SCIP symbol says — its name, what it stands in, and what kind of thing it is."""

import re
from dataclasses import dataclass

_SEPARATOR = re.compile(r"(?<! ) (?! )")
_DESCRIPTOR = re.compile(
    r"(?:`(?P<quoted>(?:[^`]|``)*)`|(?P<simple>[\w+\-$]+))(?P<suffix>/|#|\.|:|!|\([\w+\-$]*\)\.)"
    r"|\[(?P<generic>[^\]]*)\]|\((?P<parameter>[^)]*)\)"
)
_ACCESSOR = re.compile(r"^<(?:get|set)>")
CONSTRUCTOR = "<constructor>"

NAMESPACE, TYPE, TERM, META, METHOD = "/", "#", ".", ":", "()."
"""Suffixes of descriptors; every disambiguator of a method counts as the plain one."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    name: str
    suffix: str


@dataclass(frozen=True, slots=True)
class Named:
    """A symbol that somebody could ask for by name."""

    name: str
    scope: tuple[str, ...]
    """The definitions around it inside its file, outermost first."""
    kind: str
    """`function`, `method`, `type`, `variable`, `member`, or `nested` for what stands inside a function."""

    @property
    def dotted(self) -> str:
        return ".".join((*self.scope, self.name))


def descriptors(symbol: str) -> tuple[Descriptor, ...] | None:
    """The path of a global symbol; None for a local one, a parameter, a type parameter, or what is not understood."""
    parts = _SEPARATOR.split(symbol, maxsplit=4)
    if len(parts) != 5:
        return None
    found, at, text = [], 0, parts[4]
    while at < len(text):
        match = _DESCRIPTOR.match(text, at)
        if match is None or match["suffix"] is None:
            return None
        name = match["simple"] or (match["quoted"] or "").replace("``", "`")
        suffix = METHOD if match["suffix"].startswith("(") else match["suffix"]
        found.append(Descriptor(_ACCESSOR.sub("", name), suffix))
        at = match.end()
    return tuple(found)


def named(symbol: str) -> Named | None:
    """The symbol as something with a name, or None: modules, properties of literals, parameters and locals."""
    path = descriptors(symbol)
    if not path or path[-1].suffix not in (TYPE, TERM, METHOD) or any(item.suffix == META for item in path):
        return None
    inner = [item for item in path if item.suffix != NAMESPACE]
    if len(inner) > 1 and inner[-1].suffix == inner[-2].suffix == TERM and inner[-1].name == inner[-2].name:
        inner.pop()  # a variable with an annotation is named twice
    spaces = tuple(item.name for item in path if item.suffix == NAMESPACE)
    return Named(inner[-1].name, (*_inner_spaces(spaces), *(item.name for item in inner[:-1])), _kind(inner))


def _inner_spaces(spaces: tuple[str, ...]) -> tuple[str, ...]:
    """Namespaces below the file: those after the last name that is a file's."""
    last = max((at for at, name in enumerate(spaces) if "." in name or at == 0), default=-1)
    return spaces[last + 1 :]


def _kind(inner: list[Descriptor]) -> str:
    around = inner[-2].suffix if len(inner) > 1 else ""
    if any(item.suffix == METHOD for item in inner[:-1]):
        return "nested"
    if inner[-1].suffix == TYPE:
        return "type"
    if inner[-1].suffix == METHOD:
        return "method" if around == TYPE else "function"
    return "member" if around in (TYPE, TERM) else "variable"
