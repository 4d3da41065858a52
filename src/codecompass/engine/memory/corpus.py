"""Corpus: all discoveries of one view, assembled from its files, its commits and recorded discoveries."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from codecompass.engine.memory.mining.commit_miner import MinedCommit, ResolvedTask
from codecompass.engine.memory.mining.mined_item import MinedItem, sanitize_text
from codecompass.engine.memory.mining.tool_choices import extract_tool_choices
from codecompass.model.ids import make_discovery_id
from codecompass.model.memory_values import Anchor, Claim, Discovery, DiscoverySource
from codecompass.model.path_text import display_path
from codecompass.model.states import DiscoveryState
from codecompass.model.triage_values import RECORDS_FOLDER, DecisionSummary
from codecompass.store.memory_port import DiscoveryMark, RecordedDiscovery

_SOURCE_ROOTS = frozenset(
    {"src", "lib", "libs", "packages", "apps", "crates", "internal", "pkg", "cmd", "source", "sources"}
)
_NUMBER = re.compile(r"(?:^|[^\d])(\d{1,5})(?:[^\d]|$)")
_REVERTED = re.compile(r"Reverts ([0-9a-f]{7,64})\.")


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """One discovery of a corpus, with data that only the engine needs."""

    discovery: Discovery
    slots: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()
    """The files that contain it, or that its commit changed."""
    anchors: tuple[tuple[Claim, Anchor], ...] | None = None
    """Anchors of a recorded discovery's claims; None if they are computed from the history."""
    time: int = 0


@dataclass
class Corpus:
    """All discoveries of one view at one moment."""

    items: tuple[CorpusEntry, ...]
    files: int = 0
    commits: int = 0
    complete: bool = True
    notes: tuple[str, ...] = ()
    derived_data: dict[str, object] = field(default_factory=dict)
    """Data derived from the corpus, such as its index; lives as long as the corpus."""

    @cached_property
    def by_id(self) -> dict[str, CorpusEntry]:
        return {entry.discovery.id: entry for entry in self.items}

    def count_by_source(self, chosen: Iterable[CorpusEntry]) -> dict[str, int]:
        return dict(Counter(entry.discovery.source.kind for entry in chosen))


def derive_module(path: str) -> str:
    """Return the module of a path: its first directories, without source roots such as `src`."""
    return _derive_from_directory(path.rpartition("/")[0])


@lru_cache(maxsize=20_000)
def _derive_from_directory(directory: str) -> str:
    """Cached, because commits touch the same directories many times."""
    parts = directory.split("/") if directory else []
    while parts and parts[0] in _SOURCE_ROOTS:
        parts = parts[1:]
    return "/".join(parts[:3])


def is_in_module(entry: CorpusEntry, module: str) -> bool:
    """Whether a discovery belongs to a module, given as a directory, a dotted name, or a part of one."""
    wanted = module.strip("/").replace("::", "/").casefold()
    wanted = wanted if "/" in wanted else wanted.replace(".", "/")
    names = (entry.discovery.module, *entry.paths)
    return any(f"/{wanted}/" in f"/{_strip_extension(name.casefold())}/" for name in names if name)


def _strip_extension(path: str) -> str:
    """Return a path without its file extension."""
    home, slash, name = path.rpartition("/")
    return home + slash + (name.rpartition(".")[0] or name)


def assemble_entries(
    mined: Iterable[tuple[str, MinedItem]],
    commits: Sequence[MinedCommit],
    closed: Sequence[ResolvedTask],
    recorded: Sequence[RecordedDiscovery],
    marks: dict[str, DiscoveryMark],
    rulings: Sequence[DecisionSummary] = (),
) -> tuple[CorpusEntry, ...]:
    """Merge all sources into one list. A statement that occurs in several files is one discovery."""
    found: dict[str, CorpusEntry] = {}
    records: list[tuple[str, MinedItem]] = []
    main_items: dict[str, str] = {}
    parts: list[tuple[str, str]] = []
    for path, item in mined:
        known = found.get(item.id)
        if known is not None:
            found[item.id] = replace(known, paths=(*known.paths, path)[:8])
            continue
        if item.kind == "adr" and path in main_items:
            parts.append((main_items[path], item.id))
        elif item.kind == "adr":
            main_items[path] = item.id
            records.append((path, item))
        source = DiscoverySource(item.kind, display_path(path), item.line_start, item.line_end)
        found[item.id] = _make_entry(item, source, derive_module(path), (path,), author=item.owner)
    for mined_commit in commits:
        commit = mined_commit.commit
        modules = [module for path in mined_commit.paths if (module := derive_module(path))]
        module = max(dict.fromkeys(modules), key=modules.count, default="")
        source = DiscoverySource(mined_commit.item.kind, commit=commit.id)
        found[mined_commit.item.id] = _make_entry(
            mined_commit.item,
            source,
            module,
            mined_commit.paths,
            author=commit.author,
            date=commit.date,
            time=commit.time,
        )
    for gone in closed:
        if gone.item.id not in found:
            source = DiscoverySource("comment", display_path(gone.path), commit=gone.commit.id)
            about, date = derive_module(gone.path), gone.commit.date
            made = _make_entry(gone.item, source, about, (gone.path,), author=gone.item.owner, date=date)
            shut = made.discovery._replace(state="closed", closed_by=gone.commit.id)
            found[gone.item.id] = replace(made, discovery=shut, time=gone.commit.time)
    for one in rulings:
        made = _make_decision_entry(one)
        found[made.discovery.id] = made
    for row in recorded:
        found[row.discovery.id] = CorpusEntry(
            row.discovery, extract_tool_choices(row.discovery.content), anchors=row.anchors
        )
    _supersede_records(found, records)
    _supersede_parts(found, parts)
    _supersede_reverted(found, commits)
    for mark in marks.values():
        _apply_mark(found, mark)
    return tuple(found.values())


def _make_entry(
    item: MinedItem,
    source: DiscoverySource,
    module: str,
    paths: tuple[str, ...],
    *,
    author: str = "",
    date: str = "",
    time: int = 0,
) -> CorpusEntry:
    state: DiscoveryState = "superseded" if item.status in ("superseded", "rejected") else "active"
    made = Discovery(
        item.id, item.type, item.content, source, author, date, module, state=state, title=item.title,
        redacted=item.redacted,
    )  # fmt: skip
    return CorpusEntry(made, item.slots, paths, time=time)


def _make_decision_entry(one: DecisionSummary) -> CorpusEntry:
    """Make an entry for a triage decision; a decision that is no longer in force counts as superseded."""
    content, redacted = sanitize_text(one.sentence)
    source = DiscoverySource("triage", f"{RECORDS_FOLDER}/{one.record_id}.md")
    made = Discovery(
        make_discovery_id("triage", one.record_id), "decision", content, source, one.reviewer, one.decided_at,
        state="active" if one.in_force else "superseded", title=sanitize_text(one.title, 200)[0], redacted=redacted,
    )  # fmt: skip
    return CorpusEntry(made)


def _supersede_records(found: dict[str, CorpusEntry], records: list[tuple[str, MinedItem]]) -> None:
    """Mark decision records that others replace. They refer to each other by number within one directory."""
    numbers: dict[tuple[str, str], str] = {}
    for path, item in records:
        home, _, name = path.rpartition("/")
        match = _NUMBER.search(name) or _NUMBER.search(item.title)
        if match:
            numbers.setdefault((home, str(int(match[1]))), item.id)
    for path, item in records:
        home = path.rpartition("/")[0]
        for number in item.replaced_by:
            _mark_replaced(found, item.id, numbers.get((home, number), ""))
        for number in item.replaces:
            _mark_replaced(found, numbers.get((home, number), ""), item.id)


def _supersede_parts(found: dict[str, CorpusEntry], parts: list[tuple[str, str]]) -> None:
    """Give the other sections of a decision record the state of its decision."""
    for main, part in parts:
        whole = found[main].discovery
        if whole.state == "superseded":
            made = found[part].discovery._replace(state=whole.state, superseded_by=whole.superseded_by)
            found[part] = replace(found[part], discovery=made)


def _supersede_reverted(found: dict[str, CorpusEntry], commits: Sequence[MinedCommit]) -> None:
    """Mark reverted commits as superseded, unless the revert was itself reverted. Expects the newest commit first."""
    names = sorted((one.commit.id, one.item.id) for one in commits)
    for one in commits:
        reverted = _REVERTED.search(one.item.content) if one.item.kind == "revert" else None
        if reverted and found[one.item.id].discovery.state == "active":
            for name, made in names[bisect_left(names, (reverted[1],)) :]:
                if not name.startswith(reverted[1]):
                    break
                _mark_replaced(found, made, one.item.id)


def _mark_replaced(found: dict[str, CorpusEntry], old: str, new: str) -> None:
    """Mark one entry as replaced by another if both exist."""
    if old not in found or new not in found or old == new:
        return
    one, two = found[old], found[new]
    found[old] = replace(one, discovery=one.discovery._replace(state="superseded", superseded_by=new))
    over = tuple(dict.fromkeys((*two.discovery.supersedes, old)))
    found[new] = replace(two, discovery=two.discovery._replace(supersedes=over))


def _apply_mark(found: dict[str, CorpusEntry], mark: DiscoveryMark) -> None:
    entry = found.get(mark.id)
    if entry is None:
        return
    if mark.state == "superseded" and mark.by in found:
        _mark_replaced(found, mark.id, mark.by)
    else:
        found[mark.id] = replace(entry, discovery=entry.discovery._replace(state=mark.state, superseded_by=mark.by))
