"""Command `state`: export an index as one file, or import one."""

import argparse

import msgspec

from codecompass.contract.engine_ports import EnginePort
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import StateBundleReport
from codecompass.surfaces.cli.output import format_bytes, print_line, shape_failure, show_failure, write_json
from codecompass.surfaces.cli.readiness.index_run import SIGNAL_EXIT_BASE, cancel_on_signals
from codecompass.surfaces.cli.views.index_progress import open_reporter
from codecompass.surfaces.cli.views.terminal_text import escape


def run_state(args: argparse.Namespace, engine: EnginePort, workspace: str) -> int:
    """Export or import an index; a signal stops either at a safe point."""
    with open_reporter(as_json=args.json, bar=args.bar) as report:
        call = Call(id="cli", report=report)
        try:
            with cancel_on_signals(call) as signals:
                if args.verb == "export":
                    done = engine.export_state(None, args.ref, args.file, call)
                else:
                    done = engine.import_state(workspace, args.file, call)
        except Failure as failure:
            if args.json:
                write_json(shape_failure(failure))
            if failure.code != "CANCELLED" or not signals:
                raise
            show_failure(failure)
            return SIGNAL_EXIT_BASE + signals[0]
    if args.json:
        write_json(_build_payload(done))
    else:
        _show(args.verb, done)
    return 0


def _build_payload(done: StateBundleReport) -> dict[str, object]:
    shaped: dict[str, object] = {"path": done.path, "bytes": done.bytes, "manifest": dict(done.manifest)}
    if done.job is not None:
        job = msgspec.to_builtins(done.job)
        names = ("job_id", "status", "ref", "changed_files", "file_count", "symbol_count", "duration_ms")
        shaped["job"] = {name: job[name] for name in names}
        shaped["notes"] = list(done.notes)
    return shaped


def _show(verb: str, done: StateBundleReport) -> None:
    about = done.manifest
    commit = str(about["commit"])[:12] or "no commit"
    where = escape(done.path)
    holds = f"{about['files']:,} files, {about['symbols']:,} symbols, vectors of {about['vectors']:,} files"
    what = f"{escape(str(about['ref']))} at {commit} ({holds})"
    if verb == "export":
        print_line(f"Wrote {where}: {what}, {format_bytes(done.bytes)}.")
        return
    print_line(f"Began from {where}: {what}.")
    for note in done.notes:
        print_line(note)
    if done.job is not None:
        seconds = (done.job.duration_ms or 0) / 1000
        print_line(f"Synced with the files here: {done.job.file_count or 0:,} files, {seconds:.1f} s.")
