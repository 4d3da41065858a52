"""Comment miner: extract open tasks and explanations from comments. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from codecompass.engine.memory.mining.cue_words import RULE_CUES, STRONG_CUES, WARNING_CUES, classify_type
from codecompass.engine.memory.mining.mined_item import MinedItem, make_item
from codecompass.model.states import DiscoveryType

_TASK = re.compile(r"\b(TODO|FIXME|HACK|XXX)\b(?:\(([^)\n]{1,60})\))?[\s:,-]*")
_COMMENT_START = re.compile(r"^[ \t]*(?:///?!?|//!|##*|--+|;+|%+|/\*+!?|\*(?!/)|<!--|\"\"\"|'''|\{-|\(\*|REM\b)?[ \t]?")
_COMMENT_END = re.compile(r"[ \t]*(?:\*/|-->|\"\"\"|'''|-\}|\*\))[ \t]*$")
_LICENCE = re.compile(r"\b(?:licen[cs]e|copyright|spdx|warranty|all rights reserved)\b", re.IGNORECASE)
_CODE = re.compile(r"[;{}]\s*$|^\s*(?:return|import|from|if|for|def|class)\b.*[:;]\s*$")
_MAX_TASK_LINES = 4
MIN_LENGTH = 25
"""Minimum characters of an explanation."""
MAX_ITEMS = 400
"""Maximum items of one file: a generated list of tasks must not crowd out everything else."""


class CommentBlock(NamedTuple):
    """Source lines of a comment; `start` counts from 1."""

    start: int
    lines: tuple[str, ...]
    is_doc: bool


def mine_comments(spans: Iterable[CommentBlock]) -> Iterator[MinedItem]:
    """Mine tasks and explanations from comments; adjacent blocks are one comment."""
    count = 0
    for span in _join_adjacent(spans):
        for item in _mine_block(span):
            yield item
            count += 1
            if count >= MAX_ITEMS:
                return


def strip_comment_marks(line: str) -> str:
    """Remove the comment marks of a line."""
    return _COMMENT_END.sub("", _COMMENT_START.sub("", line, count=1)).strip()


def is_task(text: str) -> bool:
    """Whether a text contains an open task."""
    return _TASK.search(text) is not None


def parse_task(line: str) -> MinedItem | None:
    """Parse the task of a single comment line."""
    found = _TASK.search(line)
    text = strip_comment_marks(line[found.start() :]) if found else ""
    return _make_task(found, text, (0, 0)) if found and text else None


def _join_adjacent(spans: Iterable[CommentBlock]) -> Iterator[CommentBlock]:
    waiting: CommentBlock | None = None
    for span in spans:
        if waiting and span.start == waiting.start + len(waiting.lines) and span.is_doc == waiting.is_doc:
            waiting = CommentBlock(waiting.start, waiting.lines + span.lines, span.is_doc)
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting


def _mine_block(span: CommentBlock) -> Iterator[MinedItem]:
    lines = [strip_comment_marks(line) for line in span.lines]
    tasks = [at for at, line in enumerate(lines) if _TASK.search(line)]
    for at in tasks:
        end = at + 1
        # A task extends to the end of its paragraph; its id depends on the first line only.
        while end < len(lines) and lines[end] and end not in tasks and end - at < _MAX_TASK_LINES:
            end += 1
        found = _TASK.search(lines[at])
        if found:
            yield _make_task(
                found, lines[at][found.start() :], (span.start + at, span.start + end - 1), lines[at + 1 : end]
            )
    # Text before the first task explains the code, not the task.
    yield from _mine_reason(span, lines[: tasks[0]] if tasks else lines)


def _mine_reason(span: CommentBlock, lines: list[str]) -> Iterator[MinedItem]:
    text = "\n".join(lines).strip()
    code = sum(1 for line in lines if _CODE.search(line))
    if len(text) < MIN_LENGTH or _LICENCE.search(text) or code * 2 > len(lines):
        return
    if STRONG_CUES.search(text) if span.is_doc else WARNING_CUES.search(text):
        type = classify_type(text)
        made: DiscoveryType = "rule" if RULE_CUES.search(text) and type != "decision" else type
        yield make_item(made, "comment", text, lines=(span.start, span.start + len(lines) - 1))


def _make_task(found: re.Match[str], text: str, lines: tuple[int, int], more: Iterable[str] = ()) -> MinedItem:
    key = " ".join(text.split()).casefold()
    item = make_item("issue", "comment", "\n".join((text, *more)), lines=lines, key=key)
    return item._replace(owner=(found[2] or "").strip())
