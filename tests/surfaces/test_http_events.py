"""Parts of the HTTP server alone: events kept for resumption, and a gate before a door that breaks."""

import json
from io import StringIO

import anyio
import httpx2
import mcp_types as types
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server.streamable_http import EventMessage
from starlette.types import Receive, Scope, Send

from codecompass.runtime.log import Log
from codecompass.surfaces.http.mcp.event_log import EventBuffer, SessionEvents
from codecompass.surfaces.http.middleware import HttpMiddleware
from codecompass.surfaces.http.router import Endpoint, Router
from codecompass.surfaces.http.server_options import HttpOptions

ANSWER = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={})


def note(number: int, size: int = 0) -> types.JSONRPCNotification:
    params = {"number": number, "text": "x" * size}
    return types.JSONRPCNotification(jsonrpc="2.0", method="note", params=params)


def number_of(message: types.JSONRPCMessage) -> int:
    return int(json.loads(message.model_dump_json())["params"]["number"])


async def replay(store: SessionEvents, event_id: str) -> list[types.JSONRPCMessage]:
    found: list[types.JSONRPCMessage] = []

    async def take(event: EventMessage) -> None:
        assert event.event_id is not None and store.can_resume(event.event_id)
        found.append(event.message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.replay_events_after, event_id, take)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3_000)), max_size=60))
def test_budget_and_no_holes(steps: list[tuple[int, int, int]]) -> None:
    """HTTP-REPLAY: within its budget the store gives back exactly what came after an event, or knows it no more."""

    async def run() -> None:
        archive = EventBuffer(40_000, 60)
        stores = [SessionEvents(archive) for _ in range(3)]
        sent: dict[tuple[int, int], list[tuple[str, int]]] = {}
        for count, (owner, stream, size) in enumerate(steps):
            identity = await stores[owner].store_event(str(stream), note(count, size))
            sent.setdefault((owner, stream), []).append((identity, count))
            assert archive.size <= 40_000
        for (owner, _), rows in sent.items():
            for place, (identity, _) in enumerate(rows):
                for other in range(3):
                    if other != owner:
                        assert not stores[other].can_resume(identity)
                if stores[owner].can_resume(identity):
                    after = [number_of(message) for message in await replay(stores[owner], identity)]
                    assert after == [count for _, count in rows[place + 1 :]]
        for store in stores:
            store.close()
        assert archive.size == 0

    anyio.run(run)


def test_following_ends_with_the_answer() -> None:
    """HTTP-REPLAY: who resumes early hears what comes later, up to the answer, and then no more."""

    async def run() -> None:
        store = SessionEvents(EventBuffer(1_000_000, 60))
        start = await store.store_event("1", None)
        found: list[types.JSONRPCMessage] = []

        async def take(event: EventMessage) -> None:
            found.append(event.message)

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(store.replay_events_after, start, take)
                for number in range(3):
                    await anyio.lowlevel.checkpoint()
                    await store.store_event("1", note(number))
                    await store.store_event("2", note(99))
                await store.store_event("1", ANSWER)
        assert [number_of(message) for message in found[:-1]] == [0, 1, 2]
        assert found[-1] is ANSWER

    anyio.run(run)


def test_used_id_starts_a_new_stream() -> None:
    """HTTP-REPLAY: a request id that is used again does not bring back the answer of the request before."""

    async def run() -> None:
        archive = EventBuffer(1_000_000, 60)
        store = SessionEvents(archive)
        old = await store.store_event("1", None)
        await store.store_event("1", ANSWER)
        new = await store.store_event("1", None)
        await store.store_event("1", note(5))
        assert not store.can_resume(old)
        assert [number_of(message) for message in await replay(store, new)] == [5]

    anyio.run(run)


def test_age_and_close() -> None:
    """HTTP-REPLAY: events leave by age, and with their session; whoever follows is let go."""

    async def run() -> None:
        archive = EventBuffer(1_000_000, 0)
        store = SessionEvents(archive)
        old = await store.store_event("1", None)
        await anyio.sleep(0.01)
        archive.drop_expired()
        assert not store.can_resume(old) and archive.size == 0
        lasting = SessionEvents(EventBuffer(1_000_000, 60))
        place = await lasting.store_event("1", None)

        async def take(_event: EventMessage) -> None:
            raise AssertionError("nothing was sent")

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lasting.replay_events_after, place, take)
                await anyio.sleep(0.01)
                lasting.close()

    anyio.run(run)


def test_unexpected_failure_says_nothing() -> None:
    """HTTP-GATE: H20: a door that breaks is answered with INTERNAL, without a trace, a path or the exception's text."""

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("a secret that no client may see")

    said = StringIO()
    doors = Router([Endpoint("/broken/{what}", ("GET",), broken)])
    gate = HttpMiddleware(doors, HttpOptions(local_token="word"), 7345, Log("error", said))

    async def run() -> None:
        transport = httpx2.ASGITransport(app=gate)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:7345") as client:
            got = await client.get("/broken/thing")
            assert (got.status_code, got.json()["code"]) == (500, "INTERNAL")
            assert "secret" not in got.text and ".py" not in got.text
            assert (await client.get("/broken/")).status_code == 404

    anyio.run(run)
    assert "http_crashed" in said.getvalue() and "secret" not in said.getvalue()
