"""A typo brings up the nearest thing that exists: as a command in a shell, as data for an agent."""

import json
import shlex

import pytest

from codecompass.model.near_words import find_near_words
from tests.surfaces.conftest import Shell
from tests.surfaces.helprepo import make_example_repository


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return make_example_repository(tmp_path_factory.mktemp("near"))


MISSING = (
    ("references load_confg", 5, "codecompass references load_config"),
    ("calls Sesion", 5, "codecompass calls Session"),
    ("types CachdSession", 5, "codecompass types CachedSession"),
    ("inspect Session.clse", 5, "codecompass inspect Session.close"),
    ("inspect Sesion.close", 5, "codecompass inspect Session.close"),
    ("outline src/sesion.py", 5, "codecompass outline src/session.py"),
    ("lint src/confg.py", 5, "codecompass lint src/config.py"),
    ("open --print src/sesion.py:3", 5, "codecompass open --print src/session.py:3"),
    ("history src/servr.py", 5, "codecompass history src/server.py"),
    ("references Session --file src/sesion.py", 5, "codecompass references Session --file src/session.py"),
    ("search config --ref mian", 5, "codecompass search config --ref main"),
    ("index --ref=mian", 5, "codecompass index --ref=main"),
    ("diff v1.O", 5, "codecompass diff v1.0"),
    ("grep config --ref mian", 5, "codecompass grep config --ref main"),
    ("tool locate_symbl --name x", 5, "codecompass tool locate_symbol --name x"),
    ("search config --lang pyton", 2, "codecompass search config --lang python"),
    ("setup cursr --print", 2, "codecompass setup cursor --print"),
    ("serve-mcp --toolset agnt", 2, "codecompass serve-mcp --toolset agent"),
)


@pytest.mark.parametrize(("command", "code", "meant"), MISSING)
def test_the_nearest_is_a_command_to_paste(shop: Shell, command: str, code: int, meant: str) -> None:
    """CLI-NEAR-NAMES: one line says what is wrong and what was probably meant, the next is the command."""
    done = shop.run(*shlex.split(command))
    error, hint = done.stderr.splitlines()[-2:]
    assert done.returncode == code and "Did you mean '" in error and hint == f"hint: {meant}"


def test_a_path_is_meant_from_here(shop: Shell) -> None:
    """CLI-NEAR-NAMES: also below the root; the command works where it is pasted."""
    below = Shell(shop.cwd / "src", shop.env)
    hint = below.run("outline", "sesion.py").stderr.splitlines()[-1].removeprefix("hint: codecompass ")
    assert "Session" in below.run(*shlex.split(hint)).stdout
    directory = shop.run("outline", "src")
    assert directory.returncode == 5 and "'src' is a directory" in directory.stderr


def test_locate_names_the_nearest(shop: Shell) -> None:
    """CLI-NEAR-NAMES: in words, as a command, and over MCP as a call; nothing is suggested that is far away."""
    done = shop.run("locate", "Sesion")
    assert (
        done.returncode == 1 and "Did you mean Session" in done.stdout and "codecompass locate Session" in done.stdout
    )
    payload = json.loads(shop.run("tool", "locate_symbol", "Sesion").stdout)
    first = payload["suggested_next_actions"][0]
    assert (first["tool"], first["name"]) == ("locate_symbol", "Session")
    assert "note" not in json.loads(shop.run("tool", "locate_symbol", "zzqqxxyy").stdout)


@pytest.mark.parametrize(
    ("call", "near"),
    [
        ("find_references --name load_confg", "load_config"),
        ("get_file_outline --path src/sesion.py", "src/session.py"),
        ("search_code --query x --ref mian", "main"),
    ],
)
def test_agents_get_the_same_as_data(shop: Shell, call: str, near: str) -> None:
    """CLI-NEAR-NAMES: `near` in the data of the error, and a suggestion without shell commands."""
    data = json.loads(shop.run("tool", *call.split()).stdout)["error"]["data"]
    assert data["near"][0] == near and "codecompass" not in data["suggestion"]


def test_near_words() -> None:
    """CLI-NEAR-NAMES: case counts for nothing, order is by likeness, and long words are left alone."""
    assert find_near_words("QUERYST", ["queue", "QuerySet", "query"])[0] == "QuerySet"
    assert find_near_words("", ["a"]) == [] and find_near_words("x" * 5000, ["x"]) == []
    assert find_near_words("abc", ["xyz"]) == []


def test_a_name_that_another_begins_with(shop: Shell) -> None:
    """CLI-NEAR-NAMES: of `QuerySt` the near name is `QuerySet`, though `QueryString` begins with it; search says so."""
    (shop.cwd / "src" / "query.py").write_text("class QuerySet: ...\n\n\nclass QueryString: ...\n")
    assert shop.run("sync").returncode == 0
    for command in ("locate", "search"):
        found = shop.run(command, "QuerySt")
        assert found.returncode == 0 and "No symbol is named 'QuerySt'. Did you mean QuerySet" in found.stdout, found
    assert "Did you mean" not in shop.run("search", "QueryString").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gc"], "Unknown command: gc. Did you mean 'codecompass care gc'?"),
        (["completion", "bsh"], "Did you mean 'bash'?"),
        (["locate"], "NAME is missing."),
        (["search", "x", "--limit", "many"], "--limit takes a whole number, not 'many'."),
    ],
)
def test_what_is_wrong_in_words(shop: Shell, words: list[str], said: str) -> None:
    """CLI-NEAR-NAMES: no words of the argument parser, and a command below another is found."""
    done = shop.run(*words)
    assert done.returncode == 2 and said in done.stderr, done.stderr
