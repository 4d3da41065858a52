"""Type syntax: parse a written type into the type names it refers to."""

import re
from typing import NamedTuple

_MODIFIERS = re.compile(
    r"^(?:(?:const|mut|readonly|final|static|struct|class|enum|typename|impl|dyn|ref|out|in|params|virtual|inline"
    r"|volatile|unsigned|asserts|keyof|typeof)\b\s*(?=[\w\\&*(\[])|&\s*|\*+\s*|\.\.\.\s*|is\s+|(?:any|some)\s+(?=\w)|\?(?=[\w\\]))+"
)
_COLLECTION_PREFIX = re.compile(r"(?:map)?\[[^\[\]]*\](?=[\w*\[(])|(?:<-\s*)?chan\b(?:<-)?\s*")
"""`[]T`, `[4]T`, `map[K]T`, `chan T`"""
_LIFETIME = re.compile(r"'\w+\s*")
_NULL_TYPES = frozenset({"None", "null", "undefined", "void", "nil", "never", "()"})
_OPEN = "([{<"
_CLOSE = ")]}>"


class TypeName(NamedTuple):
    """One alternative of a type: a dotted name with type arguments, or the item type of a collection."""

    name: str
    arguments: tuple[str, ...]
    is_collection: bool


def parse_type(text: str) -> list[TypeName]:
    """Return the alternatives of a written type, without function types and literals."""
    found = []
    text = text.strip().strip("\"'")
    parts = _split(text, "|")
    for part in [one for each in parts for one in _split(each, "&")] if "&" in text else parts:
        name = _parse_alternative(part.strip().strip("\"'"))
        if name is not None:
            found.append(name)
    return found


def _parse_alternative(text: str) -> TypeName | None:
    text = _LIFETIME.sub("", text) if "'" in text else text
    lead = _MODIFIERS.match(text)
    text = (text[lead.end() :] if lead else text).rstrip("&*?! ").strip()
    holds = _COLLECTION_PREFIX.match(text)
    if holds:
        return TypeName(text[holds.end() :].strip(), (), True)
    if text.endswith("[]"):
        return TypeName(text[:-2].strip(), (), True)
    if text.startswith("[") and text.endswith("]"):
        held = _split(text[1:-1], ";")[0].strip()
        pair = _split(held, ":")  # key and value
        return TypeName(pair[1].strip() if len(pair) == 2 and "," not in held else held, (), True)
    if text.startswith("(") and text.endswith(")") and not re.search(r"[,:;|]|[-=]>", text):
        return _parse_alternative(text[1:-1].strip())
    text = _split(text, "+")[0].strip()
    if not text or text in _NULL_TYPES or "=>" in text or text[0] in "({\"'":
        return None
    cut = min((at for at in (text.find("<"), text.find("[")) if at > 0), default=-1)
    arguments: tuple[str, ...] = ()
    if cut > 0 and text[-1] in "]>":
        arguments = tuple(part.strip() for part in _split(text[cut + 1 : -1], ",") if part.strip())
        text = text[:cut]
    name = text.replace("::", ".").replace(" ", "").strip(".")
    return TypeName(name, arguments, False) if re.fullmatch(r"[\w$.@\\]+", name) else None


def _split(text: str, at: str) -> list[str]:
    """Split a text at separators outside brackets."""
    parts, depth, start = [], 0, 0
    for offset, char in enumerate(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE and not (char == ">" and text[offset - 1 : offset] in ("=", "-")):
            depth -= 1
        elif char == at and depth == 0:
            parts.append(text[start:offset])
            start = offset + 1
    parts.append(text[start:])
    return parts
