"""Advice in answers: sentences that name tools, reworded where a tool is not served."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from codecompass.contract.tool import Answer
from codecompass.errors import Failure

ADVICE_KEYS = ("suggestion", "fallback", "note", "message", "hint", "warnings", "notes")
"""Fields of a payload that are sentences of this program, not of the repository."""

Reword = Callable[[str], str]


def reword_failure(failure: Failure, reword: Reword) -> Failure:
    """Return the failure with its message, hint and details reworded."""
    details = {key: _reword_value(value, reword) for key, value in failure.details.items()}
    return Failure(failure.code, reword(failure.message), details, reword(failure.effective_hint))


def reword_answer(answer: Answer, reword: Reword) -> Answer:
    """Return the answer with its warnings and the advice in its payload reworded."""
    payload: dict[str, Any] = {
        key: _reword_value(value, reword) if key in ADVICE_KEYS else value for key, value in answer.payload.items()
    }
    state = answer.state
    if state is not None and state.warnings:
        state = replace(state, warnings=tuple(map(reword, state.warnings)))
    return replace(answer, payload=payload, state=state, warnings=tuple(map(reword, answer.warnings)))


def _reword_value(value: object, reword: Reword) -> object:
    """Reword a text, or the texts of a list; everything else stays."""
    if isinstance(value, str):
        return reword(value)
    return [_reword_value(item, reword) for item in value] if isinstance(value, list | tuple) else value
