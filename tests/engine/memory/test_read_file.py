"""read_file on real repositories: the file as it is now, what it needs, and not a byte of what must not be read."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from codecompass.contract.codec import decode
from codecompass.contract.encoding import encode
from codecompass.contract.families import render_failure, render_success
from codecompass.contract.tool import Defaults, Host
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.tools.read_file import TOOL
from tests.engine.support import Desk, desk_on
from tests.fake_engine import READY
from tests.repo.gitrepo import commit, git, make_repo

SECRET = "hunter2-the-secret"
LINES = [f"line {number} é" for number in range(1, 401)]
TOKENS = "def check(token):\n    return bool(token)\n"
SHOP = "from auth.tokens import check\n\n\ndef sell(item):\n    return check(item)\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("read")
    repo = make_repo(base / "repo", {
        "src/auth/tokens.py": TOKENS, "src/shop.py": SHOP,
        "long.txt": "\n".join(LINES) + "\n", "empty.txt": "", "wide.txt": "é" * 50_000, "crlf.txt": "one\r\ntwo",
        ".gitignore": "hidden/\n*.tmp\n", ".github/workflows/ci.yml": "on: push\n", "tests/test_shop.py": "x = 1\n",
        "main.py": "import sys\n", "package.json": "{}\n",
    })  # fmt: skip
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {"src/shop.py": "def other():\n    return 3\n"})
    git(repo, "checkout", "-q", "main")
    hidden = (".env", ".env.local", "key.pem", "hidden/note.txt", "a.tmp", "node_modules/x/index.js", ".git/hooks/h")
    for path in hidden:
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n")
    (base / "outside.txt").write_text(SECRET)
    (base / "outside").mkdir()
    (base / "outside" / "a.txt").write_text(SECRET)
    (repo / "out").symlink_to(base / "outside.txt")
    (repo / "outdir").symlink_to(base / "outside")
    (repo / "env_link").symlink_to(".env")
    (repo / "git_link").symlink_to(".git/config")
    (repo / "shop_link.py").symlink_to("src/shop.py")
    (repo / "loop").symlink_to("loop")
    (repo / "big.txt").write_text(f"{SECRET} " * 60_000)
    (repo / "photo.png").write_bytes(b"\x89PNG\0" + SECRET.encode())
    (repo / "data.raw2").write_bytes(b"\0\0" + SECRET.encode())
    os.mkfifo(repo / "pipe")
    return base


@pytest.fixture(scope="module")
def desk(place: Path) -> Iterator[Desk]:
    with desk_on(place / "repo", place / "data") as made:
        made.index()
        made.index("side")
        yield made


def ask(desk: Desk, max_bytes: int = 65_536, /, **raw: object) -> dict[str, Any]:
    """The payload, or that of the error."""
    host = Host(desk.engine, Defaults(freshness_policy="best_effort", max_response_bytes=max_bytes))
    try:
        answer = TOOL.run(host, Call(), decode(TOOL.params, raw))
    except Failure as said:
        return render_failure(TOOL.family, said, READY, TOOL.name).payload
    reply = render_success(TOOL.family, answer)
    assert len(reply.body) <= max_bytes
    return reply.payload


def test_the_documented_payload(desk: Desk, place: Path) -> None:
    """READ-PAYLOAD: file, dependencies and metadata with the documented fields."""
    payload = ask(desk, path="src/shop.py")
    assert payload["file"] == {
        "path": "src/shop.py", "content": SHOP, "size": len(SHOP), "lines": 5, "language": "python",
    }  # fmt: skip
    assert payload["dependencies"] == []
    stamp = (place / "repo/src/shop.py").stat().st_mtime
    metadata = payload["metadata"]
    assert metadata["role"] == "core" and metadata["lastModified"].endswith("Z")
    assert abs(_epoch(metadata["lastModified"]) - stamp) <= 1
    assert ask(desk, path="src/auth/tokens.py")["metadata"]["module"] == "auth"


def _epoch(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def test_dependencies_with_their_texts(desk: Desk) -> None:
    """READ-DEPS: level 1 with content; depth 0 and no includeDeps mean none."""
    (found,) = ask(desk, path="src/shop.py", includeDeps=True)["dependencies"]
    assert found == {
        "path": "src/auth/tokens.py", "type": "import", "level": 1, "content": TOKENS,
    }  # fmt: skip
    assert ask(desk, path="src/shop.py", includeDeps=True, maxDepth=0)["dependencies"] == []


@pytest.mark.parametrize(
    ("path", "role"),
    [("tests/test_shop.py", "test"), ("package.json", "config"), ("main.py", "entry"), ("src/shop.py", "core"),
     (".github/workflows/ci.yml", "config")],
)  # fmt: skip
def test_roles(desk: Desk, path: str, role: str) -> None:
    """READ-PAYLOAD, READ-GUARD: entry, config, core or test; `.github` is no `.git`."""
    payload = ask(desk, path=path)
    assert payload["metadata"]["role"] == role and payload["file"]["content"]


TRAVERSAL, ABSOLUTE = "Path traversal not allowed", "Absolute paths not allowed"


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("none.py", "File not found"), ("src/none/x.py", "File not found"), ("src/shop.py/x", "File not found"),
        (".env", "Permission denied"), (".env.local", "Permission denied"), ("key.pem", "Permission denied"),
        (".git/config", "Permission denied"), (".git/hooks/h", "Permission denied"),
        ("./.git//config", "Permission denied"), (".GIT/config", "Permission denied"),
        ("node_modules/x/index.js", "Permission denied"),
        ("node_modules/none.js", "Permission denied"), ("../outside.txt", TRAVERSAL),
        ("src/../../outside.txt", TRAVERSAL), ("src/../../../../../../etc/passwd", TRAVERSAL),
        ("/etc/passwd", ABSOLUTE), ("C:/x", ABSOLUTE), ("out", "Permission denied"),
        ("outdir/a.txt", "Permission denied"), ("env_link", "Permission denied"), ("git_link", "Permission denied"),
        ("pipe", "Permission denied"), ("src", "Permission denied"), ("hidden/note.txt", "Permission denied"),
        ("a.tmp", "Permission denied"), ("big.txt", "File too large"), ("photo.png", "Not a text file"),
        ("data.raw2", "Not a text file"), ("a\0b", "Invalid path"), ("src\\shop.py", "Invalid path"),
        ("x" * 5_000, "Invalid path"), ("x" * 300, "Invalid path"), ("loop", "File not found"), (".", "Invalid path"),
    ],
)  # fmt: skip
def test_what_must_not_be_read_is_refused(desk: Desk, place: Path, path: str, error: str) -> None:
    """READ-GUARD: the documented error with the path, and not a byte of the file."""
    said = ask(desk, path=path)
    assert said["error"] == error, said
    assert said["path"] == path[:200] and said["details"] and said["suggestion"]
    assert said["tool"] == "read_file" and said["code"] in ("NOT_FOUND", "FORBIDDEN", "INVALID_REQUEST")
    text = encode(said).decode()
    assert SECRET not in text and str(place) not in text and "root:" not in text


def test_a_link_inside_stands_for_its_file(desk: Desk) -> None:
    """READ-GUARD: what counts is where a path leads."""
    assert ask(desk, path="shop_link.py")["file"]["path"] == "src/shop.py"


def test_other_refs(desk: Desk) -> None:
    """READ-REF: the commit's own content and date; an unknown ref is refused."""
    payload = ask(desk, path="src/shop.py", ref="side")
    assert payload["file"]["content"].startswith("def other")
    assert payload["metadata"]["lastModified"] == "2023-11-14T22:13:20Z"
    assert "no ref or commit" in ask(desk, path="src/shop.py", ref="none")["error"]
    # A file of the working tree that the ref does not have is no file there.
    assert ask(desk, path="big.txt", ref="side")["error"] == "File not found"


def test_handles(desk: Desk) -> None:
    """READ-HANDLE: a handle of an earlier answer stands for its file, and its lines are told."""
    hit = desk.locate("sell").hits[0]
    payload = ask(desk, path=hit.symbol_id)
    assert payload["file"]["path"] == "src/shop.py" and payload["file"]["focus"] == {"startLine": 4, "endLine": 5}
    assert "No definition" in ask(desk, path="sym_" + "0" * 15)["error"]


@pytest.mark.parametrize("most", [1_000, 1_500, 4_000])
def test_the_byte_budget_is_kept_and_said(desk: Desk, most: int) -> None:
    """READ-BUDGET, C-BYTE-BUDGET: cut at a line, and the rest is had by going on where it says."""
    text, line, parts = "", 1, 0
    while True:
        file = ask(desk, most, path="long.txt", startLine=line)["file"]
        text += file["content"]
        parts += 1
        if not file.get("truncated"):
            break
        assert file["content"].endswith("\n") and file["nextLine"] == file["endLine"] + 1
        line = file["nextLine"]
    assert text == "\n".join(LINES) + "\n" and parts > 1
    assert ask(desk, path="long.txt")["file"]["lines"] == 400


def test_odd_contents(desk: Desk) -> None:
    """READ-BUDGET: an empty file, line ends, a line longer than any answer."""
    assert ask(desk, path="empty.txt")["file"] == {
        "path": "empty.txt", "content": "", "size": 0, "lines": 0, "language": "text",
    }  # fmt: skip
    assert ask(desk, path="crlf.txt")["file"]["content"] == "one\r\ntwo"
    wide = ask(desk, 4_000, path="wide.txt")["file"]
    assert wide["truncated"] and wide["content"] == "é" * len(wide["content"]) and wide["content"]
    assert "line 3" in ask(desk, path="crlf.txt", startLine=3)["error"]


def test_dependencies_that_do_not_fit_are_named(tmp_path: Path) -> None:
    """READ-BUDGET, READ-DEPS: small texts first come in whole, large ones say that they were left out."""
    files = {f"m{at}.py": f"x{at} = 1\n" + "# filling\n" * (300 if at % 2 else 1) for at in range(8)}
    files["top.py"] = "".join(f"import m{at}\n" for at in range(8))
    with desk_on(make_repo(tmp_path / "repo", files), tmp_path / "data") as made:
        made.index()
        rows = ask(made, 4_000, path="top.py", includeDeps=True)["dependencies"]
        assert [row["path"] for row in rows] == [f"m{at}.py" for at in range(8)]
        assert [row.get("omitted") for row in rows] == [None, "size"] * 4
        assert all(row["content"] == files[row["path"]] for row in rows if "content" in row)
        few = ask(made, 1_200, path="top.py", includeDeps=True)
        assert len(few["dependencies"]) < 8 and "not listed" in few["metadata"]["notes"][0]


def test_the_disk_is_read_not_the_index(tmp_path: Path) -> None:
    """READ-FRESH: edited, new and deleted files are as they are now; a new ignored one stays refused."""
    repo = make_repo(tmp_path / "repo", {"a.py": "import b\n", "b.py": "y = 1\n", ".gitignore": "*.log\n"})
    with desk_on(repo, tmp_path / "data") as made:
        made.index("live")
        (repo / "b.py").write_text("y = 2\n")
        (repo / "new.py").write_text("z = 3\n")
        (repo / "new.log").write_text(SECRET)
        (repo / ".env").write_text(SECRET)
        assert ask(made, path="b.py", ref="live")["file"]["content"] == "y = 2\n"
        found = ask(made, path="a.py", includeDeps=True, ref="live")
        assert found["dependencies"][0]["content"] == "y = 2\n" and found["metadata"]["freshness"] == "stale"
        new = ask(made, path="new.py", includeDeps=True, ref="live")
        assert new["file"] == {"path": "new.py", "content": "z = 3\n", "size": 6, "lines": 1, "language": "python"}
        assert "after it was indexed" in new["metadata"]["notes"][0]
        assert ask(made, path="new.log", ref="live")["error"] == "Permission denied"
        assert ask(made, path=".env", ref="live")["error"] == "Permission denied"
        (repo / "b.py").unlink()
        assert ask(made, path="b.py", ref="live")["error"] == "File not found"


@pytest.mark.parametrize(
    "raw", [{}, {"path": ""}, {"path": "main.py", "maxDepth": 2}, {"path": "main.py", "startLine": 0},
            {"path": "main.py", "includeDeps": "yes"}, {"path": "main.py", "encoding": "x"}],
)  # fmt: skip
def test_wrong_arguments(desk: Desk, raw: dict[str, object]) -> None:
    """C-ARGS-STRICT, C-ARGS-FAMILIES: refused in the words of the family."""
    said = ask(desk, **raw)
    assert said["error"] and said["details"]
