"""Odd names and odd kinds of files: nothing is followed out of the root, nothing blocks, secrets are never read."""

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.model.call import Call
from tests.badinput.oddrepo import assert_whole, facts_by_path, odd_repo, skipped
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import git, make_repo

CANARY = "zqcanary7731secret"
CONTROL = "zqcontrol8842public"
SECRETS = [".env", ".ENV", ".env.production", "config/.env", "id_rsa", "server.pem", "Key.PEM", ".aws/credentials"]
NAMES: dict[str | bytes, str] = {
    "with space.py": "in_space",
    "new\nline.py": "in_newline",
    "tab\tand\x1b[31mescape.py": "in_escape",
    "-leading.py": "in_dash",
    "--format=x.py": "in_option",
    "\u202egnp.py": "in_bidi",
    "e\u0301.py": "in_nfd",
    "\u00e9.py": "in_nfc",
    "Twin.py": "in_upper",
    "twin.py": "in_lower",
    "trailing .py ": "",
    "a" * 250 + ".py": "in_long",
    b"caf\xe9.py": "in_bytes",
    "environment.py": "in_environment",
    "node_modules_doc.md": "",
    ".github/check.py": "in_github",
}


def body(name: str) -> bytes:
    return f"def {name or 'plain'}():\n    pass\n".encode()


@dataclass(frozen=True)
class Place:
    desk: Desk
    repo: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    base = tmp_path_factory.mktemp("names")
    outside = base / "outside"
    outside.mkdir()
    (outside / "loot.py").write_text("def loot():\n    pass\n")
    repo = odd_repo(base / "repo", {name: body(symbol) for name, symbol in NAMES.items()})
    for name in SECRETS:
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text(f"TOKEN={CANARY}\n")
    (repo / "open.py").write_text(f"TOKEN = '{CONTROL}'\n")
    git(repo, "add", "-A", "-f")
    git(repo, "commit", "-q", "-m", "all")
    git(repo, "branch", "copy")
    os.mkfifo(repo / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(repo / "s.py"))
    (repo / "passwd.py").symlink_to("/etc/passwd")
    (repo / "loop_a.py").symlink_to("loop_b.py")
    (repo / "loop_b.py").symlink_to("loop_a.py")
    (repo / "away").symlink_to(outside)
    (repo / "up").symlink_to(repo)
    (repo / "dangling.py").symlink_to("nowhere.py")
    (repo / "inside.py").symlink_to("neighbour.py")
    make_repo(repo / "nested", {"deep.py": "def in_nested():\n    pass\n"})
    with desk_on(repo, base / "data") as desk:
        assert desk.index().status == "published"
        assert desk.index("copy").status == "published"
        yield Place(desk, repo)


def test_an_index_with_odd_names_is_whole(place: Place) -> None:
    """BAD-NAMES: names with spaces, line breaks, dashes and bytes that are no UTF-8 disturb nothing."""
    assert_whole(place.desk)


@pytest.mark.parametrize("ref", ["main", "copy"])
@pytest.mark.parametrize("name", [name for name, symbol in NAMES.items() if symbol], ids=ascii)
def test_an_oddly_named_file_is_found(place: Place, name: str | bytes, ref: str) -> None:
    """BAD-NAMES: the file is in the view by its own name, live and in a commit; bad bytes are shown escaped."""
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    assert place.desk.places(NAMES[name], ref) == {f"{shown}:1"}
    assert os.fsdecode(os.fsencode(name)) in facts_by_path(place.desk, ref)
    assert place.desk.search(NAMES[name], ref).hits[0].path == shown


def test_every_answer_can_be_written_as_json(place: Place) -> None:
    """BAD-NAMES: no lone surrogate of a file name reaches an answer."""
    for name in NAMES.values():
        for hit in (*place.desk.search(name or "plain").hits, *place.desk.locate(name or "plain").hits):
            for text in (hit.path, hit.name, hit.qualified_name, hit.snippet, hit.signature):
                text.encode("utf-8")
    (node, *_) = place.desk.engine.outline(None, "with space.py", None, "all", Call(), "best_effort").nodes
    assert node.name == "in_space"


def test_what_is_not_a_plain_file_is_counted_by_reason(place: Place) -> None:
    """BAD-KINDS: links, pipes, sockets and nested repositories are left out, each with its reason."""
    assert skipped(place.desk) == {
        "symlink": 7,
        "not_regular": 2,
        "nested_repository": 1,
        "secret": len(SECRETS),
    }
    assert skipped(place.desk, "copy") == {"secret": len(SECRETS)}


@pytest.mark.parametrize("name", ["loot", "in_nested", "root"])
def test_nothing_behind_a_link_or_border_is_indexed(place: Place, name: str) -> None:
    """BAD-LINKS: neither a link to a file, nor one to a directory, nor a nested repository is entered."""
    assert place.desk.locate(name).hits == ()
    found = {hit.path for hit in place.desk.search("root bin bash loot").hits}
    assert not {path for path in found if "passwd" in path or "away" in path}


@pytest.mark.parametrize("ref", ["main", "copy"])
def test_a_secret_is_nowhere_in_the_index(place: Place, ref: str) -> None:
    """BAD-SECRETS: what stands in secret files is in no file of the data directory, no facts and no answer."""
    assert place.desk.search(CONTROL, ref).total > 0
    assert place.desk.search(CANARY, ref).total == 0
    assert CANARY not in repr(facts_by_path(place.desk, ref))
    for path in place.desk.data.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_file_is_no_file_of_the_view(place: Place, name: str) -> None:
    """BAD-SECRETS: asking for a secret file by its path finds nothing."""
    with pytest.raises(Failure) as caught:
        place.desk.engine.outline(None, name, None, "all", Call(), "best_effort")
    assert caught.value.code == "FILE_NOT_FOUND"
    assert name not in [hit.path for hit in place.desk.search(name.replace("/", " "), limit=50).hits]
