"""Command `search`: its flags, derived from the table of filters, and the choice of the tool.

Words and filters go to `search_code`, which ranks everything in one list. With a mode, an output or any other
option of the tool `search`, that tool answers with one list for each kind of text. Imports nothing heavy, because
the parser is built from it.
"""

import argparse
from typing import Any

from codecompass.model.queries.filters import FILTERS, FilterRow
from codecompass.surfaces.cli.list_page import is_tool_limit

_TYPES: dict[str, type] = {"count": int, "days": float}
_REPEATABLE = ("texts", "meta")
_METAVAR = {"count": "N", "days": "DAYS", "date": "DATE", "texts": "PATTERN", "meta": "KEY=VALUE", "json": "JSON"}
_FIELD_METAVAR = {
    "type": "KINDS", "author": "NAME", "chunkAuthor": "NAME", "import": "MODULE", "calls": "NAME", "uses": "NAME",
    "signature": "PART", "param": "NAME", "decorator": "NAME", "inferredType": "TYPE", "returnType": "TYPE",
    "throws": "TYPE", "extends": "TYPE", "reads": "NAME", "writes": "NAME", "mutates": "NAME", "alias": "NEW=OLD",
    "awaits": "NAME", "risk": "TAG", "riskTag": "TAG", "riskSource": "NAME", "riskSink": "NAME",
    "riskCategory": "CATEGORY", "riskFlow": "SOURCE->SINK", "visibility": "WORDS", "ext": "ENDING",
}  # fmt: skip
"""Words for the values of filters whose kind says too little."""
_OWN_FLAGS = ("lang",)
"""Filters whose flags the command defines itself."""


def add_search_flags(parser: argparse.ArgumentParser) -> None:
    """Add all arguments of `codecompass search`."""
    parser.add_argument("query", metavar="QUERY", nargs="?",
                        help='words, a name, a path, an error message; "phrases", -not, AND, OR, (groups), '
                             "field:value; or a whole issue; '-' reads stdin")  # fmt: skip
    parser.add_argument("--ref", "--branch", dest="ref", metavar="REF",
                        help="branch or 'live' (default: the current branch)")  # fmt: skip
    parser.add_argument("--lang", "--language", dest="language", metavar="LANGUAGE",
                        help="only these languages, separated by commas")  # fmt: skip
    parser.add_argument("--limit", type=int, default=None, metavar="N", help="results at most (default: 10; 0: all)")
    parser.add_argument("--all", action="store_const", const=0, dest="limit", help="show all results, as --limit 0")
    parser.add_argument("--offset", type=int, default=None, metavar="N", help="skip so many results first")
    parser.add_argument("-i", "--interactive", action="store_true",
                        help="results while you type, with a preview; Enter opens one in the editor")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the tool's payload, exactly")
    narrowed = parser.add_argument_group("filters", "All that are given must hold.")
    for row in FILTERS:
        if row.field not in _OWN_FLAGS:
            _add_filter(narrowed, row)
    _add_options(parser.add_argument_group("lists", "Any of these gives a list for each kind of text."))


def _add_filter(group: "argparse._ArgumentGroup", row: FilterRow) -> None:
    dest, text = f"filter:{row.field}", row.doc[:1].lower() + row.doc[1:].rstrip(".")
    if row.kind == "flag":
        group.add_argument(row.flag, dest=dest, action=argparse.BooleanOptionalAction, default=None, help=text)
        return
    group.add_argument(
        row.flag, dest=dest, type=_TYPES.get(row.kind, str), default=None, help=text.replace("%", "%%"),
        metavar=_FIELD_METAVAR.get(row.field) or _METAVAR.get(row.kind, "WORD"),
        action="append" if row.kind in _REPEATABLE else "store",
    )  # fmt: skip


def _add_options(group: "argparse._ArgumentGroup") -> None:
    modes = ("code", "prose", "extracted-prose", "records", "all", "both")
    group.add_argument("--mode", dest="search:mode", choices=modes, help="kinds of text (default: all but records)")
    group.add_argument("--backend", dest="search:backend", metavar="NAME", choices=("auto", "tantivy", "sqlite"),
                       help="auto, tantivy or sqlite")  # fmt: skip
    group.add_argument("--output", dest="search:output", choices=("compact", "full", "json"), help="fields of a hit")
    for word in ("compact", "full"):
        group.add_argument(f"--{word}", dest="search:output", action="store_const", const=word,
                           help=f"the same as --output {word}")  # fmt: skip
    group.add_argument("-n", "--top", dest="search:top", type=int, metavar="N", help="hits in each list, 1 to 100")
    group.add_argument("--context", dest="search:context", type=int, metavar="N", help="lines around each hit")
    group.add_argument("--case", dest="search:case", action="store_true", default=None, help="upper and lower differ")
    group.add_argument("--case-file", dest="search:caseFile", action="store_true", default=None, help="so in paths")
    group.add_argument("--case-tokens", dest="search:caseTokens", action="store_true", default=None, help="so in words")
    group.add_argument("--ann", dest="search:ann", action=argparse.BooleanOptionalAction, default=None,
                       help="by meaning besides, where a model is installed")  # fmt: skip
    group.add_argument("--explain", "--why", dest="search:explain", action="store_true", default=None,
                       help="what each score was made of")  # fmt: skip


def select_tool(args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the tool for these arguments, and the arguments of its call."""
    given = {key: value for key, value in vars(args).items() if value is not None}
    filters = {key[7:]: value for key, value in given.items() if key.startswith("filter:")}
    options = {key[7:]: value for key, value in given.items() if key.startswith("search:")}
    if not options:
        raw: dict[str, Any] = {"query": args.query, "limit": given["limit"] if is_tool_limit(args.limit) else 10}
        raw |= {key: given[key] for key in ("ref",) if key in given}
        language = given.get("language")
        if language is not None and "," in language:
            filters["lang"] = language
        elif language is not None:
            raw["language"] = language
        return "search_code", raw | ({"filters": filters} if filters else {})
    raw = {"query": args.query, **filters, **options}
    raw |= {name: given[key] for key, name in (("ref", "branch"), ("language", "lang")) if key in given}
    if is_tool_limit(args.limit):
        raw.setdefault("top", args.limit)
    return "search", raw
