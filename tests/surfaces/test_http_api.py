"""The HTTP API: envelopes, statuses, and the same answers as over MCP."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema_rs
import pytest

from codecompass.contract.json_schema import input_schema
from codecompass.contract.tool import select_tools
from codecompass.errors import CODES
from codecompass.surfaces.http.api.openapi import build_document
from codecompass.surfaces.http.api.reference_page import render_page
from codecompass.surfaces.http.api.routes import ROUTES, select_routes
from codecompass.tools import TOOLS
from tests.surfaces.apiplace import WORDS, Home, make_home
from tests.surfaces.httpserver import META, HttpServer, serving
from tests.surfaces.stdio_client import Peer
from tests.surfaces.work import until

TOKEN = "a-token-of-24-characters"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("api"))


@pytest.fixture(scope="module")
def server(home: Home) -> Iterator[HttpServer]:
    with serving(home.shell, "--allow-root", str(home.repo.parent)) as made:
        yield made


@pytest.fixture(scope="module")
def api(server: HttpServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.url, timeout=30, headers=server.auth) as client:
        yield client


def good(response: httpx2.Response) -> dict[str, Any]:
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["ok"]) == (200, True), response.text
    assert set(body["_meta"]) >= META
    return body


def bad(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """A failure in the one envelope, its code said twice."""
    assert response.headers["content-type"] == "application/json"
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["ok"], body["code"]) == (status, False, code), response.text
    assert body["error"]["code"] == code and body["error"]["message"] == body["message"] != ""
    assert set(body["_meta"]) >= META
    assert "Traceback" not in response.text and "site-packages" not in response.text
    return body


def test_status(api: httpx2.Client, home: Home) -> None:
    """API-STATUS: 000 §7.2.2: repo and status below result; repo beside it as §4 has it."""
    body = good(api.get("/status"))
    assert body["repo"] == body["result"]["repo"] == str(home.repo)
    assert body["result"]["status"]["index_status"] == "ready"
    assert body["result"]["status"]["repoPath"] == str(home.repo)
    for name in ("repo", "repoPath"):
        other = good(api.get("/status", params={name: str(home.empty)}))
        assert other["result"]["repo"] == str(home.empty)
        assert other["result"]["status"]["index_status"] == "not_indexed"


def test_search(api: httpx2.Client, home: Home) -> None:
    """API-SEARCH: 000 §7.2.4: repo and search below result, with the lists of the documented payload."""
    body = good(api.post("/search", json={"query": "load token", "repo": str(home.repo)}))
    assert set(body["result"]) == {"repo", "search"}
    found = body["result"]["search"]
    assert found["code"][0]["file"] == "parts/token.py"
    assert {"backend", "prose", "extractedProse", "code", "records", "bundles"} <= set(found)
    assert "_meta" not in found
    relaxed = good(api.post("/search", json={"query": "token zebrafish", "ann": True}))
    assert relaxed["_meta"]["warnings"] == relaxed["result"]["search"]["warnings"] != []
    settings = good(api.post("/tools/config_status", json={}))
    assert all(isinstance(said, str) for said in settings["_meta"]["warnings"])


def test_capabilities(api: httpx2.Client) -> None:
    """API-CAPABILITIES: versions, abilities and every tool that is served."""
    result = good(api.get("/capabilities"))["result"]
    assert {"schemaVersion", "toolVersion", "capabilities", "serverInfo"} <= set(result)
    assert result["tools"][: len(TOOLS)] == [tool.name for tool in TOOLS]


def test_every_tool_has_a_route(api: httpx2.Client, home: Home) -> None:
    """API-TOOLS: POST /tools/NAME takes what the tool takes; compass failures keep their own words and metadata."""
    found = good(api.post("/tools/locate_symbol", json={"name": "TokenStore"}))
    assert found["result"]["results"][0]["path"] == "parts/token.py"
    assert found["result"]["metadata"]["codecompass_protocol_version"] == "1.0"
    assert found["repo"] == str(home.repo)
    for tool in TOOLS:
        wrong = bad(api.post(f"/tools/{tool.name}", json={"no_such_field": 1}), 400, "INVALID_REQUEST")
        assert "no_such_field" in json.dumps(wrong["error"]["details"])
    missing = bad(api.post("/tools/get_file_outline", json={"path": "none.py"}), 404, "NOT_FOUND")
    assert missing["error"]["payload"]["error"]["code"] == "file_not_found"
    assert missing["error"]["payload"]["metadata"]["ref"] == "main"


REFUSED: dict[str, tuple[str, str, dict[str, Any], int, str]] = {
    "no query": ("POST", "/search", {"json": {}}, 400, "INVALID_REQUEST"),
    "unknown field": ("POST", "/search", {"json": {"query": "a", "fuzzy": True}}, 400, "INVALID_REQUEST"),
    "null": ("POST", "/search", {"json": {"query": "a", "mode": None}}, 400, "INVALID_REQUEST"),
    "nonsense in a filter": ("POST", "/search", {"json": {"query": "a", "lang": "klingon"}}, 400, "INVALID_REQUEST"),
    "repo twice": ("POST", "/search", {"json": {"query": "a", "repo": "/a", "repoPath": "/a"}}, 400,
                   "INVALID_REQUEST"),
    "repo not absolute": ("POST", "/search", {"json": {"query": "a", "repo": "repo"}}, 400, "INVALID_REQUEST"),
    "H12 array": ("POST", "/search", {"json": [1]}, 400, "INVALID_REQUEST"),
    "H12 NaN": ("POST", "/search", {"content": b'{"query": NaN}', "headers": {"content-type": "application/json"}},
                400, "INVALID_REQUEST"),
    "half an object": ("POST", "/search", {"content": b"{", "headers": {"content-type": "application/json"}}, 400,
                       "INVALID_REQUEST"),
    "nothing": ("POST", "/search", {"content": b"", "headers": {"content-type": "application/json"}}, 400,
                "INVALID_REQUEST"),
    "not UTF-8": ("POST", "/search", {"content": b'{"query": "\xff"}', "headers": {"content-type": "application/json"}},
                  400, "INVALID_REQUEST"),
    "surrogate": ("POST", "/search", {"content": b'{"query": "\\ud800"}',
                                      "headers": {"content-type": "application/json"}}, 400, "INVALID_REQUEST"),
    "deep": ("POST", "/search", {"content": b"[" * 20_000, "headers": {"content-type": "application/json"}}, 400,
             "INVALID_REQUEST"),
    "query string of a POST": ("POST", "/search?query=a", {"json": {"query": "a"}}, 400, "INVALID_REQUEST"),
    "unknown parameter": ("GET", "/status?x=1", {}, 400, "INVALID_REQUEST"),
    "parameter twice": ("GET", "/status?repo=/a&repo=/b", {}, 400, "INVALID_REQUEST"),
    "both names": ("GET", "/status?repo=/a&repoPath=/a", {}, 400, "INVALID_REQUEST"),
    "follow what": ("GET", "/status/stream?follow=maybe", {}, 400, "INVALID_REQUEST"),
    "media type": ("POST", "/search", {"content": b"{}", "headers": {"content-type": "text/plain"}}, 415,
                   "INVALID_REQUEST"),
    "too long": ("POST", "/search", {"json": {"query": "a" * 1_000_001}}, 413, "INVALID_REQUEST"),
    "H13 accept": ("POST", "/search", {"json": {"query": "a"}, "headers": {"accept": "text/html"}}, 406,
                   "INVALID_REQUEST"),
    "H13 accept of a stream": ("POST", "/search/stream", {"json": {"query": "a"},
                               "headers": {"accept": "application/json"}}, 406, "INVALID_REQUEST"),
    "H13 accept nothing": ("GET", "/status", {"headers": {"accept": "application/json;q=0"}}, 406, "INVALID_REQUEST"),
    "method": ("GET", "/search", {}, 405, "INVALID_REQUEST"),
    "method of a tool": ("GET", "/tools/search", {}, 405, "INVALID_REQUEST"),
    "path": ("GET", "/searches", {}, 404, "NOT_FOUND"),
    "unknown tool": ("POST", "/tools/no_such_tool", {"json": {}}, 404, "NOT_FOUND"),
    "unknown tool as a stream": ("POST", "/tools/no_such_tool/stream", {"json": {}}, 404, "NOT_FOUND"),
    "stream without a query": ("POST", "/search/stream", {"json": {}}, 400, "INVALID_REQUEST"),
    "host": ("POST", "/search", {"json": {"query": "a"}, "headers": {"host": "evil.test"}}, 421, "INVALID_REQUEST"),
    "origin": ("POST", "/search", {"json": {"query": "a"}, "headers": {"origin": "https://evil.test"}}, 403,
               "FORBIDDEN"),
    "H20 crash": ("POST", "/tools/cleats_work", {"json": {"crash": True}}, 500, "INTERNAL"),
    "unknown branch": ("POST", "/search", {"json": {"query": "a", "branch": "no-such"}}, 404, "NOT_FOUND"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(api: httpx2.Client, name: str) -> None:
    """API-REFUSALS: 000 §7.1, §7.3: each mistake has its status and code, in the envelope; 405 says what is allowed."""
    method, path, request, status, code = REFUSED[name]
    response = api.request(method, path, **request)
    bad(response, status, code)
    assert "secret" not in response.text
    if status == 405:
        assert response.headers["allow"] == "POST"


def test_repositories(api: httpx2.Client, home: Home) -> None:
    """API-REPO: H18, H19: outside the roots 403, unknown 404, never indexed 409; a link out of the roots is outside."""
    link = home.repo.parent / "link"
    if not link.exists():
        link.symlink_to(home.outside)
    for place in (home.outside, link, home.repo.parent / "repo" / ".." / ".." / "outside", "/etc", "/no/such/place"):
        for name in ("repo", "repoPath"):
            bad(api.post("/search", json={"query": "a", name: str(place)}), 403, "FORBIDDEN")
            bad(api.get("/status", params={name: str(place)}), 403, "FORBIDDEN")
    bad(api.post("/search", json={"query": "a", "repo": str(home.unknown)}), 404, "NOT_FOUND")
    said = bad(api.post("/search", json={"query": "a", "repo": str(home.empty)}), 409, "NO_INDEX")
    assert "index" in said["error"]["hint"]
    bad(api.post("/search", json={"query": "a", "repo": str(home.repo.parent / "none")}), 400, "INVALID_REQUEST")


def test_busy_limited_and_late(home: Home) -> None:
    """API-RETRY: a full queue and a used-up minute are 429 with Retry-After, for streams too; late 504."""
    with (
        serving(
            home.shell, "--auth-token", TOKEN, CODECOMPASS_MCP_QUEUE_MAX="1",
            CODECOMPASS_MCP_TOOL_TIMEOUTS="compass_work=300", CODECOMPASS_MCP_RATE_LIMITS="context_work=1",
        ) as server,
        httpx2.Client(base_url=server.url, timeout=30, headers={"authorization": f"Bearer {TOKEN}"}) as api,
    ):  # fmt: skip
        assert api.get("/openapi.json").json()["security"] == [{"token": []}]
        for path in ("/search", "/search/stream", "/tools/search"):
            bad(httpx2.post(server.url + path, json={"query": "a"}), 401, "UNAUTHORIZED")
        with api.stream("POST", "/tools/cleats_work/stream", json={"seconds": 60}) as held:
            lines = held.iter_lines()
            assert next(lines) == "event: start"
            for path in ("/tools/cleats_work", "/tools/cleats_work/stream", "/search", "/search/stream"):
                response = api.post(path, json={"query": "a"} if "search" in path else {})
                said = bad(response, 429, "QUEUE_OVERLOADED")
                assert response.headers["retry-after"] == "1"
                assert said["error"]["details"]["queue"] == {"max": 1, "size": 1}
        # The stream is closed, so its work is stopped and its place free.
        late = until(lambda: api.post("/tools/compass_work", json={"seconds": 60}), lambda got: got.status_code != 429)
        assert bad(late, 504, "TOOL_TIMEOUT")["error"]["details"]["timeoutMs"] == 300
        until(lambda: api.post("/tools/cleats_work", json={}), lambda got: got.status_code == 200)
        good(api.post("/tools/context_work", json={}))
        for path in ("/tools/context_work", "/tools/context_work/stream"):
            limited = api.post(path, json={})
            bad(limited, 429, "RATE_LIMITED")
            assert 1 <= int(limited.headers["retry-after"]) <= 60


def random_arguments(chance: random.Random) -> dict[str, Any]:
    """A search as nobody would write it by hand; some are refused."""
    words = [*WORDS, "load", "save", "Store", "os.path", "zebra", '"every report"', "-token", "(", "kind:", "std::io"]
    asked: dict[str, Any] = {"query": " ".join(chance.choices(words, k=chance.randint(1, 4)))}
    choices: dict[str, list[Any]] = {
        "mode": ["code", "prose", "extracted-prose", "records", "all", "both"], "top": [1, 3, 50, 0, 101],
        "output": ["compact", "full", "json"], "context": [0, 2], "case": [True, False], "explain": [True],
        "type": ["fn", "class", "method,class", "gizmo"], "lang": ["python", "py,md", "klingon"], "ext": ["py", ".md"],
        "async": [True, False], "throws": ["ValueError"], "path": ["token", "*.py", ["cache", "queue"]],
        "returns": [True, False], "import": ["os"], "calls": ["join"], "branch": ["main", "live"], "ann": [True],
        "backend": ["auto", "tantivy"],
    }  # fmt: skip
    for name in chance.sample(sorted(choices), chance.choice((0, 0, 1, 1, 2, 3))):
        asked[name] = chance.choice(choices[name])
    return asked


def quoted(response: httpx2.Response) -> bytes:
    """The bytes of `result.search` as they came."""
    _, _, rest = response.content.partition(b'"search":')
    return rest[: rest.rindex(b'},"_meta"')]


def test_search_says_the_same_over_mcp(api: httpx2.Client, home: Home) -> None:
    """API-PARITY: 000 §8: 200 random searches; payloads equal byte for byte, refusals in code, words and details."""
    chance = random.Random(6)
    asked = [random_arguments(chance) for _ in range(200)]
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp", "--no-prewarm"], home.repo, home.shell.env)
    refused = 0
    try:
        peer.open()
        # What the first look at history fills in is there for both before they are compared.
        peer.call(0, "search", query="token", output="full")
        api.post("/search", json={"query": "token", "output": "full"})
        for number, arguments in enumerate(asked, 1):
            over_mcp = peer.call(number, "search", **arguments)
            over_http = api.post("/search", json=arguments)
            if over_http.status_code == 200:
                assert quoted(over_http) == over_mcp["result"]["content"][0]["text"].encode(), arguments
                continue
            refused += 1
            said = bad(over_http, 400, "INVALID_REQUEST")
            assert over_mcp["error"]["message"] == said["message"], arguments
            assert over_mcp["error"]["data"]["details"] == said["error"]["details"]
    finally:
        peer.kill()
    assert 5 < refused < 80


def test_document(api: httpx2.Client) -> None:
    """API-OPENAPI: made from routes, tools and errors: every route, schema and status is in it, and it is a schema."""
    shown = api.get("/openapi.json").json()
    assert shown["openapi"].startswith("3.1")
    expected = {
        (route.path.replace("{name}", tool.name), route.method.lower()) for route in ROUTES for tool in TOOLS
    }  # fmt: skip
    found = {(path, method) for path, methods in shown["paths"].items() for method in methods}
    assert expected <= found
    schemas = shown["components"]["schemas"]
    for tool in TOOLS:
        assert schemas[tool.name] == input_schema(tool.params)
    names = set()
    for methods in shown["paths"].values():
        for operation in methods.values():
            names.add(operation["operationId"])
            assert {"200", "400", "401", "403", "421", "500"} <= set(operation["responses"])
            for response in operation["responses"].values():
                if "$ref" in response:
                    assert response["$ref"].rpartition("/")[2] in shown["components"]["responses"]
    assert len(names) == len(found)
    assert {str(code.http) for code in CODES} <= set(shown["components"]["responses"])
    searching = shown["paths"]["/search"]["post"]
    assert {"404", "409", "413", "415", "429", "499", "501", "504"} <= set(searching["responses"])
    body = jsonschema_rs.Draft202012Validator(searching["requestBody"]["content"]["application/json"]["schema"])
    assert body.is_valid({"query": "a", "repo": "/a", "lang": "python"})
    assert not body.is_valid({"query": "a", "repo": "/a", "repoPath": "/a"}) and not body.is_valid({"query": 1})


def test_answers_fit_the_document(api: httpx2.Client, home: Home) -> None:
    """API-OPENAPI: what is answered, good or bad, has the status and the shape that the document states."""
    shown = api.get("/openapi.json").json()
    asked = [("get", "/health", None), ("get", "/capabilities", None), ("get", "/status", None),
             ("post", "/search", {"query": "token"}), ("post", "/search", {"query": ""}),
             ("post", "/search", {"query": "a", "repo": "/etc"}),
             ("post", "/search", {"query": "a", "repo": str(home.empty)}),
             ("post", "/tools/search", {"query": "token"}), ("post", "/tools/locate_symbol", {"name": "TokenStore"}),
             ("post", "/tools/get_file_outline", {"path": "none"})]  # fmt: skip
    for method, path, body in asked:
        response = api.request(method.upper(), path, json=body)
        stated = shown["paths"][path][method]["responses"][str(response.status_code)]
        if "$ref" in stated:
            stated = shown["components"]["responses"][stated["$ref"].rpartition("/")[2]]
        schema = stated["content"]["application/json"]["schema"] | {"components": shown["components"]}
        jsonschema_rs.Draft202012Validator(schema).validate(response.json())


def test_document_of_a_few_tools() -> None:
    """API-OPENAPI: a server of few tools describes few, and only the routes that can work."""
    few = tuple(tool for tool in select_tools(TOOLS, ("cleats",)) if tool.name != "index_status")
    made = build_document(select_routes(few), few, protected=False)
    assert "security" not in made
    assert "/search" in made["paths"] and "/tools/search" in made["paths"]
    assert "/status" not in made["paths"] and "/tools/locate_symbol" not in made["paths"]


def test_page() -> None:
    """API-DOCS: the reference page is made from the routes and is current."""
    assert (Path(__file__).parents[2] / "docs" / "http.md").read_text() == render_page(TOOLS), "run: make snapshots"
