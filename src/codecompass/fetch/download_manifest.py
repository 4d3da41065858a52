"""Download manifest: a JSON file beside the downloads with their sources and hashes."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from codecompass.atomic import write_file
from codecompass.confine import find_escape
from codecompass.errors import Failure

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True)
class DownloadRecord:
    """One download."""

    name: str
    source: str
    """URL without its query, which may hold a key."""
    origin: str
    """SHA-256 of the whole URL, to recognise the same source."""
    file: str
    """Relative to the manifest; a directory for a model."""
    sha256: str
    """SHA-256 of the downloaded bytes."""
    size: int
    verified: bool
    """Whether the hash was known before the download."""
    fetched_at: str
    etag: str = ""
    last_modified: str = ""
    placed: str = ""
    """SHA-256 of the installed file, if it was extracted from an archive."""
    platform: str = ""

    @property
    def expected_sha256(self) -> str:
        """SHA-256 that the installed file must have."""
        return self.placed or self.sha256


def check_name(name: str) -> str:
    """Require a name that is a safe file name on every system."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise Failure(
            "INVALID_REQUEST",
            f"'{name[:60]}' is not a valid name.",
            hint="Use letters, digits, dots, dashes and underscores, starting with a letter or a digit.",
        )
    return name


def read_manifest(path: Path) -> dict[str, DownloadRecord]:
    """Read the records by name; a missing or damaged file counts as empty, and its downloads are fetched again."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MAX_BYTES))
        rows = found["items"] if found["version"] == VERSION else []
        return {record.name: record for record in map(_parse_record, rows)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError, Failure):
        return {}


def _parse_record(row: Mapping[str, object]) -> DownloadRecord:
    values = {field.name: row[field.name] for field in fields(DownloadRecord) if field.name in row}
    record = DownloadRecord(**values)  # type: ignore[arg-type]
    kinds = {"size": int, "verified": bool}
    if not all(isinstance(value, kinds.get(name, str)) for name, value in asdict(record).items()):
        raise ValueError("a value of another kind")
    check_name(record.name)
    if find_escape(record.file):
        raise ValueError("a file elsewhere")
    return record


def write_manifest(path: Path, records: Mapping[str, DownloadRecord]) -> None:
    """Replace the manifest durably."""
    items = [asdict(records[name]) for name in sorted(records)]
    text = json.dumps({"version": VERSION, "items": items}, indent=1, sort_keys=True) + "\n"
    write_file(path, text.encode(), 0o644)
