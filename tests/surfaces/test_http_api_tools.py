"""Every tool over `POST /tools/NAME`: the payload that every other road has, below the envelope."""

import httpx2

from codecompass.errors import CODES, CODES_BY_NAME
from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import serving
from tests.surfaces.parity import CALLS, in_process, without_times

STATUSES = {(row.cleats, row.http) for row in CODES}


def test_every_tool_says_the_same(indexed: Shell) -> None:
    """API-TOOLS: successes are the tool's payload; failures keep its code, words, details; the status is tabled."""
    with (
        in_process(indexed) as ask,
        serving(indexed) as server,
        httpx2.Client(base_url=server.url, timeout=30, headers=server.auth) as api,
    ):  # fmt: skip
        for name, raw in CALLS:
            # Twice, because the first call of some tools fills what later ones find.
            for _ in range(2):
                expected, got = ask(name, raw), api.post(f"/tools/{name}", json=raw)
            body = got.json()
            if not expected.is_error:
                assert got.status_code == 200, (name, raw, got.text)
                assert without_times(body["result"]) == without_times(expected.payload), (name, raw)
                continue
            assert (body["code"], got.status_code) in STATUSES, (name, raw)
            said = expected.payload if expected.payload is not None else expected.rpc_data
            if "payload" in body["error"]:
                assert without_times(body["error"]["payload"]) == without_times(said), (name, raw)
                continue
            assert (said["code"], said["message"]) == (body["code"], body["message"]), (name, raw)
            if expected.payload is None:
                assert body["error"].get("details") == said.get("details"), (name, raw)
                assert got.status_code == CODES_BY_NAME[said["code"]].http
