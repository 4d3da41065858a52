"""Handle parameters, and the choice of exactly one field among alternatives."""

from codecompass.contract.codec import make_violation, to_invalid_request
from codecompass.contract.fields import UNSET, Handle, UnsetType, unset_to_none
from codecompass.contract.tool import Params


class HandleParams(Params, frozen=True, kw_only=True):
    """Handles from earlier answers."""

    symbol_id: Handle | UnsetType = UNSET
    symbol_stable_id: Handle | UnsetType = UNSET
    result_id: Handle | UnsetType = UNSET


def read_handles(params: HandleParams) -> dict[str, str | None]:
    return {
        "symbol_id": unset_to_none(params.symbol_id),
        "symbol_stable_id": unset_to_none(params.symbol_stable_id),
        "result_id": unset_to_none(params.result_id),
    }


def require_one(choices: dict[str, str | None]) -> tuple[str, str]:
    """Return the one field that is given and its value; none or several is a violation that lists the choices."""
    found = [(name, value) for name, value in choices.items() if value is not None]
    if len(found) != 1:
        message = f"exactly one of {', '.join(choices)} is needed, {len(found)} given"
        raise to_invalid_request([make_violation("", "oneOf", message, oneOf=list(choices))])
    return found[0]
