"""TOML edits: set and remove tables of a TOML text and leave every other byte as it is."""

import tomllib
from collections.abc import Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError
from tomlkit.items import AbstractTable, InlineTable

from codecompass.errors import Failure


def get_value(text: str, path: Sequence[str]) -> Any:  # noqa: ANN401 - a TOML value
    """Return the value at a path; None if there is none."""
    found: Any = _parse(text).unwrap()
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def set_value(text: str, path: Sequence[str], value: object) -> str:
    """Set the table at a path and create the tables above it; other keys of an existing table stay."""
    assert isinstance(value, dict)
    document = _parse(text)
    table: Any = document
    for key in path:
        if key not in table:
            # A table that only holds tables has no header of its own.
            table[key] = tomlkit.inline_table() if isinstance(table, InlineTable) else tomlkit.table(key != path[-1])
        table = table[key]
        if not isinstance(table, AbstractTable) and not hasattr(table, "items"):
            raise Failure("INVALID_REQUEST", f"{'.'.join(path)} is not a table")
    for key, part in value.items():
        if key not in table or table[key] != part:
            table[key] = part
    return _write(text, document)


def remove_value(text: str, path: Sequence[str]) -> str:
    """Remove the table at a path."""
    document = _parse(text)
    table: Any = document
    for key in path[:-1]:
        table = table.get(key) if hasattr(table, "get") else None
    if table is None or path[-1] not in table:
        return text
    del table[path[-1]]
    return _write(text, document)


def _parse(text: str) -> tomlkit.TOMLDocument:
    try:
        document = tomlkit.parse(text)
        if tomlkit.dumps(document) != text:
            raise Failure("INVALID_REQUEST", "the file cannot be edited without changing other lines")
    except ParseError as error:
        reason = str(error).partition(" at line")[0].rstrip(".")
        raise Failure("INVALID_REQUEST", f"line {error.line}, column {error.col}: {reason}") from None
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise Failure("INVALID_REQUEST", str(error) or "nested too deeply") from None
    return document


def _write(text: str, document: tomlkit.TOMLDocument) -> str:
    """Render a document, checked by another parser; new lines end like those of the old text."""
    rendered = tomlkit.dumps(document)
    if 0 < text.count("\n") == text.count("\r\n"):
        rendered = rendered.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        tomllib.loads(rendered)
    except ValueError as error:
        raise Failure("INVALID_REQUEST", f"the result would not be valid: {error}") from None
    return rendered
