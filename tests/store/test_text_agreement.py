"""The text index holds what the catalog says: after months of saves, after a writer that died, after damage."""

from pathlib import Path

import pytest

from codecompass.engine.maintenance.health.doctor import SYNC
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CompactRequest
from codecompass.model.queries.results import DoctorCheck, ViewState
from codecompass.store.embedded.catalog import index_writer as writer_module
from codecompass.store.embedded.catalog.index_writer import GARBAGE_FLOOR, EmbeddedWriter
from codecompass.store.embedded.databases.sqlite_connection import open_database
from codecompass.store.embedded.text.text_index import (
    DELETED_FLOOR,
    DELETED_SHARE,
    MERGE_LEFTOVERS,
    TextWriter,
    verify_work,
)
from codecompass.store.ports import Document, TextSegment
from codecompass.surfaces.cli.commands.doctor_command import find_exit_code
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo
from tests.store.textlab import (
    FILES,
    QUESTION,
    add_strays,
    agreement_of,
    damage,
    dead_documents,
    generations,
    remove_first,
    text_bytes,
    write_version,
)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    found = make_repo(tmp_path / "repo", {"shop/query.py": "class QuerySet:\n    pass\n"})
    write_version(found, 0)
    commit(found, {}, "Begin")
    return found


def answers(desk: Desk) -> None:
    """Search finds the parts, and nothing that is no file of the tree."""
    found = desk.search(QUESTION, limit=100)
    assert {hit.path for hit in found.hits} == {f"shop/part{number}.py" for number in range(FILES)}
    assert found.total <= 2 * FILES


def text_check(desk: Desk) -> DoctorCheck:
    (found,) = [check for check in desk.engine.doctor(None) if check.name == "text index"]
    return found


def test_search_survives_hundreds_of_saved_versions(repo: Path, tmp_path: Path) -> None:
    """TEXT-SAVES: whatever was saved and superseded, search answers, and the text index stays near what is live."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        first = text_bytes(desk.home)
        for turn in range(1, 9):
            write_version(repo, turn)
            desk.index()
            answers(desk)
            assert len(generations(desk.home)) == 1
        found = agreement_of(desk)
        assert found.is_consistent
        most = 2 * (FILES + 1 + max(GARBAGE_FLOOR, FILES // 10))
        assert found.documents <= most
        with desk.engine._projects.open_for_query(None).store.pin() as snapshot:
            assert snapshot.document_frequencies(["price"])[1] == found.documents
            assert snapshot.dropped_hits == 0
        assert text_check(desk).status == "ok"
        assert text_bytes(desk.home) < 3 * first
        home = desk.home
    assert dead_documents(home) <= max(DELETED_FLOOR, DELETED_SHARE * found.documents)


def test_force_switches_and_builds(repo: Path, tmp_path: Path) -> None:
    """TEXT-SAVES: so it is after `index --force` again and again, and after switches of the branch."""
    git(repo, "checkout", "-q", "-b", "other")
    write_version(repo, 50)
    commit(repo, {}, "Other")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        first = text_bytes(desk.home)
        for _ in range(3):
            desk.index(force=True)
            answers(desk)
        for branch in ("main", "other", "main"):
            git(repo, "checkout", "-q", branch)
            desk.index()
            answers(desk)
        desk.index("other")
        answers(desk)
        assert agreement_of(desk).is_consistent
        assert text_bytes(desk.home) < 4 * first


def test_documents_that_stay_are_seen(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TEXT-PROOF: a deletion that deletes nothing is a fault that ends in a new text index, never in silence."""

    def remove(writer: TextWriter, blobs: list[int]) -> None:
        for blob in blobs:
            writer._writer.delete_documents_by_term("blob", blob)

    monkeypatch.setattr(TextWriter, "remove", remove)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        before = desk.engine._projects.open_for_query(None).store.state().generation
        for turn in range(1, 4):
            write_version(repo, turn)
            desk.index()
            answers(desk)
            assert agreement_of(desk).is_consistent
        assert desk.engine._projects.open_for_query(None).store.state().generation <= before + 1  # begun anew


@pytest.mark.parametrize("counted", [False, True])
def test_strays_never_answer_and_go_at_the_next_sync(repo: Path, tmp_path: Path, *, counted: bool) -> None:
    """TEXT-STRAYS: an index that the old deletion left behind answers at once, the doctor sees it, a sync heals it."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        clean = text_bytes(desk.home)
        home = desk.home
    damage(home, add_strays, counted=counted)
    with desk_on(repo, tmp_path / "data") as desk:
        answers(desk)
        assert agreement_of(desk).strays == 400
        check = text_check(desk)
        assert (check.status, check.remedy) == ("fail", SYNC)
        assert find_exit_code((check,)) == 22
        assert "400" in check.detail
        health = desk.engine.health(None)
        assert not health.tantivy_ok and "400" in health.message
        desk.index()
        answers(desk)
        assert agreement_of(desk).is_consistent
        assert text_check(desk).status == "ok"
        assert desk.engine.health(None).tantivy_ok
        assert text_bytes(desk.home) < 1.5 * clean


def test_hits_of_unknown_contents_are_dropped_and_counted(repo: Path, tmp_path: Path) -> None:
    """TEXT-STRAYS: even where nothing told of them before, such hits are no answer, do not raise, and are counted."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        home = desk.home
    damage(home, add_strays, counted=True)
    connection = open_database(home / "index.db", write=True)
    connection.execute("UPDATE meta SET value = value + 800 WHERE key = 'text_documents'")
    connection.close()
    with desk_on(repo, tmp_path / "data") as desk:
        answers(desk)
        with desk.engine._projects.open_for_query(None).store.pin() as snapshot:
            assert snapshot.dropped_hits > 0
        assert desk.engine.status(None, None).words.dropped_hits > 0


def test_lost_documents_are_named_and_made_again(repo: Path, tmp_path: Path) -> None:
    """TEXT-MISSING: a content without documents makes the answer partial, with the reason, until a sync indexed it."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        home = desk.home
    damage(home, remove_first)
    with desk_on(repo, tmp_path / "data") as desk:
        state: ViewState = desk.search(QUESTION, limit=100).state
        assert state.partial and "Search by words" in state.warnings[0]
        assert text_check(desk).status == "fail"
        assert desk.engine.health(None).status == "error"
        desk.index()
        found = desk.search(QUESTION, limit=100)
        assert not found.state.partial and not found.state.warnings
        answers(desk)
        assert agreement_of(desk).is_consistent


def test_a_rebuild_brings_back_every_ref(repo: Path, tmp_path: Path) -> None:
    """TEXT-MISSING: a sync of one ref that must begin from nothing indexes the others again as well."""
    git(repo, "branch", "side")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        desk.index("side")
        home = desk.home
    damage(home, remove_first)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index("side")
        answers(desk)
        assert desk.search(QUESTION, ref="side").hits
        assert agreement_of(desk).is_consistent


def test_a_working_directory_that_is_gone(repo: Path, tmp_path: Path) -> None:
    """TEXT-MISSING: what a writer goes on from is checked before anything is published from it."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        for path in (desk.home / "text" / "work").iterdir():
            path.unlink()
        (repo / "shop" / "part7.py").write_text("def changed():\n    pass\n")
        desk.index()
        found = {hit.path for hit in desk.search(QUESTION, limit=100).hits}
        assert found >= {f"shop/part{number}.py" for number in range(FILES) if number != 7}
        assert agreement_of(desk).is_consistent


def test_a_sweep_that_was_not_published(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TEXT-PROOF: documents deleted for a publish that failed are there again for the next one."""
    original = EmbeddedWriter._put_generation
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        write_version(repo, 1)
        with monkeypatch.context() as patch:

            def fail(self: EmbeddedWriter, generation: int) -> None:
                original(self, generation)
                raise Failure("DISK_FULL", "No room.")

            patch.setattr(EmbeddedWriter, "_put_generation", fail)
            with pytest.raises(Failure):
                desk.index()
        write_version(repo, 0)
        desk.index()
        answers(desk)
        (repo / "shop" / "new.py").write_text("def new_thing():\n    pass\n")
        desk.index()
        answers(desk)
        assert agreement_of(desk).is_consistent


def test_deletions_on_deletions_are_no_damage(tmp_path: Path) -> None:
    """TEXT-PROOF: a writer that died after it deleted from a segment with published deletions left a sound index."""
    writer = TextWriter(tmp_path)
    for blob in range(1, 100):
        writer.add(blob, "python", [Document(0, "name", f"word{blob}", "", "")], "abc")
    writer.commit()
    for blob, generation in ((1, 1), (2, 2)):
        writer.remove([blob])
        writer.commit()
        published = writer.freeze(generation)
    writer.remove([3])
    writer.commit()
    writer.finish_merges()
    writer.close()
    (stale,) = [item.name for item in published if item.name.endswith(".del")]
    assert not (writer.work / stale).exists()
    verify_work(tmp_path, published)
    (current,) = writer.work.glob("*.del")
    current.unlink()
    listed = [*published, TextSegment(current.name, 1, "")]
    with pytest.raises(Failure, match="lacks its file"):
        verify_work(tmp_path, listed)


def test_compaction_leaves_nothing_that_no_view_holds(repo: Path, tmp_path: Path) -> None:
    """TEXT-MERGE: compacting drops what no view holds and what was deleted, and answers stay as they were."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        for turn in range(1, 4):
            write_version(repo, turn, files=GARBAGE_FLOOR // 4)
            desk.index()
        before = text_bytes(desk.home)
        report = desk.engine.compact(None, CompactRequest(), Call())
        (text,) = [part for part in report.parts if part.part == "text"]
        assert text.status == "compacted" and text.after < text.before == before
        assert text_bytes(desk.home) == text.after
        answers(desk)
        found = agreement_of(desk)
        assert found.is_consistent and found.documents == 2 * (FILES + 1)
        home = desk.home
    assert dead_documents(home) <= MERGE_LEFTOVERS


def test_merging_leaves_only_what_is_live(tmp_path: Path) -> None:
    """TEXT-MERGE: segments are written anew without their deleted documents, and nothing else is lost."""
    writer = TextWriter(tmp_path)
    for first in (1, 1001):
        for blob in range(first, first + 1000):
            writer.add(blob, "python", [Document(0, "name", f"word{blob} common", "", "")], "abc")
        writer.commit()
    whole = sum(path.stat().st_size for path in writer.work.iterdir())
    writer.remove(range(1, 1801))
    writer.commit()
    assert (writer.count_documents(), writer.is_bloated) == (400, True)
    writer.merge()
    assert (writer.count_documents(), writer.is_bloated, writer.has_deleted()) == (400, False, False)
    assert set(writer.count_by_blob()) == set(range(1801, 2001))
    assert sum(path.stat().st_size for path in writer.work.iterdir()) < whole / 2
    writer.add(5000, "python", [Document(0, "name", "more", "", "")], "abc")
    writer.commit()
    assert writer.count_documents() == 402
    writer.close()


def test_small_batches_are_counted(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TEXT-PROOF: batches that are made durable on the way are counted like the rest."""
    monkeypatch.setattr(writer_module, "BATCH_BYTES", 400)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        write_version(repo, 1)
        desk.index()
        answers(desk)
        assert agreement_of(desk).is_consistent
