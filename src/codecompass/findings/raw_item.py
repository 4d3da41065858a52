"""Raw item: tolerant access to the fields of one scanner item.

Each accessor takes paths; a value of the wrong type is recorded as a warning, and a missing value is empty.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from codecompass.model.timestamp import utc_timestamp

SHORT = 500
TITLE = 300
LONG = 20_000
MANY = 100
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
_SNAKE_PART = re.compile(r"_([a-z])")
MAX_WARNINGS = 20


@dataclass
class RawItem:
    """A JSON value, and the list of warnings shared by everything read from one item."""

    value: object
    warnings: list[str] = field(default_factory=list)
    path: str = ""

    def get(self, path: str) -> "RawItem":
        """Return the value at a dotted path in snake case or camel case; a missing one has the value None."""
        value = self.value
        for name in path.split("."):
            value = _get_member(value, name)
        return RawItem(value, self.warnings, f"{self.path}.{path}".lstrip("."))

    def get_first(self, *paths: str) -> "RawItem":
        """Return the first path that is not empty."""
        found = [one for one in map(self.get, paths) if one.value not in (None, "", [], {})]
        return found[0] if found else RawItem(None, self.warnings, paths[0])

    def get_text(self, *paths: str, most: int = SHORT) -> str:
        """Return text, or a number as text, without control characters; on one line unless it may be long."""
        found = self.get_first(*paths) if paths else self
        value = found.value
        if value is None or value == "":
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value in (math.inf, -math.inf):
            self.warn(f"{found.path}: text was expected")
            return ""
        cleaned = clean_text(str(value), lines=most == LONG)
        if len(cleaned) > most:
            self.warn(f"{found.path}: {len(cleaned):,} characters were cut to {most:,}")
            cleaned = cleaned[: most - 1] + "…"
        return cleaned

    def get_number(self, *paths: str) -> float | None:
        """Return a finite number, also from text."""
        found = self.get_first(*paths) if paths else self
        value = found.value
        if value is None:
            return None
        try:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise ValueError
            number = float(value)
            if not math.isfinite(number):
                raise ValueError
        except (ValueError, OverflowError):
            self.warn(f"{found.path}: a number was expected")
            return None
        return number

    def get_flag(self, *paths: str) -> bool | None:
        found = self.get_first(*paths)
        value = found.value
        if value is None or isinstance(value, bool):
            return value
        word = str(value).strip().lower()
        if word in ("true", "yes", "1", "false", "no", "0"):
            return word in ("true", "yes", "1")
        self.warn(f"{found.path}: true or false was expected")
        return None

    def get_items(self, *paths: str) -> "Iterator[RawItem]":
        """Yield the members of a list; a single value is a list of one."""
        found = self.get_first(*paths) if paths else self
        if found.value is None:
            return
        members = found.value if isinstance(found.value, list) else [found.value]
        if len(members) > MANY:
            self.warn(f"{found.path}: {len(members):,} entries were cut to {MANY}")
        for index, member in enumerate(members[:MANY]):
            yield RawItem(member, self.warnings, f"{found.path}[{index}]")

    def get_texts(self, *paths: str, key: str = "") -> tuple[str, ...]:
        """Return the distinct texts of a list; for objects the text under `key`."""
        found = (
            one.get_text(key) if key and isinstance(one.value, dict) else one.get_text()
            for one in self.get_items(*paths)
        )
        return tuple(dict.fromkeys(one for one in found if one))

    def get_time(self, *paths: str) -> str:
        """Return a time in ISO format and UTC."""
        found = self.get_first(*paths)
        if found.value is None:
            return ""
        made = to_iso_time(found.value)
        if not made:
            self.warn(f"{found.path}: a time was expected")
        return made

    def warn(self, text: str) -> None:
        text = clean_text(text)[:SHORT]
        if text not in self.warnings and len(self.warnings) < MAX_WARNINGS:
            self.warnings.append(text)

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)


def _get_member(value: object, name: str) -> object:
    if not isinstance(value, Mapping):
        return None
    if name in value:
        return value[name]
    return value.get(_to_camel_case(name))


@lru_cache(maxsize=1_000)
def _to_camel_case(name: str) -> str:
    """Convert `first_seen` to `firstSeen`."""
    return _SNAKE_PART.sub(lambda found: found[1].upper(), name)


def clean_text(text: str, *, lines: bool = False) -> str:
    """Remove control characters and unpaired surrogates from a text."""
    whole = text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text
    whole = _CONTROLS.sub("", whole.replace("\r\n", "\n").replace("\r", "\n"))
    return whole.strip() if lines else " ".join(whole.split())


def to_iso_time(value: object) -> str:
    """Convert an ISO time, or seconds or milliseconds since 1970, to ISO in UTC; empty when it is not a time."""
    try:
        if isinstance(value, bool):
            return ""
        if isinstance(value, int | float):
            seconds = value / 1000 if value > 1e11 else value
            moment = datetime.fromtimestamp(seconds, UTC)
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
        else:
            return ""
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return utc_timestamp(moment)
    except (ValueError, OverflowError, OSError):
        return ""
