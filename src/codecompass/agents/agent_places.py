"""Agent places: the files of an agent on this machine, and whether the agent is installed."""

import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from codecompass.agents.agent_table import AGENTS, PROGRAM, Agent, SystemName

Scope = Literal["user", "project"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")
_SYSTEMS: dict[str, SystemName] = {"darwin": "mac", "win32": "windows"}
_MIGRATED = Path(".gemini/config/.migrated")
"""A file that Antigravity creates when it begins to use its new directory."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The user's home, environment and system, and the project that is set up."""

    home: Path
    environment: Mapping[str, str]
    project: Path
    platform: str = "linux"

    @property
    def system(self) -> SystemName:
        return _SYSTEMS.get(self.platform, "linux")

    def expand(self, path: str) -> Path:
        """Replace the variables and `~` of a place."""
        path = _VARIABLE.sub(lambda found: self.environment.get(found[1]) or found[2], path)
        return self.home / path[2:] if path.startswith("~/") else Path(path)

    def find_program(self, names: tuple[str, ...]) -> str:
        """Return the path of the first of these programs that is installed; empty if none is."""
        search = self.environment.get("PATH", "")
        return next((found for name in names if (found := shutil.which(name, path=search))), "")


@dataclass(frozen=True, slots=True)
class DetectedAgent:
    """An agent that is installed, and what shows it."""

    agent: Agent
    reason: str


def list_places(agent: Agent, machine: Machine) -> list[Path]:
    """Return the user's files that an agent may read on this system, in order of precedence."""
    rows = [row for row in agent.user if not row.systems or machine.system in row.systems]
    if agent.name == "antigravity" and not (machine.home / _MIGRATED).exists():
        rows = rows[1:]
    return [machine.expand(row.path) for row in rows]


def find_config(agent: Agent, machine: Machine, scope: Scope) -> Path | None:
    """Return the file to edit: one that exists, else the preferred one; None if the agent has none for this scope."""
    if scope == "project":
        return machine.project / agent.project if agent.project else None
    places = list_places(agent, machine)
    existing = next((path for path in places if path.is_file()), None)
    return existing or (places[0] if agent.creates else None)


def detect_agents(machine: Machine) -> list[DetectedAgent]:
    """Find agents by their program or by a configuration file, never by a directory alone."""
    found = []
    for agent in AGENTS:
        program = machine.find_program(agent.programs)
        files = list_places(agent, machine) + ([machine.project / agent.project] if agent.project else [])
        file = next((path for path in files if path.is_file()), None)
        if program or file:
            found.append(DetectedAgent(agent, f"program {program}" if program else f"file {file}"))
    return found


def find_own_command() -> tuple[str, ...]:
    """Return the command that starts this program from anywhere: apps on a desktop have a short PATH."""
    suffix = ".exe" if sys.platform == "win32" else ""
    beside = Path(sys.executable).with_name(PROGRAM + suffix)
    if beside.is_file():
        return (str(beside),)
    found = shutil.which(PROGRAM)
    return (str(Path(found).absolute()),) if found else (sys.executable, "-m", PROGRAM)
