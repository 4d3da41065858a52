"""Killed at any instant: the last published view keeps answering and the next run heals by itself."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from codecompass.store.embedded.catalog.index_writer import EmbeddedWriter
from codecompass.store.ports import NewBlob
from tests.architecture.source import ROOT
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

STORE = "store.embedded"
POINTS = [
    f"{STORE}.files.writer_lock:WriterLock.write_heartbeat:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._recover:before:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._begin_batch:before:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._begin_batch:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter.add:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter.add:after:9",
    f"{STORE}.text.text_index:TextWriter.add:before:3",
    f"{STORE}.text.text_index:TextWriter.commit:before:1",
    f"{STORE}.text.text_index:TextWriter.commit:after:1",
    f"{STORE}.text.text_index:TextWriter.commit:after:2",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._end_batch:before:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._end_batch:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._end_batch:after:2",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._flush_rows:before:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._flush_rows:after:2",
    f"{STORE}.catalog.index_writer:EmbeddedWriter.publish:before:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._write_view:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._freeze_text:before:1",
    f"{STORE}.text.text_index:_freeze:before:1",
    f"{STORE}.text.text_index:link_file:after:2",
    f"{STORE}.text.text_index:sync_directory:before:1",
    f"{STORE}.text.text_index:_freeze:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._freeze_text:after:1",
    f"{STORE}.text.text_index:TextWriter.sweep:before:1",
    f"{STORE}.text.text_index:TextWriter.close:before:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter.publish:after:1",
    "engine.jobs.job_runner:_validate:before:1",
    "engine.workspace.job_table:JobTable.finish:before:1",
    "engine.index.worker_pool:WorkerPool._start_worker:after:1",
    "engine.index.sync:_reuse_unchanged:after:1",
]
SWEEPING = [
    f"{STORE}.text.text_index:TextWriter.remove:before:1",
    f"{STORE}.text.text_index:TextWriter.remove:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._sweep_blobs:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._freeze_text:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter.publish:after:1",
    f"{STORE}.text.text_index:TextWriter.merge:before:1",
    f"{STORE}.text.text_index:arrange_merge:after:1",
    f"{STORE}.text.text_index:TextWriter._open:after:2",
    f"{STORE}.text.text_index:TextWriter.remove_range:before:1",
    f"{STORE}.text.text_index:TextWriter.remove_range:after:1",
    f"{STORE}.text.text_index:TextWriter.merge:after:1",
    f"{STORE}.catalog.index_writer:EmbeddedWriter._publish_text:after:1",
]
"""Points that are reached where what no view holds is swept and merged away at once."""
SMALL_BATCH = 300
"""Bytes: makes a batch every few files, so that the batch points are reached."""


def sources(version: int) -> dict[str, str]:
    return {
        f"pkg/mod{number}.py": f"def stays_{number}():\n    return {number}\n\n\n"
        f"def version_{version}_{number}():\n    return stays_{number}()\n"
        for number in range(12)
    }


def write(repo: Path, version: int) -> None:
    for name, text in sources(version).items():
        (repo / name).write_text(text)


def answers(desk: Desk) -> dict[str, object]:
    """What a client sees: where names are, what text search finds, how many files there are."""
    names = [f"version_{version}_{number}" for version in (1, 2) for number in (0, 5, 11)]
    found: dict[str, object] = {name: sorted(desk.places(name)) for name in names}
    found["text"] = sorted({hit.path for hit in desk.search("version_1_5 stays_5", limit=40).hits})
    found["total"] = desk.search("stays_5", limit=40).total
    return found


def kill_at(repo: Path, data: Path, point: str, *tight: str) -> None:
    argv = [sys.executable, "-m", "tests.engine.killed_index", str(repo), str(data), point, str(SMALL_BATCH), *tight]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, f"{point} was never reached: {done.stderr.decode()[-800:]}"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, object]]:
    """The answers of an index that nobody disturbed, for both versions of the sources."""
    base = tmp_path_factory.mktemp("clean")
    found = {}
    for version in (1, 2):
        repo = make_repo(base / f"repo{version}", sources(version))
        with desk_on(repo, base / f"data{version}") as desk:
            desk.index()
            found[version] = answers(desk)
    assert found[1] != found[2]
    return found


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_syncing(point: str, tmp_path: Path, expected: dict[int, dict[str, object]]) -> None:
    """CRASH-HEALS: after kill -9 a reader sees the old view or the new one, whole; the next sync publishes the new."""
    repo, data = make_repo(tmp_path / "repo", sources(1)), tmp_path / "data"
    with desk_on(repo, data) as desk:
        desk.index()
    write(repo, 2)
    kill_at(repo, data, point)
    with desk_on(repo, data) as desk:
        assert answers(desk) in (expected[1], expected[2])
        status = desk.engine.status(None, None)
        assert status.active_job is None
        assert status.recovery is not None and status.recovery.interrupted_jobs == 1
        desk.index()
        assert answers(desk) == expected[2]
        assert desk.engine.status(None, None).recovery is None
        assert desk.engine._projects.open_for_query(None).store.verify() == []


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("point", SWEEPING)
def test_killed_while_sweeping(
    point: str, tmp_path: Path, expected: dict[int, dict[str, object]], *, back: bool
) -> None:
    """CRASH-HEALS, TEXT-PROOF: documents deleted for a publish that never came are found again, whichever version of
    the sources the next sync meets.
    """
    kept = {"pkg/kept.py": "def kept():\n    pass\n"}  # a segment that is all dead would go without a merge
    repo, data = make_repo(tmp_path / "repo", sources(1) | kept), tmp_path / "data"
    with desk_on(repo, data) as desk:
        desk.index()
    write(repo, 2)
    kill_at(repo, data, point, "tight")
    with desk_on(repo, data) as desk:
        assert answers(desk) in (expected[1], expected[2])
        version = 1 if back else 2
        write(repo, version)
        desk.index()
        assert answers(desk) == expected[version]
        (repo / "pkg" / "more.py").write_text("def more():\n    return 1\n")
        desk.index()
        (repo / "pkg" / "more.py").unlink()
        desk.index()
        assert answers(desk) == expected[version]
        with desk.engine._projects.open_for_query(None).store.pin() as snapshot:
            found = snapshot.text_agreement()
            assert found is not None and found.is_consistent


@pytest.mark.parametrize(
    "point", [point for point in POINTS[2::4] if "publish:after" not in point and "jobs" not in point]
)
def test_killed_during_the_first_index_and_again_while_healing(
    point: str, tmp_path: Path, expected: dict[int, dict[str, object]]
) -> None:
    """CRASH-HEALS: a run killed twice before anything was published still ends well."""
    repo, data = make_repo(tmp_path / "repo", sources(2)), tmp_path / "data"
    kill_at(repo, data, point)
    kill_at(repo, data, f"{STORE}.catalog.index_writer:EmbeddedWriter._write_view:after:1")
    with desk_on(repo, data) as desk:
        assert desk.locate("stays_1").state.indexing in ("not_indexed", "ready")
        desk.index()
        assert answers(desk) == expected[2]


def test_a_killed_run_keeps_its_finished_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CRASH-RESUMES: what was made durable before the kill is not parsed again."""
    repo, data = make_repo(tmp_path / "repo", sources(1)), tmp_path / "data"
    kill_at(repo, data, f"{STORE}.catalog.index_writer:EmbeddedWriter._end_batch:after:2")
    parsed: list[NewBlob] = []
    original = EmbeddedWriter.add

    def counting(writer: EmbeddedWriter, blob: NewBlob) -> int:
        parsed.append(blob)
        return original(writer, blob)

    monkeypatch.setattr(EmbeddedWriter, "add", counting)
    with desk_on(repo, data) as desk:
        desk.index()
        assert 0 < len(parsed) < len(sources(1))
        assert len(desk.places("stays_3")) == 1
