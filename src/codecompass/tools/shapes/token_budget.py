"""Token budget: a conservative estimate of the tokens of a result, and cutting of texts to fit.

Tokenizers of language models differ, so the estimate is a rule of thumb about text: a
word is a token, a long one several, digits count by threes, punctuation by twos. Tests compare it with real tokenizers;
it should be too high rather than too low.
"""

import re
from typing import Any

from codecompass.contract.encoding import encode

MAX_TOKENS = {"location": 60, "signature": 130, "context": 470}
"""Most tokens of a result at each level of detail, by this estimate, which is a tenth too high: the documented limits
are 60, 120 and 500."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_CONSONANTS = re.compile(r"\b[b-df-hj-np-tv-z]{3,}\b")
"""Runs of consonants are rarely a single token."""
_DIGITS = re.compile(r"[0-9]+")
_BLANK = re.compile(r"\s{2,}")
_MARK = re.compile(r"[!-/:-@\[-`{-~]+(?=([A-Za-z])?)")
_OTHER = re.compile(r"[^\x00-\x7f]")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}")
_CASE_CHANGE = re.compile(r"[a-z][A-Z0-9]|[0-9][A-Za-z]")
_RUN = re.compile(r"(.)\1*", re.DOTALL)
_FIRST_PART = re.compile(r"[^.:/#\\>]+[.:/#\\>]+")
_WORD_TOKENS = tuple(1 if length <= 5 else 2 if length <= 9 else length // 3 for length in range(64))


def estimate_tokens(text: str, *, names: bool) -> int:
    """Estimate the tokens of a text. In a text of `names`, punctuation before a word mostly joins the word's token."""
    total = len(_CONSONANTS.findall(text)) + sum(1 + len(blanks) // 80 for blanks in _BLANK.findall(text))
    for word in _WORD.findall(text):
        total += _WORD_TOKENS[len(word)] if len(word) < 64 else len(word) // 3
    for digits in _DIGITS.findall(text):
        total += (len(digits) + 2) // 3
    for marks in _MARK.finditer(text):
        length = marks.end() - marks.start()
        if length < 7:
            total += (length + 1 - (names and marks.lastindex is not None)) // 2
        else:
            total += len(_RUN.findall(marks[0]))
    if not text.isascii():
        total += sum(1 if mark < "\u0250" else 2 if mark < "\u2e80" else 3 for mark in _OTHER.findall(text))
    # Keys, hashes and encoded bytes are not words: few of their letters join into one token.
    for run in _ENCODED.findall(text):
        if len(_CASE_CHANGE.findall(run)) * 6 > len(run):
            total += len(run) // 2
    return total


_SOURCE_PIECE = re.compile(
    r"[^A-Za-z0-9\r\n]?(?:([A-Z]*[a-z]+)|([A-Z]+))|[0-9]{1,3}| ?([^\sA-Za-z0-9]+)|\s+(?=\s\S)|\s+"
)
_ESCAPED_BREAK = re.compile(r"\\[nt]")
_LOWER = (0, 100, 100, 103, 102, 106, 108, 113, 123, 139, 147, 170, 200, 200, 225)
_UPPER = (0, 100, 100, 111, 121, 122, 150, 163, 222, 254, 260)
_MARKS = (0, 100, 108, 125, 160, 190, 220)
"""Hundredths of a token that a word of lower or upper case, or a run of marks, of each length costs on average: counted
in the sources of large projects with the vocabulary o200k."""


def estimate_source_tokens(text: str) -> int:
    """Estimate the tokens of source inside JSON, closely: within a tenth for most texts of some lines.

    It splits a text as tokenizers of language models do (a word with the mark before it, digits by threes, runs of
    marks, blanks) and adds what such pieces cost on average.
    """
    total = 0
    for line in _ESCAPED_BREAK.split(text):
        total += 100 + sum(map(_cost_piece, _SOURCE_PIECE.finditer(line)))
    return total // 100 + 1


def _cost_piece(piece: re.Match[str]) -> int:
    """Return the hundredths of a token that a piece costs."""
    kind = piece.lastindex
    if kind is None:
        return 100
    length = piece.end(kind) - piece.start(kind)
    if kind == 1:
        return _LOWER[length] if length < len(_LOWER) else length * 18
    if kind == 2:
        return _UPPER[length] if length < len(_UPPER) else length * 28
    marks = piece[kind]
    if not marks.isascii():
        return sum(100 if mark < "\u0250" else 200 if mark < "\u2e80" else 300 for mark in marks)
    if length < len(_MARKS):
        return _MARKS[length]
    return 100 + length * 10 if len(set(marks)) == 1 else length * 40


def estimate_cost(value: object) -> int:
    """Estimate the tokens of a value as JSON, including the comma after it."""
    return estimate_tokens(encode(value).decode(), names=True) + 1


def cut_text(text: str, room: int) -> str:
    """Cut a text to a number of tokens and mark the cut; empty when almost nothing would remain."""
    if room < 4:
        return ""
    if _estimate_json(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _estimate_json(text[:middle]) < room else (low, middle - 1)
    return text[:low].rstrip() + "…" if low >= 8 else ""


def cut_left(text: str, room: int) -> str:
    """Cut a qualified name from the left to a number of tokens; empty when only the last part would remain."""
    while text and _estimate_json(text) + 1 > room:
        rest = _FIRST_PART.sub("", text.removeprefix("…"), count=1)
        text = f"…{rest}" if _FIRST_PART.match(rest) else ""
    return text


def cut_lines(text: str, total: int, room: int) -> str:
    """Return as many of the first lines as fit, and how many of the `total` lines are missing."""
    lines = text.split("\n") if text else []
    kept: list[str] = []
    used = 6
    for line in lines:
        used += estimate_tokens(encode(line).decode(), names=False)
        if used > room:
            break
        kept.append(line)
    if lines and not kept:
        kept = [cut_text(lines[0].strip(), (room - 6) * 3 // 4)]
    if kept and len(kept) < total:
        kept.append(f"… {total - len(kept)} more lines")
    return "\n".join(kept)


def _estimate_json(text: str) -> int:
    """Estimate the tokens of a text inside JSON, where quotes and line ends are escaped."""
    return estimate_tokens(encode(text).decode(), names=True) - 1


def drop_empty_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Drop empty fields; a field is never null."""
    return {key: value for key, value in fields.items() if value not in ("", None, [])}
