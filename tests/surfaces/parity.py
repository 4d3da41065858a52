"""Parity: one table of calls, and every road on which they can be asked. A transport is a row: its name → its opener.

An answer is reduced to what a client sees of it whatever the road: the payload, or the error of the protocol.
"""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from codecompass import app
from codecompass.contract.envelope import Reply
from codecompass.runtime.log import Log
from codecompass.settings import load_settings
from codecompass.surfaces.cli.parser import build_parser
from tests.surfaces.conftest import Shell
from tests.surfaces.framed import start_peer
from tests.surfaces.httpserver import serving

TIMES = ("started_at", "finished_at", "created_at", "indexed_at", "last_indexed_at", "duration_ms", "uptime_seconds",
         "ts", "job_id", "prewarm_status", "searchTime", "elapsedMs", "tookMs", "uptimeMs", "pid", "metrics",
         "workspace_warmset", "index_bytes", "bytes", "totalBytes", "cacheBytes", "artifacts", "open",
         "queue")  # fmt: skip
"""Fields that are times by nature, what a process counts of itself, loads ahead or holds open, and the bytes on disk
at a moment (a log of the database comes and goes with its readers): nothing else may differ between two roads."""


@dataclass(frozen=True)
class Seen:
    """What a client sees of an answer."""

    payload: dict[str, Any] | None
    """None where the answer is an error of the protocol."""
    is_error: bool = False
    rpc_code: int = 0
    rpc_data: Any = None


Ask = Callable[[str, dict[str, Any]], Seen]
Opener = Callable[[Shell], AbstractContextManager[Ask]]


def without_times(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def seen_of(reply: Reply) -> Seen:
    if reply.rpc_error is not None:
        return Seen(None, True, reply.rpc_error.code, reply.rpc_error.data)
    assert json.loads(reply.body) == reply.payload
    return Seen(reply.payload, reply.is_error)


@contextmanager
def in_process(shell: Shell) -> Iterator[Ask]:
    """The dispatch itself: what all the others must equal."""
    args = build_parser().parse_args(["serve-mcp", "--no-prewarm"])
    args.more_tools = ()
    settings = load_settings(env=shell.env, project=str(shell.cwd), user_config=shell.cwd / "none.toml")
    engine = app._build_engine(args, settings, str(shell.cwd), watch=False)  # as a server wires it
    engine.skip_prewarm()
    dispatch = app._build_dispatch(args, engine, settings, Log("error"))
    try:
        yield lambda name, raw: seen_of(dispatch.call(name, raw))
    finally:
        dispatch.close()
        engine.close()


@contextmanager
def _client(target: Any) -> Iterator[Ask]:  # noqa: ANN401 - a URL or the parameters of a process
    """The official client, on an event loop of its own."""
    with anyio.from_thread.start_blocking_portal() as portal:
        with portal.wrap_async_context_manager(Client(target)) as client:

            async def ask(name: str, raw: dict[str, Any]) -> Seen:
                try:
                    result = await client.call_tool(name, raw)
                except MCPError as error:
                    return Seen(None, True, error.error.code, error.error.data)
                payload = json.loads(result.content[0].text)  # type: ignore[union-attr]
                assert result.structured_content == payload and len(result.content) == 1
                return Seen(payload, bool(result.is_error))

            yield lambda name, raw: portal.call(ask, name, raw)


@contextmanager
def stdio_sdk(shell: Shell) -> Iterator[Ask]:
    words = ["-m", "codecompass", "serve-mcp", "--no-prewarm", "--workspace", str(shell.cwd)]
    with _client(StdioServerParameters(command=sys.executable, args=words, env=shell.env, cwd=shell.cwd)) as ask:
        yield ask


@contextmanager
def stdio_legacy(shell: Shell) -> Iterator[Ask]:
    """Frames by hand."""
    peer = start_peer(shell, "legacy", "--no-prewarm")
    try:
        peer.open()
        numbers = iter(range(1, 10_000))

        def ask(name: str, raw: dict[str, Any]) -> Seen:
            answer = peer.ask(next(numbers), "tools/call", {"name": name, "arguments": raw})
            if "error" in answer:
                return Seen(None, True, answer["error"]["code"], answer["error"]["data"])
            result = answer["result"]
            return Seen(json.loads(result["content"][0]["text"]), result["isError"])

        yield ask
    finally:
        peer.kill()


@contextmanager
def http_mcp(shell: Shell) -> Iterator[Ask]:
    with serving(shell) as server, _client(_with_headers(f"{server.url}/mcp", server.auth)) as ask:
        yield ask


@asynccontextmanager
async def _with_headers(url: str, headers: dict[str, str]) -> AsyncIterator[Any]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


@contextmanager
def command_line(shell: Shell) -> Iterator[Ask]:
    """`codecompass tool NAME --args-json …`, one after the other in one process, each as if it were its own."""
    root = Path(__file__).parents[2]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.surfaces.commands"], cwd=shell.cwd,
        env=shell.env | {"PYTHONPATH": os.fspath(root)}, stdin=pipe, stdout=pipe, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None

    def ask(name: str, raw: dict[str, Any]) -> Seen:
        assert process.stdin is not None and process.stdout is not None
        words = ["tool", name, "--args-json", json.dumps(raw)]
        process.stdin.write(json.dumps(words) + "\n")
        process.stdin.flush()
        code, body = json.loads(process.stdout.readline())
        # An error of the protocol has no payload to print; the exit code says which row of the table it is.
        return Seen(json.loads(body), code != 0) if body else Seen(None, True, code)

    try:
        yield ask
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


TRANSPORTS: dict[str, Opener] = {
    "stdio": stdio_sdk,
    "stdio legacy": stdio_legacy,
    "streamable http": http_mcp,
    "command line": command_line,
}

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("locate_symbol", {"name": "validate_token", "detail_level": "context", "ranking_explain_level": "full"}),
    ("locate_symbol", {"name": " "}),
    ("search_code", {"query": "rate limit"}),
    ("search_code", {"query": "x", "limit": 0}),
    ("index_status", {}),
    ("index_status", {"workspace": "/nowhere"}),
    ("get_file_outline", {"path": "src/auth.py"}),
    ("get_file_outline", {"path": "src/nothing.py"}),
    ("health_check", {}),
    ("health_check", {"workspace": "/nowhere"}),
    ("find_references", {"name": "validate_token"}),
    ("find_references", {"name": "nobody"}),
    ("get_call_graph", {"name": "rate_limit", "depth": 2}),
    ("get_call_graph", {"name": "rate_limit", "depth": 9}),
    ("get_symbol_hierarchy", {"name": "Auth"}),
    ("get_symbol_hierarchy", {"symbol_id": "sym_0"}),
    ("get_code_context", {"query": "check a token"}),
    ("get_code_context", {"query": "token", "sections": ["verse"]}),
    ("diff_context", {}),
    ("diff_context", {"base_ref": "no-such-branch"}),
    ("list_refs", {}),
    ("list_refs", {"limit": "many"}),
    ("explain_ranking", {"query": "token", "path": "src/auth.py", "line": 4}),
    ("explain_ranking", {"query": "token"}),
    ("inspect_symbol", {"name": "validate_token", "authors": True}),
    ("inspect_symbol", {"name": "nobody"}),
    ("get_diagnostics", {}),
    ("get_diagnostics", {"path": "nowhere"}),
    ("find_risks", {}),
    ("find_risks", {"min_severity": "terrible"}),
    ("cancel_job", {"job_id": "job_0"}),
    ("search", {"query": "token"}),
    ("search", {"query": "token", "top": "many"}),
    ("show_file", {"path": "src/auth.py", "startLine": 2, "endLine": 4}),
    ("show_file", {"path": "../secret"}),
    ("workspace_status", {}),
    ("workspace_status", {"repoPath": "/nowhere"}),
    ("report_artifacts", {}),
    ("report_artifacts", {"repoPath": "/nowhere"}),
    ("triage_ingest", {"source": "osv", "inputPath": "../x.json"}),
    ("triage_decision", {"finding": "nothing", "status": "fix"}),
    ("triage_context_pack", {"recordId": "../x"}),
    ("check_status", {}),
    ("check_status", {"repoPath": "/nowhere"}),
    ("build_sqlite_index", {"repoPath": "/nowhere"}),
    ("config_status", {}),
    ("config_status", {"repoPath": 7}),
    ("read_file", {"path": "src/auth.py", "includeDeps": True}),
    ("read_file", {"path": ".env"}),
    ("grep_codebase", {"pattern": "validate_\\w+", "limit": 5}),
    ("grep_codebase", {"pattern": "[invalid("}),
    ("verify_extensions", {}),
    ("verify_extensions", {"nothing": 1}),
    # Of one type, so that what earlier roads asked is no part of the answer.
    ("context_search", {"query": "checks tokens", "type": "rule"}),
    ("context_search", {"query": "ab"}),
    ("context_record", {"content": "short"}),
    ("no_such_tool", {}),
    ("index_repo", {"ref": "no-such-branch"}),
    ("sync_repo", {"ref": "no-such-branch"}),
    ("index_repo", {"force": "yes"}),
    ("sync_repo", {"force": "yes"}),
    *(
        (name, {"nothing": 1})
        for name in (
            "build_index",
            "index_build",
            "download_models",
            "download_dictionaries",
            "download_extensions",
            "compact_sqlite_index",
            "cache_gc",
            "clean_artifacts",
            "bootstrap",
        )
    ),
)
"""Read from top to bottom on every road; none of them changes anything."""
JOBS: tuple[tuple[str, dict[str, Any]], ...] = (("index_repo", {}), ("sync_repo", {"force": True}))
"""Calls that succeed by starting a job; asked after all the others, and each waited for."""
