"""Groups of commands in the order of the help, as rows. Imports nothing heavy, because `--help` must be fast."""

from typing import NamedTuple


class CommandGroup(NamedTuple):
    """A heading of the help and the commands below it."""

    title: str
    commands: tuple[str, ...]


GROUPS = (
    CommandGroup("Start here", ("index", "search", "status", "setup", "help")),
    CommandGroup("Ask", ("locate", "references", "calls", "types", "inspect", "outline", "grep", "bundle", "open")),
    CommandGroup("Understand a change", ("diff", "history", "refs")),
    CommandGroup("Memory", ("context",)),
    CommandGroup("Findings", ("lint", "risks", "triage")),
    CommandGroup(
        "Index and maintenance",
        ("init", "sync", "watch", "jobs", "projects", "forget", "care", "state", "doctor", "eval", "languages"),
    ),
    CommandGroup("Servers and agents", ("serve-mcp", "serve-http", "http-token", "tool", "completion", "man")),
)
MORE = "More"
"""Heading of commands that are in no group."""


class FirstStep(NamedTuple):
    """One line of the page that `codecompass` prints alone."""

    line: str
    meaning: str


FIRST_STEPS = (
    FirstStep("codecompass index", "read the code of this repository once"),
    FirstStep('codecompass search "where are errors handled"', "ask a question, or name something"),
    FirstStep("codecompass references NAME", "every use of a function, class or constant"),
    FirstStep("codecompass setup", "let your coding agents use it, too"),
)


def group_commands(commands: list[str]) -> list[CommandGroup]:
    """Return the groups with those commands that exist, and the ones in no group at the end."""
    found = [CommandGroup(row.title, tuple(name for name in row.commands if name in commands)) for row in GROUPS]
    known = {name for row in GROUPS for name in row.commands}
    found.append(CommandGroup(MORE, tuple(name for name in commands if name not in known)))
    return [row for row in found if row.commands]
