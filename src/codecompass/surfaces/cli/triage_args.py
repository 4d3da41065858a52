"""Arguments of `triage`. Imports nothing heavy, because the parser is built from it."""

import argparse
from typing import get_args

from codecompass.model.states import DecisionKind, FindingSeverity, FindingSource

SOURCES, STATUSES, SEVERITIES = get_args(FindingSource), get_args(DecisionKind), get_args(FindingSeverity)
OPEN = "open"


def add_triage_options(parser: argparse.ArgumentParser, below: argparse.ArgumentParser) -> None:
    """Add the actions of the command, each with its own arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, text: str) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=text, description=text, parents=[below], allow_abbrev=False)
        made.add_argument("--json", action="store_true", help="the answer as JSON")
        return made

    ingest = add("ingest", "Take findings of a scanner in; doing it again takes in what changed.")
    ingest.add_argument("source", metavar="SOURCE", choices=_list_spellings(SOURCES), help=", ".join(SOURCES))
    ingest.add_argument("file", metavar="FILE", help="JSON or JSONL; '-' for standard input")
    _add_meta_option(ingest)
    decide = add("decide", "Record a decision about a finding; earlier ones stay as history.")
    decide.add_argument("finding", metavar="ID", help="the record id of the finding")
    decide.add_argument("status", metavar="STATUS", choices=_list_spellings(STATUSES), help=", ".join(STATUSES))
    decide.add_argument("--why", metavar="REASON", help="the reason")
    decide.add_argument("--by", metavar="NAME", help="who decided")
    decide.add_argument("--expires", metavar="DATE", help="until when it holds, such as 2027-01-31")
    decide.add_argument("--evidence", action="append", default=[], metavar="REF",
                        help="path, path:line, symbol, record id or URL, checked now (repeatable)")  # fmt: skip
    decide.add_argument("--code", action="append", default=[], metavar="WORD", help="a code of the reason (repeatable)")
    _add_meta_option(decide)
    pack = add("pack", "Write a finding with like decisions and what the repository says about it.")
    pack.add_argument("record", metavar="ID", help="the record id")
    pack.add_argument("--out", metavar="FILE", help="a .json file in the project (default: beside the records)")
    listed = add("list", "List findings, the worst first.")
    listed.add_argument("--status", default="", choices=(OPEN, *_list_spellings(STATUSES)), help="only these")
    listed.add_argument("--severity", default="", choices=SEVERITIES, help="at least so severe")
    listed.add_argument("--contains", default="", metavar="WORD", help="in id, package or title")
    listed.add_argument("--limit", type=int, metavar="N", help="findings at most (default: 50; 0: all)")
    listed.add_argument("--all", action="store_const", const=0, dest="limit", help="show all findings, as --limit 0")
    listed.add_argument("--offset", type=int, metavar="N", help="skip so many findings first")
    show = add("show", "Show one record with its decisions.")
    show.add_argument("record", metavar="ID", help="the record id, or the beginning that the list shows")


def _list_spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values and their spellings with hyphens."""
    return tuple(dict.fromkeys((*words, *(word.replace("_", "-") for word in words))))


def _add_meta_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--meta", action="append", default=[], metavar="KEY=VALUE",
                        help="service, env, team, owner, repo or exposure (repeatable)")  # fmt: skip
