"""Comment miner: extract open tasks and explanations from comments. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from codecompass.engine.memory.mining.cue_words import RULES, STRONG, WARNS, type_of
from codecompass.engine.memory.mining.mined_item import Item, make_item

_TASK = re.compile(r"\b(TODO|FIXME|HACK|XXX)\b(?:\(([^)\n]{1,60})\))?[\s:,-]*")
_LEAD = re.compile(r"^[ \t]*(?:///?!?|//!|##*|--+|;+|%+|/\*+!?|\*(?!/)|<!--|\"\"\"|'''|\{-|\(\*|REM\b)?[ \t]?")
_TAIL = re.compile(r"[ \t]*(?:\*/|-->|\"\"\"|'''|-\}|\*\))[ \t]*$")
_LICENCE = re.compile(r"\b(?:licen[cs]e|copyright|spdx|warranty|all rights reserved)\b", re.IGNORECASE)
_CODE = re.compile(r"[;{}]\s*$|^\s*(?:return|import|from|if|for|def|class)\b.*[:;]\s*$")
_TASK_LINES = 4
LEAST = 25
"""Minimum characters of an explanation."""
MOST = 400
"""Maximum items of one file: a generated list of tasks must not crowd out everything else."""


class Span(NamedTuple):
    """Source lines of a comment; `start` counts from 1."""

    start: int
    lines: tuple[str, ...]
    is_doc: bool


def mine_comments(spans: Iterable[Span]) -> Iterator[Item]:
    """Mine tasks and explanations from comments; adjacent blocks are one comment."""
    count = 0
    for span in _joined(spans):
        for item in _of_span(span):
            yield item
            count += 1
            if count >= MOST:
                return


def bare(line: str) -> str:
    """Remove the comment marks of a line."""
    return _TAIL.sub("", _LEAD.sub("", line, count=1)).strip()


def is_task(text: str) -> bool:
    """Whether a text contains an open task."""
    return _TASK.search(text) is not None


def task_of(line: str) -> Item | None:
    """Parse the task of a single comment line."""
    found = _TASK.search(line)
    text = bare(line[found.start() :]) if found else ""
    return _task(found, text, (0, 0)) if found and text else None


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    waiting: Span | None = None
    for span in spans:
        if waiting and span.start == waiting.start + len(waiting.lines) and span.is_doc == waiting.is_doc:
            waiting = Span(waiting.start, waiting.lines + span.lines, span.is_doc)
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting


def _of_span(span: Span) -> Iterator[Item]:
    lines = [bare(line) for line in span.lines]
    tasks = [at for at, line in enumerate(lines) if _TASK.search(line)]
    for at in tasks:
        end = at + 1
        # A task extends to the end of its paragraph; its id depends on the first line only.
        while end < len(lines) and lines[end] and end not in tasks and end - at < _TASK_LINES:
            end += 1
        found = _TASK.search(lines[at])
        if found:
            yield _task(found, lines[at][found.start() :], (span.start + at, span.start + end - 1), lines[at + 1 : end])
    # Text before the first task explains the code, not the task.
    yield from _reason(span, lines[: tasks[0]] if tasks else lines)


def _reason(span: Span, lines: list[str]) -> Iterator[Item]:
    text = "\n".join(lines).strip()
    code = sum(1 for line in lines if _CODE.search(line))
    if len(text) < LEAST or _LICENCE.search(text) or code * 2 > len(lines):
        return
    if STRONG.search(text) if span.is_doc else WARNS.search(text):
        type = type_of(text)
        made = "rule" if RULES.search(text) and type != "decision" else type
        yield make_item(made, "comment", text, lines=(span.start, span.start + len(lines) - 1))


def _task(found: re.Match[str], text: str, lines: tuple[int, int], more: Iterable[str] = ()) -> Item:
    key = " ".join(text.split()).casefold()
    item = make_item("issue", "comment", "\n".join((text, *more)), lines=lines, key=key)
    return item._replace(owner=(found[2] or "").strip())
