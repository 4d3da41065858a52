"""Arguments and errors of the library: checks of values, and hints that name methods instead of tools."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from codecompass.errors import Failure
from codecompass.model.code.kinds import KINDS, normalize_kind
from codecompass.model.queries.filters import make_invalid_value
from codecompass.model.queries.results import ViewState

METHODS = {
    "search_code": "search()",
    "locate_symbol": "locate()",
    "find_references": "references()",
    "get_file_outline": "outline()",
    "grep_codebase": "grep()",
    "get_code_context": "context()",
    "context_search": "memory()",
    "index_repo": "index()",
    "sync_repo": "sync()",
    "index_status": "status()",
    "list_refs": "'codecompass refs'",
}
"""Tool → the method, or else the command, that does the same; the engine's messages name tools."""
_TOOL = re.compile(rf"\b({'|'.join(METHODS)})\b")
_ARGUMENTS_HINT = "help(codecompass.CodeWorkspace) describes the arguments."

Choice = TypeVar("Choice", bound=str)


@contextmanager
def name_methods() -> Iterator[None]:
    """Make failures speak of methods, and fill in the general hint of their code, so that `hint` is always set."""
    try:
        yield
    except Failure as failure:
        general = _ARGUMENTS_HINT if failure.code == "INVALID_REQUEST" else failure.error_code.hint
        failure.message = _replace_tools(failure.message)
        failure.hint = _replace_tools(failure.hint or general)
        raise


def _replace_tools(text: str) -> str:
    return _TOOL.sub(lambda found: METHODS[found[1]], text)


def require_index(state: ViewState) -> None:
    """Refuse an empty answer that means only that nothing is indexed yet."""
    if state.indexing == "not_indexed":
        raise Failure("NO_INDEX", f"The ref '{state.ref[:100]}' has not been indexed yet.")


def require_single(**choices: str | None) -> None:
    """Require that exactly one of these arguments is given."""
    given = [name for name, value in choices.items() if value is not None]
    if len(given) != 1:
        message = f"Exactly one of {', '.join(choices)} is needed, {len(given)} given."
        raise Failure("INVALID_REQUEST", message)


def check_text(field: str, value: str) -> str:
    if not value.strip():
        raise make_invalid_value(field, "pattern", "must not be blank")
    return value.strip()


def check_number(field: str, value: int, least: int = 1) -> int:
    if value < least:
        raise make_invalid_value(field, "minimum", f"must be {least} or more")
    return value


def check_choice(field: str, value: str, choices: tuple[Choice, ...]) -> Choice:
    """Return the value as one of the choices."""
    found = next((choice for choice in choices if choice == value), None)
    if found is None:
        raise make_invalid_value(field, "enum", f"unknown value '{str(value)[:40]}'; one of {', '.join(choices)}")
    return found


def check_kind(value: str | None) -> str | None:
    """Return the canonical name of a kind; None means any."""
    return None if value is None else normalize_kind(value) or check_choice("kind", value, KINDS)
