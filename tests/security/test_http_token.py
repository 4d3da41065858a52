"""Over HTTP: another user of the machine may read, and needs the token for everything else."""

import http.client
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from codecompass.tools import TOOLS
from tests.security.hostile import KEY
from tests.security.hostile_arguments import READS
from tests.security.otheruser import CAN_SWITCH, as_other_user
from tests.surfaces.conftest import Shell, environment, make_repository
from tests.surfaces.httpserver import ACCEPT, HttpServer, Wire, modern, modern_headers, request, serving, session

WRITES: dict[str, dict[str, Any]] = {
    "index_repo": {"force": True},
    "sync_repo": {},
    "cancel_job": {},
    "context_record": {"content": "Anybody may write here.", "type": "rule"},
    "build_sqlite_index": {},
    "build_index": {},
    "index_build": {},
    "download_models": {"url": "tiny=https://example.org/tiny.zip"},
    "download_dictionaries": {"url": "words=https://example.org/words.txt"},
    "download_extensions": {"url": f"{KEY}=https://example.org/vec0.so#sha256={'0' * 64}"},
    "verify_extensions": {},
    "compact_sqlite_index": {},
    "cache_gc": {"dryRun": False, "maxBytes": 0},
    "clean_artifacts": {"all": True, "confirm": True},
    "bootstrap": {},
    "triage_ingest": {"source": "generic", "inputPath": "findings.json"},
    "triage_decision": {"finding": "rec_none", "status": "accept", "justification": "Nobody minds."},
    "triage_context_pack": {"recordId": "rec_none"},
}
JSON = {"content-type": "application/json"}
TOKEN = "a-token-of-your-own"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    home = tmp_path_factory.mktemp("shared")
    made = Shell(make_repository(home / "repo"), environment(home))
    assert made.run("index").returncode == 0
    return made


@pytest.fixture(scope="module")
def server(shell: Shell) -> Iterator[HttpServer]:
    with serving(shell) as made:
        yield made


def data_of(shell: Shell) -> Path:
    return Path(shell.env["CODECOMPASS_STORAGE_DATA_DIR"])


def kept(shell: Shell) -> dict[str, tuple[int, int]]:
    """Owned and published files with size and time, as far as only writers change them."""
    names = ("index.db", "records.db", "vectors.db", "http-token")
    files = (path for path in data_of(shell).rglob("*") if path.name in names)
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


def posted(server: HttpServer, path: str, body: object, **headers: str) -> tuple[int, Any]:
    """One request with nothing but the standard library, for a process that can read nothing of ours."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
    try:
        connection.request("POST", path, json.dumps(body), JSON | ACCEPT | headers)
        response = connection.getresponse()
        text = response.read().decode()
        return response.status, json.loads(text) if response.headers.get_content_type() == "application/json" else text
    finally:
        connection.close()


def test_the_table_has_every_tool() -> None:
    """SEC-EFFECTS: whatever does more than read stands in one table, the rest in the other."""
    assert set(WRITES) == {tool.name for tool in TOOLS if not tool.reads_only}
    assert set(READS) == {tool.name for tool in TOOLS if tool.reads_only}


def test_another_user_changes_nothing(server: HttpServer, shell: Shell) -> None:
    """SEC-OTHER-USER, SEC-TOKEN: every tool that does more than read, by every road, as somebody else: 403."""
    before = kept(shell)

    def attack() -> list[list[Any]]:
        found: list[list[Any]] = []
        for name, raw in WRITES.items():
            call = {"name": name, "arguments": raw}
            roads = {
                f"/tools/{name}": posted(server, f"/tools/{name}", raw),
                f"/tools/{name}/stream": posted(server, f"/tools/{name}/stream", raw, accept="text/event-stream"),
                "modern": posted(server, "/mcp", modern(1, "tools/call", call), **modern_headers("tools/call", name)),
                "wrong token": posted(server, f"/tools/{name}", raw, authorization="Bearer guessed"),
                "wrong scheme": posted(server, f"/tools/{name}", raw, authorization="Basic Og=="),
                "empty token": posted(server, f"/tools/{name}", raw, authorization="Bearer "),
                "in the query": posted(server, f"/tools/{name}?token=x", raw),
                "bad arguments": posted(server, f"/tools/{name}", {"no": "such field"}),
            }
            found += [[name, road, status, body] for road, (status, body) in roads.items()]
        return found

    for name, road, status, body in as_other_user(attack):
        assert status == 403, (name, road, status, body)
        error = body["error"].get("data", body["error"])
        assert error["code"] == "FORBIDDEN" and "codecompass http-token" in error["hint"], (name, road, body)
        assert road != "modern" or body["id"] == 1, body
    assert kept(shell) == before, "something was changed"


def test_a_batch_without_a_token_reads_and_does_not_write(server: HttpServer, shell: Shell) -> None:
    """SEC-TOKEN: each call of a batch is judged by itself: the reads are answered, everything else is refused."""
    before = kept(shell)
    wire = Wire(server, "2025-03-26")
    try:
        wire.open()
        headers = {name: value for name, value in wire.headers.items() if name != "authorization"}
        calls = [request(name, "tools/call", {"name": name, "arguments": raw}) for name, raw in WRITES.items()]
        status, answers = posted(server, "/mcp", [*calls, request("ping", "ping")], **headers)
        assert status == 200 and len(answers) == len(WRITES) + 1
        by_id = {answer["id"]: answer for answer in answers}
        assert by_id.pop("ping")["result"] == {}
        for name, answer in by_id.items():
            said = json.dumps(answer)
            assert "FORBIDDEN" in said or "token_required" in said, (name, answer)
            assert "codecompass http-token" in said, (name, answer)
    finally:
        wire.close()
    assert kept(shell) == before, "something was changed"


def test_another_user_has_no_session_that_writes(server: HttpServer, shell: Shell) -> None:
    """SEC-OTHER-USER: a session opened without the token reads and cannot write; each request counts by itself."""
    before = kept(shell)
    with session(server) as wire:
        headers = {name: value for name, value in wire.headers.items() if name != "authorization"}

        def ride() -> list[Any]:
            ask = {"name": "clean_artifacts", "arguments": WRITES["clean_artifacts"]}
            again = [posted(server, "/mcp", request("mine", "tools/call", ask), **headers) for _ in range(2)]
            good = {"name": "index_status", "arguments": {}}
            return [*again, posted(server, "/mcp", request("read", "tools/call", good), **headers)]

        first, second, read = as_other_user(ride)
        for status, body in (first, second):
            assert status == 403 and body["id"] == "mine", "even with somebody's session id"
        assert read[0] == 200
        assert "error" not in wire.call("mine", "cancel_job"), "the id is free again, and the owner may go on"
    assert kept(shell) == before


def test_another_user_reads(server: HttpServer) -> None:
    """SEC-OTHER-USER: reading stays open on this machine, by every road."""

    def look() -> list[list[Any]]:
        found: list[list[Any]] = []
        for name, raw in READS.items():
            status, _ = posted(server, f"/tools/{name}", raw)
            call = modern(1, "tools/call", {"name": name, "arguments": raw})
            found.append([name, status, posted(server, "/mcp", call, **modern_headers("tools/call", name))[0]])
        found.append(["/search", posted(server, "/search", {"query": "token"})[0], 200])
        return found

    assert {(status, mcp) for _, status, mcp in as_other_user(look)} == {(200, 200)}


@pytest.mark.skipif(not CAN_SWITCH, reason="only root can become another user")
def test_another_user_cannot_read_the_token(server: HttpServer, shell: Shell) -> None:
    """SEC-OTHER-USER, SEC-TOKEN: not even where every directory above it is open."""
    opened = [path for path in (data_of(shell), *data_of(shell).parents) if path.stat().st_uid == os.geteuid()]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in opened}
    for path, mode in modes.items():
        path.chmod(mode | 0o055)

    def read() -> str:
        try:
            return (data_of(shell) / "http-token").read_text()
        except OSError as error:
            return type(error).__name__

    try:
        assert as_other_user(read) == "PermissionError"
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def test_the_owner_writes(server: HttpServer, shell: Shell) -> None:
    """SEC-TOKEN: the token lies in the data directory, mode 0600; our command prints it; it opens every road."""
    path = data_of(shell) / "http-token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    printed = shell.run("http-token")
    assert printed.returncode == 0 and printed.stdout == path.read_text() and len(server.token) >= 40
    auth = {"authorization": f"Bearer {printed.stdout.strip()}"}
    assert httpx2.post(f"{server.url}/tools/verify_extensions", json={}, headers=auth, timeout=60).status_code == 200
    call = modern(1, "tools/call", {"name": "verify_extensions", "arguments": {}})
    headers = modern_headers("tools/call", "verify_extensions") | auth
    found = httpx2.post(f"{server.url}/mcp", json=call, headers=headers, timeout=60)
    assert found.status_code == 200
    with session(server) as wire:
        assert not wire.call(1, "context_record", content="Tokens are checked at the door.")["result"]["isError"]


def test_the_token_stays_over_a_restart(server: HttpServer, shell: Shell) -> None:
    """SEC-TOKEN: made once; a second server of the same data has the same."""
    with serving(shell) as second:
        assert second.token == server.token
        assert server.token not in second.errors


def test_a_token_that_others_could_read_is_not_used(tmp_path: Path) -> None:
    """SEC-TOKEN: refused at the start, with the command that has a new one made."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    assert shell.run("http-token").returncode == 0
    path = data_of(shell) / "http-token"
    path.chmod(0o644)
    for words in (("http-token",), ("serve-http", "--port", "0")):
        refused = shell.run(*words)
        assert refused.returncode != 0 and f"rm {path}" in refused.stderr, refused.stderr
    path.unlink()
    path.symlink_to("/etc/hostname")
    assert shell.run("http-token").returncode != 0, "a link to what others can read is none either"


def test_a_token_of_your_own_covers_everything(shell: Shell) -> None:
    """SEC-TOKEN: with --auth-token reading needs it too, and the one of the data directory opens nothing."""
    with serving(shell, CODECOMPASS_HTTP_AUTH_TOKEN=TOKEN) as server:
        local = (data_of(shell) / "http-token").read_text().strip() if (data_of(shell) / "http-token").exists() else "x"
        own = {"authorization": f"Bearer {TOKEN}"}
        for headers, status in (({}, 401), ({"authorization": f"Bearer {local}"}, 401), (own, 200)):
            for name in ("index_status", "verify_extensions"):
                got = httpx2.post(f"{server.url}/tools/{name}", json={}, headers=headers, timeout=60)
                assert got.status_code == status, (name, headers)


def test_pages_of_others_and_odd_hosts_get_nothing(server: HttpServer) -> None:
    """SEC-TOKEN: with a good token too, Host and Origin are looked at first."""
    for headers, status in (({"host": "evil.example"}, 421), ({"origin": "https://evil.example"}, 403)):
        got = httpx2.post(f"{server.url}/tools/verify_extensions", json={}, headers=server.auth | headers)
        assert got.status_code == status


def test_the_api_says_which_operations_need_it(server: HttpServer) -> None:
    """SEC-EFFECTS: the OpenAPI document and the list of tools say the same as the tools' own definitions."""
    document = httpx2.get(f"{server.url}/openapi.json").json()
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer" and "security" not in document
    with session(server) as wire:
        listed = {tool["name"]: tool.get("annotations", {}) for tool in wire.ask(1, "tools/list")["result"]["tools"]}
    for tool in TOOLS:
        for path in (f"/tools/{tool.name}", f"/tools/{tool.name}/stream"):
            operation = document["paths"][path]["post"]
            assert operation.get("security") == (None if tool.reads_only else [{"token": []}])
            assert "403" in operation["responses"]
        hints = listed[tool.name]
        assert hints["readOnlyHint"] is ("idempotentHint" not in hints) is tool.reads_only
        assert hints["destructiveHint"] is ("delete" in tool.effects)
        assert hints["openWorldHint"] is ("network" in tool.effects)
