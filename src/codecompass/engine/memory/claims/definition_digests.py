"""Definition digests: hash a definition without its name, layout and comments, to detect changes of meaning."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from blake3 import blake3

from codecompass.engine.navigation.diff.fingerprint import BLOCKS, DefinitionTokens

_CLOSING_BRACKETS = frozenset(")]}>")
DIGEST_PREFIX = "3:"
"""Version prefix of digests. Raise it when the rules change, so that older digests do not count as changes."""
_INDENTED_EXTENSIONS = (".py", ".pyi", ".pyx", ".yml", ".yaml", ".nim", ".gd", ".coffee")
"""Files in which indentation is significant."""
_QUOTE_STYLE_EXTENSIONS = (".py", ".pyi", ".pyx", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_JAVASCRIPT_EXTENSIONS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_TEMPLATE_EXPRESSION = re.compile(r"\$\{\s*(.*?)\s*\}", re.DOTALL)
_LITERAL = re.compile(
    r"^-?\d[\w.]*$|^([\"'`]).*\1$|^(?:true|false|none|null|nil)$|^[(\[{].*[)\]}]$", re.IGNORECASE | re.DOTALL
)
_DIGIT_GROUPS = re.compile(r"(?<=\d)[_,](?=\d)")
_MAX_BINDING_TOKENS = 24
_MAX_SHOWN = 160


def digest_definitions(held: Iterable[DefinitionTokens]) -> str:
    """Hash the tokens of definitions without their names, layout and comments; a type includes its members."""
    hashed = blake3()
    for one in held:
        hashed.update("\x1f".join((one.group, *normalize_tokens(one))).encode("utf-8", "replace"))
        hashed.update(b"\x1e")
    return DIGEST_PREFIX + hashed.hexdigest(length=12)


def normalize_tokens(one: DefinitionTokens) -> list[str]:
    """Return the tokens of a definition without formatting; for a value, only the tokens it is bound to."""
    words = list(one.tokens_with_members)
    path = one.file.path
    if path.endswith(".rs"):
        words = words[_count_attribute_tokens(words) :]
    if not path.endswith(_INDENTED_EXTENSIONS):
        words = [word for word in words if word not in BLOCKS]
    if one.group == "value" and "=" in words[:_MAX_BINDING_TOKENS]:
        words = words[words.index("=") + 1 :]
    while words and words[-1] == ";":
        words.pop()
    if path.endswith(_JAVASCRIPT_EXTENSIONS):
        words = _strip_formatting(words)
    # A comma before a closing bracket and the kind of quote are formatting.
    tokens = [word for word, after in pairwise((*words, "")) if word != "," or after not in _CLOSING_BRACKETS]
    return [_normalize_quotes(word) for word in tokens] if path.endswith(_QUOTE_STYLE_EXTENSIONS) else tokens


def _count_attribute_tokens(words: Sequence[str]) -> int:
    """Count the tokens of Rust attributes before a definition; they do not belong to its body."""
    at = 0
    while words[at : at + 2] == ["#", "["]:
        depth, at = 1, at + 2
        while at < len(words) and depth:
            depth += {"[": 1, "]": -1}.get(words[at], 0)
            at += 1
    return at


def _strip_formatting(words: Sequence[str]) -> list[str]:
    """Remove what formatters change in JavaScript: semicolons, parentheses around one parameter, template spaces."""
    found: list[str] = []
    for word in words:
        if word == ";":
            continue
        if word == ">" and found[-4:-3] == ["("] and found[-2:] == [")", "="]:
            found[-4:] = [found[-3], "="]
        found.append(_TEMPLATE_EXPRESSION.sub(r"${\1}", word) if word[:1] == "`" else word)
    return found


def _normalize_quotes(word: str) -> str:
    return f'"{word[1:-1]}"' if word[:1] == "'" and '"' not in word and "\\" not in word and len(word) > 1 else word


def is_bound_to(held: Sequence[DefinitionTokens], value: str) -> bool:
    """Whether the single value among the definitions is bound to `value` now."""
    if not value or len(held) != 1 or held[0].group != "value":
        return False
    return _strip_value(_bound_text(held[0])) == _strip_value(value)


def is_literal(one: DefinitionTokens) -> bool:
    """Whether a value is written out, so that it can be compared with what a text states."""
    return one.group == "value" and _LITERAL.match(_bound_text(one)) is not None


def _bound_text(one: DefinitionTokens) -> str:
    """Return what a value is bound to, without blanks; of a macro what stands behind its name."""
    words = normalize_tokens(one)
    return "".join(words[3:] if words[:2] == ["#", "define"] else words)


def _strip_value(value: str) -> str:
    plain = "".join(value.split()).strip("'\"`")
    return _DIGIT_GROUPS.sub("", plain) if plain[:1].isdigit() else plain


def count_tokens(held: Sequence[DefinitionTokens]) -> int:
    """Count the tokens of definitions; a tiny definition resembles many others."""
    return sum(len(one.tokens_with_members) for one in held)


def select_representative(held: Sequence[DefinitionTokens]) -> DefinitionTokens:
    """Select the definition to show from several with one name: functions and types before values."""
    return min(held, key=lambda one: one.group == "value")


def summarize_definition(one: DefinitionTokens) -> str:
    """Return a one-line quotation of a definition."""
    text = one.text if one.group == "value" else one.definition.signature or one.text
    line = " ".join(text.split())
    return line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 1] + "…"
