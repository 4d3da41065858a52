"""Usage errors: what is wrong with a command line, in one sentence, and the likeliest correction."""

import argparse
import difflib
import re

_INVALID_CHOICE = re.compile(r"(?s)argument (.+?): invalid choice: '(.*?)' \(choose from (.*)\)")
_UNRECOGNIZED = re.compile(r"(?s)unrecognized arguments: (.*)")
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
            return _suggest(problem, given, choices, f"{parser.prog} {{}}", help_hint)
        problem = f"{name} is one of {', '.join(choices)}; not {given[:MAX_SHOWN]!r}."
        return _suggest(problem, given, choices, f"{name} {{}}", help_hint)
    unknown = _UNRECOGNIZED.fullmatch(message)
    if unknown:
        first = unknown[1].split(" ")[0]
        kind = "flag" if first.startswith("-") else "argument"
        flags = [flag for flag in parser._option_string_actions if flag.startswith("--")]
        return _suggest(f"Unknown {kind}: {first[:MAX_SHOWN]}.", first.split("=")[0], flags, "{}", help_hint)
    return f"{message[:1].upper()}{message[1:]}.", {}, help_hint


def _suggest(problem: str, given: str, choices: list[str], form: str, hint: str) -> tuple[str, dict[str, object], str]:
    near = difflib.get_close_matches(given, choices, n=1)
    return (f"{problem} Did you mean '{form.format(near[0])}'?" if near else problem), {}, hint
