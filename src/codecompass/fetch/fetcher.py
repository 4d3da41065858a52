"""Fetcher: download one source to one file, with conditional requests, resumption, hashing and an atomic rename.

A file is renamed to its target only when it is complete, has the expected hash, and is synced to the disk.
"""

import errno
import math
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from codecompass.confine import AllowedRoots, ConfinedPath
from codecompass.errors import Failure
from codecompass.fetch.fetch_policy import FetchDeadline, FetchPolicy, RetryableFetchError
from codecompass.fetch.http_client import FetchResponse, open_response
from codecompass.fetch.partial_file import FileValidators, PartialFile
from codecompass.fetch.source_url import SourceUrl, parse_source_url
from codecompass.model.call import Call

_PIECE = 1 << 18
_RETRY_STATUSES = (408, 425, 429, 500, 502, 503, 504)
_RETRY_AFTER_STATUSES = (429, 503)
"""Statuses whose Retry-After header is used."""
_MAX_PAUSE_S = 5.0
"""Longest pause in seconds without a Retry-After header."""


@dataclass(frozen=True, slots=True)
class CachedValidators:
    """Validators and hash of an earlier download, to ask whether the source changed."""

    etag: str = ""
    last_modified: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """Result of one fetch."""

    changed: bool
    """False when the source reports that the existing file is current."""
    bytes: int = 0
    sha256: str = ""
    etag: str = ""
    last_modified: str = ""
    resumed: int = 0
    """Bytes from an earlier attempt."""


def fetch(
    url: str, target: Path, policy: FetchPolicy, call: Call, *, sha256: str = "", known: CachedValidators | None = None
) -> FetchResult:
    """Download a source to `target`; on any error raise a Failure and leave the target unchanged."""
    place = parse_source_url(url)
    with PartialFile(target, place) as part:
        try:
            if place.scheme == "file":
                return _copy_file(place, part, policy, call, sha256, known)
            return _download(place, part, policy, call, sha256, known)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                part.discard()
                raise Failure(
                    "DISK_FULL", "No disk space left for the download; the partial file was removed."
                ) from None
            raise Failure("DOWNLOAD_FAILED", f"The file cannot be written ({error.strerror}).") from None


def _download(
    place: SourceUrl, part: PartialFile, policy: FetchPolicy, call: Call, sha256: str, known: CachedValidators | None
) -> FetchResult:
    clock = FetchDeadline(policy, call)
    trouble, wait = "", 0.0
    for attempt in range(policy.attempts):
        if attempt:
            clock.sleep(max(wait, min(policy.pause_s * 2 ** (attempt - 1), _MAX_PAUSE_S)))
        clock.reset_idle()
        wait = 0.0
        try:
            made = _try_download(place, part, policy, clock, call, known)
        except RetryableFetchError as dropped:
            trouble, wait = str(dropped), dropped.wait
            if wait > clock.remaining_seconds:
                break
            continue
        if not made.changed:
            return made
        if sha256 and made.sha256 != sha256 and made.resumed:
            # The resumed part belongs to another version of the file: start again from the beginning.
            part.discard()
            trouble = "the file changed during the download"
            continue
        part.finish(sha256)
        return made
    later = f" in {wait:,.0f} seconds" if wait else " later"
    raise Failure("DOWNLOAD_FAILED", f"{place.display_url} could not be fetched: {trouble}.",
                  {"retryAfterSeconds": math.ceil(wait)} if wait else {},
                  f"Try again{later}; the partial download is resumed where the source allows it.")  # fmt: skip


def _try_download(
    place: SourceUrl,
    part: PartialFile,
    policy: FetchPolicy,
    clock: FetchDeadline,
    call: Call,
    known: CachedValidators | None,
) -> FetchResult:
    headers: dict[str, str] = {}
    note = part.validators
    start = part.size if note.range_validator else 0
    if start:
        headers |= {"Range": f"bytes={start}-", "If-Range": note.range_validator}
    elif known is not None:
        headers |= {"If-None-Match": known.etag} if known.etag else {}
        headers |= {"If-Modified-Since": known.last_modified} if known.last_modified else {}
    with open_response(place, headers, policy, clock) as response:
        if response.status == 304 and known is not None and not start and headers:
            return FetchResult(False, etag=response.headers.get("etag", known.etag), last_modified=known.last_modified)
        if response.status == 416 and start:
            part.discard()
            raise RetryableFetchError("the partial file no longer matches the source")
        if response.status in _RETRY_STATUSES:
            wait = response.retry_after if response.status in _RETRY_AFTER_STATUSES else 0.0
            retry = f" and asks to wait {wait:,.0f} seconds" if wait else ""
            raise RetryableFetchError(f"the server answers {response.status}{retry}", wait)
        if response.status not in (200, 206):
            raise Failure("DOWNLOAD_FAILED", f"{response.place.display_url} answers {response.status}.",
                          {"status": response.status}, "Check the address of the source.")  # fmt: skip
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            raise Failure(
                "DOWNLOAD_FAILED",
                f"{response.place.display_url} sends an unrequested encoding ({coding[:20]}).",
                hint="Use a source that sends the file without an encoding.",
            )
        return _receive(response, part, start, policy, call)


def _receive(response: FetchResponse, part: PartialFile, start: int, policy: FetchPolicy, call: Call) -> FetchResult:
    total, note = response.length, _read_validators(response, part.validators)
    if response.status == 206:
        whole = _parse_content_range(response.headers.get("content-range", ""), start)
        if not start or whole is None:
            part.discard()
            raise RetryableFetchError("the server sent another range than requested")
        if not _is_same_file(note, part.validators):
            part.discard()
            raise RetryableFetchError("the file changed during the download")
        note = part.validators
    else:
        start, whole = 0, total
    most = policy.max_bytes
    if (whole or 0) > most or start + (total or 0) > most:
        raise _make_too_large_failure(most)
    part.begin(note, start)
    for piece in response.read_body():
        part.write(piece)
        if part.size > most:
            part.discard()
            raise _make_too_large_failure(most)
        call.step("download", part.size, whole or 0)
    if whole is not None and part.size != whole:
        raise RetryableFetchError(f"only {part.size} of {whole} bytes were received")
    return FetchResult(True, part.size, part.digest, note.etag, note.last_modified, start)


def _read_validators(response: FetchResponse, before: FileValidators) -> FileValidators:
    headers = response.headers
    return replace(before, etag=headers.get("etag", "")[:256], last_modified=headers.get("last-modified", "")[:64])


def _is_same_file(rest: FileValidators, part: FileValidators) -> bool:
    """Whether a range belongs to the same file as the partial download; some servers ignore If-Range."""
    if part.range_validator == part.etag:
        return rest.etag == part.etag
    return rest.last_modified in ("", part.last_modified)  # an answer to If-Range need not repeat it


def _parse_content_range(text: str, start: int) -> int | None:
    """Return the length of the whole file, if a Content-Range starts at `start` and reaches the end; else None."""
    unit, _, rest = text.partition(" ")
    span, _, whole = rest.partition("/")
    first, _, last = span.partition("-")
    if unit != "bytes" or not all(one.isascii() and one.isdigit() for one in (first, last, whole)):
        return None
    return int(whole) if int(first) == start and int(last) == int(whole) - 1 else None


def _make_too_large_failure(most: int) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"The file is larger than {most} bytes.", {"limit": most},
                   hint="The setting downloads.max_mb allows more.")  # fmt: skip


def resolve_allowed_file(path: str, roots: Iterable[str]) -> ConfinedPath:
    """Resolve the path of a `file:` source; FORBIDDEN when it is outside every root."""
    found = AllowedRoots(roots).find(path)
    if found is None:
        raise Failure(
            "FORBIDDEN",
            "This file: source is outside the allowed directories.",
            hint="Move it into the workspace, or add its directory to the setting downloads.file_roots.",
        )
    return found


def _copy_file(
    place: SourceUrl, part: PartialFile, policy: FetchPolicy, call: Call, sha256: str, known: CachedValidators | None
) -> FetchResult:
    found = resolve_allowed_file(place.path, policy.file_roots)
    try:
        fd = found.open_file()
    except OSError as error:
        details: dict[str, object] = {"status": 404} if error.errno == errno.ENOENT else {}
        raise Failure("DOWNLOAD_FAILED", f"{place.display_url} cannot be read.", details, "Check the path.") from None
    with open(fd, "rb") as source:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise Failure("DOWNLOAD_FAILED", f"{place.display_url} is not a regular file.")
        part.begin(FileValidators(part.validators.source), 0)
        while piece := source.read(_PIECE):
            part.write(piece)
            if part.size > policy.max_bytes:
                part.discard()
                raise _make_too_large_failure(policy.max_bytes)
            call.step("download", part.size, status.st_size)
    if known is not None and known.sha256 == part.digest:
        part.discard()
        return FetchResult(False)
    made = FetchResult(True, part.size, part.digest)
    part.finish(sha256)
    return made
