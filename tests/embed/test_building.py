"""Building: vectors come after the view, once for each content, and say how far they are."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from codecompass.embed.bundled import open_bundled
from codecompass.embed.embedder import Vectors
from codecompass.embed.models import NONE, ModelChoice
from codecompass.embed.static_model import StaticEmbedder, open_static
from codecompass.engine.jobs import auto_sync
from codecompass.engine.services.status_service import read_vector_state
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.sync_attempt import SyncAttempt
from codecompass.model.queries.vector_state import SemanticState
from codecompass.repo.workspace import LIVE
from tests.embed.lab import FILES, MODEL, content, looked, project_of, same, source
from tests.embed.test_static import write_model
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

PATIENCE_S = 30.0


class Watched:
    """The real model; it counts texts, and may be told to wait or to fail."""

    def __init__(self, model: StaticEmbedder) -> None:
        self.name, self.dimensions, self.digest = model.name, model.dimensions, model.digest
        self._model = model
        self.texts = 0
        self.reached = threading.Event()
        self.go = threading.Event()
        self.go.set()
        self.fails_after = -1

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.reached.set()
        assert self.go.wait(PATIENCE_S)
        self.texts += len(texts)
        if 0 <= self.fails_after < self.texts:
            raise Failure("CAPABILITY_MISSING", "The service went away.")
        return self._model.encode(texts)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", FILES)


@pytest.fixture
def desk(repo: Path, tmp_path: Path) -> Iterator[Desk]:
    with desk_on(repo, tmp_path / "data", embedding=MODEL) as found:
        yield found


def watched(desk: Desk) -> Watched:
    model = Watched(open_bundled())
    desk.engine.embedder._model = model
    return model


def state(desk: Desk) -> SemanticState:
    return read_vector_state(project_of(desk), LIVE)


def test_the_working_tree_needs_no_objects(repo: Path, tmp_path: Path) -> None:
    """VECTOR-AFTER: files are read from disk, so a repository whose borrowed objects are refused gets vectors too."""
    (tmp_path / "far").mkdir()
    git(tmp_path / "far", "clone", "-q", "--shared", str(repo), "clone")
    for roots, code in (((), "FORBIDDEN"), ((str(tmp_path),), "")):
        with desk_on(tmp_path / "far/clone", tmp_path / f"data{code}", embedding=MODEL, object_roots=roots) as desk:
            desk.index()
            assert state(desk).state == "on" and len(content(desk)) == len(FILES)
            try:
                desk.index("HEAD")
                assert not code
            except Failure as failure:
                assert failure.code == code and "index.object_roots" in failure.hint


def test_words_are_found_while_vectors_are_made(desk: Desk) -> None:
    """VECTOR-AFTER, VECTOR-COVERAGE: the job is published and answers before the first vector; then it says `on`."""
    desk.engine.init(str(project_root(desk)))
    model = watched(desk)
    model.go.clear()
    job = threading.Thread(target=desk.index)
    job.start()
    assert model.reached.wait(PATIENCE_S)
    assert desk.places("cookie_header_0") == {"pkg/cookie_0.py:6"}
    status = desk.engine.status(None, None)
    assert status.active_job is None and status.recent_jobs[0].status == "published"
    assert (status.semantic.state, status.semantic.covered, status.semantic.total) == ("building", 0, len(FILES))
    # Another sync need not wait either.
    (project_root(desk) / "new.py").write_text("def brand_new():\n    pass\n")
    other = threading.Thread(target=desk.index)
    other.start()
    deadline = threading.Event()
    for _ in range(3_000):
        if desk.places("brand_new"):
            break
        deadline.wait(0.01)
    assert desk.places("brand_new") and job.is_alive()
    model.go.set()
    job.join(PATIENCE_S)
    other.join(PATIENCE_S)
    assert state(desk) == SemanticState("on", model.name, 256, len(FILES) + 1, len(FILES) + 1)


def project_root(desk: Desk) -> Path:
    root = desk.engine.options.default_workspace
    assert root is not None
    return Path(root)


def test_only_new_content_is_embedded(desk: Desk, repo: Path, tmp_path: Path) -> None:
    """VECTOR-ONCE: an edit costs its file, a rename two short texts, a branch what it does not share."""
    model = watched(desk)
    desk.index()
    first = model.texts
    (repo / "pkg/cookie_0.py").write_text(source(0) + "\n\ndef late_addition():\n    return 1\n")
    desk.index()
    edited = model.texts - first
    assert 3 <= edited <= 8 < first
    (repo / "pkg/cookie_0.py").rename(repo / "pkg/renamed.py")
    desk.index()
    assert model.texts - first - edited == 2
    commit(repo, {}, "renamed")
    git(repo, "branch", "other")
    before = model.texts
    desk.index("other")
    assert model.texts == before
    with desk_on(repo, tmp_path / "again", embedding=MODEL) as fresh:
        fresh.index()
        assert same(content(desk), content(fresh)) and same(content(desk, "other"), content(fresh))
        assert len(content(fresh)) == len(FILES)


def test_another_model_begins_anew(desk: Desk, repo: Path, tmp_path: Path) -> None:
    """VECTOR-MODEL: vectors are those of the model that asks, or there are none; so after a rebuild of the index."""
    desk.index()
    right = content(desk)
    tiny = open_static(write_model(tmp_path))
    desk.engine.embedder._model = tiny
    assert content(desk) == {} and state(desk).state == "building"
    desk.index()
    assert {rows.shape[1] for rows, _ in content(desk).values()} == {8} and state(desk).state == "on"
    desk.engine.embedder._model = open_bundled()
    assert content(desk) == {}
    desk.index(force=True)
    assert same(content(desk), right)
    (desk.home / "index.db").unlink()
    desk.index()
    assert same(content(desk), right)


def test_no_model_no_vectors(repo: Path, tmp_path: Path) -> None:
    """VECTOR-COVERAGE, MODEL-CHOICE: without a model words find, status says off and why, and nothing is stored."""
    for choice, said in ((ModelChoice(NONE), "embed.model is none"), (ModelChoice("/no/such"), "is not a directory")):
        with desk_on(repo, tmp_path / "data", embedding=choice) as desk:
            desk.index()
            assert desk.places("cookie_header_0") and not (desk.home / "vectors.db").exists()
            assert state(desk).state == "off" and said in state(desk).note
            assert desk.engine.embedder.embed("anything") is None


def test_a_model_that_fails_half_way(desk: Desk) -> None:
    """MODEL-SERVICE, VECTOR-COVERAGE: the job is done, what was made stays, status tells why there is no more."""
    model = watched(desk)
    model.fails_after = 40
    job = desk.index()
    assert job.status == "published" and desk.places("cookie_header_0")
    assert state(desk).state == "building" and "went away" in state(desk).note
    assert desk.engine.embedder.embed("cookies") is None
    model.fails_after = -1
    desk.engine.embedder._model, desk.engine.embedder.error = model, ""
    desk.index()
    assert state(desk).state == "on" and not state(desk).note


def test_files_that_changed_meanwhile_are_left_for_later(desk: Desk, repo: Path) -> None:
    """VECTOR-ONCE: vectors are of the bytes that were indexed, or there are none yet."""
    git(repo, "rm", "-q", "--cached", "pkg/cookie_0.py")
    (repo / "pkg/cookie_0.py").write_text("def only_here():\n    return 'never in git'\n")
    model = watched(desk)
    model.go.clear()
    job = threading.Thread(target=desk.index)
    job.start()
    assert model.reached.wait(PATIENCE_S)
    (repo / "pkg/password_1.py").write_text("def other():\n    pass\n")
    (repo / "pkg/cookie_0.py").write_text("def another():\n    pass\n")
    model.go.set()
    job.join(PATIENCE_S)
    found = state(desk)
    assert found.covered >= len(FILES) - 1  # what git still has is read from there
    desk.index()
    assert state(desk).state == "on"


def test_a_server_finishes_what_was_left(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """VECTOR-HEAL: a keeper finds that vectors are missing though the view is current, and has them made."""
    monkeypatch.setattr(auto_sync, "DERIVED_S", 0.05)
    with desk_on(repo, tmp_path / "data", embedding=MODEL, build_vectors=False) as desk:
        desk.index()
        assert state(desk).covered == 0
    with desk_on(repo, tmp_path / "data", embedding=MODEL) as desk:
        call, heard = Call(), threading.Event()

        def told(_: SyncAttempt) -> None:
            heard.set()

        follower = threading.Thread(target=desk.engine.follow, args=(str(repo), call, told))
        follower.start()
        assert heard.wait(PATIENCE_S)
        call.cancelled.set()
        follower.join(PATIENCE_S)
        assert state(desk).state == "on"
        with looked(desk) as (_, field):
            assert field is not None and field.is_complete
