"""Token budgets, counted by real tokenizers: the tool list, and each result at each level of detail."""

import base64
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.model.call import Call
from codecompass.model.queries.results import SymbolLocation
from codecompass.surfaces.mcp.message_guard import ENVELOPE_KEY, HANDSHAKE_VERSIONS
from codecompass.tools import TOOLS
from codecompass.tools.shapes.code_shapes import CODE_TOKENS
from codecompass.tools.shapes.hit_shapes import shape_hit
from codecompass.tools.shapes.token_budget import cut_left, cut_lines, cut_text, estimate_tokens
from tests.engine.support import desk_on
from tests.fake_engine import HIT
from tests.repo.gitrepo import make_repo
from tests.surfaces.conftest import environment
from tests.surfaces.framed import FramedPeer
from tests.surfaces.stdio_client import Peer
from tests.tokenizer import cost, cost_in_o200k, tokens

ROOT = Path(__file__).parents[2]
BY_NAME = {tool.name: tool for tool in TOOLS}
QUERIES = (
    "freshness policy", "where is a view published", "engine/search/ranking/scorer.py", "ViewState", "class Stack",
    "error: index is stale", "memory limit of parse workers", "struct Point", "public static void main", "read blob",
)  # fmt: skip
NAMES = ("locate", "Engine", "PinnedView", "run", "decode", "Stack", "new", "add", "name", "size")
STATELESS = "2026-07-28"
CLIENT = "io.modelcontextprotocol/client"
ENVELOPE = {ENVELOPE_KEY: STATELESS, CLIENT + "Info": {"name": "t", "version": "1"}, CLIENT + "Capabilities": {}}
PROMISED = {"location": 60, "signature": 120, "context": 500}


@pytest.mark.parametrize("mode", ["sdk", "legacy"])
@pytest.mark.parametrize(("toolset", "most"), [("all", 9000), ("agent", 2000)])
def test_the_list_costs_few_tokens(tmp_path: Path, toolset: str, most: int, mode: str) -> None:
    """C-TOKENS: the result as a client receives it, in the oldest and newest handshake revision, and without one."""
    place = make_repo(tmp_path / "repo", {"a.py": "def pay():\n    return 1\n"})
    ways = [HANDSHAKE_VERSIONS[0], HANDSHAKE_VERSIONS[-1], STATELESS] if mode == "sdk" else [HANDSHAKE_VERSIONS[-1]]
    for version in ways:
        words = ("serve-mcp", "--no-prewarm", "--toolset", toolset, "--mcp-mode", mode)
        command = [sys.executable, "-m", "codecompass", *words]
        peer = (Peer if mode == "sdk" else FramedPeer)(command, place, environment(tmp_path))
        try:
            if version != STATELESS:
                peer.open(version)
            result = peer.ask(1, "tools/list", {"_meta": ENVELOPE} if version == STATELESS else None)["result"]
        finally:
            peer.kill()
        assert cost_in_o200k(result) <= most, version


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """An index of this program's own source and of sources in a dozen languages."""
    base = tmp_path_factory.mktemp("budgets")
    paths = [*ROOT.glob("src/codecompass/[cemrt]*/**/*.py"), *ROOT.glob("tests/languages/cases/*/*")]
    files = {str(path.relative_to(ROOT)): path.read_text() for path in paths if path.is_file()}
    with desk_on(make_repo(base / "repo", files), base / "data", workers=2) as desk:
        desk.index()
        yield Host(desk.engine, Defaults(freshness_policy="best_effort", max_response_bytes=10**8))


def results(host: Host, detail: str, **raw: object) -> Iterator[dict[str, Any]]:
    asked = [("search_code", {"query": query}) for query in QUERIES] + [("locate_symbol", {"name": n}) for n in NAMES]
    for name, what in asked:
        tool = BY_NAME[name]
        arguments = {**what, "limit": 30, "detail_level": detail, **raw}
        yield from render_success(tool.family, tool.run(host, Call(), decode(tool.params, arguments))).payload[
            "results"
        ]


@pytest.mark.parametrize("detail", PROMISED)
def test_results_keep_the_budget_of_their_level(host: Host, detail: str) -> None:
    """C-RESULT-TOKENS: in the middle and for 95 of 100; a context always."""
    costs = sorted(cost(result) for result in results(host, detail))
    assert len(costs) > 200
    assert median(costs) <= PROMISED[detail]
    assert costs[len(costs) * 95 // 100] <= PROMISED[detail]
    if detail == "context":
        assert costs[-1] <= 500
        assert costs[len(costs) * 9 // 10] >= 300, "the room is used where there is a body to show"


def test_compact_saves_at_every_level_that_has_something_to_spare(host: Host) -> None:
    """C-DETAIL-LEVELS: a compact signature costs a fifth less, a compact context a small part."""
    spent = {
        (detail, compact): sum(cost(result) for result in results(host, detail, compact=compact))
        for detail in ("signature", "context")
        for compact in (False, True)
    }
    assert spent["signature", True] < 0.85 * spent["signature", False]
    assert spent["context", True] < 0.4 * spent["context", False]


def test_the_level_code_is_mostly_code(host: Host) -> None:
    """C-CODE-LEVEL: of ten hits at most 15 % are ids and metadata and at least 40 % is code; the budget holds."""
    tool = BY_NAME["search_code"]
    for query in QUERIES:
        raw = {"query": query, "detail_level": "code"}
        payload = render_success(tool.family, tool.run(host, Call(), decode(tool.params, raw))).payload
        whole = cost_in_o200k(payload)
        code = sum(cost_in_o200k(result["code"]) for result in payload["results"] if "code" in result)
        place = ("path", "line_start", "line_end", "kind", "name", "code")
        ids = sum(cost_in_o200k({key: value}) for row in payload["results"] for key, value in row.items()
                  if key not in place)  # fmt: skip
        rest = ids + cost_in_o200k({key: value for key, value in payload.items() if key != "results"})
        if len(payload["results"]) == 10:
            assert rest <= 0.15 * whole and code >= 0.4 * whole, (query, rest, code, whole)
            assert whole <= 10 * CODE_TOKENS + 150, query
        spans = [(row["path"], row["line_start"], row["line_end"]) for row in payload["results"] if "code" in row]
        assert len(spans) == len(set(spans)) and spans
        bare = decode(tool.params, raw | {"compact": True})
        assert all("code" not in row for row in tool.run(host, Call(), bare).payload["results"])


ODD = {
    "long words": "internationalization characteristically " * 20,
    "short words": "png jpg gif bmp ico avi mov mkv wmv ogg " * 30,
    "cjk": "日本語のコメントです。" * 40,
    "rare cjk": "唕鐻贽崎蔮翝閻籆侅瑺綟" * 20,
    "emoji": "😀🎉🚀👩‍👩‍👧" * 40,
    "base64": base64.b64encode(bytes(range(256)) * 4).decode(),
    "hexadecimal": bytes(range(256)).hex(),
    "marks": "!@#$%^&*()_+-=[]{}|;':\",./<>?" * 20,
    "quotes": "\"'\\" * 200,
    "generics": "Map<String, List<Pair<Integer, Optional<T>>>> " * 20,
    "blanks": " " * 2_000 + "x",
}


@pytest.mark.parametrize("text", ODD.values(), ids=list(ODD))
def test_no_text_breaks_the_budget(text: str) -> None:
    """C-RESULT-TOKENS: whatever stands in a signature, a name or a body is cut to fit."""
    place = SymbolLocation("class", "Claims", "src/claims.py", 2)
    body = "\n".join(text[start : start + 80] for start in range(0, len(text), 80)) or text
    hit = replace(HIT, signature=text, qualified_name=f"auth.{text}.validate", snippet=text, body_preview=body)
    hit = replace(hit, symbol_id="sym_" + "123" * 5, symbol_stable_id="b3:" + "123" * 5, related=(place,) * 5)
    for shown in (hit, replace(hit, result_type="snippet", result_id="snip_" + "123" * 5)):
        assert cost(shape_hit(shown, "location", compact=False, typed=True)) <= 60
        assert cost(shape_hit(shown, "signature", compact=False, typed=True)) <= 120
        assert cost(shape_hit(shown, "context", compact=False, typed=True)) <= 500


LONG_HEAD = (
    "def request(self, method, url, params=None, data=None, headers=None, cookies=None, files=None, auth=None,"
    " timeout=None, allow_redirects=True, proxies=None, hooks=None, stream=None, verify=None, cert=None, json=None)"
)
TYPED_HEAD = f"async def send({', '.join(f'argument_{at}: Optional[int] = None' for at in range(14))}) -> R"


@pytest.mark.parametrize("head", [LONG_HEAD[:200], LONG_HEAD, TYPED_HEAD], ids=["short", "untyped", "typed"])
def test_a_signature_is_whole_where_it_can_be(head: str) -> None:
    """C-WHOLE-SIGNATURES: with context and at `signature` level; only one that is longer than any result is cut."""
    hit = replace(HIT, signature=head, qualified_name="shop.web.client.Session.request")
    hit = replace(hit, symbol_id="sym_" + "123" * 5, symbol_stable_id="b3:" + "123" * 5)
    context = shape_hit(hit, "context", compact=False, typed=True)
    assert context["signature"] == head and cost(context) <= 500
    brief = shape_hit(hit, "signature", compact=False, typed=True)
    if head != TYPED_HEAD:
        assert brief["signature"] == head and cost(brief) <= 200
    else:
        assert brief["signature"].endswith("…") and cost(brief) <= 120


@pytest.mark.parametrize("text", ODD.values(), ids=list(ODD))
def test_estimates_are_on_the_careful_side(text: str) -> None:
    """C-RESULT-TOKENS: the rule of thumb counts hardly less than a tokenizer, on odd text and on source."""
    assert estimate_tokens(text, names=False) >= 0.8 * tokens(text)


def test_estimates_of_source() -> None:
    """C-RESULT-TOKENS: on our own sources the estimate is at most half too high."""
    for path in (ROOT / "src/codecompass/engine/view").glob("[a-z]*.py"):
        written = encode(path.read_text()).decode()
        assert 0.95 * tokens(written) <= estimate_tokens(written, names=False) <= 1.5 * tokens(written)


def test_cutting() -> None:
    """C-RESULT-TOKENS: a signature loses its end, a qualified name its beginning, a body its last lines."""
    assert cut_text("def load(a, b)", 100) == "def load(a, b)"
    assert cut_text("def load(" + "argument, " * 50, 20).startswith("def load(argument") and cut_text("x" * 50, 3) == ""
    assert cut_text("def load(" + "argument, " * 50, 20).endswith("…")
    assert cut_left("a.b.Class.method", 100) == "a.b.Class.method"
    assert cut_left("package.module.submodule.Class.method", 7) == "…Class.method"
    assert cut_left("method", 1) == cut_left("package::method", 2) == "", "the name stands beside it anyway"
    assert cut_lines("one\ntwo\nthree", 3, 100) == "one\ntwo\nthree"
    assert cut_lines("one\ntwo\nthree", 9, 100) == "one\ntwo\nthree\n… 6 more lines"
    assert cut_lines("word " * 10 + "\n" + "word " * 10, 2, 25) == "word " * 10 + "\n… 1 more lines"
