"""Fuzz: mcp-fuzzer against the shipped server, over stdio and HTTP, with its findings judged one by one.

`python -m tests.proof.fuzz` installs it into a virtual environment of its own, in the user's cache. The program ends
with exit code 0 whatever it finds, and calls everything malformed that was answered without an error; so each such
input is given to our own validator, and counts when that would have refused it.
"""

import json
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_types import methods
from pydantic import ValidationError

from codecompass.contract import codec
from codecompass.errors import Failure
from codecompass.tools import TOOLS
from tests.proof.conftest import make_place
from tests.proof.installs import installed
from tests.proof.servers import SHIPPED, http

PACKAGE = "mcp-fuzzer==0.7.0"
REVISION = "2025-11-25"
RUN_S = 1_500
METHODS = frozenset(method for method, revision in methods.CLIENT_REQUESTS if revision == REVISION)
BY_NAME = {tool.name: tool for tool in TOOLS}
COMMON = (
    "--mode", "all", "--phase", "both", "--protocol-phase", "aggressive", "--runs", "10", "--runs-per-type", "5",
    "--seed", "7", "--no-network", "--timeout", "30", "--tool-timeout", "30", "--no-corpus",
)  # fmt: skip
Finding = dict[str, Any]
NOTED = frozenset({"injection_reflection", "dangerous_capability_combo"})
"""Answers quote what was asked for, as data inside a JSON string; that is no fault of a server that renders nothing.
That tools which read stand beside tools which download says what is served, and no answer was wrong for it.
"""
REDACTED = "[REDACTED]"
"""What the fuzzer writes for values whose name has `token` in it: they were sent, but we cannot know what they were."""
SEQUENCES = "stateful_sequences"
"""Several messages with one verdict: it does not say that a message with an unknown method was the one accepted."""
SENT_ONLY = {"status": "notification_sent"}


def program() -> Path:
    """The program, installed once."""
    return installed(PACKAGE, "mcp-fuzzer", RUN_S)


def findings(target: Sequence[str], env: dict[str, str], scratch: Path) -> list[Finding]:
    """One campaign."""
    out = scratch / "out"
    command = [str(program()), *target, *COMMON, "--fs-root", str(scratch / "root"), "--output-dir", str(out)]
    done = subprocess.run(command, cwd=scratch, env=env, capture_output=True, text=True, timeout=RUN_S, check=False)
    summary = json.loads((out / "run_summary.json").read_text(encoding="utf-8"))
    if done.returncode != 0 or not summary["protocols"]["by_type"]:
        raise RuntimeError(f"the fuzzer did not run: exit {done.returncode} {done.stderr[-500:]}")
    kept = out / "findings.json"
    return list(json.loads(kept.read_text(encoding="utf-8"))["findings"]) if kept.exists() else []


def counts(finding: Finding) -> str:
    """Why a finding counts against the server; empty when it does not."""
    category, target = finding["category"], finding["target"]
    if category == "non_determinism":
        tool = BY_NAME.get(target)
        # A job that is running, or one that was ended, is a good reason to answer otherwise than before.
        return "" if tool is not None and not tool.reads_only else f"{target}: {category}"
    if category in NOTED:
        return ""
    if category != "accepted_malformed":
        return f"{target}: {category} {finding.get('detail', '')}"
    sent = _known(finding["evidence"].get("input"))
    if isinstance(sent, dict) and sent.get("method") not in METHODS:
        # What has no id is a notification, whatever its method was mangled into; nobody answers it.
        if target == SEQUENCES or (target.endswith("Notification") and "id" not in sent):
            return ""
    refused = _refusal(target, sent) if finding["kind"] == "tool" else _refusal_of_message(sent, finding["evidence"])
    return f"{target}: accepted {json.dumps(sent)[:200]} although {refused}" if refused else ""


def _known(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The input without the values that the report hides."""
    if isinstance(value, dict):
        return {key: _known(inner) for key, inner in value.items() if inner != REDACTED}
    return value


def _refusal(tool: str, arguments: object) -> str:
    """What our validator says against arguments; empty when it takes them."""
    try:
        codec.decode(BY_NAME[tool].params, arguments)
    except Failure as failure:
        return failure.message
    return ""


def _refusal_of_message(message: Any, evidence: dict[str, Any]) -> str:  # noqa: ANN401 - any JSON value
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return "it is no request"
    params = message.get("params", {})
    if message["method"].startswith("notifications/") or evidence.get("response") == SENT_ONLY:
        # Nobody answers a notification, so nothing was accepted.
        return ""
    if message["method"] == "tools/call" and isinstance(params, dict) and params.get("name") in BY_NAME:
        failed = bool((evidence.get("response") or {}).get("isError"))
        return "" if failed else _refusal(params["name"], params.get("arguments", {}))
    try:
        methods.validate_client_request(message["method"], REVISION, params)
    except (ValidationError, KeyError) as error:
        return str(error)[:200]
    return ""


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as home:
        place = make_place(Path(home))
        command = shlex.join(place.command(SHIPPED, "serve-mcp", "--workspace", str(place.repo), "--no-prewarm"))
        with http(place, SHIPPED) as url:
            campaigns = {
                "stdio": ("--protocol", "stdio", "--endpoint", command),
                "HTTP": ("--protocol", "streamablehttp", "--endpoint", url, "--stateful", "--security-audit"),
            }
            for title, target in campaigns.items():
                scratch = Path(home) / title
                scratch.mkdir()
                found = findings(target, place.environment(), scratch)
                wrong = [reason for finding in found if (reason := counts(finding))]
                kinds = dict(Counter(finding["category"] for finding in found))
                sys.stdout.write(f"{title}: {len(found)} findings {kinds}, {len(wrong)} count\n")
                sys.stdout.writelines(f"  {line}\n" for line in wrong)
                sys.stdout.flush()
                failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
