"""Hook entries: commands that an agent runs after an edit (`sync`) or at the start of a session (`guide`)."""

import json
import re
import shlex
from pathlib import Path
from typing import Any, Literal

from codecompass.agents.agent_places import Machine, Scope
from codecompass.agents.agent_table import Agent, HookRow
from codecompass.agents.json_edit import append_item, get_value, remove_items, remove_value, set_value

HookKind = Literal["sync", "guide"]
TIMEOUT_S = 30
_OURS = re.compile(r"codecompass\b.* hook (sync|guide) --for \w+")


def find_hook_file(row: HookRow, machine: Machine, scope: Scope) -> Path:
    return machine.project / row.project if scope == "project" else machine.expand(row.user)


def add_hook(text: str, agent: Agent, row: HookRow, kind: HookKind, program: list[str]) -> str:
    """Append our item to the list of its event; an older item of ours is replaced, others stay."""
    # A program that is gone must not disturb the agent; this form works in sh and in cmd.
    command = f"{shlex.join([*program, 'hook', kind, '--for', agent.name])} || exit 0"
    event, matcher = row.sync if kind == "sync" else (row.guide, "")
    one: dict[str, Any] = {"command": command, "timeout": TIMEOUT_S * row.seconds}
    item = ({"matcher": matcher} if matcher else {}) | {"hooks": [{"type": "command", **one}]} if row.nested else one
    path = ("hooks", event)
    present = get_value(text, path)
    if isinstance(present, list) and item in present:
        return text
    if not row.nested and get_value(text, ("version",)) is None:
        text = set_value(text, ("version",), 1)
    text = remove_items(text, path, lambda found: is_our_hook(found, kind))
    return append_item(text, path, item)


def remove_hooks(text: str, row: HookRow, former: str | None) -> str:
    """Remove our items, and lists that are empty now and were not there before."""
    for event in (row.sync[0], row.guide):
        path = ("hooks", event)
        if any(is_our_hook(item) for item in _list_items(text, path)):
            text = remove_items(text, path, is_our_hook)
            if get_value(text, path) == [] and (former is None or get_value(former, path) is None):
                text = remove_value(text, path)
    if get_value(text, ("hooks",)) == {} and (former is None or get_value(former, ("hooks",)) is None):
        text = remove_value(text, ("hooks",))
        if not row.nested and get_value(text, ()) == {"version": 1}:
            text = remove_value(text, ("version",))
    return text


def has_hooks(text: str, row: HookRow) -> bool:
    return any(is_our_hook(item) for event in (row.sync[0], row.guide) for item in _list_items(text, ("hooks", event)))


def is_our_hook(item: object, kind: HookKind | None = None) -> bool:
    """Whether an item runs only our command: its words are the tag."""
    inner = item.get("hooks") if isinstance(item, dict) else None
    commands = inner if isinstance(inner, list) else [item]
    found = [_OURS.search(str(one.get("command", ""))) if isinstance(one, dict) else None for one in commands]
    return bool(found) and all(one is not None and kind in (None, one[1]) for one in found)


def render_note(row: HookRow, note: str) -> str:
    """Return the output of the hook `guide`, in the form that the agent reads."""
    if row.note == "additional_context":
        return json.dumps({"additional_context": note})
    return json.dumps({"hookSpecificOutput": {"hookEventName": row.guide, "additionalContext": note}})


def _list_items(text: str, path: tuple[str, ...]) -> list[object]:
    found = get_value(text, path)
    return found if isinstance(found, list) else []
