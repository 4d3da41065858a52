"""Handle parameters, and the choice of exactly one field among alternatives."""

from codecompass.contract.codec import rejected, violation
from codecompass.contract.fields import UNSET, Handle, UnsetType, given
from codecompass.contract.tool import Params


class HandleParams(Params, frozen=True, kw_only=True):
    """Handles from earlier answers."""

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
    """Return the one field that is given and its value; none or several is a violation that lists the choices."""
    found = [(name, value) for name, value in choices.items() if value is not None]
    if len(found) != 1:
        message = f"exactly one of {', '.join(choices)} is needed, {len(found)} given"
        raise rejected([violation("", "oneOf", message, oneOf=list(choices))])
    return found[0]
