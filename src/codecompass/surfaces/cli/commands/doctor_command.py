"""Command `doctor`: run the health checks and return an exit code for the kind of damage."""

import argparse
from typing import NamedTuple

import msgspec

from codecompass.agents.agent_checks import CHECK_NAMES, check_agents
from codecompass.agents.agent_places import Machine
from codecompass.contract.engine_ports import EnginePort
from codecompass.model.queries.results import DoctorCheck
from codecompass.surfaces.cli.output import write_json
from codecompass.surfaces.cli.views.render import show_checks
from codecompass.surfaces.cli.views.terminal import console


class DamageKind(NamedTuple):
    """A kind of damage: its exit code, and the checks that find it."""

    kind: str
    exit: int
    meaning: str
    checks: tuple[str, ...]


DAMAGE_KINDS = (
    DamageKind(
        "owned", 24, "owned data cannot be read; nothing can make it again", ("records", "owned data", "triage")
    ),
    DamageKind(
        "storage",
        23,
        "the disk, a permission or the storage engines do not do what is needed",
        ("sqlite", "tantivy", "data directory", "permissions", "disk"),
    ),
    DamageKind(
        "index",
        22,
        "an index is damaged or of another version and will be rebuilt",
        ("index", "text index", "vectors", "checksums", "sqlite file", "caches"),
    ),
    DamageKind(
        "installation",
        21,
        "a part of the program is missing or damaged",
        ("grammars", "model", "extension", "git", "documents", "linter"),
    ),
    DamageKind("configuration", 20, "a client is configured to start something that is not there", CHECK_NAMES),
)
"""Most severe first: the first kind that is found gives the exit code."""


def find_exit_code(checks: tuple[DoctorCheck, ...]) -> int:
    """Return 0 when no check failed; warnings do not count."""
    failed = {check.name for check in checks if check.status == "fail"}
    found = next((damage.exit for damage in DAMAGE_KINDS if failed & set(damage.checks)), 1)
    return found if failed else 0


def run_doctor(args: argparse.Namespace, engine: EnginePort, machine: Machine | None = None) -> int:
    """Show the checks of the engine and, on a known machine, of its agents."""
    checks = engine.doctor(None, read_data=args.read_data) + (check_agents(machine) if machine is not None else ())
    code = find_exit_code(checks)
    if args.json:
        write_json({"ok": code == 0, "exit": code, "checks": msgspec.to_builtins(checks)})
    else:
        show_checks(console(), checks)
    return code
