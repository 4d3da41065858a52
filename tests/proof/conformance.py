"""Conformance: the official suite against our server, judged check by check.

`python -m tests.proof.conformance` runs both requirement sets on the exhibits and the open scenarios on the shipped
server, and prints what happened. Colours are not trusted: a required scenario passes here when it ran, no check failed,
none was skipped without leave, and the answers are those of the tool it means.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.proof.conftest import make_place
from tests.proof.node import Programs, prepare
from tests.proof.servers import CONFORMANCE_SERVER, SHIPPED, http

REVISIONS = ("2025-11-25", "2026-07-28")
REQUIRED = {"2025-11-25": 30, "2026-07-28": 37}
"""How many server scenarios each frozen set requires, so that a set that shrinks is noticed."""
RUN_S = 300
GOOD, SPARED = ("SUCCESS", "INFO"), ("SKIPPED",)

READING = ("--toolset", "agent")
"""The suite calls the first tool it finds, and has no token: these begin with one that only reads."""
SHIPPED_SCENARIOS = {
    "2025-11-25": ("server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "server-session-lifecycle",
                   "dns-rebinding-protection"),
    "2026-07-28": ("tools-list", "server-stateless", "dns-rebinding-protection", "server-sse-multiple-streams",
                   "http-header-validation", "input-required-result-unsupported-methods"),
}  # fmt: skip
"""Scenarios that need no exhibit: they say something about the program as it is shipped."""
OF_EXHIBITS = frozenset({
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
})  # fmt: skip
"""Checks of those scenarios that call a tool by a name only the exhibits have."""
WIRE = "wire-schema-valid"
"""The check that every message the server sent fits the schema of its revision; it stands in every scenario."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one scenario."""

    scenario: str
    id: str
    status: str
    message: str
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run of the suite gave."""

    code: int
    checks: tuple[Check, ...]

    @property
    def scenarios(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(check.scenario for check in self.checks))

    def of(self, scenario: str) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.scenario == scenario)

    def wrong(self, scenarios: Sequence[str], spared: Collection[str] = ()) -> list[str]:
        """Everything in these scenarios that is no success, in words; a scenario that did not run is wrong too."""
        found = [f"{name}: did not run" for name in scenarios if not self.of(name)]
        for check in self.checks:
            judged = check.scenario in scenarios and check.id not in spared
            if (judged or check.id == WIRE) and check.status not in GOOD + SPARED:
                found.append(f"{check.scenario}: {check.id} {check.status} {check.message}")
        return found


def required(programs: Programs, revision: str) -> list[str]:
    """Names of the server scenarios a frozen set requires, as the suite lists them."""
    done = _run(programs, "list", "--requirements", revision)
    names, taking = [], False
    for line in done.stdout.splitlines():
        if line.endswith(":"):
            taking = line.startswith("Server scenarios")
        elif taking and line.strip().startswith("- "):
            names.append(line.strip()[2:])
    return names


def run_set(programs: Programs, url: str, revision: str) -> Verdict:
    """All scenarios of a set."""
    return _judged(programs, url, "--requirements", revision)


def _judged(programs: Programs, url: str, *words: str) -> Verdict:
    with tempfile.TemporaryDirectory() as out:
        done = _run(programs, "server", "--url", url, *words, "-o", out)
        found = [
            Check(_scenario(path), check["id"], check["status"], check.get("errorMessage") or "",
                  check.get("details") or {})
            for path in sorted(Path(out).glob("*/checks.json"))
            for check in json.loads(path.read_text(encoding="utf-8"))
        ]  # fmt: skip
    return Verdict(done.returncode, tuple(found))


def _scenario(path: Path) -> str:
    """`server-NAME-2026-11-16T08-27-35-256Z` → NAME."""
    return re.sub(r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", path.parent.name).removeprefix("server-")


def _run(programs: Programs, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*programs.command("conformance"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=RUN_S, check=False)


def main() -> int:
    programs = prepare("quick")
    failed = 0
    with tempfile.TemporaryDirectory() as home:
        place = make_place(Path(home))
        with http(place, CONFORMANCE_SERVER) as url:
            for revision in REVISIONS:
                names = required(programs, revision)
                verdict = run_set(programs, url, revision)
                failed += _report(f"{revision}, {len(names)} required scenarios on our stack", verdict, names)
        with http(place, SHIPPED, *READING) as url:
            for revision, scenarios in SHIPPED_SCENARIOS.items():
                verdict = run_set(programs, url, revision)
                title = f"{revision}, {len(scenarios)} scenarios that need no exhibit on the shipped server"
                failed += _report(title, verdict, scenarios, OF_EXHIBITS)
    return 1 if failed else 0


def _report(title: str, verdict: Verdict, names: Sequence[str], spared_checks: Collection[str] = ()) -> int:
    wrong = verdict.wrong(names, spared_checks)
    passed = sum(check.status in GOOD for check in verdict.checks if check.scenario in names)
    spared = [check.id for check in verdict.checks if check.scenario in names and check.status in SPARED]
    sys.stdout.write(f"{title}: {passed} checks passed, {len(wrong)} wrong, {len(spared)} skipped {spared or ''}\n")
    sys.stdout.writelines(f"  {line}\n" for line in wrong)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
