"""Sessions: every connection is one; what it read is counted, and its end is written down."""

import json
import threading
from collections.abc import Callable, Iterator

import anyio
import pytest
from mcp import Client

from codecompass.contract.tool import SessionNoteRule
from codecompass.model.call import Call
from codecompass.model.memory_values import FileAccess, SessionRecord
from codecompass.tools import TOOLS
from tests.engine.memory.memory_engine import Counter, counter_on, patiently
from tests.surfaces.conftest import Shell, environment
from tests.surfaces.httpserver import HttpServer, serving


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counter]:
    with counter_on(tmp_path_factory.mktemp("sessions")) as made:
        yield made


@pytest.fixture(scope="module")
def server(counter: Counter) -> Iterator[HttpServer]:
    base = counter.lab.repo.parent
    with serving(Shell(base / "repo", environment(base))) as found:
        yield found


def session(counter: Counter, name: str, good: Callable[[SessionRecord], bool]) -> SessionRecord:
    found = patiently(lambda: counter.lab.engine.session(None, name), lambda seen: seen is not None and good(seen))
    assert found is not None
    return found


def test_events_in_their_order(counter: Counter) -> None:
    """SES-EVENTS: files read, questions asked and discoveries recorded, with the client; failures leave no trace."""
    call = Call(client="robot", session="ses_order")
    counter.reply("read_file", call, path="AGENTS.md")
    counter.reply("show_file", call, path="package.json")
    counter.reply("read_file", call, path="none.md")
    counter.reply("index_status", call)
    counter.reply("context_search", call, query="the retry limit")
    made = counter.reply("context_record", call, content="Sessions remember what they record.").payload["discovery"]
    found = session(counter, "ses_order", lambda seen: len(seen.events) >= 4)
    assert [(event.kind, event.subject) for event in found.events] == [
        ("read", "AGENTS.md"), ("read", "package.json"), ("query", "the retry limit"), ("record", made["id"]),
    ]  # fmt: skip
    assert found.client == "robot" and found.started and not found.ended and made["session"] == "ses_order"
    counter.dispatch.end_session("ses_order")
    assert session(counter, "ses_order", lambda seen: bool(seen.ended)).ended


def test_no_session_no_notes(counter: Counter) -> None:
    """SES-EVENTS: commands have no session, and leave nothing behind."""
    counter.dispatch.end_sessions()  # what was noted before is written
    engine = counter.lab.engine
    before = engine.sessions(None, 10), engine.accesses(None, 10)
    with counter.like(session="") as made:
        made.ask("read_file", path="AGENTS.md")
        made.ask("search_code", query="parse order")
        made.dispatch.end_sessions()
        assert (engine.sessions(None, 10), engine.accesses(None, 10)) == before


def test_secrets_are_not_noted(counter: Counter) -> None:
    """SES-EVENTS, CTX-UNTRUSTED: a question may hold a token; what is kept of it does not, and is not long."""
    call = Call(session="ses_secret")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0"
    counter.reply("search_code", call, query=f"where is {token} used " + "x" * 900)
    (event,) = session(counter, "ses_secret", lambda seen: bool(seen.events)).events
    assert token not in event.subject and len(event.subject) <= 500


def test_accesses_are_counted_and_scored(counter: Counter) -> None:
    """READ-ACCESS: once for each reading, also from many threads; read more often scores higher."""
    call = Call(session="ses_access")
    readers = [
        threading.Thread(target=counter.reply, args=("read_file", call), kwargs={"path": "src/shop/orders.py"})
        for _ in range(8)
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(20)
    counter.reply("read_file", call, path="src/auth/tokens.py")

    def seen() -> dict[str, FileAccess]:
        return {row.path: row for row in counter.lab.engine.accesses(None, 10)}

    rows = patiently(seen, lambda rows: "src/auth/tokens.py" in rows and rows["src/shop/orders.py"].count == 8)
    often, once = rows["src/shop/orders.py"], rows["src/auth/tokens.py"]
    assert often.count == 8 and once.count == 1 and 0 < once.score < often.score <= 1


def test_what_is_noted_is_there() -> None:
    """SES-EVENTS: each tool that is noted names an argument it has, or a place in its answer."""
    noted = {tool.name: tool for tool in TOOLS if tool.noted is not None}
    assert {"read_file", "show_file", "search", "search_code", "context_search", "grep_codebase"} <= set(noted)
    for tool in noted.values():
        assert isinstance(tool.noted, SessionNoteRule) and bool(tool.noted.argument) != bool(tool.noted.result)
        assert not tool.noted.argument or tool.noted.argument in tool.fields


def test_clients_of_http_have_sessions_of_their_own(server: HttpServer) -> None:
    """SES-CONNECTION, RES-LIST: two connections see what they did themselves; both stand among the recent ones."""
    names: list[str] = []

    async def text(client: Client, uri: str) -> str:
        (found,) = (await client.read_resource(uri)).contents
        return str(found.text)  # type: ignore[union-attr]

    async def talk(path: str, other: str) -> None:
        async with Client(f"{server.url}/mcp", mode="legacy") as client:
            assert len((await client.list_resources()).resources) == 3
            await client.call_tool("read_file", {"path": path})
            for _ in range(500):
                seen = await text(client, "context://session/current")
                if path in seen:
                    break
                await anyio.sleep(0.02)
            assert path in seen and other not in seen
            names.append(next(word for word in seen.split() if word.startswith("ses_")).rstrip(":"))
            recent = await text(client, "context://sessions/recent")
            assert all(name in recent for name in names)

    anyio.run(talk, "AGENTS.md", "package.json")
    anyio.run(talk, "package.json", "AGENTS.md")
    assert len(set(names)) == 2

    async def ended() -> str:
        async with Client(f"{server.url}/mcp", mode="legacy") as client:
            return await text(client, "context://sessions/recent?limit=5")

    # The connections above are over, and that is written down.
    seen = patiently(lambda: anyio.run(ended), lambda seen: seen.count(", ended ") >= 2)
    assert seen.count(", ended ") >= 2


def test_the_api_has_the_session_of_its_server(server: HttpServer) -> None:
    """SES-CONNECTION: plain requests are not told apart; together they are the server's own session."""
    body = json.dumps({"path": "pnpm-lock.yaml"})
    head = "POST /tools/read_file HTTP/1.1\r\nHost: @HOST@\r\nContent-Type: application/json\r\nConnection: close\r\n"
    status, _, answer = server.raw(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    assert status == 200 and b"lockfileVersion" in answer

    async def recent() -> str:
        async with Client(f"{server.url}/mcp", mode="legacy") as client:
            (found,) = (await client.read_resource("context://sessions/recent")).contents
            return str(found.text)  # type: ignore[union-attr]

    seen = patiently(lambda: anyio.run(recent), lambda seen: "pnpm-lock.yaml" in seen)
    assert "read `pnpm-lock.yaml`" in seen
