"""Inspector: the protocol's own tool for looking at servers lists and calls every tool of ours, over stdio and HTTP.

`python -m tests.proof.inspector` prints what happened. Exit codes are judged, answers are read, and because its
`--strict` passes schemas that are none, every inputSchema is checked against the metaschema of Draft 2020-12 as well.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs

from tests.proof.conftest import make_place
from tests.proof.node import Programs, prepare
from tests.proof.servers import SHIPPED, Place, http

TOOL_ERROR = 5
"""Exit code for a tool that answered with an error."""
BUSY = re.compile(r"(?:index|sync)_in_progress", re.IGNORECASE)
BUSY_S = 60.0
"""How long a job that another call began is waited for."""
ERAS = ("legacy", "modern")
PASSED_ON = ("HOME", "PATH", "PYTHONPATH", "CODECOMPASS_STORAGE_DATA_DIR", "NO_COLOR")
ARGUMENTS: dict[str, dict[str, Any]] = {
    "locate_symbol": {"name": "validate_token"},
    "search_code": {"query": "rate limit", "limit": 3},
    "get_file_outline": {"path": "src/auth.py"},
    "find_references": {"name": "rate_limit"},
    "get_call_graph": {"name": "rate_limit"},
    "get_symbol_hierarchy": {"name": "Auth"},
    "get_code_context": {"query": "check a token"},
    "explain_ranking": {"query": "validate_token", "path": "src/auth.py", "line": 4},
    "inspect_symbol": {"name": "validate_token"},
    "get_diagnostics": {"path": "src/auth.py"},
    "search": {"query": "validate_token"},
    "show_file": {"path": "src/auth.py"},
    "context_search": {"query": "validate token"},
    "context_record": {"content": "Tokens are checked once, at the door."},
    "read_file": {"path": "src/auth.py"},
    "grep_codebase": {"pattern": "validate"},
    "triage_ingest": {"source": "generic", "inputPath": "findings.json"},
    "triage_decision": {"finding": "rec_none", "status": "accept", "justification": "Nobody calls it."},
    "triage_context_pack": {"recordId": "rec_none"},
    "cancel_job": {"job_id": "job_none"},
}
"""A tool that is not here is called without arguments."""
REFUSE = frozenset({
    "cancel_job", "triage_ingest", "triage_decision", "triage_context_pack", "download_models", "download_dictionaries",
})  # fmt: skip
"""Calls that rightly end in a tool error; what to download has to be named or set."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one run of the Inspector gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the server answered
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Inspector:
    """The program, pointed at one server."""

    programs: Programs
    target: tuple[str, ...]

    def run(self, *words: str) -> Told:
        command = [*self.programs.command("mcp-inspector"), "--cli", *self.target, *words, "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
        return Told(done.returncode, done.stdout, done.stderr)

    def tools(self) -> list[dict[str, Any]]:
        told = self.run("--method", "tools/list", "--strict")
        assert told.code == 0, told
        listed = told.json
        return list(listed.get("result", listed)["tools"])

    def call(self, tool: str, arguments: dict[str, Any]) -> Told:
        """One call; one that meets the job of a call before it is made again."""
        words = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        until = time.monotonic() + BUSY_S
        while True:
            told = self.run("--method", "tools/call", *words)
            if told.code != TOOL_ERROR or not BUSY.search(told.out) or time.monotonic() > until:
                return told


def over_stdio(programs: Programs, place: Place) -> Inspector:
    launch = place.environment()
    kept = [word for name in PASSED_ON if name in launch for word in ("-e", f"{name}={launch[name]}")]
    command = place.command(SHIPPED, "serve-mcp", "--workspace", str(place.repo), "--no-prewarm")
    return Inspector(programs, (*kept, *command))


def over_http(programs: Programs, url: str, era: str, authorization: str) -> Inspector:
    return Inspector(programs, (url, "--protocol-era", era, "--header", authorization))


def bad_schemas(tools: Sequence[dict[str, Any]]) -> list[str]:
    """Names of tools whose inputSchema is no schema, or leaves a reference open."""
    found = []
    for tool in tools:
        try:
            jsonschema_rs.meta.validate(tool["inputSchema"])
            jsonschema_rs.Draft202012Validator(tool["inputSchema"])
        except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
            found.append(f"{tool['name']}: {str(error)[:200]}")
    return found


def wrong_calls(inspector: Inspector, tools: Sequence[dict[str, Any]]) -> list[str]:
    """Call each tool once; what did not end as it should, in words."""
    found = []
    for tool in tools:
        name = tool["name"]
        told = inspector.call(name, ARGUMENTS.get(name, {}))
        if told.code != (TOOL_ERROR if name in REFUSE else 0):
            found.append(f"{name}: exit {told.code} {(told.out or told.err).strip()[:300]}")
        elif name not in REFUSE and '"isError":true' in told.out.replace(" ", ""):
            found.append(f"{name}: an error with exit code 0")
    return found


def main() -> int:
    programs = prepare("inspector")
    failed = 0
    with tempfile.TemporaryDirectory() as home:
        place = make_place(Path(home))
        with http(place, SHIPPED) as url:
            doors = {f"HTTP, {era}": over_http(programs, url, era, place.authorization) for era in ERAS}
            for title, inspector in {"stdio": over_stdio(programs, place), **doors}.items():
                tools = inspector.tools()
                wrong = bad_schemas(tools) + wrong_calls(inspector, tools)
                sys.stdout.write(f"{title}: {len(tools)} tools listed and called, {len(wrong)} wrong\n")
                sys.stdout.writelines(f"  {line}\n" for line in wrong)
                sys.stdout.flush()
                failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
