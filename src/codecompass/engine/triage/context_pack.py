"""Context pack: write a finding with related decisions and evidence as JSON and Markdown for a reviewer."""

import errno
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from codecompass.atomic import AtomicDirectory, make_directory
from codecompass.confine import AllowedRoots
from codecompass.engine.triage.decisions import list_decisions, record_details
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.output_directories import check_destination
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_builder import parse_record_id
from codecompass.findings.record_writer import to_markdown
from codecompass.model.queries.results import ViewState
from codecompass.model.timestamp import utc_timestamp
from codecompass.model.triage_values import (
    ContextPackReport,
    ContextPackRequest,
    DecisionSummary,
    EvidenceLine,
    RecordDetails,
    RepositoryEvidence,
    TriageRecord,
    to_json_object,
)
from codecompass.repo.files.atomic_batch import AtomicBatch, write_failure
from codecompass.repo.files.secret_names import is_secret

FORMAT = "codecompass triage context pack"
MARKDOWN_MARK = f"<!-- {FORMAT} -->"
PACKS_FOLDER = "context-packs"
_MAX_PATH_LENGTH = 4_096
MAX_HISTORY = 5
MAX_BYTES = 262_144
"""Maximum size of the JSON file."""
_SHRINK_ORDER = ("queries", "places", "manifests", "imports", "calls")
"""Lists to shorten when a pack is too large, in this order."""
_SECTION_TITLES = {
    "manifests": "Manifests",
    "imports": "Imports",
    "calls": "Calls of vulnerable symbols",
    "places": "Places",
}

GatherEvidence = Callable[[TriageRecord], tuple[RepositoryEvidence, ViewState | None]]


@dataclass(frozen=True, slots=True)
class RelatedDecision:
    """An earlier decision that may guide a reviewer, and how it is related."""

    relation: str
    """`same finding`, `same vulnerability` or `same package`."""
    decision: DecisionSummary


@dataclass(frozen=True, slots=True)
class ContextPack:
    """The contents of one pack."""

    subject: RecordDetails
    history: tuple[RelatedDecision, ...]
    surroundings: RepositoryEvidence
    state: ViewState | None
    made_at: str


def write_context_pack(
    project: Project, roots: tuple[Path, ...], order: ContextPackRequest, gather: GatherEvidence
) -> ContextPackReport:
    """Gather evidence, shrink it to the limit, write both files, and report their contents."""
    record = get_record_store(project).get(parse_record_id(order.record_id))
    if record.decision is not None:
        # For a decision, pack the finding that it is about.
        record = get_record_store(project).get(record.decision.finding_record_id)
    target = _check_target(project, roots, order.out) if order.out else None
    surroundings, state = gather(record)
    surroundings = replace(
        surroundings, warnings=(*get_record_store(project).describe_damage(), *surroundings.warnings)
    )
    like = find_related_decisions(record, list_decisions(project))
    if len(like) > MAX_HISTORY:
        more = {**surroundings.left_out, "history": len(like) - MAX_HISTORY}
        surroundings = replace(surroundings, left_out=more)
    subject = record_details(record, get_record_store(project).get_records()[1], utc_timestamp())
    made = _shrink_to_limit(ContextPack(subject, tuple(like[:MAX_HISTORY]), surroundings, state, utc_timestamp()))
    data, text = _to_json(made), _to_markdown(made).encode("utf-8", "replace")
    out = _write_pack(project, roots, record.record_id, target, data, text)
    return ContextPackReport(
        record.record_id, str(out), str(out.with_suffix(".md")), len(data), len(made.history), made.surroundings,
        subject.standing, state.ref if state else "", state.freshness if state else "",
    )  # fmt: skip


def find_related_decisions(record: TriageRecord, rulings: tuple[DecisionSummary, ...]) -> list[RelatedDecision]:
    """Find decisions about the same finding, then the same vulnerability, then the same package; the newest first."""
    names = {one.lower() for one in (record.vuln.vuln_id, record.vuln.cve, *record.vuln.aliases) if one}
    package = record.package.name.lower()
    found: dict[str, list[RelatedDecision]] = {"same finding": [], "same vulnerability": [], "same package": []}
    for one in rulings:
        if one.finding_id == record.record_id:
            relation = "same finding"
        elif one.vuln_id.lower() in names:
            relation = "same vulnerability"
        elif package and one.package.lower() == package:
            relation = "same package"
        else:
            continue
        found[relation].append(RelatedDecision(relation, one))
    return [one for group in found.values() for one in group]


# -- size --------------------------------------------------------------------------------------------------------------


def _shrink_to_limit(made: ContextPack) -> ContextPack:
    """Shorten lists, the least important first, until the pack is within the limit."""
    for name in _SHRINK_ORDER:
        while len(_to_json(made)) > MAX_BYTES and (entries := getattr(made.surroundings, name)):
            shortened = entries[: len(entries) // 2]
            left = {**made.surroundings.left_out}
            left[name] = left.get(name, 0) + len(entries) - len(shortened)
            made = replace(made, surroundings=replace(made.surroundings, left_out=left, **{name: shortened}))
    return made


def _to_json(made: ContextPack) -> bytes:
    around = made.surroundings
    value = {
        "format": FORMAT,
        "schemaVersion": 1,
        "recordId": made.subject.record.record_id,
        "generatedAt": made.made_at,
        "finding": to_json_object(made.subject.record),
        "standing": to_json_object(made.subject.standing),
        "history": [{"relation": one.relation, **_to_object(one.decision)} for one in made.history],
        "repoEvidence": {
            "ref": made.state.ref if made.state else "",
            "freshness": made.state.freshness if made.state else "not_indexed",
            "manifests": to_json_object(around.manifests),
            "imports": to_json_object(around.imports),
            "calls": to_json_object(around.calls),
            "places": to_json_object(around.places),
            "queries": to_json_object(around.queries),
        },
        "leftOut": {name: count for name, count in around.left_out.items() if count},
        "warnings": list(around.warnings),
    }
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"


def _to_object(one: DecisionSummary) -> dict[str, object]:
    made = to_json_object(one)
    assert isinstance(made, dict)
    return made


def _to_markdown(made: ContextPack) -> str:
    stands, around = made.subject.standing, made.surroundings
    status = f"{stands.status} (the decision {stands.decision_id} expired {stands.expires_at})" if stands.expired else (
        stands.status + (f" until {stands.expires_at}" if stands.expires_at else "")
    )  # fmt: skip
    parts = [MARKDOWN_MARK, to_markdown(made.subject.record).rstrip(), f"## Status\n\n- Status: {status}"]
    rows = [f"- {one.relation}: {' '.join(one.decision.sentence.split())}"
            f"{'' if one.decision.in_force else ' [no longer in force]'}" for one in made.history]  # fmt: skip
    parts.append("## Related decisions\n\n" + ("\n".join(rows) or "None."))
    for name, title in _SECTION_TITLES.items():
        traces: tuple[EvidenceLine, ...] = getattr(around, name)
        left = around.left_out.get(name, 0)
        if traces:
            lines = [f"- `{one.path}:{one.line}` {one.why}{f' in {one.symbol}' if one.symbol else ''}:"
                     f" {_quote_code(one.text)}" for one in traces]  # fmt: skip
            parts.append(f"## {title}\n\n" + "\n".join(lines + ([f"- … {left} more left out"] if left else [])))
    for query in around.queries:
        lines = [f"- `{one.file}:{one.line}` {one.name or one.kind}: {_quote_code(one.snippet)}" for one in query.hits]
        parts.append(f"## {query.mode}: {query.query}\n\n" + "\n".join(lines))
    if around.warnings:
        parts.append("## Warnings\n\n" + "\n".join(f"- {one}" for one in around.warnings))
    return "\n\n".join(parts) + "\n"


def _quote_code(text: str) -> str:
    """Quote repository text as inline code, with a fence longer than any run of backticks in it."""
    fence = "`"
    while fence in text:
        fence += "`"
    return f"{fence} {' '.join(text.split())} {fence}" if text else ""


# -- where -------------------------------------------------------------------------------------------------------------


def _check_target(project: Project, roots: tuple[Path, ...], out: str) -> Path:
    """Check the output path: a JSON file below a root that does not exist or is an earlier pack."""
    if "\0" in out or len(out) > _MAX_PATH_LENGTH or not out.endswith(".json"):
        raise Failure("INVALID_REQUEST", "outPath must end in .json; a .md file is written beside it.")
    named = Path(os.path.normpath(project.workspace.root / out))
    # A project lies two levels below the data directory.
    directory = check_destination(named.parent, roots, project.directory.parents[1], "outPath")
    for path, mark in ((directory / named.name, FORMAT), ((directory / named.name).with_suffix(".md"), MARKDOWN_MARK)):
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


def _write_pack(
    project: Project, roots: tuple[Path, ...], record_id: str, target: Path | None, data: bytes, text: bytes
) -> Path:
    if target is not None:
        files = {target.with_suffix(".md").name: text, target.name: data}
        return _write_inside_roots(roots, target.parent, files) / target.name
    directory = get_record_store(project).directory / PACKS_FOLDER
    try:
        make_directory(directory)
        with AtomicBatch.open(directory) as batch:
            batch.add(f"{record_id}.md", text)
            batch.add(f"{record_id}.json", data)
    except OSError as error:
        raise write_failure(error) from None
    return directory / f"{record_id}.json"


def _write_inside_roots(roots: tuple[Path, ...], named: Path, files: dict[str, bytes]) -> Path:
    """Write files into a directory below one of the roots, opened component by component; return its real path."""
    found = AllowedRoots(roots).find(named)
    if found is None:
        raise Failure("FORBIDDEN", "outPath lies outside the workspace and the allowed roots.",
                      hint="Choose a file in the workspace.")  # fmt: skip
    if found.is_git_internal or is_secret("/".join((*found.parts, "x"))):
        raise Failure("FORBIDDEN", "outPath lies inside the repository's metadata or where secrets are stored.")
    try:
        directory = AtomicDirectory(found.path, found.open_directory())
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise Failure("INVALID_REQUEST", "outPath must lie in an existing directory, not behind a link.",
                          hint="Create the directory first.") from None  # fmt: skip
        raise write_failure(error) from None
    try:
        with AtomicBatch(directory, 0o666) as batch:
            for name, data in files.items():
                batch.add(name, data)
    except OSError as error:
        raise write_failure(error) from None
    return found.path
