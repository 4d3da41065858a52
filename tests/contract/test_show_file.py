"""show_file on a real repository: the lines that were asked for, and not a byte of what must not be shown."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.families import render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.tools import TOOLS
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

BY_NAME = {tool.name: tool for tool in TOOLS}
TOOL = BY_NAME["show_file"]
SECRET = "hunter2-the-secret"
LINES = [f"line {number}" for number in range(1, 101)]
SOURCE = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("show")
    repo = make_repo(base / "repo", {
        "src/a.py": SOURCE, "long.txt": "\n".join(LINES) + "\n", "empty.txt": "", "wide.txt": "é" * 50_000 + "\n",
        ".gitignore": "hidden/\n", "crlf.txt": "one\r\ntwo\r\n",
    })  # fmt: skip
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {"src/a.py": "def other():\n    return 3\n"})
    git(repo, "checkout", "-q", "main")
    for path in (".env", "key.pem", "hidden/note.txt", "node_modules/x/index.js"):
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n")
    (base / "outside.txt").write_text(SECRET)
    (repo / "out").symlink_to(base / "outside.txt")
    (repo / "env_link").symlink_to(".env")
    (repo / "big.txt").write_text(f"{SECRET} " * 60_000)
    os.mkfifo(repo / "pipe")
    return base


@pytest.fixture(scope="module")
def desk(place: Path) -> Iterator[Desk]:
    with desk_on(place / "repo", place / "data") as made:
        made.index()
        made.index("side")
        yield made


def ask(desk: Desk, max_bytes: int = 65_536, /, **raw: object) -> dict[str, Any]:
    host = Host(desk.engine, Defaults(freshness_policy="best_effort", max_response_bytes=max_bytes))
    return render_success(TOOL.family, TOOL.run(host, Call(), decode(TOOL.params, raw))).payload


@pytest.mark.parametrize(
    ("raw", "first", "last"),
    [
        ({}, 1, 100),
        ({"startLine": 10}, 10, 100),
        ({"endLine": 3}, 1, 3),
        ({"startLine": 7, "endLine": 7}, 7, 7),
        ({"startLine": 90, "endLine": 900}, 90, 100),
    ],
)
def test_lines_by_number(desk: Desk, raw: dict[str, object], first: int, last: int) -> None:
    """SHOW-LINES: those and no others, with the number of all."""
    payload = ask(desk, path="long.txt", **raw)
    assert payload["text"].split("\n") == LINES[first - 1 : last]
    assert (payload["startLine"], payload["endLine"], payload["totalLines"]) == (first, last, 100)
    assert payload["file"] == "long.txt" and not payload["truncated"] and "nextLine" not in payload


def test_lines_of_a_hit(desk: Desk) -> None:
    """SHOW-HIT: the id of a search hit of any kind names its own lines."""
    search = BY_NAME["search"]
    host = Host(desk.engine, Defaults(freshness_policy="best_effort"))
    raw = decode(search.params, {"query": "second return 2", "mode": "code"})
    hits = search.run(host, Call(), raw).payload["code"]
    assert {hit["id"].split("_")[0] for hit in hits} & {"sym", "snip"}
    for hit in hits:
        shown = ask(desk, id=hit["id"])
        assert (shown["file"], shown["startLine"], shown["endLine"]) == (hit["file"], hit["startLine"], hit["endLine"])
        assert shown["text"] == "\n".join(SOURCE.split("\n")[hit["startLine"] - 1 : hit["endLine"]])


def test_lines_of_a_branch(desk: Desk) -> None:
    """SHOW-REF: a branch shows its own content, whatever is checked out."""
    assert "def other" in ask(desk, path="src/a.py", branch="side")["text"]
    assert "def first" in ask(desk, path="src/a.py")["text"]
    assert ask(desk, path="src/a.py", branch="side")["hash"] != ask(desk, path="src/a.py")["hash"]
    with pytest.raises(Failure) as caught:
        ask(desk, path="src/a.py", branch="none")
    assert caught.value.error_code.cleats == "NOT_FOUND"


def test_odd_files(desk: Desk) -> None:
    """SHOW-LINES: an empty file has no lines; line ends stay as they are."""
    empty = ask(desk, path="empty.txt")
    assert (empty["text"], empty["totalLines"], empty["startLine"]) == ("", 0, 0)
    assert ask(desk, path="crlf.txt")["text"] == "one\r\ntwo\r"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../outside.txt", "FORBIDDEN"), ("src/../../outside.txt", "FORBIDDEN"), ("/etc/passwd", "FORBIDDEN"),
        ("C:/x", "FORBIDDEN"), ("out", "FORBIDDEN"), ("env_link", "FORBIDDEN"), (".env", "FORBIDDEN"),
        ("key.pem", "FORBIDDEN"), (".git/config", "FORBIDDEN"), ("pipe", "FORBIDDEN"), ("src", "FORBIDDEN"),
        ("hidden/note.txt", "NOT_FOUND"), ("node_modules/x/index.js", "NOT_FOUND"), ("none.txt", "NOT_FOUND"),
        ("big.txt", "INVALID_REQUEST"), ("", "INVALID_REQUEST"), ("a\0b", "INVALID_REQUEST"),
    ],
)  # fmt: skip
def test_what_must_not_be_shown_is_refused(desk: Desk, place: Path, path: str, code: str) -> None:
    """SHOW-GUARD: secrets, links and paths that lead out, devices, ignored and large files: not a byte of them."""
    with pytest.raises(Failure) as caught:
        ask(desk, path=path)
    said = f"{caught.value.message} {caught.value.details} {caught.value.effective_hint}"
    assert caught.value.error_code.cleats == code, said
    assert SECRET not in said and str(place) not in said
    assert "--allowed-root" not in said, "no root makes this readable"


@pytest.mark.parametrize(
    "raw",
    [
        {}, {"path": "long.txt", "id": "sym_1"}, {"id": "sym_1", "startLine": 1}, {"path": "long.txt", "startLine": 0},
        {"path": "long.txt", "startLine": 5, "endLine": 4}, {"path": "long.txt", "startLine": 101},
    ],
)  # fmt: skip
def test_nonsense_is_refused(desk: Desk, raw: dict[str, object]) -> None:
    """C-ARGS-STRICT, C-ONE-TARGET: one file, by lines that it has."""
    with pytest.raises(Failure) as caught:
        ask(desk, **raw)
    assert caught.value.code == "INVALID_REQUEST"


@pytest.mark.parametrize("most", [700, 900, 1_200])
@pytest.mark.parametrize("path", ["long.txt", "wide.txt"])
def test_the_byte_budget_is_kept_and_said(desk: Desk, path: str, most: int) -> None:
    """C-BYTE-BUDGET: whole lines as many as fit, and where to go on; a line too long for all is cut."""
    payload = ask(desk, most, path=path)
    assert len(encode(payload)) <= most
    assert payload["truncated"] and payload["text"]
    assert payload["nextLine"] == payload["endLine"] + 1
    if path == "long.txt":
        assert payload["text"].split("\n") == LINES[: payload["endLine"]]


def test_an_edited_file_is_shown_as_it_is_and_its_old_hits_are_not(tmp_path: Path) -> None:
    """SHOW-FRESH: by path the bytes on disk now; a hit of the old content is refused as stale."""
    repo = make_repo(tmp_path / "repo", {"a.py": SOURCE})
    with desk_on(repo, tmp_path / "data") as made:
        made.index("live")
        symbol = made.locate("second", "live").hits[0].symbol_id
        (repo / "a.py").write_text("x = 1\n" + SOURCE)
        shown = ask(made, path="a.py", branch="live")
        assert shown["text"].startswith("x = 1") and shown["freshness"] == "stale"
        with pytest.raises(Failure) as caught:
            ask(made, id=symbol, branch="live")
        assert caught.value.code == "INDEX_STALE" and caught.value.effective_hint
