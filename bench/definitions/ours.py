"""Ours: the files of one language, parsed by the workers that index, and what became of each."""

import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.definitions.compare import Found
from codecompass.engine.index.parse_task import ParsedBlob, ParseTask
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.options import EngineOptions
from codecompass.languages.detection import HEAD_BYTES
from codecompass.languages.registry import Registry
from codecompass.model.code.facts import Definition, Facts
from codecompass.repo.files.skip_list import SKIPPED_DIRECTORIES, find_skip_reason
from codecompass.store.fact_codec import unpack_facts
from codecompass.text.sniff import is_binary

_MINIFIED = "minified"


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    data: bytes
    is_cut: bool = False
    """Whether it is longer than what is indexed of a file."""


@dataclass(slots=True)
class Outcome:
    """What the workers made of the files of one language."""

    files: int = 0
    size: int = 0
    failed: list[str] = field(default_factory=list)
    """Files that killed their worker, or took too long, or could not be read at all."""
    plain: set[str] = field(default_factory=set)
    """Files kept as text on purpose: minified, or written by a program where the language says so."""
    cut: set[str] = field(default_factory=set)
    """Files of which only the first part is indexed."""
    broken: list[str] = field(default_factory=list)
    """Files in which the grammar met what it could not read."""
    definitions: list[Found] = field(default_factory=list)
    """Those of the language itself; what stands in text of another language is counted below."""
    embedded: int = 0
    cpu_s: float = 0.0
    """CPU of the workers without their start."""


def sources_of(root: Path, language: str, registry: Registry, under: str = "") -> list[Source]:
    """The files of a language as indexing would list and cut them."""
    found, most = [], EngineOptions().max_file_bytes
    for directory, below, names in os.walk(root / under):
        below[:] = sorted(name for name in below if name not in SKIPPED_DIRECTORIES)
        for name in sorted(names):
            place = Path(directory, name)
            path = place.relative_to(root).as_posix()
            if find_skip_reason(path) or place.is_symlink() or not place.is_file():
                continue
            if registry.detect(path) != language and not _may_be(place, path, language, registry):
                continue
            data = place.read_bytes()
            if data and not is_binary(data) and registry.detect(path, data[:HEAD_BYTES]) == language:
                kept = data if len(data) <= most else data[: data.rfind(b"\n", 0, most) + 1]
                found.append(Source(path, kept, is_cut=len(kept) < len(data)))
    return found


def _may_be(place: Path, path: str, language: str, registry: Registry) -> bool:
    """Whether the first bytes say what the name does not."""
    if registry.detect(path) and not registry.is_contested(path):
        return False
    with place.open("rb") as file:
        return registry.detect(path, file.read(HEAD_BYTES)) == language


def parse_all(language: str, sources: list[Source], registry: Registry) -> Outcome:
    """Every file through the pool, with the limits that indexing has."""
    cut = {source.path for source in sources if source.is_cut}
    found = Outcome(files=len(sources), size=sum(len(source.data) for source in sources), cut=cut)
    spec = registry.languages[language].spec
    as_text = {_MINIFIED, *spec.plain_when} - ({_MINIFIED} if spec.cells else set())
    workers = min(os.cpu_count() or 1, max(1, len(sources)))
    start_s = _pool_cpu(language, [Source(source.path, b"\n") for source in sources[:1]], workers, found=None)
    rows: list[tuple[ParseTask, ParsedBlob | None]] = []
    spent = _pool_cpu(language, sources, workers, found=rows)
    found.cpu_s = max(spent - start_s * workers, 0.0)
    for task, parsed in rows:
        if parsed is None or "poison" in parsed.notes:
            found.failed.append(task.path)
        elif as_text & set(parsed.notes):
            found.plain.add(task.path)
        else:
            _take(found, task.path, unpack_facts(parsed.packs[0]))
    return found


def _pool_cpu(
    language: str, sources: list[Source], workers: int, found: list[tuple[ParseTask, ParsedBlob | None]] | None
) -> float:
    options = EngineOptions()
    pool = WorkerPool(workers=workers, timeout_s=options.parse_timeout_s, memory_mb=options.worker_memory_mb)
    tasks: Iterator[tuple[int, ParseTask]] = (
        (number, ParseTask(language, source.path, (), source.data)) for number, source in enumerate(sources)
    )
    began = _children_s()
    try:
        for _, task, parsed in pool.run(tasks):
            if found is not None:
                found.append((task, parsed))
    finally:
        pool.close()
    return _children_s() - began


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _take(found: Outcome, path: str, facts: Facts) -> None:
    if facts.parse_errors:
        found.broken.append(path)
    for item in facts.definitions:
        if _is_embedded(item, facts):
            found.embedded += 1
        else:
            found.definitions.append(Found(path, item.name_line, item.name, item.kind))


def _is_embedded(item: Definition, facts: Facts) -> bool:
    return any(part.byte_start <= item.byte_start < part.byte_end for part in facts.segments)
