"""Command `triage`: ingest findings, record decisions, write context packs, list and show records."""

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, BinaryIO

from rich.console import Console
from rich.text import Text

from codecompass.contract.engine_ports import EnginePort
from codecompass.contract.shapes.triage_shapes import shape_decision, shape_ingest, shape_pack, shape_record
from codecompass.errors import Failure
from codecompass.model.call import Call, ListRange
from codecompass.model.triage_values import (
    ContextPackRequest,
    DecisionRequest,
    DecisionSummary,
    IngestRequest,
    RecordDetails,
    TriageRecord,
)
from codecompass.surfaces.cli.list_page import ListPage, read_range
from codecompass.surfaces.cli.output import print_note, write_json
from codecompass.surfaces.cli.views.risk_view import SEVERITY_STYLE
from codecompass.surfaces.cli.views.terminal import console, cut_to_width
from codecompass.surfaces.cli.views.terminal_text import escape

LISTED = 50  # findings that `list` shows by default
MAX_SHOWN = 10
MIN_ID, WHOLE_ID = 4, 40
"""Fewest characters of an abbreviated id, and the length of a whole id."""
STATUS_STYLE = {"open": "yellow", "fix": "cyan", "accept": "green", "defer": "magenta"}
OPEN_STATES = ("", "open", "active", "new", "unchanged", "updated")
"""States of a source that mean an open finding; any other state is shown beside our own status."""
MAX_SOURCE_STATE = 13
EXIT_PARTIAL = 1
"""Exit code when some items could not be ingested."""


def run_triage(args: argparse.Namespace, engine: EnginePort) -> int:
    """Run one action of the command."""
    return TRIAGE_ACTIONS[args.action](args, engine)


def _ingest(args: argparse.Namespace, engine: EnginePort) -> int:
    order = IngestRequest(args.source.replace("-", "_"), args.file if args.file != "-" else "", _parse_pairs(args.meta))
    with ExitStack() as stack:
        made = engine.triage_ingest(None, order, Call(id="cli"), _open_stream(args.file, stack))
    if args.json:
        write_json(shape_ingest(made, sys.maxsize))
        return EXIT_PARTIAL if made.errors else 0
    out = console()
    added, updated, same = (made.counts.get(name, 0) for name in ("added", "updated", "unchanged"))
    line = Text(f"{_format_count(made.total, 'findings')}: ", style="bold")
    line.append(f"{added} added, {updated} updated, {same} unchanged", style="green")
    if made.errors:
        line.append(f", {made.errors} not taken in", style="red")
    out.print(line)
    for one in made.problems[:MAX_SHOWN]:
        out.print(Text(f"  {escape(one.position)}: {escape(one.message)}", style="red"))
    if made.errors > MAX_SHOWN:
        out.print(Text(f"  … and {made.errors - MAX_SHOWN} more; --json has them", style="dim"))
    for text in made.warnings:
        out.print(Text(escape(text), style="yellow"))
    out.print(Text(f"in {escape(made.records_dir)}", style="dim"))
    return EXIT_PARTIAL if made.errors else 0


def _open_stream(name: str, stack: ExitStack) -> BinaryIO:
    """Open a file with the user's own rights, as the shell would; `-` is standard input."""
    if name == "-":
        return sys.stdin.buffer
    try:
        return stack.enter_context(open(name, "rb"))
    except OSError as error:
        raise Failure("FILE_NOT_FOUND", f"{ascii(name)} cannot be read: {error.strerror}.",
                      hint="Name a JSON or JSONL file, or '-' for standard input.") from None  # fmt: skip


def _decide(args: argparse.Namespace, engine: EnginePort) -> int:
    order = DecisionRequest(
        finding=_resolve_id(engine, args.finding), status=args.status.replace("-", "_"), justification=args.why or "",
        reviewer=args.by or "", expires=args.expires or "", meta=_parse_pairs(args.meta), codes=tuple(args.code),
        evidence=tuple(args.evidence),
    )  # fmt: skip
    made = engine.triage_decide(None, order, Call(id="cli"))
    if args.json:
        write_json(shape_decision(made))
        return 0
    decision = made.record.decision
    assert decision is not None
    line = Text(f"{decision.status.replace('_', ' ')} ", style=STATUS_STYLE.get(decision.status, "bold"))
    line.append(escape(made.record.name), style="bold")
    line.append(f" until {decision.expires_at}" if decision.expires_at else "", style="magenta")
    console().print(line)
    console().print(Text(f"recorded as {made.record.record_id}", style="dim"))
    return 0


def _pack(args: argparse.Namespace, engine: EnginePort) -> int:
    made = engine.triage_pack(
        None, ContextPackRequest(_resolve_id(engine, args.record), args.out or ""), Call(id="cli")
    )
    if args.json:
        write_json(shape_pack(made))
        return 0
    out, around = console(), made.surroundings
    counts = {"manifest lines": around.manifests, "imports": around.imports, "calls": around.calls,
              "places": around.places, "searches": around.queries}  # fmt: skip
    summary = (
        ", ".join(_format_count(len(rows), name) for name, rows in counts.items() if rows)
        or "nothing in the repository"
    )
    out.print(Text(f"{summary}; {_format_count(made.history, 'like decisions')}", style="bold"))
    for trace in (*around.calls, *around.imports)[:MAX_SHOWN]:
        line = Text(f"  {escape(trace.path)}:{trace.line}  ", style="green")
        line.append(escape(trace.text), style="dim")
        out.print(line)
    for text in around.warnings:
        out.print(Text(escape(text), style="yellow"))
    out.print(Text(f"written to {escape(made.out_path)} and {escape(made.md_path.rpartition('/')[2])}", style="dim"))
    return 0


def _list(args: argparse.Namespace, engine: EnginePort) -> int:
    read_range(args.limit, args.offset)
    offset, out = args.offset or 0, console()
    end = offset + (LISTED if args.limit is None else args.limit or sys.maxsize // 2)
    found = engine.triage_findings(None, args.status.replace("-", "_"), args.severity, args.contains, end)
    entries, shown = found.entries[offset:], len(found.entries[offset:])
    if args.json:
        rows = [shape_record(one) for one in entries]
        write_json({"findings": rows, "total": found.total, "damaged": list(found.damaged)})
        return 0
    width = min(24, max((len(escape(one.record.name)) for one in entries), default=0))
    for one in entries:
        out.print(cut_to_width(out, _format_row(one, width)))
    summary = f"{shown} of {found.total} findings" if found.total > shown else _format_count(found.total, "findings")
    out.print(Text(summary, style="dim"))
    if entries and offset + shown < found.total:
        out.print(Text(ListPage(ListRange(offset), args.command_words).format_after(shown)))
    if not found.total:
        out.print(Text("Take some in: codecompass triage ingest SOURCE FILE", style="dim"))
    for text in found.damaged[:MAX_SHOWN]:
        print_note(f"warning: {escape(text)}")
    return 0


def _format_count(count: int, things: str) -> str:
    one = things.removesuffix("es") if things == "searches" else things.removesuffix("s")
    return f"{count} {one if count == 1 else things}"


def _format_row(one: RecordDetails, width: int) -> Text:
    record = one.record
    line = Text(f"{record.record_id[:12]}  ", style="dim")
    line.append(f"{record.vuln.severity:<9}", style=SEVERITY_STYLE.get(record.vuln.severity, "dim"))
    line.append(f"{escape(record.name)[:width]:<{width}}  ", style="bold")
    aside = "expired" if one.standing.expired else "" if record.source_state in OPEN_STATES else record.source_state
    status = one.standing.status + (f" ({escape(aside)[:MAX_SOURCE_STATE]})" if aside else "")
    line.append(f"{status:<16} ", style=STATUS_STYLE.get(one.standing.status, ""))
    if record.places:
        more = f" +{len(record.places) - 1}" if len(record.places) > 1 else ""
        line.append(f"{escape(record.places[0].path)}:{record.places[0].line}{more}  ", style="green")
    package = "@".join(word for word in (record.package.name, record.package.installed_version) if word)
    line.append(f"{escape(package)}  " if package else "", style="cyan")
    line.append(escape(record.vuln.title)[:80], style="dim")
    return line


def _resolve_id(engine: EnginePort, text: str) -> str:
    """Resolve a record id. The beginning of an id, or the id of a vulnerability, is enough if it matches one finding;
    an ambiguous one is an error that lists the matches.
    """
    if len(text) < MIN_ID or len(text) >= WHOLE_ID:
        return text
    every = [one.record for one in engine.triage_findings(None, "", "", text, sys.maxsize).entries]
    near = [one for one in every if one.record_id.startswith(text)]
    near = near or [one for one in every if text.lower() in _list_ids(one)]
    if len(near) > 1:
        known = ", ".join(one.record_id[:12] for one in near[:5])
        raise Failure("INVALID_REQUEST", f"{ascii(text)} may mean {len(near)} findings.", hint=f"Name one: {known}.")
    return near[0].record_id if near else text


def _list_ids(record: TriageRecord) -> set[str]:
    return {one.lower() for one in (record.vuln.vuln_id, record.vuln.cve, *record.vuln.aliases)}


def _show(args: argparse.Namespace, engine: EnginePort) -> int:
    found = engine.triage_record(None, _resolve_id(engine, args.record))
    if args.json:
        write_json(shape_record(found, whole=True))
        return 0
    out, record = console(), found.record
    out.print(_format_row(found, len(escape(record.name))))
    package, vuln = record.package, record.vuln
    rows: dict[str, Any] = {
        "id": record.record_id, "source": " ".join((record.source, record.source_state)), "aliases": vuln.aliases,
        "cwe": vuln.cwe, "cvss": "" if vuln.cvss is None else vuln.cvss.vector or vuln.cvss.score,
        "affected": package.affected_range, "fixed in": package.fixed_version, "manifest": package.manifest_path,
        "service": " ".join((record.service, record.env)), "team": record.team or record.owner,
        "asset": record.asset.asset_id, "symbols": vuln.symbols,
        "places": tuple(f"{one.path}:{one.line}" for one in record.places), "seen": record.created_at,
        "warnings": record.parse_warnings,
    }  # fmt: skip
    for label, value in rows.items():
        text = ", ".join(value) if isinstance(value, tuple) else str(value).strip()
        if text:
            line = Text(f"  {label:<9}", style="dim")
            line.append(escape(text), style="")
            out.print(line)
    for one in found.decisions:
        _show_decision(out, one)
    for warning in found.warnings:
        print_note(f"warning: {escape(warning)}")
    return 0


def _show_decision(out: Console, one: DecisionSummary) -> None:
    style = STATUS_STYLE.get(one.status, "bold") if one.in_force else "dim"
    line = Text(f"  {one.decided_at[:10]}  {one.status.replace('_', ' ')}", style=style)
    line.append(f" by {escape(one.reviewer)}" if one.reviewer else "", style="")
    line.append(f" until {one.expires_at[:10]}" if one.expires_at else "", style="")
    line.append("" if one.in_force else "  (no longer in force)", style="dim")
    line.append(f"  {escape(one.justification)[:120]}" if one.justification else "", style="dim")
    out.print(line)


def _parse_pairs(words: list[str]) -> dict[str, object]:
    """Parse `key=value` arguments into a mapping."""
    found: dict[str, object] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key:
            raise Failure("INVALID_REQUEST", f"--meta {ascii(word[:60])}: expected key=value.")
        found[key] = value
    return found


TRIAGE_ACTIONS: dict[str, Callable[[argparse.Namespace, EnginePort], int]] = {
    "ingest": _ingest,
    "decide": _decide,
    "pack": _pack,
    "list": _list,
    "show": _show,
}
