"""Command `context`: search, record, check, export and import discoveries."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from codecompass import __version__
from codecompass.atomic import AtomicDirectory
from codecompass.confine import AllowedRoots, ConfinedPath
from codecompass.contract.engine_ports import EnginePort
from codecompass.contract.shapes.memory_shapes import shape_discovery, shape_hit, shape_impacted, shape_searched
from codecompass.errors import Failure
from codecompass.model.call import Call, ListRange
from codecompass.model.memory_values import MAX_CONTENT, MIN_CONTENT, ImpactQuery, MemoryFilter, NewDiscovery
from codecompass.runtime.dispatch import Dispatch
from codecompass.surfaces.cli.context_args import FILE, FOLDER
from codecompass.surfaces.cli.list_page import ListPage, is_tool_limit, read_range
from codecompass.surfaces.cli.output import print_line, print_note, show_failure, write_body, write_json
from codecompass.surfaces.cli.path_args import ShellPaths, escape_bytes
from codecompass.surfaces.cli.standard_streams import read_question
from codecompass.surfaces.cli.views import memory_view
from codecompass.surfaces.cli.views.check_reports import make_markdown, make_sarif
from codecompass.surfaces.cli.views.terminal import console

LISTED = 50
"""Items that `list` shows by default."""
MAX_RECALLED = 20
"""Largest limit of the tool `context_search`."""
EXIT_AT_RISK = 20
"""Exit code of `check` when a discovery no longer holds; no failure has this code."""
MAX_IMPORT_BYTES = 8_000_000
"""Largest file that `import` reads, in bytes."""


class ContextSession(NamedTuple):
    """The dependencies of a command."""

    engine: EnginePort
    dispatch: Dispatch
    workspace: str

    @property
    def paths(self) -> ShellPaths:
        return ShellPaths(self.workspace)


def run_context(args: argparse.Namespace, engine: EnginePort, dispatch: Dispatch, workspace: str) -> int:
    """Run one subcommand and return its exit code."""
    return COMMANDS[args.memory](args, ContextSession(engine, dispatch, workspace))


def _search(args: argparse.Namespace, session: ContextSession) -> int:
    given = {"query": read_question(args.query), "type": args.type, "module": args.module, "ref": args.ref}
    raw = {key: value for key, value in given.items() if value is not None}
    began = time.monotonic()
    raw |= {"limit": args.limit} if is_tool_limit(args.limit, MAX_RECALLED) else {}
    page = ListPage(read_range(args.limit, args.offset, MAX_RECALLED), args.command_words)
    reply = session.dispatch.call("context_search", escape_bytes(raw), Call(id="cli", wanted=page.wanted))
    if args.json and reply.rpc_error is None:
        write_body(reply.body)
    if reply.failure is not None:
        return show_failure(reply.failure)
    if not args.json:
        memory_view.show_results(console(), session.paths.relocate(reply.payload), (time.monotonic() - began) * 1000)
        if more := page.format_next("context_search", reply.payload):
            print_line(more)
    return 0


def _add(args: argparse.Namespace, session: ContextSession) -> int:
    content = (sys.stdin.read(MAX_CONTENT + 1) if args.content == "-" else args.content).strip()
    if not MIN_CONTENT <= len(content) <= MAX_CONTENT:
        message = f"A statement has between {MIN_CONTENT} and {MAX_CONTENT} characters; this one has {len(content)}."
        raise Failure("INVALID_REQUEST", message, hint="Say in one or two sentences what was decided, and why.")
    new = NewDiscovery(
        content, args.type, args.module or "", tuple(args.symbol), tuple(args.supersedes), args.author or "",
        title=args.title or "",
    )  # fmt: skip
    made = session.engine.remember(None, new, _make_call())
    if args.json:
        write_json(shape_discovery(made))
    else:
        print_line(f"Recorded {made.id}")
    if made.redacted:
        print_note("Something that looked like a secret was left out.")
    return 0


def _list(args: argparse.Namespace, session: ContextSession) -> int:
    page = ListPage(ListRange(args.offset or 0, args.limit), args.command_words)
    read_range(args.limit, args.offset)
    offset, limit = args.offset or 0, args.limit
    state = "" if args.state == "all" else args.state
    wanted = MemoryFilter(
        args.type or "", args.module or "", args.source or "", state, args.contains or "",
        LISTED if limit is None else limit or sys.maxsize, offset, args.ref,
    )  # fmt: skip
    found = session.engine.discoveries(None, wanted, _make_call())
    items = [shape_discovery(item) for item in found.items]
    if args.json:
        write_json({"items": items, "total": found.total, "searched": shape_searched(found.searched)})
    else:
        memory_view.show_list(console(), session.paths.relocate(items), found.total, shape_searched(found.searched))
        if offset + len(items) < found.total and items:
            print_line(page.format_after(len(items)))
    return 0


def _show(args: argparse.Namespace, session: ContextSession) -> int:
    hit = shape_hit(session.engine.discovery(None, args.id, args.ref, _make_call()))
    if args.json:
        write_json(hit)
    else:
        memory_view.show_one(console(), session.paths.relocate(hit))
    return 0


def _supersede(args: argparse.Namespace, session: ContextSession) -> int:
    made = session.engine.supersede(None, args.id, args.by, _make_call())
    return _show_change(args, shape_discovery(made), f"{made.id} is superseded by {made.superseded_by}")


def _forget(args: argparse.Namespace, session: ContextSession) -> int:
    made = session.engine.forget(None, args.id, _make_call())
    return _show_change(args, shape_discovery(made), f"{made.id} is forgotten")


def _show_change(args: argparse.Namespace, shaped: dict[str, Any], message: str) -> int:
    if args.json:
        write_json(shaped)
    else:
        print_line(message)
    return 0


def _export(args: argparse.Namespace, session: ContextSession) -> int:
    text = session.engine.export_memory(None, _make_call())
    if args.out == "-":
        sys.stdout.write(text)
        return 0
    folder = _resolve_folder(session.workspace, args.out)
    data = text.encode()
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
        with AtomicDirectory(folder.path, folder.open_directory()) as directory:
            directory.write_file(FILE, data, 0o666)
    except OSError as error:
        raise Failure("INVALID_REQUEST", f"The export could not be written to {ascii(args.out)}: {error.strerror}.",
                      hint="Name a folder of the repository that you may write to.") from None  # fmt: skip
    shown = "/".join((*folder.parts, FILE))
    return _show_change(args, {"file": shown, "bytes": len(data)}, f"Wrote {shown}")


def _resolve_folder(workspace: str, named: str) -> ConfinedPath:
    """Resolve a folder to its real path inside the repository; refuse any other: an export stays in its repository."""
    folder = AllowedRoots((workspace,)).find(Path(workspace, named))
    if folder is None or folder.is_git_internal:
        raise Failure("FORBIDDEN", f"{ascii(named)} is not a folder of this repository.",
                      hint="Use a folder inside the repository, or '--out -' to print the export.")  # fmt: skip
    return folder


def _import(args: argparse.Namespace, session: ContextSession) -> int:
    if args.file == "-":
        text = sys.stdin.read(MAX_IMPORT_BYTES)
    else:
        path = Path(args.file) if args.file else Path(session.workspace) / FOLDER / FILE
        try:
            if path.stat().st_size > MAX_IMPORT_BYTES:
                raise Failure("INVALID_REQUEST", f"{ascii(path.name)} is larger than an export can be.")
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise Failure("FILE_NOT_FOUND", f"{ascii(str(args.file or path.name))} cannot be read: {error.strerror}.",
                          hint="Name the file that 'codecompass context export' wrote.") from None  # fmt: skip
    done = session.engine.import_memory(None, text, _make_call())
    for line in done.refused:
        print_note(f"refused: {line}")
    summary = f"{done.added} added, {done.known} known already, {len(done.refused)} refused"
    return _show_change(args, {"added": done.added, "known": done.known, "refused": list(done.refused)}, summary)


def _check(args: argparse.Namespace, session: ContextSession) -> int:
    if args.head is None:
        # The check is about the current files; syncing costs only what changed.
        _sync_live(session)
    query = ImpactQuery(args.base, args.head, max(args.limit, 1), float(max(args.patience, 1)))
    found = session.engine.find_impacted(None, query, _make_call())
    items = [shape_impacted(item) for item in found.items]
    if args.json or args.format == "json":
        write_json({"items": items, "total": found.total, "changedPaths": found.changed_paths,
                    "checked": found.checked, "unreached": found.unreached,
                    "searched": shape_searched(found.searched)})  # fmt: skip
    elif args.format == "sarif":
        write_json(make_sarif(found, __version__))
    elif args.format == "markdown":
        print_line(make_markdown(found))
    else:
        memory_view.show_impacted(console(), session.paths.relocate(items), found.total, found.changed_paths)
    if found.unreached:
        print_note(
            f"Not everything was checked: {found.unreached} statements were not reached, {found.checked} were. "
            "Give more time with --patience."
        )
    broken = any(item.severity == "broken" for item in found.items)
    return EXIT_AT_RISK if broken or (args.strict and (found.items or found.unreached)) else 0


def _sync_live(session: ContextSession) -> None:
    try:
        session.engine.index(None, "live", force=False, call=_make_call(), register=False)
    except Failure as failure:
        if failure.code not in ("INDEX_IN_PROGRESS", "SYNC_IN_PROGRESS"):
            raise
        print_note(
            "Another process is updating the index; files that it has not reached yet are checked in their old state."
        )


def _stats(args: argparse.Namespace, session: ContextSession) -> int:
    limit = max(args.limit, 1)
    listed = session.engine.discoveries(None, MemoryFilter(limit=sys.maxsize), _make_call())
    counts: dict[str, dict[str, int]] = {}
    for item in listed.items:
        kinds = counts.setdefault(item.type, {})
        kinds[item.source.kind] = kinds.get(item.source.kind, 0) + 1
    accesses, sessions = session.engine.accesses(None, limit), session.engine.sessions(None, limit)
    if args.json:
        write_json({
            "discoveries": counts,
            "searched": shape_searched(listed.searched),
            "files": [asdict(row) for row in accesses],
            "sessions": [{"id": row.id, "client": row.client, "started": row.started, "ended": row.ended,
                          "calls": row.calls} for row in sessions],
        })  # fmt: skip
    else:
        accesses = tuple(replace(row, path=session.paths.show(row.path)) for row in accesses)
        memory_view.show_stats(console(), counts, accesses, sessions)
    return 0


def _make_call() -> Call:
    return Call(id="cli", client="cli")


COMMANDS: dict[str, Callable[[argparse.Namespace, ContextSession], int]] = {
    "search": _search,
    "add": _add,
    "list": _list,
    "show": _show,
    "supersede": _supersede,
    "forget": _forget,
    "export": _export,
    "import": _import,
    "check": _check,
    "stats": _stats,
}
