"""Manifest: what was fetched, from where and with which hash, as one JSON file beside the things themselves."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from codecompass.errors import Failure

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that was fetched."""

    name: str
    source: str
    """Without its query, which may hold a key."""
    origin: str
    """SHA-256 of the whole URL: whether it is the same source."""
    file: str
    """Relative to the manifest; a directory for a model."""
    sha256: str
    """Of the bytes that came."""
    size: int
    verified: bool
    """Its hash was known beforehand."""
    fetched_at: str
    etag: str = ""
    last_modified: str = ""
    placed: str = ""
    """SHA-256 of the file that was placed, where it was taken out of an archive."""
    platform: str = ""

    @property
    def content(self) -> str:
        """What the file in its place must hash to."""
        return self.placed or self.sha256


def check_name(name: str) -> str:
    """A name that is safe as that of a file everywhere."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise Failure(
            "INVALID_REQUEST",
            f"'{name[:60]}' cannot be a name here.",
            hint="Use letters, digits, dots, dashes and underscores, beginning with a letter or a digit.",
        )
    return name


def read_manifest(path: Path) -> dict[str, Record]:
    """Name → record; a file that is missing or damaged is as good as empty: what it described is fetched again."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MAX_BYTES))
        rows = found["items"] if found["version"] == VERSION else []
        return {record.name: record for record in map(_record, rows)}
    except (OSError, ValueError, KeyError, TypeError, RecursionError, Failure):
        return {}


def _record(row: Mapping[str, object]) -> Record:
    values = {field.name: row[field.name] for field in fields(Record) if field.name in row}
    record = Record(**values)  # type: ignore[arg-type]
    kinds = {"size": int, "verified": bool}
    if not all(isinstance(value, kinds.get(name, str)) for name, value in asdict(record).items()):
        raise ValueError("a value of another kind")
    check_name(record.name)
    if os.path.isabs(record.file) or ".." in Path(record.file).parts:
        raise ValueError("a file elsewhere")
    return record


def write_manifest(path: Path, records: Mapping[str, Record]) -> None:
    """Replace the manifest in one step."""
    items = [asdict(records[name]) for name in sorted(records)]
    text = json.dumps({"version": VERSION, "items": items}, indent=1, sort_keys=True) + "\n"
    beside = path.with_name(f".{path.name}.new")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
