"""Selection: the one thing a call is about, where several fields can name it."""

from codecompass.contract.codec import rejected, violation
from codecompass.contract.fields import UNSET, Handle, UnsetType, given
from codecompass.contract.tool import Params


class HandleParams(Params, frozen=True, kw_only=True):
    """Handles of earlier answers."""

    symbol_id: Handle | UnsetType = UNSET
    symbol_stable_id: Handle | UnsetType = UNSET
    result_id: Handle | UnsetType = UNSET


def handles_of(params: HandleParams) -> dict[str, str | None]:
    return {
        "symbol_id": given(params.symbol_id),
        "symbol_stable_id": given(params.symbol_stable_id),
        "result_id": given(params.result_id),
    }


def only_one(choices: dict[str, str | None]) -> tuple[str, str]:
    """The one field that is given and its value; none or several are a violation that names them all."""
    found = [(name, value) for name, value in choices.items() if value is not None]
    if len(found) != 1:
        said = f"exactly one of {', '.join(choices)} is needed, {len(found)} given"
        raise rejected([violation("", "oneOf", said, oneOf=list(choices))])
    return found[0]
