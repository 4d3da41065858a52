"""Commands that ask one tool: the payload for programs, a picture for people, clear errors for both."""

import json

import pytest

from codecompass.surfaces.cli.command_table import QUERY_COMMANDS
from tests.surfaces.conftest import Shell
from tests.surfaces.parity import without_times

ASKED: dict[str, tuple[list[str], list[str], str]] = {
    "locate": (["Auth"], ["--name", "Auth"], "src/auth.py:1"),
    "outline": (["src/auth.py"], ["--path", "src/auth.py"], "validate_token"),
    "references": (["rate_limit"], ["--name", "rate_limit"], "0 uses"),
    "calls": (["Auth.validate_token"], ["--name", "Auth.validate_token"], "0 callers"),
    "types": (["Auth"], ["--name", "Auth"], "1 member"),
    "inspect": (["Auth.validate_token"], ["--name", "Auth.validate_token"], "takes"),
    "lint": (["src"], ["--path", "src"], "messages"),
    "risks": (["src"], ["--path", "src"], "findings"),
    "bundle": (["validate token"], ["--query", "validate token"], "def validate_token"),
    "diff": ([], [], "no symbol changed"),
    "refs": ([], [], "live"),
}


FOUND_NOTHING = {"references"}


def test_every_question_is_asked() -> None:
    """CLI-QUESTIONS: the rows and these tests name the same commands."""
    assert {row.command for row in QUERY_COMMANDS} == set(ASKED)


@pytest.mark.parametrize("command", sorted(ASKED))
def test_a_question_has_both_forms(indexed: Shell, command: str) -> None:
    """CLI-QUESTIONS, CLI-PARITY: `--json` is the tool's payload, without it people read the same."""
    words, flags, shown = ASKED[command]
    tool = next(row.tool for row in QUERY_COMMANDS if row.command == command)
    plain = indexed.run(command, *words)
    assert plain.returncode == (1 if command in FOUND_NOTHING else 0) and shown in plain.stdout, (
        plain.stdout + plain.stderr
    )
    asked = indexed.run(command, *words, "--json")
    called = indexed.run("tool", tool, *flags)
    assert without_times(json.loads(asked.stdout)) == without_times(json.loads(called.stdout))


def test_a_question_that_finds_nothing(indexed: Shell) -> None:
    """CLI-QUESTIONS, CLI-EXIT-CODES: an unknown symbol is an error with a way out, not an empty page."""
    found = indexed.run("references", "no_such_thing_here")
    assert found.returncode != 0 and "error:" in found.stderr and "hint:" in found.stderr
    assert "Traceback" not in found.stderr


def test_people_are_told_that_a_name_is_only_a_guess(indexed: Shell) -> None:
    """C-INEXACT: the first line says that nothing has the name; an exact name is shown without a word."""
    guess = indexed.run("locate", "validate_to").stdout.splitlines()
    assert guess[0] == "No symbol is named 'validate_to'; these are names that begin with it."
    assert "validate_token" in guess[1]
    assert "validate_token" in indexed.run("locate", "validate_token").stdout.splitlines()[0]
