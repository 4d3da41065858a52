"""Corpus: all discoveries of one view, assembled from its files, its commits and recorded discoveries."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from codecompass.engine.memory.mining.commit_miner import Closed, Entry
from codecompass.engine.memory.mining.mined_item import Item, capture
from codecompass.engine.memory.mining.tool_choices import slots_in
from codecompass.engine.view.pinned_view import shown
from codecompass.model.ids import discovery_id
from codecompass.model.memory_values import Anchor, Claim, Discovery, Source
from codecompass.model.triage_values import RECORDS_FOLDER, Ruling
from codecompass.store.memory_port import Mark, Recorded

_ROOTS = frozenset({"src", "lib", "libs", "packages", "apps", "crates", "internal", "pkg", "cmd", "source", "sources"})
_NUMBER = re.compile(r"(?:^|[^\d])(\d{1,5})(?:[^\d]|$)")
_REVERTED = re.compile(r"Reverts ([0-9a-f]{7,64})\.")


@dataclass(frozen=True, slots=True)
class Kept:
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

    items: tuple[Kept, ...]
    files: int = 0
    commits: int = 0
    complete: bool = True
    notes: tuple[str, ...] = ()
    extra: dict[str, object] = field(default_factory=dict)
    """Data derived from the corpus, such as its index; lives as long as the corpus."""

    @cached_property
    def by_id(self) -> dict[str, Kept]:
        return {entry.discovery.id: entry for entry in self.items}

    @cached_property
    def newest(self) -> float:
        """The time of the newest commit."""
        return max((entry.time for entry in self.items), default=0)

    def counts(self, chosen: Iterable[Kept]) -> dict[str, int]:
        return dict(Counter(entry.discovery.source.kind for entry in chosen))


def module_of(path: str) -> str:
    """Return the module of a path: its first directories, without source roots such as `src`."""
    return _module(path.rpartition("/")[0])


@lru_cache(maxsize=20_000)
def _module(directory: str) -> str:
    """Cached, because commits touch the same directories many times."""
    parts = directory.split("/") if directory else []
    while parts and parts[0] in _ROOTS:
        parts = parts[1:]
    return "/".join(parts[:3])


def in_module(entry: Kept, module: str) -> bool:
    """Whether a discovery belongs to a module, given as a directory, a dotted name, or a part of one."""
    wanted = module.strip("/").replace("::", "/").casefold()
    wanted = wanted if "/" in wanted else wanted.replace(".", "/")
    names = (entry.discovery.module, *entry.paths)
    return any(f"/{wanted}/" in f"/{_stem(name.casefold())}/" for name in names if name)


def _stem(path: str) -> str:
    """Return a path without its file extension."""
    home, slash, name = path.rpartition("/")
    return home + slash + (name.rpartition(".")[0] or name)


def assemble(
    mined: Iterable[tuple[str, Item]],
    commits: Sequence[Entry],
    closed: Sequence[Closed],
    recorded: Sequence[Recorded],
    marks: dict[str, Mark],
    rulings: Sequence[Ruling] = (),
) -> tuple[Kept, ...]:
    """Merge all sources into one list. A statement that occurs in several files is one discovery."""
    found: dict[str, Kept] = {}
    records: list[tuple[str, Item]] = []
    for path, item in mined:
        known = found.get(item.id)
        if known is not None:
            found[item.id] = replace(known, paths=(*known.paths, path)[:8])
            continue
        if item.kind == "adr":
            records.append((path, item))
        source = Source(item.kind, shown(path), item.line_start, item.line_end)
        found[item.id] = _kept(item, source, module_of(path), (path,), author=item.owner)
    for mined_commit in commits:
        commit = mined_commit.commit
        modules = [module for path in mined_commit.paths if (module := module_of(path))]
        module = max(dict.fromkeys(modules), key=modules.count, default="")
        source = Source(mined_commit.item.kind, commit=commit.id)
        found[mined_commit.item.id] = _kept(
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
            source = Source("comment", shown(gone.path), commit=gone.commit.id)
            about, date = module_of(gone.path), gone.commit.date
            made = _kept(gone.item, source, about, (gone.path,), author=gone.item.owner, date=date)
            shut = made.discovery._replace(state="closed", closed_by=gone.commit.id)
            found[gone.item.id] = replace(made, discovery=shut, time=gone.commit.time)
    for one in rulings:
        made = _ruled(one)
        found[made.discovery.id] = made
    for row in recorded:
        found[row.discovery.id] = Kept(row.discovery, slots_in(row.discovery.content), anchors=row.anchors)
    _supersede_records(found, records)
    _supersede_reverted(found, commits)
    for mark in marks.values():
        _apply(found, mark)
    return tuple(found.values())


def _kept(
    item: Item, source: Source, module: str, paths: tuple[str, ...], *, author: str = "", date: str = "", time: int = 0
) -> Kept:
    state = "superseded" if item.status in ("superseded", "rejected") else "active"
    made = Discovery(
        item.id, item.type, item.content, source, author, date, module, state=state, title=item.title,
        redacted=item.redacted,
    )  # fmt: skip
    return Kept(made, item.slots, paths, time=time)


def _ruled(one: Ruling) -> Kept:
    """Make an entry for a triage decision; a decision that is no longer in force counts as superseded."""
    content, redacted = capture(one.sentence)
    source = Source("triage", f"{RECORDS_FOLDER}/{one.record_id}.md")
    made = Discovery(
        discovery_id("triage", one.record_id), "decision", content, source, one.reviewer, one.decided_at,
        state="active" if one.in_force else "superseded", title=capture(one.title, 200)[0], redacted=redacted,
    )  # fmt: skip
    return Kept(made)


def _supersede_records(found: dict[str, Kept], records: list[tuple[str, Item]]) -> None:
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
            _replace(found, item.id, numbers.get((home, number), ""))
        for number in item.replaces:
            _replace(found, numbers.get((home, number), ""), item.id)


def _supersede_reverted(found: dict[str, Kept], commits: Sequence[Entry]) -> None:
    """Mark reverted commits as superseded, unless the revert was itself reverted. Expects the newest commit first."""
    names = sorted((one.commit.id, one.item.id) for one in commits)
    for one in commits:
        reverted = _REVERTED.search(one.item.content) if one.item.kind == "revert" else None
        if reverted and found[one.item.id].discovery.state == "active":
            for name, made in names[bisect_left(names, (reverted[1],)) :]:
                if not name.startswith(reverted[1]):
                    break
                _replace(found, made, one.item.id)


def _replace(found: dict[str, Kept], old: str, new: str) -> None:
    """Mark one entry as replaced by another if both exist."""
    if old not in found or new not in found or old == new:
        return
    one, two = found[old], found[new]
    found[old] = replace(one, discovery=one.discovery._replace(state="superseded", superseded_by=new))
    over = tuple(dict.fromkeys((*two.discovery.supersedes, old)))
    found[new] = replace(two, discovery=two.discovery._replace(supersedes=over))


def _apply(found: dict[str, Kept], mark: Mark) -> None:
    entry = found.get(mark.id)
    if entry is None:
        return
    if mark.state == "superseded" and mark.by in found:
        _replace(found, mark.id, mark.by)
    else:
        found[mark.id] = replace(entry, discovery=entry.discovery._replace(state=mark.state, superseded_by=mark.by))
