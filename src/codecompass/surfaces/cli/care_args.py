"""Arguments of `care`, `state`, `doctor`, `projects` and `forget`. Imports nothing heavy: the parser is built from it.

Flags of `care` come from the parameters of its tools, which are not loaded for `--help`; so its parser passes unknown
arguments on to the tool's own parser.
"""

import argparse
from typing import NamedTuple


class CareAction(NamedTuple):
    """One action of `care` and the tool that it calls."""

    name: str
    tool: str
    help: str
    registers: bool = False
    """Whether an unregistered directory is registered first."""
    removes: bool = False
    """Whether it asks for confirmation first."""


CARE_ACTIONS = (
    CareAction("build", "build_index", "build the index and wait for it", registers=True),
    CareAction("sqlite", "build_sqlite_index", "write the index out as one SQLite file"),
    CareAction("compact", "compact_sqlite_index", "rewrite databases without their free pages"),
    CareAction("gc", "cache_gc", "remove indexes of other repositories, by age and size", removes=True),
    CareAction("clean", "clean_artifacts", "remove what is derived of this repository", removes=True),
    CareAction("report", "report_artifacts", "show what lies on disk and what is wrong with it"),
    CareAction("bootstrap", "bootstrap", "prepare a repository, step by step", registers=True),
    CareAction("download-models", "download_models", "fetch an embedding model"),
    CareAction("download-dictionaries", "download_dictionaries", "fetch word lists"),
    CareAction("download-extensions", "download_extensions", "fetch the vector extension"),
    CareAction("verify-extensions", "verify_extensions", "try the vector extension"),
)
BUNDLE = "codecompass-state.tar.zst"


def add_care_options(parser: argparse.ArgumentParser) -> None:
    parser.description = "Take care of indexes; an action has options of its own, see 'codecompass help care ACTION'."
    parser.add_argument("action", nargs="?", metavar="ACTION", choices=[row.name for row in CARE_ACTIONS],
                        help=", ".join(row.name for row in CARE_ACTIONS))  # fmt: skip
    parser.add_argument("--json", action="store_true", help="the tool's payload, exactly")
    parser.add_argument("--yes", "-y", action="store_true", help="remove without asking")
    parser.add_argument("--help", "-h", action="store_true", dest="wants_help", help="the flags of an action")


def add_state_options(parser: argparse.ArgumentParser, below: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="export|import", required=True)
    out = verbs.add_parser("export", help="write the published index out as one file", parents=[below],
                           allow_abbrev=False)  # fmt: skip
    out.add_argument("file", nargs="?", default=BUNDLE, metavar="FILE", help=f"default: {BUNDLE}")
    out.add_argument("--ref", help="branch or 'live' (default: the current branch)")
    back = verbs.add_parser("import", help="begin from such a file, then sync what differs", parents=[below],
                            allow_abbrev=False)  # fmt: skip
    back.add_argument("file", metavar="FILE", help="a file that 'state export' wrote")
    for one in (out, back):
        one.add_argument("--json", action="store_true", help="what the bundle says of itself, as JSON")


def add_projects_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--missing", action="store_true", help="only projects whose directories are gone")
    parser.add_argument("--json", action="store_true", help="the projects as JSON")


def add_forget_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", nargs="?", metavar="DIR",
                        help="the project, by directory or id, also if it is gone (default: this one)")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="only show what would be removed")
    parser.add_argument("--with-records", action="store_true",
                        help="also remove decisions, findings and other records, which exist only there")  # fmt: skip
    parser.add_argument("--yes", "-y", action="store_true", help="remove without asking")
    parser.add_argument("--json", action="store_true", help="what was removed as JSON")


def add_doctor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--read-data", action="store_true", help="read every byte that is kept against its checksum")
    parser.add_argument("--json", action="store_true", help="the checks as JSON")
