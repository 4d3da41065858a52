"""Log: lines for people and machines, without secrets, without a way to forge one, and not thousands of the same."""

import io
import json
import logging
import re
from collections.abc import Iterator

import pytest

from codecompass.contract.tool import Answer, Host, Params
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.runtime.log import LEVELS, MAX_REPEATS, REPEAT_WINDOW_S, Log, relay_library_logs
from codecompass.runtime.redaction import redact_secrets
from tests.runtime.scripted_dispatch import road, tool

CANARY = "c4n4ry-5f2e9a"
SHAPES = (
    f"Authorization: Bearer {CANARY}",
    f"authorization=Basic {CANARY}",
    f'{{"Authorization": "Bearer {CANARY}"}}',
    f"bearer {CANARY}",
    f"Cookie: session={CANARY}; other={CANARY}",
    f"X-Api-Key: {CANARY}",
    f"api_key={CANARY}&x=1",
    f"password = '{CANARY}'",
    f"token:{CANARY}",
    f"access_token={CANARY}",
    f"client_secret={CANARY}",
    f"https://user:{CANARY}@example.org/repo.git",
    f"postgres://{CANARY}@host/db",
    f"ghp_{CANARY.replace('-', '')}0123456789",
    f"sk-{CANARY}-abcdef",
    f"-----BEGIN RSA PRIVATE KEY-----\n{CANARY}\n-----END RSA PRIVATE KEY-----",
    f"eyJhbGciOiJ.{CANARY.replace('-', '')}.sig",
)


class TalkParams(Params, frozen=True, kw_only=True):
    query: str = ""
    path: str = ""
    raising: str = ""


def talk(_host: Host, _call: Call, params: TalkParams) -> Answer:
    if params.raising == "failure":
        raise Failure("INVALID_REQUEST", f"No such thing: {params.query}.", {"path": params.path})
    if params.raising == "crash":
        raise RuntimeError(f"{params.query} {params.path}")
    if params.raising == "library":
        logging.getLogger("some.library").error(f"Failed at: {params.query}")
        logging.getLogger("some.library").error("Failed at %s", params.path)
    return Answer({"echo": params.query})


@pytest.fixture
def library() -> Iterator[logging.Logger]:
    """The standard module as it was, after a test gave it our handler."""
    root = logging.getLogger()
    kept, raising = list(root.handlers), logging.raiseExceptions
    yield logging.getLogger("some.library")
    root.handlers[:] = kept
    logging.raiseExceptions = raising


@pytest.mark.parametrize("style", ["json", "text"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.usefixtures("library")
def test_a_secret_never_shows(level: str, style: str) -> None:
    """R-LOG-SECRETS: in no argument, no name of one, no failure, no crash, no line of a library, at no level."""
    out = io.StringIO()
    log = Log(level, out, style, home="/house/somebody")
    relay_library_logs(log)
    ways = road((tool(talk, "talk", TalkParams),), log=log)
    for raising in ("", "failure", "crash", "library"):
        raw = {"query": CANARY, "path": f"/house/somebody/{CANARY}", "raising": raising}
        ways.call("talk", raw, Call(id="7"))
    ways.call("talk", {CANARY: 1, "query": [CANARY]})
    ways.call(CANARY, {"query": CANARY})
    for shape in SHAPES:
        log.event(level, "said", text=shape, nested={"deep": [shape]}, token=CANARY)
    assert CANARY not in out.getvalue() and CANARY.replace("-", "") not in out.getvalue()
    assert "/house/somebody" not in out.getvalue()
    assert len(out.getvalue().splitlines()) >= len(SHAPES)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_secrets(shape: str) -> None:
    """R-LOG-SECRETS: each by itself, alone and within other words."""
    for text in (shape, f"it said {shape} and ended"):
        cleaned = redact_secrets(text)
        assert CANARY not in cleaned and CANARY.replace("-", "") not in cleaned and "[redacted]" in cleaned


@pytest.mark.parametrize(
    "plain",
    ["search_code took 12 ms", "src/auth/token.py:12", "tokens: parsed", "https://example.org/a@b", "the secretary",
     "sk-1", "retry in 3.5 s", "a basic idea", "author: me"],
)  # fmt: skip
def test_plain_words_stay(plain: str) -> None:
    """R-LOG-SECRETS: what is no secret is still there to read."""
    kept = redact_secrets(plain)
    assert kept == plain or plain in ("tokens: parsed",)


def test_one_line_a_call() -> None:
    """R-LOG-NAMES: tool, duration, outcome, size, names and sizes of arguments, client, request id."""
    out = io.StringIO()
    ways = road((tool(talk, "talk", TalkParams),), log=Log("info", out, "json"))
    ways.call("talk", {"query": "four", "path": "é"}, Call(id="7", client="somebody"))
    ways.call("talk", {"quarry": 1}, Call(id="8"))
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert first.items() >= {
        "event": "call", "level": "info", "tool": "talk", "code": "ok", "client": "somebody", "id": "7",
        "args": {"query": 4, "path": 1},
    }.items()  # fmt: skip
    assert first["ms"] >= 0 and first["bytes"] > 10
    assert second["code"] == "INVALID_REQUEST" and second["args"] == {"?": 1}


FORGERY = 'x\n{"level":"error"}\r\x1b[31m\x07\x7f\u202e\u2028\x85\udcff'


@pytest.mark.parametrize("style", ["json", "text"])
def test_no_value_can_forge_a_line(style: str) -> None:
    """R-LOG-FORMAT: control, colour and direction characters are escaped; a line stays one line of ASCII or visible."""
    out = io.StringIO()
    Log("info", out, style).event("info", "said", text=FORGERY, id=FORGERY)
    (line,) = out.getvalue().removesuffix("\n").split("\n")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e\ud800-\udfff]", line)
    if style == "json":
        assert json.loads(line)["text"] == FORGERY


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_text_on_a_terminal_json_elsewhere() -> None:
    """R-LOG-FORMAT: unless the setting says which."""
    for stream, style, is_json in (
        (Terminal(), "auto", False), (io.StringIO(), "auto", True), (Terminal(), "json", True),
        (io.StringIO(), "text", False),
    ):  # fmt: skip
        Log("info", stream, style).event("info", "call", tool="t", ms=1.5, args={"query": 3}, nothing="")
        line = stream.getvalue()
        if is_json:
            assert json.loads(line)["args"] == {"query": 3}
        else:
            said = r"\d\d:\d\d:\d\d\.\d{3} INFO    call           tool=t ms=1.5 args=query:3\n"
            assert re.fullmatch(said, line), line


def test_a_chatty_library_is_cut_short(library: logging.Logger, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-LOG-REPEATS: thousands of lines from one place are a few, then a count; other places are not affected."""
    out = io.StringIO()
    relay_library_logs(Log("warning", out, "json"))
    now = 100.0
    monkeypatch.setattr("codecompass.runtime.log.time.monotonic", lambda: now)

    def complain() -> None:
        library.error("no file descriptors left")

    for _ in range(24_479):
        complain()
    library.warning("something else")
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(lines) == MAX_REPEATS + 1 and lines[0]["text"] == "no file descriptors left"
    now += REPEAT_WINDOW_S
    complain()
    assert json.loads(out.getvalue().splitlines()[-1])["repeated"] == 24_479 - MAX_REPEATS


def test_levels_are_kept() -> None:
    """R-LOG-FORMAT: nothing below the level, and whoever asks is told so."""
    for least in LEVELS:
        out = io.StringIO()
        log = Log(least, out, "json")
        for level in LEVELS:
            log.event(level, "said")
        written = [json.loads(line)["level"] for line in out.getvalue().splitlines()]
        assert written == list(LEVELS[LEVELS.index(least) :]) == [level for level in LEVELS if log.is_enabled(level)]
