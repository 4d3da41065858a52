"""Extraction by language: MB per CPU second of parsing alone, of facts, and of all a worker does with a file.

Usage: python -m bench.extract_bench REPO… [--limit-mb 6] [--repeat 3]
"""

import argparse
import os
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.report import MB, number, record, table
from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.engine.options import EngineOptions
from codecompass.languages.extraction.extractor import extract
from codecompass.languages.registry import Language, Registry
from codecompass.repo.files.skip_list import SKIPPED_DIRECTORIES
from codecompass.text.sniff import sniff

SEED = 3
HEAD = ("language", "files", "MB", "parse MB/s", "facts MB/s", "all MB/s", "facts/parse", "all/parse")


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Speed:
    """One language; seconds of CPU over all its files, median of the repeats."""

    language: str
    files: int
    total_bytes: int
    parse_s: float
    facts_s: float
    all_s: float

    def row(self) -> list[str]:
        megabytes = self.total_bytes / MB
        rates = [number(megabytes / seconds, 1) for seconds in (self.parse_s, self.facts_s, self.all_s)]
        parts = [f"{seconds / self.parse_s:.1f}×" for seconds in (self.facts_s, self.all_s)]
        return [self.language, f"{self.files:,}", number(megabytes, 1), *rates, *parts]


def sources_of(repo: Path, registry: Registry, limit: int) -> dict[str, list[Source]]:
    """Files by language, in a shuffled order that never changes, up to a limit of bytes for each."""
    paths = []
    for directory, below, files in os.walk(repo):
        below[:] = sorted(name for name in below if name not in SKIPPED_DIRECTORIES and not name.startswith("."))
        paths += [os.path.relpath(os.path.join(directory, name), repo) for name in sorted(files)]
    random.Random(SEED).shuffle(paths)
    found: dict[str, list[Source]] = defaultdict(list)
    taken: dict[str, int] = defaultdict(int)
    for path in paths:
        language = registry.detect(path)
        place = repo / path
        if language and taken[language] < limit and place.is_file() and not place.is_symlink():
            data = place.read_bytes()
            if data and len(data) <= EngineOptions().max_file_bytes and _is_code(data, path):
                found[language].append(Source(path, data))
                taken[language] += len(data)
    return dict(sorted(found.items()))


def _is_code(data: bytes, path: str) -> bool:
    """Text in UTF-8 that is worth parsing, as indexing judges it."""
    seen = sniff(data, path)
    return seen.kind != "binary" and seen.encoding == "utf-8" and "minified" not in seen.notes


def cpu_seconds(work: Callable[[Source], object], sources: list[Source], repeat: int) -> float:
    taken = []
    for _ in range(repeat):
        began = time.process_time()
        for source in sources:
            work(source)
        taken.append(time.process_time() - began)
    return max(statistics.median(taken), 1e-9)


def measure(registry: Registry, language: Language, sources: list[Source], repeat: int) -> Speed:
    workbench = ParserContext(registry)
    name, parser = language.spec.name, language.parser
    _ = language.query  # compiled once per process, so not part of what is measured

    def everything(source: Source) -> object:
        return parse_blob(workbench, ParseTask(name, source.path, (), source.data))

    return Speed(
        language=name,
        files=len(sources),
        total_bytes=sum(len(source.data) for source in sources),
        parse_s=cpu_seconds(lambda source: parser.parse(source.data), sources, repeat),
        facts_s=cpu_seconds(lambda source: extract(language, source.data), sources, repeat),
        all_s=cpu_seconds(everything, sources, repeat),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.extract_bench", description="Measure extraction.")
    parser.add_argument("repos", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--limit-mb", type=float, default=6.0, metavar="MB", help="source of each language at most")
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    args = parser.parse_args()
    registry = Registry()
    for repo in args.repos:
        found = sources_of(repo.resolve(), registry, int(args.limit_mb * MB))
        languages = [(registry.languages[name], sources) for name, sources in found.items()]
        speeds = [measure(registry, language, sources, max(1, args.repeat)) for language, sources in languages]
        table(f"Extraction, {repo.resolve().name} (one process, CPU time)", HEAD, [speed.row() for speed in speeds])
        record("extract", {"repository": repo.resolve().name, "speeds": [asdict(speed) for speed in speeds]})


if __name__ == "__main__":
    main()
