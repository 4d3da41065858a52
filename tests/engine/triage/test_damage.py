"""Damaged records: found by their checksums, told of, kept, and never shown as if they were true."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from codecompass.engine.maintenance.health.doctor import check_project
from codecompass.engine.triage.record_store import RecordStore
from codecompass.engine.workspace.project_caches import ProjectCaches
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.results import DoctorCheck
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.triage_values import ContextPackRequest, TriageRecord
from codecompass.surfaces.cli.commands.doctor_command import find_exit_code
from tests.engine.triage.triage_repo import MERGE, YAML, Bench
from tests.faults import damages, flip_bit, flips

FLIPS = 150


def opened(bench: Bench) -> RecordStore:
    """The records as a process that has just started reads them."""
    return RecordStore(bench.folder().parent)


def fresh(bench: Bench) -> Bench:
    """The same desk as a new process would have it."""
    project = bench.engine._projects.get_registered(None)
    project.caches = ProjectCaches()
    return bench


def triage_check(bench: Bench) -> DoctorCheck:
    project = bench.engine._projects.get_registered(None)
    return next(one for one in check_project(project, None, read_data=False) if one.name == "triage")


def unsigned(path: Path) -> None:
    data = json.loads(path.read_text())
    del data["checksum"]
    path.write_text(json.dumps(data))


@pytest.mark.parametrize("kind", ["finding", "decision"])
def test_no_flipped_bit_is_shown_as_true(bench: Bench, kind: str) -> None:
    """TRIAGE-DAMAGE: bits at many places of a record: it is read as it was written, or named as damaged."""
    finding = bench.one(YAML)
    name = bench.decide(finding, "accept", justification="Nobody can reach it.").record.record_id
    name = finding if kind == "finding" else name
    path = bench.folder() / f"{name}.json"
    right, content, noticed = opened(bench).get_records()[1], path.read_bytes(), 0
    for at, bit in flips(path.stat().st_size, FLIPS, 7, edge=40):
        flip_bit(path, at, bit)
        cabinet = opened(bench)
        found = cabinet.get_records()[1]
        assert all(right[one] == record for one, record in found.items()), (at, bit)
        if name not in found:
            noticed += 1
            assert cabinet.list_damaged() and name in cabinet.list_damaged()[0] and name in cabinet.describe_damage()[0]
            with pytest.raises(Failure, match="is damaged") as caught:
                cabinet.get(name)
            assert "backup" in caught.value.effective_hint and caught.value.code == "NOT_FOUND"
        path.write_bytes(content)
    assert noticed > FLIPS * 0.9


@pytest.mark.parametrize("how", list(damages(b"")))
def test_larger_damage(bench: Bench, how: str) -> None:
    """TRIAGE-DAMAGE: a file that was cut or overwritten is named; the others are as they were."""
    first, second = bench.one(YAML), bench.one(MERGE)
    path = bench.folder() / f"{first}.json"
    path.write_bytes(damages(path.read_bytes())[how])
    assert list(opened(bench).get_records()[1]) == [second] and len(opened(bench).list_damaged()) == 1


def tampered(bench: Bench) -> tuple[str, Path, bytes]:
    """A finding whose severity says something else than it did when it was written."""
    finding = bench.one(YAML)
    path = bench.folder() / f"{finding}.json"
    path.write_bytes(path.read_bytes().replace(b'"critical"', b'"info"'))
    return finding, path, path.read_bytes()


def test_every_tool_tells_of_it(bench: Bench) -> None:
    """TRIAGE-DAMAGE: search, list, pack, decision, health and doctor name it; none shows a word of it."""
    finding, path, data = tampered(bench)
    other = bench.one(MERGE)
    fresh(bench)
    query = SearchQuery("loading", mode="records", freshness="best_effort")
    found = bench.engine.search(None, query, Call())
    assert found.hits == () and finding in found.warnings[0]
    listed = bench.engine.triage_findings(None, "", "", "", 10)
    assert [one.record.record_id for one in listed.entries] == [other] and finding in listed.damaged[0]
    assert finding in bench.engine.triage_record(None, other).warnings[0]
    packed = bench.engine.triage_pack(None, ContextPackRequest(other), Call())
    assert any(finding in said for said in packed.surroundings.warnings)
    assert finding in bench.decide(other, "fix").warnings[0]
    with pytest.raises(Failure, match="damaged"):
        bench.decide(finding, "accept")
    assert finding in bench.engine.health(None).projects[0].records_damage
    check = triage_check(bench)
    assert check.status == "fail" and finding in check.detail and find_exit_code((check,)) == 24
    assert path.read_bytes() == data, "nothing touches the damaged file"


def test_what_the_doctor_names_mends_it(bench: Bench) -> None:
    """TRIAGE-DAMAGE: whoever edited a record on purpose takes its checksum away; the record is true again."""
    finding, path, _ = tampered(bench)
    fresh(bench)
    remedy = triage_check(bench).remedy
    subprocess.run(shlex.split(remedy[remedy.index("sed ") :]), check=True)
    record = fresh(bench).engine.triage_record(None, finding).record
    assert record.vuln.severity == "info"
    check = triage_check(bench)
    assert check.status == "ok" and "1 had no checksum" in check.detail
    assert json.loads(path.read_text())["checksum"].startswith("blake3:")


def test_a_damaged_file_is_kept_when_the_finding_comes_again(bench: Bench) -> None:
    """TRIAGE-DAMAGE: the record has its place back, and the damaged file another name."""
    finding, path, data = tampered(bench)
    fresh(bench)
    assert bench.ingest(YAML).counts == {"added": 1}
    assert bench.engine.triage_record(None, finding).record.vuln.severity == "critical"
    kept = path.with_name(path.name + ".damaged-1")
    assert kept.read_bytes() == data and opened(bench).list_damaged() == ()
    path.write_bytes(b"{")
    fresh(bench).ingest(YAML)
    assert path.with_name(path.name + ".damaged-2").read_bytes() == b"{" and kept.read_bytes() == data


def test_records_of_older_versions(bench: Bench) -> None:
    """TRIAGE-UNSIGNED: they are read as they are, counted once, and proved from then on."""
    names = [bench.one({**YAML, "vulnId": f"V-{number}"}) for number in range(5)]
    right = dict(opened(bench).get_records()[1])
    for name in names[:3]:
        unsigned(bench.folder() / f"{name}.json")
    cabinet = opened(bench)
    assert dict(cabinet.get_records()[1]) == right and cabinet.count_unverified() == 3
    assert dict(cabinet.get_records()[1]) == right, "what this process wrote itself is no news to it"
    assert opened(bench).count_unverified() == 0 and dict(opened(bench).get_records()[1]) == right
    path = bench.folder() / f"{names[0]}.json"
    path.write_bytes(path.read_bytes().replace(b"Code runs", b"Code stops"))
    assert names[0] in opened(bench).list_damaged()[0]


def test_signing_never_undoes_what_another_process_wrote(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRIAGE-UNSIGNED, TRIAGE-OWNED: a record that changes between the reading and the signing stays as it is then."""
    finding = bench.one(YAML)
    path = bench.folder() / f"{finding}.json"
    unsigned(path)
    cabinet, read = opened(bench), RecordStore._read

    def late(self: RecordStore, name: str) -> tuple[TriageRecord, bool]:
        found = read(self, name)
        if self is cabinet:
            newer: dict[str, Any] = {**YAML, "title": "Said meanwhile"}
            bench.ingest(newer)
        return found

    monkeypatch.setattr(RecordStore, "_read", late)
    cabinet.get_records()
    monkeypatch.undo()
    assert opened(bench).get(finding).vuln.title == "Said meanwhile"


def test_a_folder_that_cannot_be_written_to(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRIAGE-UNSIGNED: a full disk keeps nobody from reading; the checksum is written another time."""
    finding = bench.one(YAML)
    unsigned(bench.folder() / f"{finding}.json")

    def refuse(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("codecompass.atomic.AtomicDirectory.write_temporary", refuse)
    assert opened(bench).get(finding).vuln.title == YAML["title"] and opened(bench).count_unverified() == 1
    monkeypatch.undo()
    assert opened(bench).count_unverified() == 1 and opened(bench).count_unverified() == 0
