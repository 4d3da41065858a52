"""Filter parameters: the rows of `model/queries/filters.py` as fields of a struct, and back to one `Filters`.

The struct states the type of each value; `Filters.of` validates everything else, for every caller alike.
"""

import keyword
from collections.abc import Mapping
from typing import Annotated, Any, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from codecompass.contract.codec import to_invalid_request
from codecompass.contract.tool import Params
from codecompass.errors import Failure
from codecompass.model.queries.filters import FILTERS, FilterRow, Filters

FILTER_TYPES: dict[str, Any] = {
    "text": str,
    "words": str,
    "texts": str | list[str],
    "count": Annotated[int, Meta(ge=0)],
    "days": Annotated[float, Meta(ge=0)],
    "date": str,
    "flag": bool,
    "meta": Any,
    "json": Any,
}
"""The JSON type of each kind of value. Keys of records come as text, object or list, so any value is passed on to
the row's own check."""


def _to_attribute(row: FilterRow) -> str:
    """Return the attribute name of a filter; a name that is a Python keyword gets an underscore."""
    return row.field + "_" if keyword.iskeyword(row.field) else row.field


def _to_field_type(row: FilterRow) -> Any:  # noqa: ANN401 - a type, made at run time
    kind = FILTER_TYPES[row.kind]
    if kind is Any:
        return Annotated[Any, Meta(description=row.doc)]
    return Annotated[kind, Meta(description=row.doc)] | UnsetType


def add_filter_fields(name: str, base: type[Params], module: str) -> type[Params]:
    """Derive a params struct that has one more field for each filter."""
    fields = [(_to_attribute(row), _to_field_type(row), UNSET) for row in FILTERS]
    renamed = {_to_attribute(row): row.field for row in FILTERS if _to_attribute(row) != row.field}
    made = msgspec.defstruct(
        name, fields, bases=(base,), rename=renamed, frozen=True, kw_only=True, forbid_unknown_fields=True,
        module=module,
    )  # fmt: skip
    return cast("type[Params]", made)


def read_filters(params: Params) -> Filters:
    """Return the filters of a call, validated."""
    values = ((row.field, getattr(params, _to_attribute(row))) for row in FILTERS)
    return Filters.parse({field: value for field, value in values if not isinstance(value, UnsetType)})


def read_nested_filters(raw: Mapping[str, object] | UnsetType, name: str) -> Filters:
    """Return the filters of an argument that is an object; paths of violations begin with the argument's name."""
    try:
        return Filters() if isinstance(raw, UnsetType) else Filters.parse(raw)
    except Failure as failure:
        found = failure.details["violations"]
        assert isinstance(found, list)
        raise to_invalid_request(
            [{**item, "instancePath": f"/{name}{item['instancePath']}"} for item in found]
        ) from None
