"""Download directory: parse sources and download each into a directory; one failure does not stop the others."""

import contextlib
import errno
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from codecompass.errors import ErrorCode, Failure
from codecompass.fetch.download_manifest import DownloadRecord, check_name, read_manifest, write_manifest
from codecompass.fetch.fetch_policy import FetchPolicy
from codecompass.fetch.fetcher import CachedValidators, FetchResult, fetch
from codecompass.fetch.source_url import parse_source_url, redact_url
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import DownloadRequest, DownloadResult
from codecompass.model.timestamp import utc_timestamp
from codecompass.system.file_locks import hold_directory

MANIFEST = "codecompass-downloads.json"
_INCOMING = ".incoming"
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?)=(?=[A-Za-z]+:)")
_HASH = re.compile(r"sha256=([0-9a-fA-F]{64})")
_ENDINGS = re.compile(r"(\.(txt|dic|zip|tar|tgz|gz|zst|so|dylib|dll))+$", re.IGNORECASE)
CALL_FAILURES: tuple[ErrorCode, ...] = ("CANCELLED", "TOOL_TIMEOUT")
"""Failure codes of the call itself, not of one source."""


@dataclass(frozen=True, slots=True)
class DownloadSource:
    """One source: its local name, its URL and its expected hash."""

    name: str
    url: str
    sha256: str = ""
    platform: str = ""

    @property
    def origin(self) -> str:
        """Hash that identifies the source without revealing it: a URL may contain a key."""
        return hashlib.sha256(self.url.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class InstalledFile:
    """A file that was installed into the directory."""

    file: str
    """Relative to the directory."""
    sha256: str
    """Hash of the file, or of the main file of a directory."""


SourceInstaller = Callable[[DownloadSource, Path], InstalledFile]
"""Checks a downloaded file and moves it to its final path."""
SourceFetcher = Callable[[DownloadSource, CachedValidators | None], tuple[FetchResult, InstalledFile | None]]
"""Downloads a source and installs it; returns no file if the source has not changed."""


def parse_source(text: str, name: str = "") -> DownloadSource:
    """Parse `name=url#sha256=…`; without a name, the given one or that of the URL is used."""
    text = text.strip()
    named = _NAMED.match(text)
    url = text[named.end() :] if named else text
    location = parse_source_url(url)
    fragment = url.partition("#")[2]
    hashed = _HASH.fullmatch(fragment)
    if fragment and hashed is None:
        raise Failure("INVALID_REQUEST", "The part after # must be sha256= and 64 hexadecimal digits.")
    source_name = (named[1] if named else name) or _ENDINGS.sub("", location.file_name)
    return DownloadSource(check_name(source_name.replace("/", "--")), location.url, hashed[1].lower() if hashed else "")


def select_sources(
    order: DownloadRequest, configured: tuple[str, ...], setting: str, default: str = ""
) -> tuple[DownloadSource, ...]:
    """Return the sources of an order: those it names, else the configured ones, all or by name."""
    if order.sources:
        found = [parse_source(text, default or next(iter(order.names), "")) for text in order.sources]
        if order.names and [source.name for source in found] != [name.replace("/", "--") for name in order.names]:
            raise Failure(
                "INVALID_REQUEST", "The requested names do not match the names of the sources.",
                hint="Name each source in its url, as name=https://…, or give one name with one url.",
            )  # fmt: skip
    else:
        wanted = [name.replace("/", "--") for name in order.names]
        known = {source.name: source for source in map(parse_source, configured)}
        missing = [name for name in wanted if name not in known]
        if missing or not known:
            raise Failure(
                "INVALID_REQUEST",
                f"No source is known for {', '.join(missing)}." if missing else "No source is named, and none is set.",
                {"known": sorted(known)},
                f"Give url as name=https://…, or set {setting}.",
            )
        found = [known[name] for name in wanted] if wanted else list(known.values())
    if len({source.name.lower() for source in found}) < len(found):
        raise Failure("INVALID_REQUEST", "Two sources have the same name.", hint="Give each a name: name=url.")
    return tuple(found)


class DownloadDirectory:
    """A directory of downloads with their manifest."""

    def __init__(self, directory: Path, policy: FetchPolicy, *, external: bool = False) -> None:
        self.directory = directory
        self._policy = policy
        self._external = external
        """The directory belongs to the user, so it may contain files of theirs."""

    @property
    def manifest(self) -> Path:
        return self.directory / MANIFEST

    @property
    def records(self) -> Mapping[str, DownloadRecord]:
        return read_manifest(self.manifest)

    def is_intact(self, record: DownloadRecord) -> bool:
        """Whether an installed file still has the recorded hash."""
        path = self.directory / record.file
        return path.is_file() and not path.is_symlink() and hash_file(path) == record.expected_sha256

    def reserve(self, name: str) -> Path:
        """Return the path to install to; a file there that no download has installed is an error."""
        path = self.directory / name
        ours = any(item.file == name or item.file.startswith(f"{name}/") for item in self.records.values())
        if self._external and not ours and os.path.lexists(path):
            raise Failure(
                "INVALID_REQUEST", f"There is a '{name}' in that directory that was not downloaded.",
                hint="Move it away, or name another directory.",
            )  # fmt: skip
        return path

    def fetch_all(
        self, sources: tuple[DownloadSource, ...], order: DownloadRequest, call: Call, bring: SourceFetcher
    ) -> tuple[DownloadResult, ...]:
        """Download each source; a failure is reported in its delivery."""
        try:
            (self.directory / _INCOMING).mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Failure("DOWNLOAD_FAILED", f"The directory cannot be written to ({error.strerror}).") from None
        found = []
        for number, source in enumerate(sources):
            call.step("sources", number, len(sources))
            try:
                found.append(self._fetch_one(source, order, bring))
            except Failure as failure:
                if failure.code in CALL_FAILURES:
                    raise
                found.append(DownloadResult(source.name, "failed", redact_url(source.url), failure=failure))
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise Failure("DISK_FULL", "There is no disk space for the download.") from None
                trouble = Failure("DOWNLOAD_FAILED", f"The file cannot be installed ({error.strerror}).")
                found.append(DownloadResult(source.name, "failed", redact_url(source.url), failure=trouble))
        call.step("sources", len(sources), len(sources))
        with contextlib.suppress(OSError):
            (self.directory / _INCOMING).rmdir()  # fails while it contains partial downloads to resume
        return tuple(found)

    def _fetch_one(self, source: DownloadSource, order: DownloadRequest, bring: SourceFetcher) -> DownloadResult:
        record = self.records.get(source.name)
        same = record is not None and record.origin == source.origin and self.is_intact(record)
        known = None
        if record is not None and same and not order.force and source.sha256 in ("", record.sha256):
            if not order.update or source.sha256:
                # Bytes with the expected hash cannot have changed.
                return _make_delivery(
                    record, "present", self.directory, verified=bool(source.sha256) or record.verified
                )
            known = CachedValidators(record.etag, record.last_modified, record.sha256)
        if order.force:
            self.remove_partial(source.name)
        fetched, placed = bring(source, known)
        if placed is None:
            assert record is not None  # only a recorded download can be unchanged
            return _make_delivery(record, "not_modified", self.directory, verified=record.verified)
        kept = self.record_install(source, fetched, placed)
        return replace(
            _make_delivery(kept, "downloaded", self.directory, verified=kept.verified), resumed=fetched.resumed
        )

    def incoming_path(self, name: str) -> Path:
        """Return the path of a download until it is checked; on the same disk as its final path."""
        return self.directory / _INCOMING / name

    def remove_partial(self, name: str) -> None:
        for path in (self.directory / _INCOMING).glob(f".{name}.part*"):
            path.unlink(missing_ok=True)

    def make_file_fetcher(self, install: SourceInstaller, call: Call) -> SourceFetcher:
        """Make a fetcher for sources that are one file."""

        def fetch_and_install(
            source: DownloadSource, known: CachedValidators | None
        ) -> tuple[FetchResult, InstalledFile | None]:
            incoming = self.incoming_path(source.name)
            fetched = self.fetch_source(source, incoming, call, known)
            if not fetched.changed:
                return fetched, None
            try:
                return fetched, install(source, incoming)
            finally:
                incoming.unlink(missing_ok=True)

        return fetch_and_install

    def fetch_source(
        self, source: DownloadSource, target: Path, call: Call, known: CachedValidators | None = None
    ) -> FetchResult:
        return fetch(source.url, target, self._policy, call, sha256=source.sha256, known=known)

    def record_install(self, source: DownloadSource, fetched: FetchResult, placed: InstalledFile) -> DownloadRecord:
        """Record an installed file in the manifest; safe with concurrent processes."""
        record = DownloadRecord(
            name=source.name,
            source=redact_url(source.url),
            origin=source.origin,
            file=placed.file,
            sha256=fetched.sha256,
            size=fetched.bytes,
            verified=bool(source.sha256),
            fetched_at=utc_timestamp(),
            etag=fetched.etag,
            last_modified=fetched.last_modified,
            placed="" if placed.sha256 == fetched.sha256 else placed.sha256,
            platform=source.platform,
        )
        with hold_directory(self.directory):
            write_manifest(self.manifest, {**self.records, record.name: record})
        return record

    @contextmanager
    def open_staging(self, name: str) -> Iterator[Path]:
        """Yield a path for a temporary directory, which is deleted afterwards unless it was moved."""
        path = self.directory / _INCOMING / f"{name}.open"
        shutil.rmtree(path, ignore_errors=True)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


def _make_delivery(record: DownloadRecord, status: str, directory: Path, *, verified: bool) -> DownloadResult:
    return DownloadResult(
        record.name, status, record.source, str(directory / record.file), record.size, record.sha256, verified
    )


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
