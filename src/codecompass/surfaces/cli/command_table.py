"""Commands that call one tool, as rows. Imports nothing heavy, because the parser is built from it."""

from typing import NamedTuple


class Flag(NamedTuple):
    """One option of a command, which sets a parameter of the tool."""

    name: str
    help: str
    kind: type = str
    choices: tuple[str, ...] = ()


class Question(NamedTuple):
    """A command, the tool that it calls, and its positional arguments."""

    command: str
    tool: str
    help: str
    words: tuple[str, ...] = ()
    """Positional parameters in order; a name that ends in `?` is optional."""
    flags: tuple[Flag, ...] = ()


LIMIT = Flag("limit", "results at most", int)
KIND = Flag("kind", "fn, method, class, struct, …")
DEPTH = Flag("depth", "steps to follow", int)
FILE = Flag("file", "only definitions in this file")
LANGUAGE = Flag("language", "only this language")

QUESTION_ROWS = (
    Question("locate", "locate_symbol", "Find where a symbol is defined.", ("name",), (KIND, LANGUAGE, LIMIT)),
    Question("outline", "get_file_outline", "Show the symbols of a file as a tree.", ("path",),
             (Flag("depth", "top or all", str, ("top", "all")),)),
    Question("references", "find_references", "Find every use of a symbol.", ("name",),
             (FILE, LIMIT, Flag("resolution", "least certainty", str, ("resolved", "ambiguous", "all")),
              Flag("explain", "also list mentions that are not uses, with the proof", bool))),
    Question("calls", "get_call_graph", "Show who calls a symbol and whom it calls.", ("name",),
             (FILE, LIMIT, DEPTH, Flag("direction", "which side", str, ("callers", "callees", "both")))),
    Question("types", "get_symbol_hierarchy", "Show the types above and below a symbol, and its members.", ("name",),
             (FILE, LIMIT, DEPTH)),
    Question("inspect", "inspect_symbol", "Show all facts of a symbol: parameters, types, flow, lint, history.",
             ("name",), (FILE, Flag("authors", "also who wrote its lines", bool))),
    Question("lint", "get_diagnostics", "Show what parsers and the Python linter say of files.", ("path?",), (LIMIT,)),
    Question("risks", "find_risks", "Show where untrusted values reach dangerous calls.",
             ("path?",), (LIMIT, Flag("category", "only this one: sql, command, path, ssrf, …"),
                          Flag("min-severity", "least severity", str, ("low", "medium", "high", "critical")))),
    Question("bundle", "get_code_context", "Collect the code that answers a question, within a budget.", ("query",),
             (Flag("max-tokens", "budget of the answer", int), LANGUAGE)),
    Question("diff", "diff_context", "Show which symbols changed between two refs, and who calls them.",
             ("base_ref?", "head_ref?"), (LIMIT,)),
    Question("grep", "grep_codebase", "Find lines that a regular expression matches.", ("pattern",),
             (LIMIT, Flag("file-pattern", "only files that fit this glob"),
              Flag("case-sensitive", "tell capitals from small letters", bool))),
    Question("refs", "list_refs", "List branches, tags and worktrees, and what is indexed of each.", (),
             (LIMIT, Flag("contains", "only names that hold this"))),
)  # fmt: skip
REFLESS = frozenset({"diff", "refs"})
"""Commands without `--ref`, because their subject is refs."""
