"""Findings become records: each once, however often they come; only from where files may be read; never half."""

import io
import json
import os
import shutil
from pathlib import Path
from threading import Event, Thread

import pytest

from codecompass.engine.triage import record_store as cabinets
from codecompass.engine.triage.record_store import RecordStore
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.triage_values import FindingLocation, IngestRequest
from tests.engine.support import desk_on
from tests.engine.triage.triage_repo import MERGE, YAML, Bench
from tests.repo.gitrepo import make_repo


def test_records_are_files(bench: Bench) -> None:
    """TRIAGE-OWNED: a record is a JSON and a Markdown file in the folder beside the project's own data."""
    made = bench.ingest(YAML, service="billing", exposure={"internetExposed": True})
    (stored,) = made.stored
    assert Path(made.records_dir) == bench.folder() == Path(stored.json_path).parent
    data = json.loads(Path(stored.json_path).read_text())
    assert data["schemaVersion"] == 1 and data["recordId"] == stored.record_id and data["service"] == "billing"
    assert data["exposure"] == {"internetExposed": True, "publicEndpoint": "/import"}
    assert "# CVE-2031-50005: Code runs while loading" in Path(stored.md_path).read_text()
    assert Path(stored.json_path).stat().st_mode & 0o077 == 0, "findings are nobody else's business"
    assert {path.suffix for path in bench.folder().iterdir()} == {".json", ".md"}


def test_the_same_again_changes_nothing(bench: Bench) -> None:
    """TRIAGE-IDEMPOTENT: taken in twice there is one record, untouched; a change at the source updates it."""
    first = bench.ingest(YAML, MERGE)
    before = {path.name: path.stat().st_mtime_ns for path in bench.folder().iterdir()}
    again = bench.ingest(YAML, MERGE)
    assert (first.counts, again.counts) == ({"added": 2}, {"unchanged": 2})
    assert {path.name: path.stat().st_mtime_ns for path in bench.folder().iterdir()} == before
    changed = bench.ingest({**YAML, "severity": "low", "service": ""}, MERGE)
    assert changed.counts == {"updated": 1, "unchanged": 1} and changed.written == 1
    found = bench.engine.triage_record(None, changed.stored[0].record_id).record
    assert (found.vuln.severity, found.service) == ("low", "api"), "routing that is not said anew is kept"
    assert len(list(bench.folder().glob("*.json"))) == 2


def test_twice_in_one_file(bench: Bench) -> None:
    """TRIAGE-IDEMPOTENT: a file that repeats a finding makes one record of it."""
    made = bench.ingest(YAML, YAML)
    assert made.counts == {"added": 1, "unchanged": 1} and made.total == 2 and len(made.stored) == 1


def test_id_file_and_line_of_a_plain_finding_are_kept(bench: Bench) -> None:
    """TRIAGE-PLACES: flat fields as scanners write them; one id at several places is one finding with all of them."""
    rule = {"id": "RULE-1", "title": "Bad", "severity": "high"}
    files = (
        {**rule, "file": "a.py", "line": 12},
        {**rule, "file": "./a.py", "line": "30", "endLine": 32},
        {"ruleId": "R2", "message": "other", "path": "b.ts", "startLine": 3},
        {"title": "third", "location": {"file": "c.py", "line": 1}},
    )
    made = bench.ingest(*files)
    assert not made.errors and made.counts == {"added": 3, "unchanged": 1}
    found = [bench.engine.triage_record(None, one.record_id).record for one in made.stored]
    assert [(one.vuln.vuln_id, one.vuln.title, one.places) for one in found] == [
        ("RULE-1", "Bad", (FindingLocation("a.py", 12, 12), FindingLocation("a.py", 30, 32))),
        ("R2", "other", (FindingLocation("b.ts", 3, 3),)),
        ("", "third", (FindingLocation("c.py", 1, 1),)),
    ]
    assert bench.ingest(*files).counts == {"unchanged": 4}


def test_findings_without_an_id(bench: Bench) -> None:
    """TRIAGE-IDEMPOTENT, TRIAGE-ERRORS: title and package tell them apart, else all that is said and not its start."""
    long = {"title": "odd", "description": "word " * 10_000}
    made = bench.ingest({**long, "note": "one"}, {**long, "note": "two"})
    assert made.counts == {"added": 2} and not made.errors
    assert bench.ingest({**long, "note": "one"}).counts == {"unchanged": 1}
    made = bench.ingest({"title": "leaks", "package": "soap"}, {"title": "crashes", "package": "soap"})
    assert made.counts == {"added": 2}
    assert bench.ingest({"title": "leaks", "package": "soap", "severity": "low"}).counts == {"updated": 1}


def test_manual_is_generic(bench: Bench) -> None:
    """TRIAGE-IDEMPOTENT: both names of one format give one record."""
    assert bench.one(YAML) == bench.one(YAML, "manual")


def test_bad_items_are_told_and_good_ones_stay(bench: Bench) -> None:
    """TRIAGE-ERRORS: index, place and reason of each bad item; the others are records."""
    made = bench.ingest(YAML, {"x": 1}, MERGE, {"recordType": "decision", "vulnId": "X"})
    assert (made.total, made.errors, made.written) == (4, 2, 2)
    assert [(one.index, one.position) for one in made.problems] == [(1, "[1]"), (3, "[3]")]
    assert "names neither" in made.problems[0].message and "triage_decision" in made.problems[1].message


def test_a_given_id_is_kept_if_it_can_be_one(bench: Bench) -> None:
    """TRIAGE-IDS: an id with a separator or two dots is replaced, and the record says so."""
    made = bench.ingest({**YAML, "recordId": "acme-1"}, {**MERGE, "recordId": "../../etc/passwd"})
    first, second = made.stored
    assert first.record_id == "acme-1" and len(second.record_id) == 40
    warned = bench.engine.triage_record(None, second.record_id).record.parse_warnings
    assert any("recordId" in text for text in warned)
    for name in ("../x", "a/b", "a\\b", "..", "", "x" * 200, "a\0b"):
        with pytest.raises(Failure) as caught:
            bench.engine.triage_record(None, name)
        assert caught.value.code == "INVALID_REQUEST"
    with pytest.raises(Failure) as caught:
        bench.engine.triage_record(None, "no-such-record")
    assert caught.value.code == "NOT_FOUND"


def test_unknown_meta_is_refused(bench: Bench) -> None:
    """TRIAGE-ERRORS: a key that means nothing is refused with those that do, before anything is read."""
    with pytest.raises(Failure, match="colour") as caught:
        bench.ingest(YAML, colour="red")
    assert "service" in caught.value.message and not bench.folder().exists()
    with pytest.raises(Failure, match="internetExposed"):
        bench.ingest(YAML, internetExposed="perhaps")


# -- where it may come from --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../outside.json", "FORBIDDEN"), ("/etc/hostname", "FORBIDDEN"), ("link.json", "FORBIDDEN"),
        ("linked/outside.json", "FORBIDDEN"), (".git/config", "FORBIDDEN"), (".env", "FORBIDDEN"),
        ("src", "FORBIDDEN"), ("none.json", "FILE_NOT_FOUND"), ("a\0b", "INVALID_REQUEST"), ("", "FORBIDDEN"),
        ("pipe", "FORBIDDEN"),
    ],
)  # fmt: skip
def test_input_stays_inside(bench: Bench, name: str, code: str) -> None:
    """TRIAGE-CONFINED: nothing outside, through a link, secret or of the repository's own is read."""
    outside = bench.repo.parent / "outside.json"
    outside.write_text(json.dumps([YAML]))
    (bench.repo / ".env").write_text(json.dumps([YAML]))
    for link, target in (("link.json", outside), ("linked", bench.repo.parent)):
        if not (bench.repo / link).is_symlink():
            (bench.repo / link).symlink_to(target)
    if not (bench.repo / "pipe").exists():
        os.mkfifo(bench.repo / "pipe")
    with pytest.raises(Failure) as caught:
        bench.engine.triage_ingest(None, IngestRequest("generic", name), Call())
    assert caught.value.code == code
    assert not bench.folder().exists()


def test_input_from_an_allowed_root(tmp_path: Path) -> None:
    """TRIAGE-CONFINED: below an allowed root, by its absolute path; a link inside the workspace is followed."""
    repo = make_repo(tmp_path / "repo", {"a.py": "a = 1\n", "in/findings.json": json.dumps([YAML])})
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "x.json").write_text(json.dumps([MERGE]))
    (repo / "alias.json").symlink_to(repo / "in" / "findings.json")
    with desk_on(repo, tmp_path / "data", allowed_roots=(str(tmp_path / "reports"),)) as desk:
        desk.engine.init(str(repo))
        for name in (str(tmp_path / "reports" / "x.json"), "alias.json", "in/../in/findings.json"):
            assert desk.engine.triage_ingest(None, IngestRequest("generic", name), Call()).total == 1


def test_streams(bench: Bench) -> None:
    """TRIAGE-SHAPES: what cannot go back, such as a pipe, is read as well as a file, and leaves nothing behind."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as source:
        with os.fdopen(writer, "wb") as sink:
            sink.write(json.dumps({"findings": [YAML, MERGE]}).encode())
        made = bench.engine.triage_ingest(None, IngestRequest("generic"), Call(), source)
    assert made.counts == {"added": 2}
    assert [path.name for path in bench.folder().parent.iterdir()] == ["records"]


# -- whole or not there ------------------------------------------------------------------------------------------------


def test_a_cancelled_call_keeps_what_it_wrote(bench: Bench) -> None:
    """TRIAGE-OWNED: stopped in the middle, every record is whole or not there, and the rest comes in next time."""
    rows = [{**YAML, "vulnId": f"V-{number}"} for number in range(40)]
    gone = Event()

    def stop(_progress: object) -> None:
        if bench.folder().exists() and len(list(bench.folder().glob("*.json"))) >= 1:
            gone.set()

    many = json.dumps(rows * 5).encode()
    with pytest.raises(Failure) as caught:
        bench.engine.triage_ingest(None, IngestRequest("generic"), Call(cancelled=gone, report=stop), io.BytesIO(many))
    assert caught.value.code == "CANCELLED"
    written = [json.loads(path.read_text()) for path in bench.folder().glob("*.json")]
    assert 0 < len(written) <= 40 and all(one["vuln"]["vulnId"] for one in written)
    assert bench.ingest(*rows).total == 40
    assert len(list(bench.folder().glob("*.json"))) == 40


def test_leftovers_and_damage(bench: Bench) -> None:
    """TRIAGE-OWNED: what a killed writer left is no record; a damaged file is named and hurts nothing else."""
    good = bench.one(YAML)
    (bench.folder() / ".half.json.0a.new").write_text('{"recordId": "half"')
    (bench.folder() / "broken.json").write_text('{"schemaVersion": 1, "recordId"')
    (bench.folder() / "renamed.json").write_bytes((bench.folder() / f"{good}.json").read_bytes())
    (bench.folder() / "newer.json").write_text('{"schemaVersion": 99}')
    (bench.folder() / "odd.json").write_text('{"schemaVersion": 1, "recordId": "odd", "recordType": "finding",'
        ' "source": "x", "createdAt": "", "updatedAt": "", "vuln": {"severity": "awful"}}')  # fmt: skip
    (bench.folder() / "wrong.json").write_text('{"schemaVersion": 1, "recordId": "wrong", "vuln": 5}')
    found = bench.engine.triage_findings(None, "", "", "", 10)
    assert [one.record.record_id for one in found.entries] == [good]
    assert [text.partition(":")[0] for text in found.damaged] == ["broken", "newer", "odd", "renamed", "wrong"]
    assert bench.names("loading") == ["CVE-2031-50005"]


def test_others_are_seen_at_once(bench: Bench) -> None:
    """TRIAGE-OWNED: what another process writes or takes away is seen by the next question."""
    record = bench.one(YAML)
    other = RecordStore(bench.folder().parent)
    assert set(other.get_records()[1]) == {record}
    second = bench.one(MERGE)
    assert set(other.get_records()[1]) == {record, second}
    bench.rewrite(second, service="other")
    assert other.get_records()[1][second].service == "other"
    (bench.folder() / f"{record}.json").unlink()
    assert set(other.get_records()[1]) == {second} and bench.names(meta="vulnId") == ["GHSA-aaaa-bbbb-cccc"]
    shutil.rmtree(bench.folder())
    assert other.get_records()[1] == {} and bench.names(meta="vulnId") == []


def test_writers_at_the_same_time(bench: Bench) -> None:
    """TRIAGE-OWNED: several threads with the same findings make each record once, whole."""
    rows = [{**YAML, "vulnId": f"V-{number}"} for number in range(30)]
    data = json.dumps(rows).encode()

    def write() -> None:
        bench.engine.triage_ingest(None, IngestRequest("generic"), Call(), io.BytesIO(data))

    threads = [Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert bench.engine.triage_findings(None, "", "", "", 1).damaged == ()
    for thread in threads:
        thread.join()
    assert bench.engine.triage_findings(None, "", "", "", 100).total == 30
    assert len(list(bench.folder().iterdir())) == 60


def test_a_record_that_another_writer_just_made_is_not_set_aside(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRIAGE-OWNED: between the search for a record and its write, another process may have written it."""
    other = RecordStore(bench.folder().parent)
    (stored,) = bench.ingest(YAML).stored
    record = bench.engine.triage_record(None, stored.record_id).record
    shutil.rmtree(bench.folder())

    def has_room(self: RecordStore, more: int) -> bool:
        monkeypatch.undo()
        other.add(record)
        return True

    monkeypatch.setattr(RecordStore, "has_room", has_room)
    bench.ingest(YAML)
    assert {path.suffix for path in bench.folder().iterdir()} == {".json", ".md"}


def test_the_folder_has_a_limit(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """TRIAGE-BOUNDED: beyond the limit new findings are refused one by one; known ones are still updated."""
    monkeypatch.setattr(cabinets, "MAX_RECORDS", 2)
    made = bench.ingest(*({**YAML, "vulnId": f"V-{number}"} for number in range(3)))
    assert made.written == 2 and "which is the maximum" in made.problems[0].message
    assert bench.ingest({**YAML, "vulnId": "V-1", "title": "new"}).counts == {"updated": 1}


def test_records_outlive_the_index(tmp_path: Path) -> None:
    """TRIAGE-OWNED: a forced index changes no record; without any index findings come in all the same."""
    repo = make_repo(tmp_path / "repo", {"a.py": "a = 1\n"})
    with desk_on(repo, tmp_path / "data") as desk:
        desk.engine.init(str(repo))
        bench = Bench(desk, repo)
        record = bench.one(YAML)
        before = (bench.folder() / f"{record}.json").read_bytes()
        desk.index(force=True)
        assert (bench.folder() / f"{record}.json").read_bytes() == before
        assert bench.names("loading") == ["CVE-2031-50005"]
