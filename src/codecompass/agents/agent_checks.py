"""Agent checks: for each agent, whether it is configured, its command exists, and the server answers."""

import os
import shutil
from pathlib import Path

from codecompass.agents.agent_places import SCOPES, Machine, Scope, detect_agents, find_own_command
from codecompass.agents.agent_setup import SERVE, ServerEntry, find_entry
from codecompass.agents.agent_table import AGENTS, Agent
from codecompass.agents.handshake import count_tools
from codecompass.errors import Failure
from codecompass.model.queries.results import DoctorCheck

SUMMARY = "clients"
CHECK_NAMES = (SUMMARY, *(agent.title for agent in AGENTS))


def check_agents(machine: Machine) -> tuple[DoctorCheck, ...]:
    """Check every agent that is configured or installed; starts each distinct command once."""
    found: list[DoctorCheck] = []
    tried: dict[tuple[str, ...], str] = {}
    installed = {one.agent.name: one.reason for one in detect_agents(machine)}
    for agent in AGENTS:
        checks = [_check_entry(agent, scope, machine, tried) for scope in SCOPES]
        present = [check for check in checks if check is not None]
        found += present
        if agent.name in installed and not present:
            detail = f"not configured ({installed[agent.name]})"
            found.append(DoctorCheck(agent.title, "warn", detail, f"codecompass setup {agent.name}"))
    configured = list(dict.fromkeys(check.name for check in found if not check.detail.startswith("not configured")))
    if configured:
        summary = DoctorCheck(SUMMARY, "ok", ", ".join(configured))
    else:
        summary = DoctorCheck(SUMMARY, "warn", "no coding agent is configured to use this program", "codecompass setup")
    return (summary, *found)


def _check_entry(agent: Agent, scope: Scope, machine: Machine, tried: dict[tuple[str, ...], str]) -> DoctorCheck | None:
    repair = f"codecompass setup {agent.name}{' --project' if scope == 'project' else ''}"
    # A link in a hostile repository is not opened.
    if scope == "project" and agent.project and (machine.project / agent.project).is_symlink():
        return None
    try:
        entry = find_entry(agent, machine, scope)
    except Failure as failure:
        return DoctorCheck(agent.title, "warn", f"its {scope} file cannot be read: {failure.message}", repair)
    if entry is None:
        return None
    where = f"configured in {entry.path}"
    if not entry.command[0]:
        return DoctorCheck(agent.title, "ok", f"{where}, without a command to start")
    program = shutil.which(os.path.expanduser(entry.command[0]), path=machine.environment.get("PATH"))
    if program is None:
        return DoctorCheck(agent.title, "fail", f"{where}; its command {entry.command[0]!a} is not found", repair)
    if scope == "project" and not _is_own(program, entry.command[1:], machine.project):
        return DoctorCheck(agent.title, "ok", f"{where}; not tried, because the repository names the command {program}")
    problem, detail = _try_command(entry, machine, tried)
    if problem:
        return DoctorCheck(agent.title, "fail", f"{where}; {problem}", repair)
    return DoctorCheck(agent.title, "ok", f"{where}; {detail}")


def _is_own(program: str, arguments: list[str], project: Path) -> bool:
    """Whether an entry is one that setup writes: a repository must not choose what we start, or with which settings."""
    own = find_own_command()
    expected = (list(SERVE), [*SERVE, "--workspace", str(project)])
    return len(own) == 1 and Path(program).resolve() == Path(own[0]).resolve() and arguments in expected


def _try_command(entry: ServerEntry, machine: Machine, tried: dict[tuple[str, ...], str]) -> tuple[str, str]:
    """Return what is wrong with the server, or how many tools it has."""
    words = tuple(word.replace("${workspaceFolder}", str(machine.project)) for word in entry.command)
    if words not in tried:
        try:
            count = count_tools(words, machine.environment, machine.project)
            tried[words] = f"the server answers with {count} tools"
        except Failure as failure:
            tried[words] = f"!{failure.message}"
    found = tried[words]
    return (found[1:], "") if found.startswith("!") else ("", found)
