"""Downloads: sources as they are named, and a shelf that fetches them one by one; one that fails stops no other."""

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from codecompass.errors import Failure
from codecompass.fetch.download_manifest import Record, check_name, read_manifest, write_manifest
from codecompass.fetch.fetch_policy import Policy
from codecompass.fetch.fetcher import Fetched, Known, fetch
from codecompass.fetch.source_url import parse_location, shown
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import Delivery, SupplyOrder

MANIFEST = "codecompass-downloads.json"
_INCOMING = ".incoming"
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?)=(?=[A-Za-z]+:)")
_HASH = re.compile(r"sha256=([0-9a-fA-F]{64})")
_ENDINGS = re.compile(r"(\.(txt|dic|zip|tar|tgz|gz|zst|so|dylib|dll))+$", re.IGNORECASE)
STOPPING = ("CANCELLED", "TOOL_TIMEOUT")
"""Failures of the call itself, not of one source."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source: what it is called here, where it is, and what it must hash to."""

    name: str
    url: str
    sha256: str = ""
    platform: str = ""

    @property
    def origin(self) -> str:
        """Names the source without telling it: a URL may hold a key."""
        return hashlib.sha256(self.url.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Placed:
    """What was put on the shelf."""

    file: str
    """Relative to the shelf."""
    sha256: str
    """Of the file, or of the chief file of a directory."""


Placing = Callable[[Source, Path], Placed]
"""Checks what came and puts it into its place."""
Bringing = Callable[[Source, Known | None], tuple[Fetched, Placed | None]]
"""Fetches a source and places it; nothing is placed where nothing has changed."""


def parse_source(text: str, name: str = "") -> Source:
    """`name=url#sha256=…`; the name may be left out where another is given or the URL has one."""
    text = text.strip()
    named = _NAMED.match(text)
    url = text[named.end() :] if named else text
    place = parse_location(url)
    fragment = url.partition("#")[2]
    hashed = _HASH.fullmatch(fragment)
    if fragment and hashed is None:
        raise Failure("INVALID_REQUEST", "What stands behind # must be sha256= and 64 hexadecimal digits.")
    called = (named[1] if named else name) or _ENDINGS.sub("", place.file_name)
    return Source(check_name(called.replace("/", "--")), place.url, hashed[1].lower() if hashed else "")


def chosen(order: SupplyOrder, configured: tuple[str, ...], setting: str, default: str = "") -> tuple[Source, ...]:
    """The sources of an order: those it names, else the configured ones, all or by name."""
    if order.sources:
        found = [parse_source(text, default or next(iter(order.names), "")) for text in order.sources]
        if order.names and [source.name for source in found] != [name.replace("/", "--") for name in order.names]:
            raise Failure(
                "INVALID_REQUEST", "The names that are asked for are not those of the sources.",
                hint="Name each source in its url, as name=https://…, or give one name with one url.",
            )  # fmt: skip
    else:
        wanted = [name.replace("/", "--") for name in order.names]
        known = {source.name: source for source in map(parse_source, configured)}
        lacking = [name for name in wanted if name not in known]
        if lacking or not known:
            raise Failure(
                "INVALID_REQUEST",
                f"No source is known for {', '.join(lacking)}." if lacking else "No source is named, and none is set.",
                {"known": sorted(known)},
                f"Give url as name=https://…, or set {setting}.",
            )
        found = [known[name] for name in wanted] if wanted else list(known.values())
    if len({source.name.lower() for source in found}) < len(found):
        raise Failure("INVALID_REQUEST", "Two sources have the same name.", hint="Give each a name: name=url.")
    return tuple(found)


class Shelf:
    """A directory of things that were fetched, with their manifest."""

    def __init__(self, directory: Path, policy: Policy, *, borrowed: bool = False) -> None:
        self.directory = directory
        self._policy = policy
        self._borrowed = borrowed
        """The directory is somebody else's, so what lies in it may be so too."""

    @property
    def manifest(self) -> Path:
        return self.directory / MANIFEST

    @property
    def records(self) -> Mapping[str, Record]:
        return read_manifest(self.manifest)

    def intact(self, record: Record) -> bool:
        """Whether what is on the shelf is what was put there."""
        path = self.directory / record.file
        return path.is_file() and not path.is_symlink() and hash_file(path) == record.content

    def claim(self, name: str) -> Path:
        """The place of a file or directory; one that was not put there by a download is left alone."""
        path = self.directory / name
        ours = any(item.file == name or item.file.startswith(f"{name}/") for item in self.records.values())
        if self._borrowed and not ours and os.path.lexists(path):
            raise Failure(
                "INVALID_REQUEST", f"There is a '{name}' in that directory which no download has put there.",
                hint="Move it away, or name another directory.",
            )  # fmt: skip
        return path

    def fill(
        self, sources: tuple[Source, ...], order: SupplyOrder, call: Call, bring: Bringing
    ) -> tuple[Delivery, ...]:
        """Fetch each source; what came of it is its own affair."""
        try:
            (self.directory / _INCOMING).mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Failure("DOWNLOAD_FAILED", f"The directory cannot be written to ({error.strerror}).") from None
        found = []
        for number, source in enumerate(sources):
            call.step("sources", number, len(sources))
            try:
                found.append(self._fill_one(source, order, bring))
            except Failure as failure:
                if failure.code in STOPPING:
                    raise
                found.append(Delivery(source.name, "failed", shown(source.url), failure=failure))
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise Failure("DISK_FULL", "There is no room for what was fetched.") from None
                trouble = Failure("DOWNLOAD_FAILED", f"The file cannot be put into its place ({error.strerror}).")
                found.append(Delivery(source.name, "failed", shown(source.url), failure=trouble))
        call.step("sources", len(sources), len(sources))
        with contextlib.suppress(OSError):
            (self.directory / _INCOMING).rmdir()  # unless it holds parts to go on with
        return tuple(found)

    def _fill_one(self, source: Source, order: SupplyOrder, bring: Bringing) -> Delivery:
        record = self.records.get(source.name)
        same = record is not None and record.origin == source.origin and self.intact(record)
        known = None
        if record is not None and same and not order.force and source.sha256 in ("", record.sha256):
            if not order.update or source.sha256:
                # Bytes that hash to what was promised cannot have changed.
                return _delivered(record, "present", self.directory, verified=bool(source.sha256) or record.verified)
            known = Known(record.etag, record.last_modified, record.sha256)
        if order.force:
            self.forget_incoming(source.name)
        made, placed = bring(source, known)
        if placed is None:
            assert record is not None  # only what is remembered can be unchanged
            return _delivered(record, "not_modified", self.directory, verified=record.verified)
        kept = self.note(source, made, placed)
        return replace(_delivered(kept, "downloaded", self.directory, verified=kept.verified), resumed=made.resumed)

    def incoming(self, name: str) -> Path:
        """Where something lies until it is checked; on the same disk as its place."""
        return self.directory / _INCOMING / name

    def forget_incoming(self, name: str) -> None:
        for path in (self.directory / _INCOMING).glob(f".{name}.part*"):
            path.unlink(missing_ok=True)

    def whole(self, place: Placing, call: Call) -> Bringing:
        """How a source that is one file is brought."""

        def bring(source: Source, known: Known | None) -> tuple[Fetched, Placed | None]:
            incoming = self.incoming(source.name)
            made = self.bring(source, incoming, call, known)
            if not made.changed:
                return made, None
            try:
                return made, place(source, incoming)
            finally:
                incoming.unlink(missing_ok=True)

        return bring

    def bring(self, source: Source, target: Path, call: Call, known: Known | None = None) -> Fetched:
        return fetch(source.url, target, self._policy, call, sha256=source.sha256, known=known)

    def note(self, source: Source, made: Fetched, placed: Placed) -> Record:
        """Write down what was put on the shelf; other processes may do so at the same time."""
        record = Record(
            name=source.name,
            source=shown(source.url),
            origin=source.origin,
            file=placed.file,
            sha256=made.sha256,
            size=made.bytes,
            verified=bool(source.sha256),
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            etag=made.etag,
            last_modified=made.last_modified,
            placed="" if placed.sha256 == made.sha256 else placed.sha256,
            platform=source.platform,
        )
        with self._locked():
            write_manifest(self.manifest, {**self.records, record.name: record})
        return record

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fd = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    @contextmanager
    def staging(self, name: str) -> Iterator[Path]:
        """A directory that does not exist yet, and is gone afterwards unless it was moved away."""
        path = self.directory / _INCOMING / f"{name}.open"
        shutil.rmtree(path, ignore_errors=True)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


def _delivered(record: Record, status: str, directory: Path, *, verified: bool) -> Delivery:
    return Delivery(
        record.name, status, record.source, str(directory / record.file), record.size, record.sha256, verified
    )


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
