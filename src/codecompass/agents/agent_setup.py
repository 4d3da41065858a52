"""Agent setup: plan the edits that connect agents to this program, and those that undo it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from codecompass.agents import json_edit, toml_edit
from codecompass.agents.agent_places import Machine, Scope, find_config
from codecompass.agents.agent_table import AGENTS, PROGRAM, Agent, EntryShape, FileFormat, build_entry
from codecompass.agents.file_edit import EditSession
from codecompass.agents.hook_entries import HookKind, add_hook, find_hook_file, has_hooks, remove_hooks
from codecompass.agents.instructions import BLOCK, RULE_HEAD, SKILL, has_block, insert_block, remove_block
from codecompass.confine import is_within
from codecompass.errors import Failure

SERVE = ("serve-mcp", "--toolset", "agent")


class _Editor(Protocol):
    def get_value(self, text: str, path: tuple[str, ...]) -> Any: ...  # noqa: ANN401 - a value of the format
    def set_value(self, text: str, path: tuple[str, ...], value: object) -> str: ...
    def remove_value(self, text: str, path: tuple[str, ...]) -> str: ...


EDITORS: dict[FileFormat, _Editor] = {"json": json_edit, "toml": toml_edit}


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """What to set up."""

    agents: tuple[Agent, ...]
    scope: Scope
    program: tuple[str, ...]
    """The command that starts this program: an absolute path, or an interpreter and its arguments."""
    hooks: tuple[HookKind, ...] = ()
    instructions: bool = False


@dataclass(slots=True)
class SetupPlan:
    """The edits of all agents, and remarks for the user."""

    session: EditSession = field(default_factory=EditSession)
    notes: list[str] = field(default_factory=list)


class ServerEntry(NamedTuple):
    """The entry for this program in a file, as the agent sees it."""

    path: Path
    command: list[str]


def plan_setup(request: SetupRequest, machine: Machine) -> SetupPlan:
    """Plan the entries, hooks and instructions of the requested agents."""
    plan = SetupPlan()
    _refuse_escapes(request, machine)
    for agent in request.agents:
        _plan_entry(plan, agent, request, machine)
        for kind in request.hooks:
            _plan_hook(plan, agent, kind, request, machine)
        if request.instructions:
            _plan_instructions(plan, agent, request.scope, machine)
    return plan


def plan_undo(request: SetupRequest, machine: Machine) -> SetupPlan:
    """Plan to remove everything of ours: exact bytes where nobody changed a file since, else only our parts."""
    plan = SetupPlan()
    _refuse_escapes(request, machine)
    for path in dict.fromkeys(path for agent in request.agents for path in _list_files(agent, request.scope, machine)):
        users = [agent for agent in AGENTS if path in _list_files(agent, request.scope, machine)]
        others = [
            agent for agent in users if agent not in request.agents and _is_connected(agent, request.scope, machine)
        ]
        if others:
            plan.notes.append(f"{path} stays: {', '.join(agent.title for agent in others)} uses it too.")
        elif plan.session.read(path) is not None and not plan.session.restore(path):
            for agent in users:
                _remove_parts(plan.session, agent, path, request.scope, machine)
    return plan


def _refuse_escapes(request: SetupRequest, machine: Machine) -> None:
    """Refuse files of a project that are links out of it: a repository must not choose what we write elsewhere."""
    for agent in request.agents if request.scope == "project" else ():
        for path in _list_files(agent, "project", machine):
            if not is_within(path, machine.project):
                message = f"{path} leads out of the project. Nothing was written."
                raise Failure("INVALID_REQUEST", message, hint=f"Replace the link {path} by a file.")


def choose_shape(agent: Agent, text: str | None) -> EntryShape:
    """Return the shape that fits a file: the older one if its entries have it."""
    if agent.older_shape is None or not text:
        return agent.shape
    entries = EDITORS[agent.format].get_value(text, agent.older_shape.keys)
    found = entries.values() if isinstance(entries, dict) else ()
    return agent.older_shape if any(isinstance(one, dict) and "type" in one for one in found) else agent.shape


def make_entry(agent: Agent, shape: EntryShape, request: SetupRequest, machine: Machine) -> dict[str, Any]:
    """Return the entry of this program for an agent."""
    arguments = [*request.program[1:], *SERVE]
    if agent.workspace:
        arguments += ["--workspace", agent.workspace if request.scope == "user" else str(machine.project)]
    return build_entry(shape, request.program[0], arguments)


def find_entry(agent: Agent, machine: Machine, scope: Scope) -> ServerEntry | None:
    """Return the entry that an agent has for this program; Failure if its file cannot be parsed."""
    path = find_config(agent, machine, scope)
    text = EditSession().read(path) if path is not None else None
    if path is None or text is None:
        return None
    entry = EDITORS[agent.format].get_value(text, (*choose_shape(agent, text).keys, PROGRAM))
    if not isinstance(entry, dict):
        return None
    command, arguments = entry.get("command", ""), entry.get("args", [])
    words = command if isinstance(command, list) else [command, *(arguments if isinstance(arguments, list) else ())]
    return ServerEntry(path, [str(word) for word in words])


def _plan_entry(plan: SetupPlan, agent: Agent, request: SetupRequest, machine: Machine) -> None:
    path = find_config(agent, machine, request.scope)
    if path is None:
        where = "file for a project" if request.scope == "project" else "configuration file yet"
        remedy = "leave --project out" if request.scope == "project" else "paste the entry of --print into its settings"
        plan.notes.append(f"{agent.title} has no {where}: {remedy}.")
        return
    editor = EDITORS[agent.format]

    def add(text: str) -> str:
        shape = choose_shape(agent, text)
        return editor.set_value(text, (*shape.keys, PROGRAM), make_entry(agent, shape, request, machine))

    plan.session.change(path, add, lambda text: editor.get_value(text, ()))


def _plan_hook(plan: SetupPlan, agent: Agent, kind: HookKind, request: SetupRequest, machine: Machine) -> None:
    row = agent.hooks
    if row is None:
        plan.notes.append(f"{agent.title} has no hooks that setup knows.")
        return
    path = find_hook_file(row, machine, request.scope)
    add = lambda text: add_hook(text, agent, row, kind, list(request.program))  # noqa: E731
    plan.session.change(path, add, lambda text: json_edit.get_value(text, ()))


def _plan_instructions(plan: SetupPlan, agent: Agent, scope: Scope, machine: Machine) -> None:
    path = _find_instructions(agent, scope, machine)
    if path is None:
        plan.notes.append(f"{agent.title} has no instruction file for {scope}s.")
    elif path.stem == PROGRAM:
        plan.session.write(path, _render_own_file(path))
    else:
        plan.session.change(path, insert_block, lambda text: text)
    plan.session.write(_find_skill(agent, scope, machine), SKILL)


def _render_own_file(path: Path) -> str:
    return (RULE_HEAD if path.suffix == ".mdc" else "") + BLOCK


def _find_instructions(agent: Agent, scope: Scope, machine: Machine) -> Path | None:
    if scope == "project":
        return machine.project / agent.project_instructions
    return machine.expand(agent.user_instructions) if agent.user_instructions else None


def _find_skill(agent: Agent, scope: Scope, machine: Machine) -> Path:
    base = machine.project / agent.project_skills if scope == "project" else machine.expand(agent.user_skills)
    return base / PROGRAM / "SKILL.md"


def _list_files(agent: Agent, scope: Scope, machine: Machine) -> list[Path]:
    """Return every file that setup may have written for an agent."""
    hooks = find_hook_file(agent.hooks, machine, scope) if agent.hooks else None
    found = (find_config(agent, machine, scope), hooks, _find_instructions(agent, scope, machine))
    return [*(path for path in found if path is not None), _find_skill(agent, scope, machine)]


def _is_connected(agent: Agent, scope: Scope, machine: Machine) -> bool:
    try:
        return find_entry(agent, machine, scope) is not None
    except Failure:
        return False


def _remove_parts(session: EditSession, agent: Agent, path: Path, scope: Scope, machine: Machine) -> None:
    """Remove our parts from a file that was changed since, or that we created."""
    text, former = session.read(path), session.read_backup(path)
    if text is None:
        return
    if path == _find_skill(agent, scope, machine) or path.stem == PROGRAM:
        if text in (SKILL, _render_own_file(path)) or former is None:
            session.write(path, None)
        return
    if path == _find_instructions(agent, scope, machine):
        if has_block(text):
            rest = remove_block(text)
            session.write(path, rest if rest or former is not None else None)
        return
    if path == find_config(agent, machine, scope):
        _remove_entry(session, agent, path, former)
    row = agent.hooks
    if row is not None and path == find_hook_file(row, machine, scope):
        current = session.read(path)
        if current is not None and has_hooks(current, row):
            session.change(path, lambda old: remove_hooks(old, row, former), lambda new: json_edit.get_value(new, ()))
            _remove_empty_file(session, path, "json", former)


def _remove_entry(session: EditSession, agent: Agent, path: Path, former: str | None) -> None:
    editor = EDITORS[agent.format]

    def remove(text: str) -> str:
        shape = choose_shape(agent, text)
        keys = (*shape.keys, PROGRAM)
        before = editor.get_value(former, keys) if former is not None else None
        text = editor.remove_value(text, keys)
        if isinstance(before, dict):
            return editor.set_value(text, keys, before)
        for end in range(len(shape.keys), 0, -1):
            above = shape.keys[:end]
            if editor.get_value(text, above) == {} and (former is None or editor.get_value(former, above) is None):
                text = editor.remove_value(text, above)
        return text

    old = session.read(path) or ""
    if editor.get_value(old, (*choose_shape(agent, old).keys, PROGRAM)) is not None:
        session.change(path, remove, lambda text: editor.get_value(text, ()))
        _remove_empty_file(session, path, agent.format, former)


def _remove_empty_file(session: EditSession, path: Path, kind: FileFormat, former: str | None) -> None:
    """Remove a file that we created and that holds nothing any more."""
    text = session.read(path)
    if former is None and text is not None and text.strip() in ("{}", "") and not EDITORS[kind].get_value(text, ()):
        session.write(path, None)
