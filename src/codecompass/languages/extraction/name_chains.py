"""Name chains: an expression as a sequence of names: `self.pool.get(key)[0]` → `self.pool.get()[]`.

Arguments are removed and all separators become dots, so that chains are uniform across languages; any other expression
becomes `?`, a literal `'`.
"""

import re

UNKNOWN = "?"
LITERAL = "'"
LOCAL = "~"
MAX_CHAIN = 100
_PLAIN = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_NAME = re.compile(r"[@$#]*[^\W\d][\w$]*(?:!|\?(?!\.|->))?(?=[^\w\\]|$)|\\?[@$#]*[^\W\d][\w$]*(?:\\[^\W\d]\w*)*")
"""A name; with backslashes it is a namespace path and remains one word."""
_STEP = re.compile(r"\s*(?:\?\.|!\.|!\s*\.|\.|::|->|\?->|&\.)\s*")
_LEAD = re.compile(r"(?:(?:await|new|yield|return|co_await|ref|mut|const)\b\s*|try\b[?!]?\s+|=>\s*|[&*!]+\s*)+")
_CAST = re.compile(
    r"\(\s*(?:const\s+)?(?:struct\s+|union\s+)?([^\W\d]\w*(?:(?:::|\.)\w+)*)(?:\s+const)?\s*\*+\s*\)\s*(?=[\w(&*])"
    r"|(?:static|dynamic|reinterpret|const)_cast\s*<\s*(?:const\s+)?([^\W\d]\w*(?:::\w+)*)[\s*&]*>\s*(?=\()"
)
"""A cast to a pointer or by a cast keyword: the result is an object of that type."""
_SUFFIX = re.compile(r"\s+as[?!]?\s+([^\W\d]\w*(?:(?:::|\.)\w+)*)[?!]?$|\s(?:\?\?|\?:)\s")
"""A cast at the end of an expression, or a null-coalescing operator."""
_QUOTES = "\"'`"
_BRACKET_PATTERNS = {
    "(": re.compile("[()\"'`]"),
    "[": re.compile("[\\[\\]\"'`]"),
    "{": re.compile("[{}\"'`]"),
    "<": re.compile("[<>]"),
}
"""Opening bracket → pattern for characters that matter to find its closing bracket."""


def to_chain(text: str) -> str:
    """Convert an expression to a chain of at most `MAX_CHAIN` characters, or `?`."""
    text = text.strip()
    if _PLAIN.fullmatch(text):
        return text if len(text) <= MAX_CHAIN else UNKNOWN
    lead = _LEAD.match(text)
    if lead:
        text = text[lead.end() :]
    cast = _CAST.match(text)
    found = _apply_cast(text, cast) if cast else _parse_chain(text)
    if found == UNKNOWN:
        found = next((one for later in _SUFFIX.finditer(text) if (one := _apply_suffix(text, later))), UNKNOWN)
    return found if found and len(found) <= MAX_CHAIN else UNKNOWN


def _apply_suffix(text: str, later: re.Match[str]) -> str:
    """Return the type of a cast after an expression, or the expression before a null-coalescing operator."""
    if later[1]:
        return later[1].replace("::", ".") + "()"
    before = text[: later.start()]
    balanced = all(before.count(one) == before.count(other) for one, other in ("()", "[]", "{}"))
    return _parse_chain(before.strip()) if balanced else ""


def _apply_cast(text: str, cast: re.Match[str]) -> str:
    """Return an object of the cast type; a prefix cast covers all that follows, a cast keyword only its brackets."""
    made = (cast[1] or cast[2]).replace("::", ".") + "()"
    if cast[1]:
        return made
    end = _find_closing(text, cast.end())
    return _parse_steps(text, end, [made]) if end > 0 else UNKNOWN


def _parse_chain(text: str) -> str:
    at, size = 0, len(text)
    if not text:
        return ""
    if text[0] in _QUOTES or text[0].isdigit() or text[:2] in ('f"', "f'", 'r"', "b'", 'b"'):
        return LITERAL if _ends_literal(text) else UNKNOWN
    if text[0] in "[{":
        return LITERAL if _find_closing(text, 0) == size else UNKNOWN
    parts: list[str] = []
    if text[0] == "(":
        at = _find_closing(text, 0)
        inner = to_chain(text[1 : at - 1]) if at > 0 else UNKNOWN
        if inner == UNKNOWN:
            return UNKNOWN
        parts.append(inner)
    else:
        first = _NAME.match(text)
        if first is None:
            return UNKNOWN
        parts.append(first.group())
        at = first.end()
    return _parse_steps(text, at, parts)


def _parse_steps(text: str, at: int, parts: list[str]) -> str:
    """Parse the rest of a chain after its head: calls, indexes and names."""
    size = len(text)
    while at < size:
        char = text[at]
        if char in "([" or (char == "<" and _find_closing(text, at) > 0):
            end = _find_closing(text, at)
            if end < 0:
                return UNKNOWN
            if char != "<":
                parts.append("()" if char == "(" else "[]")
            at = end
        elif char == "!" and (at + 1 == size or text[at + 1] in ".[(!?"):
            at += 1
        elif char.isspace() and not text[at:].strip():
            break
        else:
            step = _STEP.match(text, at)
            after = _NAME.match(text, step.end()) if step else None
            if step is not None and after is None and text[step.end() : step.end() + 1] == "<":
                at = step.end()  # a turbofish: type arguments between separator and call
                continue
            if step is None or after is None:
                return UNKNOWN
            name = after.group()
            # The variable prefix of a static member does not belong to the member's name.
            parts.append("." + (name.removeprefix("$") if "::" in step.group() else name))
            at = after.end()
    return "".join(parts)


def _find_closing(text: str, at: int) -> int:
    """Return the offset after the bracket that closes the one at `at`, or -1."""
    opening = text[at]
    depth = 0
    quote = ""
    for found in _BRACKET_PATTERNS[opening].finditer(text, at):
        char = found.group()
        if quote:
            quote = "" if char == quote else quote
        elif char == opening:
            depth += 1
        elif char in _QUOTES:
            quote = char
        else:
            depth -= 1
            if depth == 0:
                return found.end()
    return -1


def _ends_literal(text: str) -> bool:
    return text[-1] in _QUOTES or text[0].isdigit()
