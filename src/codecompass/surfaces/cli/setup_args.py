"""Arguments of `setup` and `hook`. Imports nothing heavy, because the parser is built from it."""

import argparse


def add_setup_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="which agents (default: those that are installed)")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--user", action="store_const", const="user", dest="scope", default="user",
                       help="edit the user's files: every project (default)")  # fmt: skip
    scope.add_argument("--project", action="store_const", const="project", dest="scope",
                       help="edit files of the project, to be committed")  # fmt: skip
    parser.add_argument("--hooks", action="append", choices=("sync", "guide"), default=[],
                        help="also add hooks: sync updates the index after edits, guide adds a note")  # fmt: skip
    parser.add_argument("--instructions", action="store_true", help="also write the instruction block and a skill")
    parser.add_argument("--undo", action="store_true", help="remove everything that setup wrote")
    parser.add_argument("--print", action="store_true", dest="print_only", help="print the changes, write nothing")
    parser.add_argument("--yes", "-y", action="store_true", help="write without asking")
    parser.add_argument(
        "--json", action="store_true", help="the changes as JSON; asks nothing, so it needs --yes or --print"
    )


def add_hook_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=("sync", "guide"))
    parser.add_argument("--for", dest="agent", metavar="AGENT", default="")
