"""Signatures: compare the parameters that a text writes behind a name with those of the definition. Pure."""

import re
from collections.abc import Sequence

_IDENTIFIER = re.compile(r"^[*&]{0,2}([A-Za-z_$][\w$]*)\??$")
_OPTIONAL = re.compile(r"\b(?:typing\.|t\.)?Optional\[([^\[\]]*(?:\[[^\[\]]*\])?)\]")
_UNION = re.compile(r"\b(?:typing\.|t\.)?Union\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]")
_OLD_NAMES = re.compile(r"\b(?:typing\.|t\.)?(List|Dict|Set|FrozenSet|Tuple|Type)(?=\[)")
_RECEIVERS = frozenset({"self", "cls", "this", "&self", "&mut self", "/", "*", ""})


def split_parameters(text: str) -> list[str]:
    """Split a list of parameters at its outer commas."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>" and text[at - 1 : at] not in ("-", "="):
            depth -= 1
        elif letter == "," and depth <= 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [one for one in (*found, text[start:].strip()) if one]


def parse_parameters(text: str) -> list[tuple[str, str, str]] | None:
    """Parse `(a: int, b=1)` into (name, type, default); None if it is a call and no signature."""
    begin = text.find("(")
    end = _find_closing(text, begin)
    if begin < 0 or end < 0:
        return None
    found = []
    for part in split_parameters(text[begin + 1 : end]):
        if part in _RECEIVERS or part in ("...", "…"):
            continue
        head, _, default = part.partition("=")
        name, _, kind = head.partition(":")
        words = name.split()
        if not words:
            return None
        match = _IDENTIFIER.match(words[-1] if not kind else words[0]) or _IDENTIFIER.match(words[0])
        if not match:
            return None
        found.append((match[1], normalize_type(kind), "".join(default.split()).replace("'", '"')))
    return found


def normalize_type(text: str) -> str:
    """Spell a type as newer syntax does: `Optional[str]` is `str | None`."""
    plain = text.strip().strip("\"'")
    for _ in range(4):
        newer = _OPTIONAL.sub(r"\1 | None", plain)
        newer = _UNION.sub(lambda match: " | ".join(split_parameters(match[1])), newer)
        if newer == plain:
            break
        plain = newer
    plain = _OLD_NAMES.sub(lambda match: match[1].lower(), plain)
    return (
        "|".join(sorted("".join(part.split()) for part in plain.split("|")))
        if "[" not in plain
        else "".join(plain.split())
    )


def contradicts_signature(stated: str, then: Sequence[str], now: Sequence[str]) -> bool:
    """Whether a stated signature was that of the definition then and is none of its signatures now."""
    wanted = parse_parameters(stated)
    if not wanted:
        return False
    return any(_agrees(wanted, one) for one in then) and not any(_agrees(wanted, one) for one in now)


def _agrees(wanted: list[tuple[str, str, str]], signature: str) -> bool:
    """Whether all stated names, types and defaults are those of the signature, in order."""
    known = parse_parameters(signature)
    if known is None or len(wanted) > len(known):
        return False
    if len(wanted) < len(known) and any(not default for _, _, default in known[len(wanted) :]):
        return False
    return all(
        name == other and kind in ("", other_kind) and default in ("", other_default)
        for (name, kind, default), (other, other_kind, other_default) in zip(wanted, known, strict=False)
    )


def _find_closing(text: str, begin: int) -> int:
    depth = 0
    for at in range(begin, len(text)) if begin >= 0 else ():
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return -1
