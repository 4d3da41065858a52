"""Command `grep`: ripgrep's flags, output and exit codes, on the files as they are now or on any ref."""

import argparse
import difflib
import os
import sys
import time
from dataclasses import replace
from typing import Any, Protocol

from codecompass.contract.engine_ports import EnginePort
from codecompass.contract.shapes.grep_shapes import build_payload
from codecompass.errors import Failure
from codecompass.model.call import Call, ListRange
from codecompass.model.path_text import parse_displayed_path
from codecompass.model.queries.grep_query import GrepAnswer, GrepOutput, GrepQuery
from codecompass.surfaces.cli.command_lines import to_shell_text
from codecompass.surfaces.cli.grep_args import GREP_FLAGS, find_error_column, has_capital
from codecompass.surfaces.cli.list_page import ListPage
from codecompass.surfaces.cli.output import print_note, show_failure, write_json
from codecompass.surfaces.cli.path_args import ShellPaths
from codecompass.surfaces.cli.views.grep_view import MatchPrinter, list_parts, show_file_counts, show_totals
from codecompass.surfaces.cli.views.terminal import console
from codecompass.surfaces.cli.views.terminal_text import escape

MATCH, NO_MATCH, ERROR = 0, 1, 2


class GrepSession(Protocol):
    """The dependencies of the command."""

    @property
    def engine(self) -> EnginePort: ...

    @property
    def workspace(self) -> str: ...

    @property
    def link_scheme(self) -> str: ...


def run_grep(args: argparse.Namespace, session: GrepSession) -> int:
    """Search and print the lines; return 0 for a match, 1 for none, 2 for an error, as grep does."""
    try:
        patterns, named = _split_words(args)
        paths, missing = _resolve_paths(session.workspace, named, args.ref)
        query = _build_query(args, patterns, paths, ShellPaths(session.workspace))
        began = time.monotonic()
        if named and not paths:
            return ERROR
        shell = ShellPaths(session.workspace)
        printer = None if args.json or query.output != "lines" else _make_printer(args, session, shell)
        found = session.engine.grep(None, query, Call(id="cli"), printer.add if printer else None)
    except Failure as failure:
        return _show_failure(failure)
    milliseconds = (time.monotonic() - began) * 1000
    if args.json:
        write_json(_shape(_take_page(found, args.offset), args, patterns[0]))
    else:
        _show_end(args, _take_page(found, args.offset), shell, milliseconds, printer)
    return ERROR if missing else MATCH if found.total else NO_MATCH


def _split_words(args: argparse.Namespace) -> tuple[tuple[str, ...], list[str]]:
    """Split the arguments into patterns and paths."""
    words = [*args.words, *args.rest]
    unknown = [word for word in args.rest if word.startswith("-") and word != "-"]
    if unknown:
        near = difflib.get_close_matches(unknown[0], [name for flag in GREP_FLAGS for name in flag.names], n=1)
        meant = f" Did you mean '{near[0]}'?" if near else ""
        raise Failure("INVALID_REQUEST", f"Unknown flag: {unknown[0]}.{meant}", hint="See 'codecompass grep --help'.")
    for pattern in args.patterns or words[:1]:
        if not pattern.isprintable() and any("\ud800" <= char <= "\udfff" for char in pattern):
            raise Failure("INVALID_REQUEST", "The pattern is not valid UTF-8.", hint="Files are searched as text.")
    if args.patterns:
        return tuple(args.patterns), words
    if not words:
        raise Failure("INVALID_REQUEST", "A pattern is missing.", hint="Write 'codecompass grep PATTERN [PATH ...]'.")
    return (words[0],), words[1:]


def _resolve_paths(workspace: str, named: list[str], ref: str | None) -> tuple[tuple[str, ...], bool]:
    """Resolve path arguments to project paths; say which do not exist. Return the paths and whether one is missing."""
    root = os.path.realpath(workspace)
    found: list[str] = []
    for name in map(parse_displayed_path, named):
        real = os.path.realpath(name)
        inside = real == root or real.startswith(root.rstrip(os.sep) + os.sep)
        if not inside:
            message = f"{name} is outside the project {root}."
            raise Failure("INVALID_REQUEST", message, hint=f"Run 'codecompass grep PATTERN --project {name}'.")
        if ref is None and not os.path.lexists(name):
            print_note(f"error: No such file or directory: {escape(name)}")
            continue
        found.append("" if real == root else os.path.relpath(real, root).replace(os.sep, "/"))
    return tuple(found), len(found) < len(named)


def _build_query(
    args: argparse.Namespace, patterns: tuple[str, ...], paths: tuple[str, ...], shell: ShellPaths
) -> GrepQuery:
    if min(args.limit, args.offset) < 0:
        raise Failure("INVALID_REQUEST", "--limit and --offset are at least 0.", hint="--limit 0 shows all lines.")
    sensitive = args.case == "sensitive" or (
        args.case == "smart" and any(has_capital(one, fixed=args.fixed) for one in patterns)
    )
    around = args.context or 0
    limit = sys.maxsize if not args.limit else args.limit + args.offset
    return GrepQuery(
        pattern=patterns[0],
        more_patterns=patterns[1:],
        case_sensitive=sensitive,
        is_literal=args.fixed,
        is_word=args.word,
        is_inverted=args.invert,
        globs=tuple(shell.anchor_glob(glob) for glob in args.globs),
        paths=() if "" in paths else paths,
        languages=tuple(args.types),
        ref=args.ref,
        limit=limit,
        output=_choose_output(args),
        wants_spans=args.json or args.only_matching or sys.stdout.isatty(),
        before=around if args.before_context is None else args.before_context,
        after=around if args.after_context is None else args.after_context,
    )


def _choose_output(args: argparse.Namespace) -> GrepOutput:
    if args.list_files:
        return "files"
    if args.count:
        return "match_counts" if args.only_matching else "counts"
    wants_context = args.context is not None or args.before_context is not None or args.after_context is not None
    # JSON is the payload of the tool, with two shortened lines on each side, unless something else is wanted.
    return "excerpts" if args.json and not (args.only_matching or wants_context) else "lines"


def _take_page(found: GrepAnswer, offset: int) -> GrepAnswer:
    return replace(found, matches=found.matches[offset:], file_counts=found.file_counts[offset:])


def _shape(found: GrepAnswer, args: argparse.Namespace, pattern: str) -> dict[str, Any]:
    payload = build_payload(found, pattern, sys.maxsize)
    if args.list_files or args.count:
        payload["files"] = [{"file": path, "count": count} for path, count in found.file_counts]
    if args.only_matching:
        for row, match in zip(payload["matches"], found.matches, strict=True):
            row["parts"] = list_parts(match)
    return payload


def _make_printer(args: argparse.Namespace, session: GrepSession, shell: ShellPaths) -> MatchPrinter:
    out = console(link_scheme=session.link_scheme)
    return MatchPrinter(out, shell.show, skip=args.offset, only_matching=args.only_matching)


def _show_end(
    args: argparse.Namespace, found: GrepAnswer, shell: ShellPaths, milliseconds: float, printer: MatchPrinter | None
) -> None:
    """Print what comes after the matches: the counts of files, the totals, notes and how to see more."""
    if printer is None:
        counts = [(shell.show(path), count) for path, count in found.file_counts]
        show_file_counts(console(), counts, with_numbers=args.count)
    elif printer.out.is_terminal:
        show_totals(printer, found, milliseconds)
    sys.stdout.flush()
    for note in found.notes:
        print_note(f"note: {escape(to_shell_text(note))}")
    if not found.complete:
        print_note("note: Time was up: there may be more matches. Name a path or a longer pattern.")
    if printer is not None and printer.shown and args.offset + printer.shown < found.total:
        page = ListPage(ListRange(args.offset), args.command_words)
        print_note(f"{printer.shown:,} of {found.total:,} lines; {page.format_after(printer.shown)}")


def _show_failure(failure: Failure) -> int:
    """Show a failure; for an invalid pattern, with a caret below the place."""
    pattern, reason = failure.details.get("pattern"), str(failure.details.get("details", ""))
    if isinstance(pattern, str) and reason:
        print_note(f"error: {escape(failure.message)}: {escape(reason.partition(': ')[0])}")
        print_note(f"    {escape(pattern)}")
        column = find_error_column(pattern, reason)
        if column is not None:
            print_note("    " + " " * len(escape(pattern[:column])) + "^")
        print_note(f"hint: {escape(failure.effective_hint)} '-F' takes the pattern as plain text.")
        return ERROR
    return max(show_failure(failure), ERROR)
