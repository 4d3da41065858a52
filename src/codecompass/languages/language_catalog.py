"""Language catalog: names, extensions and detection patterns of all languages, cached in one table.

The source of truth is each `language.toml`. Parsing all of them costs tens of milliseconds per command, so
`codecompass snapshots` writes the fields that detection needs to one table beside them. The table contains the digest
of those files; if it does not match, the table is ignored and the files are parsed.
"""

import tomllib
from pathlib import Path

import msgspec
from blake3 import blake3

from codecompass.errors import Failure

TABLE_NAME = "catalog.table"


class LanguageRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields of a language that detection needs; a subset of `LanguageSpec`."""

    directory: str
    name: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    name_starts: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    report_as: str = ""
    linted: bool = False
    turn: int = 0
    contested: dict[str, tuple[str, ...]] = {}
    disowned: dict[str, tuple[str, ...]] = {}
    overlooked: dict[str, tuple[str, ...]] = {}


class _Table(msgspec.Struct):
    digest: str
    rows: tuple[LanguageRow, ...]


def read_catalog(directory: Path) -> tuple[LanguageRow, ...]:
    """Read all languages below a directory, from the table if it is current."""
    texts = _read_texts(directory)
    try:
        table = msgspec.json.decode((directory / TABLE_NAME).read_bytes(), type=_Table)
    except (OSError, msgspec.MsgspecError):
        return _parse_rows(texts)
    return table.rows if table.digest == _hash_texts(texts) else _parse_rows(texts)


def render_catalog(directory: Path) -> str:
    """Return the current content of the table."""
    texts = _read_texts(directory)
    lines = [msgspec.json.encode(row).decode() for row in _parse_rows(texts)]
    return f'{{"digest":"{_hash_texts(texts)}","rows":[\n' + ",\n".join(lines) + "\n]}\n"


def _read_texts(directory: Path) -> dict[str, bytes]:
    found = {}
    for child in sorted(directory.iterdir()):
        try:
            found[child.name] = (child / "language.toml").read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue  # shared queries, or the table itself
    return found


def _hash_texts(texts: dict[str, bytes]) -> str:
    hasher = blake3()
    for name, text in texts.items():
        hasher.update(f"{name}\0{len(text)}\0".encode() + text)
    return hasher.hexdigest(length=16)


def _parse_rows(texts: dict[str, bytes]) -> tuple[LanguageRow, ...]:
    rows = []
    for name, text in texts.items():
        try:
            raw = {**tomllib.loads(text.decode()), "directory": name}
            rows.append(msgspec.convert(raw, LanguageRow))
        except (ValueError, msgspec.ValidationError) as error:
            raise Failure("INTERNAL", f"{name}/language.toml cannot be read: {error}") from None
    return tuple(rows)
