"""Filters: the table of all search filters, and strict parsing of raw values to `Filters`.

Schemas, flags, documents and query shorthands derive from the rows; the predicates are in the engine
(`engine/search/filters/predicates.py`), keyed by `field`. Values that need the languages or a regex engine to check
(`lang`, `/regex/`) are checked there.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from codecompass.errors import Failure
from codecompass.model.code.kinds import ANY_KIND, parse_kind_filter
from codecompass.model.near_words import find_near_words

MAX_VALUE_LENGTH = 500
"""Maximum characters of one value."""
MAX_ITEMS = 100
"""Maximum items of one list."""
MAX_COUNT = 2**53
"""Larger counts are clamped: nothing has so many of anything, and not every store can represent more."""
_MAX_VIOLATIONS = 20
VISIBILITIES = ("public", "private", "protected", "internal")

KeyValuePairs = tuple[tuple[str, str], ...]
"""(dotted key, text that its value must contain; empty for any non-empty value)."""
FilterValue = str | int | float | bool | tuple[str, ...] | KeyValuePairs


@dataclass(frozen=True, slots=True)
class FilterRow:
    """One filter: its argument name, the kind of its value, its flag, and a one-line description."""

    field: str
    kind: str
    """A key of `VALUE_PARSERS`."""
    flag: str
    doc: str
    scope: str = "definition"
    """What the filter applies to: `definition`, `file` (the whole file) or `record`."""
    normalize: "Callable[[tuple[str, ...]], tuple[str, ...]] | None" = None
    """For lists: returns the normalized words, or raises ValueError with a message."""


class _InvalidValue(Exception):
    """An invalid value: keyword and message of the violation."""

    def __init__(self, keyword: str, message: str) -> None:
        super().__init__(message)
        self.keyword, self.message = keyword, message


# -- parsers -----------------------------------------------------------------------------------------------------------


def _parse_text(raw: object) -> str:
    if not isinstance(raw, str):
        raise _InvalidValue("type", "must be a string")
    value = raw.strip()
    if not value:
        raise _InvalidValue("pattern", "must not be blank")
    if len(value) > MAX_VALUE_LENGTH:
        raise _InvalidValue("maxLength", f"must have at most {MAX_VALUE_LENGTH} characters")
    return value


def _parse_words(raw: object) -> tuple[str, ...]:
    """Parse a comma-separated list."""
    return tuple(dict.fromkeys(_parse_text(part) for part in _parse_text(raw).split(",")))


def _parse_texts(raw: object) -> tuple[str, ...]:
    """Parse a string or a list of strings."""
    if isinstance(raw, str):
        return (_parse_text(raw),)
    if not isinstance(raw, list | tuple):
        raise _InvalidValue("type", "must be a string or a list of strings")
    if not raw:
        raise _InvalidValue("minItems", "must not be empty")
    if len(raw) > MAX_ITEMS:
        raise _InvalidValue("maxItems", f"must have at most {MAX_ITEMS} items")
    return tuple(dict.fromkeys(_parse_text(item) for item in raw))


def _parse_count(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or raw != raw // 1:
        raise _InvalidValue("type", "must be an integer")
    if raw < 0:
        raise _InvalidValue("minimum", "must be 0 or more")
    return int(min(raw, MAX_COUNT))


def _parse_days(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
        raise _InvalidValue("type", "must be a number of days")
    if raw < 0:
        raise _InvalidValue("minimum", "must be 0 or more")
    return float(raw)


def _parse_date(raw: object) -> float:
    """Parse an ISO date to epoch seconds; a time without a zone is UTC."""
    text = _parse_text(raw)
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise _InvalidValue(
            "format", "must be an ISO date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z"
        ) from None


def _parse_flag(raw: object) -> bool:
    if not isinstance(raw, bool):
        raise _InvalidValue("type", "must be true or false")
    return raw


def _parse_meta(raw: object) -> KeyValuePairs:
    """Parse `key`, `key=value`, an object, or a list of these."""
    items = raw if isinstance(raw, list | tuple) else [raw]
    if not items:
        raise _InvalidValue("minItems", "must not be empty")
    found: list[tuple[str, str]] = []
    for item in items:
        if isinstance(item, Mapping):
            found += _flatten_object(item, "")
        elif isinstance(item, str):
            key, _, value = _parse_text(item).partition("=")
            found.append((_parse_text(key), value.strip()))
        else:
            raise _InvalidValue("type", "must be key=value, an object, or a list of these")
    return _check_pair_count(found)


def _parse_json(raw: object) -> KeyValuePairs:
    """Parse an object, a list of objects, or either as JSON text."""
    if isinstance(raw, str):
        try:
            raw = json.loads(_parse_text(raw))
        except (ValueError, RecursionError):
            raise _InvalidValue("format", "must be valid JSON") from None
    items = raw if isinstance(raw, list | tuple) else [raw]
    objects = [item for item in items if isinstance(item, Mapping)]
    if not items or len(objects) < len(items):
        raise _InvalidValue("type", "must be an object or a list of objects")
    return _check_pair_count([pair for item in objects for pair in _flatten_object(item, "")])


def _check_pair_count(pairs: list[tuple[str, str]]) -> KeyValuePairs:
    if not pairs:
        raise _InvalidValue("minProperties", "must name at least one key")
    if len(pairs) > MAX_ITEMS:
        raise _InvalidValue("maxProperties", f"must name at most {MAX_ITEMS} keys")
    return tuple(dict.fromkeys(pairs))


def _flatten_object(item: Mapping[str, object], above: str) -> list[tuple[str, str]]:
    """Flatten an object to dotted keys, each with the text its value must contain."""
    found: list[tuple[str, str]] = []
    if above.count(".") > 20:
        raise _InvalidValue("type", "is nested too deeply")
    for key, value in item.items():
        name = above + _parse_text(key)
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, Mapping):
                found += _flatten_object(one, name + ".")
            elif isinstance(one, bool):
                found.append((name, "true" if one else "false"))
            elif isinstance(one, str | int | float):
                found.append((name, str(one).strip()[:MAX_VALUE_LENGTH]))
            else:
                raise _InvalidValue("type", f"'{name[:80]}' must be a string, a number or true or false")
    return found


VALUE_PARSERS: dict[str, Callable[[object], FilterValue]] = {
    "text": _parse_text,
    "words": _parse_words,
    "texts": _parse_texts,
    "count": _parse_count,
    "days": _parse_days,
    "date": _parse_date,
    "flag": _parse_flag,
    "meta": _parse_meta,
    "json": _parse_json,
}
"""Kinds of values: `text` a string; `words` a comma-separated string, any of them; `texts` a string or a list, any of
them; `count` an integer from 0; `days` a number from 0; `date` ISO; `flag` true or false; `meta` and `json` keys."""


# -- canonical words ---------------------------------------------------------------------------------------------------


def _normalize_kinds(words: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for word in words:
        kinds = parse_kind_filter(word)
        if not kinds:
            near = find_near_words(word, ANY_KIND, 1)
            meant = f"did you mean {near[0]}; " if near else ""
            raise ValueError(f"unknown kind '{word[:40]}'; {meant}known are {', '.join(ANY_KIND)}")
        found |= dict.fromkeys(sorted(kinds))
    return tuple(found)


def _normalize_visibilities(words: tuple[str, ...]) -> tuple[str, ...]:
    lowered = tuple(dict.fromkeys(word.lower() for word in words))
    for word in lowered:
        if word not in VISIBILITIES:
            raise ValueError(f"unknown visibility '{word[:40]}'; known are {', '.join(VISIBILITIES)}")
    return lowered


def _normalize_extensions(words: tuple[str, ...]) -> tuple[str, ...]:
    """Normalize file extensions: `py`, `.py` and `*.py` are equal; commas separate."""
    found: dict[str, None] = {}
    for word in (part.strip() for item in words for part in item.split(",")):
        ending = word.lower().removeprefix("*").removeprefix(".")
        if not ending or any(sign in ending for sign in "/\\*? "):
            raise ValueError(f"'{word[:40]}' is not a file extension")
        found["." + ending] = None
    return tuple(found)


FILTERS: tuple[FilterRow, ...] = (
    FilterRow("type", "words", "--type", "Kinds: function, class, method, …", normalize=_normalize_kinds),
    FilterRow("author", "text", "--author", "Part of the name of the file's last author.", "file"),
    FilterRow("import", "text", "--import", "A module it uses, as written."),
    FilterRow("calls", "text", "--calls", "What it calls: join, path.join or os.path.join."),
    FilterRow("uses", "text", "--uses", "An identifier that stands in it."),
    FilterRow("signature", "text", "--signature", "Part of its signature, case-sensitive."),
    FilterRow("param", "text", "--param", "The name of a parameter."),
    FilterRow("decorator", "text", "--decorator", "Part of a decorator or annotation."),
    FilterRow("inferredType", "text", "--inferred-type", "Part of a type known of a name in it."),
    FilterRow("returnType", "text", "--return-type", "Part of its declared return type."),
    FilterRow("throws", "text", "--throws", "Part of what it throws."),
    FilterRow("reads", "text", "--reads", "Part of a variable it reads."),
    FilterRow("writes", "text", "--writes", "Part of a variable it writes."),
    FilterRow("mutates", "text", "--mutates", "Part of an object's part it changes: a.b, a[]."),
    FilterRow("alias", "text", "--alias", "Part of new=old, one name given another's value."),
    FilterRow("awaits", "text", "--awaits", "Part of what it awaits."),
    FilterRow("risk", "text", "--risk", "Part of a risk tag."),
    FilterRow("riskTag", "text", "--risk-tag", "Part of a risk tag; with risk both must hold."),
    FilterRow("riskSource", "text", "--risk-source", "Part of the name of a source of untrusted values."),
    FilterRow("riskSink", "text", "--risk-sink", "Part of the name of a dangerous sink."),
    FilterRow("riskCategory", "text", "--risk-category", "Part of a category: sql, command, xss, …"),
    FilterRow("riskFlow", "text", "--risk-flow", "Part of source->sink."),
    FilterRow("branchesMin", "count", "--branches", "At least so many branches."),
    FilterRow("loopsMin", "count", "--loops", "At least so many loops."),
    FilterRow("breaksMin", "count", "--breaks", "At least so many breaks."),
    FilterRow("continuesMin", "count", "--continues", "At least so many continues."),
    FilterRow("churnMin", "count", "--churn", "At least so many lines changed in the file of late.", "file"),
    FilterRow("chunkAuthor", "text", "--chunk-author", "Part of the name of an author of its lines."),
    FilterRow("modifiedAfter", "date", "--modified-after", "File last committed then or later.", "file"),
    FilterRow("modifiedSince", "days", "--modified-since", "File last committed within so many days.", "file"),
    FilterRow(
        "visibility",
        "words",
        "--visibility",
        "public, private, protected, internal.",
        normalize=_normalize_visibilities,
    ),
    FilterRow("extends", "text", "--extends", "Part of a type it inherits from."),
    FilterRow("lint", "flag", "--lint", "Has messages of a parser or linter."),
    FilterRow("async", "flag", "--async", "Is asynchronous."),
    FilterRow("generator", "flag", "--generator", "Yields values."),
    FilterRow("returns", "flag", "--returns", "Returns a value."),
    FilterRow("lang", "words", "--lang", "Languages, aliases welcome: py, ts, c++.", "file"),
    FilterRow("path", "texts", "--path", "Part of the path, a glob, or /regex/.", "file"),
    FilterRow("file", "texts", "--file", "As path; patterns may also fit the base name.", "file"),
    FilterRow("ext", "texts", "--ext", "File endings: py, .ts, *.rs.", "file", _normalize_extensions),
    FilterRow("meta", "meta", "--meta", "key or key=value of a record.", "record"),
    FilterRow("metaJson", "json", "--meta-json", "The same as JSON.", "record"),
)
FILTERS_BY_FIELD = {row.field: row for row in FILTERS}


@dataclass(frozen=True, slots=True)
class Filters:
    """Parsed filters; all must match. Iterates over (row, value), in the order of the table."""

    given: tuple[tuple[str, FilterValue], ...] = ()

    @classmethod
    def parse(cls, raw: Mapping[str, object]) -> "Filters":
        """Parse strictly: unknown, blank, null or mistyped values are violations; the error lists all of them."""
        violations = [
            _make_violation(f"/{str(field)[:80]}", "additionalProperties", f"unknown filter '{str(field)[:80]}'")
            for field in raw
            if field not in FILTERS_BY_FIELD
        ]
        found: list[tuple[str, FilterValue]] = []
        for row in FILTERS:
            if row.field not in raw:
                continue
            try:
                found.append((row.field, _parse_value(row, raw[row.field])))
            except _InvalidValue as wrong:
                violations.append(_make_violation(f"/{row.field}", wrong.keyword, wrong.message))
        if violations:
            raise make_invalid_request(violations)
        return cls(tuple(found))

    def __iter__(self) -> Iterator[tuple[FilterRow, FilterValue]]:
        return ((FILTERS_BY_FIELD[field], value) for field, value in self.given)

    def __len__(self) -> int:
        return len(self.given)

    def get(self, field: str) -> FilterValue | None:
        return next((value for name, value in self.given if name == field), None)

    def __contains__(self, field: object) -> bool:
        return any(name == field for name, _ in self.given)


def _parse_value(row: FilterRow, raw: object) -> FilterValue:
    value = VALUE_PARSERS[row.kind](raw)
    if row.normalize is None:
        return value
    try:
        return row.normalize(value)  # type: ignore[arg-type]
    except ValueError as error:
        raise _InvalidValue("enum", str(error)) from None


def _make_violation(path: str, keyword: str, message: str) -> dict[str, object]:
    return {"instancePath": path, "keyword": keyword, "message": message, "params": {}}


def make_invalid_request(violations: list[dict[str, object]]) -> Failure:
    """Return INVALID_REQUEST with all violations; the message states the first."""
    first = violations[0]
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    where = str(first["instancePath"]).lstrip("/")
    message = f"Invalid arguments: {where}: {first['message']}{more}."
    return Failure("INVALID_REQUEST", message, {"violations": violations[:_MAX_VIOLATIONS]})


def make_invalid_value(field: str, keyword: str, message: str) -> Failure:
    """Return INVALID_REQUEST for one filter value that a later check rejects."""
    return make_invalid_request([_make_violation(f"/{field}", keyword, message)])
