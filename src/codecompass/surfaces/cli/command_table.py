"""Commands that call one tool, as rows. Imports nothing heavy, because the parser is built from it."""

from typing import NamedTuple

from codecompass.model.states import SEVERITIES


class CommandFlag(NamedTuple):
    """One option of a command, which sets a parameter of the tool."""

    name: str
    help: str
    kind: type = str
    choices: tuple[str, ...] = ()
    metavar: str = ""
    """What the value stands for in the help; a number by default."""


class QueryCommand(NamedTuple):
    """A command, the tool that it calls, and its positional arguments."""

    command: str
    tool: str
    help: str
    words: tuple[str, ...] = ()
    """Positional parameters in order; a name that ends in `?` is optional."""
    flags: tuple[CommandFlag, ...] = ()


PAGING = (
    CommandFlag("limit", "results at most (0: all)", int),
    CommandFlag("all", "show all results, as --limit 0", bool),
    CommandFlag("offset", "skip so many results first", int),
)
KIND = CommandFlag("kind", "fn, method, class, struct, …", metavar="KIND")
DEPTH = CommandFlag("depth", "steps to follow", int)
FILE = CommandFlag("file", "only definitions in this file", metavar="FILE")
LANGUAGE = CommandFlag("language", "only this language", metavar="LANGUAGE")

QUERY_COMMANDS = (
    QueryCommand("locate", "locate_symbol", "Find where a symbol is defined.", ("name",), (KIND, LANGUAGE, *PAGING)),
    QueryCommand("outline", "get_file_outline", "Show the symbols of a file as a tree.", ("path",),
             (CommandFlag("depth", "top or all", str, ("top", "all")),)),
    QueryCommand("references", "find_references", "Find every use of a symbol.", ("name",),
             (FILE, *PAGING, CommandFlag("resolution", "least certainty", str, ("resolved", "ambiguous", "all")),
              CommandFlag("explain", "also list mentions that are not uses, with the proof", bool))),
    QueryCommand("calls", "get_call_graph", "Show who calls a symbol and whom it calls.", ("name",),
             (FILE, *PAGING, DEPTH, CommandFlag("direction", "which side", str, ("callers", "callees", "both")))),
    QueryCommand("types", "get_symbol_hierarchy", "Show the types above and below a symbol, and its members.",
        ("name",), (FILE, *PAGING, DEPTH)),
    QueryCommand("inspect", "inspect_symbol", "Show all facts of a symbol: parameters, types, flow, lint, history.",
             ("name",), (FILE, CommandFlag("authors", "also who wrote its lines", bool))),
    QueryCommand("lint", "get_diagnostics", "Show what parsers and the Python linter say of files.", ("path?",),
        PAGING),
    QueryCommand("risks", "find_risks", "Show where untrusted values reach dangerous calls.",
             ("path?",), (*PAGING, CommandFlag("category", "only this: sql, command, path, ssrf, …", metavar="NAME"),
                          CommandFlag("min-severity", "least severity", str, SEVERITIES))),
    QueryCommand("bundle", "get_code_context", "Collect the code that answers a question, within a budget.", ("query",),
             (CommandFlag("max-tokens", "budget of the answer", int), LANGUAGE)),
    QueryCommand("diff", "diff_context", "Show which symbols changed between two refs, and who calls them.",
             ("base_ref?", "head_ref?"), PAGING),
    QueryCommand("refs", "list_refs", "List branches, tags and worktrees, and what is indexed of each.", (),
             (*PAGING, CommandFlag("contains", "only names that hold this", metavar="PART"))),
)  # fmt: skip
COMMANDS_WITHOUT_REF = frozenset({"diff", "refs"})
"""Commands without `--ref`, because their subject is refs."""

WORD_HELP = {
    "name": "a name, Class.method, or an id such as sym_…",
    "path": "a file or directory of the project",
    "query": "a question in plain words, names, or an issue; '-' reads stdin",
    "base_ref": "where the change begins (default: the last commit)",
    "head_ref": "where it ends (default: the working tree)",
}
"""Explanations of positional parameters."""
