"""Context pack: write a finding with related decisions and evidence as JSON and Markdown for a reviewer."""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from codecompass.engine.triage.atomic_batch import Batch, durable, make_directory, place_inside
from codecompass.engine.triage.decisions import decisions, dossier, now
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.output_directories import check_destination
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_builder import checked_id
from codecompass.findings.record_writer import as_markdown
from codecompass.model.queries.results import ViewState
from codecompass.model.triage_values import (
    Dossier,
    PackOrder,
    PackReport,
    Record,
    Ruling,
    Surroundings,
    Trace,
    as_object,
)

FORMAT = "codecompass triage context pack"
MARK = f"<!-- {FORMAT} -->"
FOLDER = "context-packs"
_LONGEST = 4_096
MOST_HISTORY = 5
MOST_BYTES = 262_144
"""Maximum size of the JSON file."""
_SHORTENED = ("queries", "places", "manifests", "imports", "calls")
"""Lists to shorten when a pack is too large, in this order."""
_NAMED = {"manifests": "Manifests", "imports": "Imports", "calls": "Calls of vulnerable symbols", "places": "Places"}

Gather = Callable[[Record], tuple[Surroundings, ViewState | None]]


@dataclass(frozen=True, slots=True)
class Like:
    """An earlier decision that may guide a reviewer, and how it is related."""

    relation: str
    """`same finding`, `same vulnerability` or `same package`."""
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Pack:
    """The contents of one pack."""

    subject: Dossier
    history: tuple[Like, ...]
    surroundings: Surroundings
    state: ViewState | None
    made_at: str


def pack(project: Project, roots: tuple[Path, ...], order: PackOrder, gather: Gather) -> PackReport:
    """Gather evidence, shrink it to the limit, write both files, and report their contents."""
    record = get_record_store(project).get(checked_id(order.record_id))
    if record.decision is not None:
        # For a decision, pack the finding that it is about.
        record = get_record_store(project).get(record.decision.finding_record_id)
    target = _target(project, roots, order.out) if order.out else None
    surroundings, state = gather(record)
    surroundings = replace(surroundings, warnings=(*get_record_store(project).warnings(), *surroundings.warnings))
    like = history(record, decisions(project))
    if len(like) > MOST_HISTORY:
        more = {**surroundings.left_out, "history": len(like) - MOST_HISTORY}
        surroundings = replace(surroundings, left_out=more)
    subject = dossier(record, get_record_store(project).records()[1], now())
    made = _fitting(Pack(subject, tuple(like[:MOST_HISTORY]), surroundings, state, now()))
    data, text = _json(made), _markdown(made).encode("utf-8", "replace")
    out = _written(project, roots, record.record_id, target, data, text)
    return PackReport(
        record.record_id, str(out), str(out.with_suffix(".md")), len(data), len(made.history), made.surroundings,
        subject.standing, state.ref if state else "", state.freshness if state else "",
    )  # fmt: skip


def history(record: Record, rulings: tuple[Ruling, ...]) -> list[Like]:
    """Find decisions about the same finding, then the same vulnerability, then the same package; the newest first."""
    names = {one.lower() for one in (record.vuln.vuln_id, record.vuln.cve, *record.vuln.aliases) if one}
    package = record.package.name.lower()
    found: dict[str, list[Like]] = {"same finding": [], "same vulnerability": [], "same package": []}
    for one in rulings:
        if one.finding_id == record.record_id:
            relation = "same finding"
        elif one.vuln_id.lower() in names:
            relation = "same vulnerability"
        elif package and one.package.lower() == package:
            relation = "same package"
        else:
            continue
        found[relation].append(Like(relation, one))
    return [one for group in found.values() for one in group]


# -- size --------------------------------------------------------------------------------------------------------------


def _fitting(made: Pack) -> Pack:
    """Shorten lists, the least important first, until the pack is within the limit."""
    for name in _SHORTENED:
        while len(_json(made)) > MOST_BYTES and (entries := getattr(made.surroundings, name)):
            shortened = entries[: len(entries) // 2]
            left = {**made.surroundings.left_out}
            left[name] = left.get(name, 0) + len(entries) - len(shortened)
            made = replace(made, surroundings=replace(made.surroundings, left_out=left, **{name: shortened}))
    return made


def _json(made: Pack) -> bytes:
    around = made.surroundings
    value = {
        "format": FORMAT,
        "schemaVersion": 1,
        "recordId": made.subject.record.record_id,
        "generatedAt": made.made_at,
        "finding": as_object(made.subject.record),
        "standing": as_object(made.subject.standing),
        "history": [{"relation": one.relation, **_ruling(one.ruling)} for one in made.history],
        "repoEvidence": {
            "ref": made.state.ref if made.state else "",
            "freshness": made.state.freshness if made.state else "not_indexed",
            "manifests": as_object(around.manifests),
            "imports": as_object(around.imports),
            "calls": as_object(around.calls),
            "places": as_object(around.places),
            "queries": as_object(around.queries),
        },
        "leftOut": {name: count for name, count in around.left_out.items() if count},
        "warnings": list(around.warnings),
    }
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"


def _ruling(one: Ruling) -> dict[str, object]:
    made = as_object(one)
    assert isinstance(made, dict)
    return made


def _markdown(made: Pack) -> str:
    stands, around = made.subject.standing, made.surroundings
    status = f"{stands.status} (the decision {stands.decision_id} expired {stands.expires_at})" if stands.expired else (
        stands.status + (f" until {stands.expires_at}" if stands.expires_at else "")
    )  # fmt: skip
    parts = [MARK, as_markdown(made.subject.record).rstrip(), f"## Status\n\n- Status: {status}"]
    rows = [f"- {one.relation}: {' '.join(one.ruling.sentence.split())}"
            f"{'' if one.ruling.in_force else ' [no longer in force]'}" for one in made.history]  # fmt: skip
    parts.append("## Related decisions\n\n" + ("\n".join(rows) or "None."))
    for name, title in _NAMED.items():
        traces: tuple[Trace, ...] = getattr(around, name)
        left = around.left_out.get(name, 0)
        if traces:
            lines = [f"- `{one.path}:{one.line}` {one.why}{f' in {one.symbol}' if one.symbol else ''}:"
                     f" {_code(one.text)}" for one in traces]  # fmt: skip
            parts.append(f"## {title}\n\n" + "\n".join(lines + ([f"- … {left} more left out"] if left else [])))
    for query in around.queries:
        lines = [f"- `{one.file}:{one.line}` {one.name or one.kind}: {_code(one.snippet)}" for one in query.hits]
        parts.append(f"## {query.mode}: {query.query}\n\n" + "\n".join(lines))
    if around.warnings:
        parts.append("## Warnings\n\n" + "\n".join(f"- {one}" for one in around.warnings))
    return "\n\n".join(parts) + "\n"


def _code(text: str) -> str:
    """Quote repository text as inline code, with a fence longer than any run of backticks in it."""
    fence = "`"
    while fence in text:
        fence += "`"
    return f"{fence} {' '.join(text.split())} {fence}" if text else ""


# -- where -------------------------------------------------------------------------------------------------------------


def _target(project: Project, roots: tuple[Path, ...], out: str) -> Path:
    """Check the output path: a JSON file below a root that does not exist or is an earlier pack."""
    if "\0" in out or len(out) > _LONGEST or not out.endswith(".json"):
        raise Failure("INVALID_REQUEST", "outPath must end in .json; a .md file is written beside it.")
    named = Path(os.path.normpath(project.workspace.root / out))
    # A project lies two levels below the data directory.
    directory = check_destination(named.parent, roots, project.directory.parents[1], "outPath")
    for path, mark in ((directory / named.name, FORMAT), ((directory / named.name).with_suffix(".md"), MARK)):
        if not _may_be_replaced(path, mark):
            raise Failure("INVALID_REQUEST", f"outPath: {ascii(path.name[:80])} cannot be written, or exists and is"
                          " not a context pack.", hint="Choose another name; nothing was written.")  # fmt: skip
    return directory / named.name


def _may_be_replaced(path: Path, mark: str) -> bool:
    """Whether a path does not exist or is an earlier pack; false for names that the system rejects."""
    try:
        if path.is_symlink():
            return False
        with path.open("rb") as file:
            return mark.encode() in file.read(200)
    except OSError as error:
        # A missing directory is reported when it is opened.
        return error.errno in (errno.ENOENT, errno.ENOTDIR)


def _written(
    project: Project, roots: tuple[Path, ...], record_id: str, target: Path | None, data: bytes, text: bytes
) -> Path:
    if target is not None:
        files = {target.with_suffix(".md").name: text, target.name: data}
        return place_inside(roots, target.parent, files) / target.name
    directory = get_record_store(project).directory / FOLDER
    try:
        make_directory(directory)
        with Batch(directory) as batch:
            batch.add(f"{record_id}.md", text)
            batch.add(f"{record_id}.json", data)
    except OSError as error:
        raise durable(error) from None
    return directory / f"{record_id}.json"
