"""Inline parser: parse a few small files in this process, where starting a worker would take longer than the work.

It has no limits of time and memory: callers give it only files that are few and small.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParsedBlob, ParseTask
from codecompass.languages.registry import Registry
from codecompass.languages.taint.risk_rules import RiskRules
from codecompass.text.dictionary import load_dictionary
from codecompass.text.tokens import Tokenizer

Key = TypeVar("Key")


class InlineParser:
    """Parses tasks one after another, exactly as a worker does."""

    def __init__(self, *, rules: tuple[str, ...] = (), dictionary: str = "", masked: bool = True) -> None:
        words = load_dictionary(Path(dictionary), "") if dictionary else None
        tokenizer = Tokenizer(words.split if words else None)
        self._context = ParserContext(Registry(rules=RiskRules(rules)), tokenizer, masked=masked)

    def run(self, tasks: Iterator[tuple[Key, ParseTask]]) -> Iterator[tuple[Key, ParseTask, ParsedBlob | None]]:
        """Parse lazily and yield each result."""
        for key, task in tasks:
            yield key, task, parse_blob(self._context, task)
