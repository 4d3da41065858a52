"""Usage errors: what is wrong with a command line, in one sentence, and the likeliest correction."""

import argparse
import re
import shlex
from collections.abc import Sequence

from codecompass.errors import Failure
from codecompass.model.near_words import find_near_words
from codecompass.surfaces.cli.care_args import CARE_ACTIONS

_INVALID_CHOICE = re.compile(r"(?s)argument (.+?): invalid choice: '(.*?)' \(choose from (.*)\)")
_UNRECOGNIZED = re.compile(r"(?s)unrecognized arguments: (.*)")
_REQUIRED = re.compile(r"(?s)the following arguments are required: (.*)")
_NOT_A_NUMBER = re.compile(r"(?s)argument (.+?): invalid int value: '(.*)'")
MAX_SHOWN = 100


def explain_usage_error(parser: argparse.ArgumentParser, message: str) -> tuple[str, dict[str, object], str]:
    """Return the message, no details, and the hint of a Failure for an error of argparse."""
    help_hint = f"See '{parser.prog} --help'."
    choice = _INVALID_CHOICE.fullmatch(message)
    if choice:
        name, given = choice[1], choice[2]
        choices = [word.strip("' ") for word in choice[3].split(",")]
        if name in ("COMMAND", "ACTION", "export|import"):
            problem = f"Unknown command: {given[:MAX_SHOWN]}."
            inner = find_nested_command(parser, given)
            if inner is not None:
                return f"{problem} Did you mean '{inner}'?", {}, help_hint
            return _suggest(problem, given, choices, f"{parser.prog} {{}}", help_hint)
        problem = f"{name} is one of {', '.join(choices)}; not {given[:MAX_SHOWN]!r}."
        return _suggest(problem, given, choices, f"{name} {{}}" if name.startswith("-") else "{}", help_hint)
    missing = _REQUIRED.fullmatch(message)
    if missing:
        return f"{missing[1]} {'are' if ', ' in missing[1] else 'is'} missing.", {}, help_hint
    number = _NOT_A_NUMBER.fullmatch(message)
    if number:
        return f"{number[1]} takes a whole number, not {number[2][:MAX_SHOWN]!r}.", {}, help_hint
    unknown = _UNRECOGNIZED.fullmatch(message)
    if unknown:
        first = unknown[1].split(" ")[0]
        kind = "flag" if first.startswith("-") else "argument"
        flags = [flag for flag in parser._option_string_actions if flag.startswith("--")]
        return _suggest(f"Unknown {kind}: {first[:MAX_SHOWN]}.", first.split("=")[0], flags, "{}", help_hint)
    return f"{message[:1].upper()}{message[1:]}.", {}, help_hint


def find_nested_command(parser: argparse.ArgumentParser, given: str) -> str | None:
    """Return the command below another command that has this name, such as `codecompass care gc` for `gc`."""
    for command in _list_subparsers(parser):
        for inner in _list_subparsers(command):
            if inner.prog.rpartition(" ")[2] == given:
                return inner.prog
    # The actions of `care` are tools, and their parsers are made from these only when they are needed.
    return next((f"{parser.prog} care {one.name}" for one in CARE_ACTIONS if one.name == given), None)


def _list_subparsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    actions = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return [inner for action in actions for inner in action.choices.values()]


def _suggest(problem: str, given: str, choices: list[str], form: str, hint: str) -> tuple[str, dict[str, object], str]:
    near = find_near_words(given, choices, 1)
    return (f"{problem} Did you mean '{form.format(near[0])}'?" if near else problem), {}, hint


def correct_command(words: Sequence[str], failure: Failure) -> str | None:
    """Return the command line with the word that a failure is about replaced by the nearest known one, or None."""
    near = list_near(failure)
    given = next((failure.details[key] for key in ("given", "name", "path", "ref") if key in failure.details), None)
    if not near or not isinstance(given, str):
        return None
    for test in (_is_equal, _has_base_name):
        for at, word in enumerate(words):
            head, sign, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
            if test(value, given):
                return shlex.join(["codecompass", *words[:at], f"{head}{sign}{near[0]}", *words[at + 1 :]])
    return None


def list_near(failure: Failure) -> list[str]:
    """Return the known words that a failure suggests."""
    near = failure.details.get("near")
    return [one for one in near if isinstance(one, str)] if isinstance(near, list) else []


def _is_equal(value: str, given: str) -> bool:
    return value == given


def _has_base_name(value: str, given: str) -> bool:
    # A path of the command line begins at the current directory, that of the failure at the root.
    return bool(value) and "/" in given and value.rpartition("/")[2] == given.rpartition("/")[2]
