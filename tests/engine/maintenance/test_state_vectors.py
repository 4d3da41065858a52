"""Vectors in a bundle: whoever begins from one embeds what it lacks, and finds what the other machine finds."""

import json
import shutil
from pathlib import Path

import apsw
import pytest

from codecompass.embed.bundled import open_bundled
from codecompass.embed.models import NONE, ModelChoice
from codecompass.embed.static_model import open_static
from codecompass.engine.services.status_service import read_vector_state
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import StateBundleReport
from codecompass.repo.workspace import LIVE
from codecompass.store.embedded.databases.sqlite_connection import open_database
from codecompass.store.embedded.files.bundle_file import MANIFEST
from tests.embed.lab import FILES, MODEL, content, project_of, same
from tests.embed.test_building import Watched
from tests.embed.test_static import write_model
from tests.engine.maintenance.places import all_rows, dies, store_of
from tests.engine.maintenance.test_state import packed, unpacked
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import git, make_repo

QUESTIONS = ("where is the password hashed", "resize an image", "header of a cookie", "timeouts of sockets")
PLACING = "store.embedded.files.index_swap"


class Works:
    """A build server with vectors that exported, and clones of its repository elsewhere."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.server = make_repo(base / "server", FILES)
        self.bundle = base / "state.tar.zst"
        with desk_on(self.server, base / "server-data", embedding=MODEL) as desk:
            desk.index()
            self.report = desk.engine.export_state(None, None, str(self.bundle), Call())
            self.said, self.content = ranked(desk), content(desk)

    def clone(self, name: str) -> Path:
        git(self.base, "clone", "-q", str(self.server), str(self.base / name))
        return self.base / name


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Works:
    return Works(tmp_path_factory.mktemp("works"))


@pytest.fixture(scope="module")
def laptop(works: Works) -> Path:
    return works.clone("laptop")


def ranked(desk: Desk) -> list[list[tuple[str, int, float]]]:
    """What a search by meaning gives, with its scores."""
    return [[(hit.path, hit.line_start, hit.score) for hit in desk.search(text).hits] for text in QUESTIONS]


def watched(desk: Desk) -> Watched:
    model = Watched(open_bundled())
    desk.engine.embedder._model = model
    return model


def brought(desk: Desk, bundle: Path) -> StateBundleReport:
    return desk.engine.import_state(None, str(bundle), Call())


def state(desk: Desk) -> str:
    return read_vector_state(project_of(desk), LIVE).state


def test_the_same_commit_embeds_nothing(works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-VECTORS: after an import of what is checked out no text is embedded, and a search answers the same."""
    with desk_on(laptop, tmp_path / "data", embedding=MODEL) as desk:
        model = watched(desk)
        report = brought(desk, works.bundle)
        assert model.texts == 0 and state(desk) == "on"
        assert ranked(desk) == works.said and same(content(desk), works.content)
        assert report.notes == () and report.manifest["vectors"] == len(FILES) == works.report.manifest["vectors"]
        assert store_of(desk).verify() == []


def test_only_the_difference_is_embedded(works: Works, tmp_path: Path) -> None:
    """STATE-VECTORS: what the laptop changed itself is embedded, no more; a writer goes on from there."""
    changed = works.clone("changed")
    (changed / "pkg" / "new.py").write_text("def newly_made():\n    return 'a thing of this place'\n")
    with desk_on(changed, tmp_path / "data", embedding=MODEL) as desk:
        model = watched(desk)
        brought(desk, works.bundle)
        assert model.texts == 3 and state(desk) == "on", "its outline, its path and its one chunk"
        (changed / "pkg" / "later.py").write_text("def made_later():\n    pass\n")
        desk.index()
        assert model.texts == 6 and len(content(desk)) == len(FILES) + 2


def test_vectors_of_another_model_stay_out(works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-VECTORS-MODEL: they are left out, it is said, and the model here makes its own."""
    with desk_on(laptop, tmp_path / "data", embedding=MODEL) as desk:
        other = desk.engine.embedder._model = open_static(write_model(tmp_path))
        report = brought(desk, works.bundle)
        assert len(report.notes) == 1 and "another model" in report.notes[0]
        assert state(desk) == "on" and not same(content(desk), works.content)
        assert ("model", other.digest) in all_rows(desk.home / "vectors.db")["meta"]


def test_without_a_model_no_vectors_are_taken(works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-VECTORS-MODEL: where no model is in use, they are of no use either."""
    with desk_on(laptop, tmp_path / "data", embedding=ModelChoice(NONE)) as desk:
        report = brought(desk, works.bundle)
        assert len(report.notes) == 1 and "no model" in report.notes[0]
        assert not (desk.home / "vectors.db").exists()


def test_a_bundle_of_the_format_before(works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-VECTORS-OLDER: a bundle of format 1 has no vectors; it is imported, and they are made here."""
    members = unpacked(works.bundle)
    manifest = json.loads(members.pop(MANIFEST))
    del members["vectors.db"]
    for name in ("vectors", "vectors_version", "model"):
        del manifest[name]
    manifest["version"] = 1
    manifest["members"] = [item for item in manifest["members"] if item["name"] != "vectors.db"]
    with desk_on(laptop, tmp_path / "data", embedding=MODEL) as desk:
        model = watched(desk)
        report = brought(desk, packed(tmp_path / "b", manifest, members))
        assert model.texts > len(FILES) and same(content(desk), works.content)
        assert report.notes == ("The bundle contains no vectors; they are built here.",)


def test_vectors_of_another_shape_stay_out(works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-VECTORS-MODEL: vectors of another version of their file are made here instead."""
    members = unpacked(works.bundle)
    manifest = json.loads(members.pop(MANIFEST)) | {"vectors_version": 99}
    with desk_on(laptop, tmp_path / "data", embedding=MODEL) as desk:
        report = brought(desk, packed(tmp_path / "b", manifest, members))
        assert "another version" in report.notes[0] and state(desk) == "on"


def test_nothing_of_other_worktrees_is_carried(works: Works, tmp_path: Path) -> None:
    """STATE-BUNDLE: vectors of a working tree that is not exported stay where they are."""
    main = works.clone("trees")
    with desk_on(main, tmp_path / "data", embedding=MODEL) as desk:
        desk.index()
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    (tmp_path / "tree" / "pkg" / "private_plan.py").write_text("def private_plan():\n    pass\n")
    with desk_on(tmp_path / "tree", tmp_path / "data", embedding=MODEL) as desk:
        desk.index()
    with desk_on(main, tmp_path / "data", embedding=MODEL) as desk:
        desk.engine.export_state(None, None, str(tmp_path / "b"), Call())
    (tmp_path / "vectors.db").write_bytes(unpacked(tmp_path / "b")["vectors.db"])
    connection = apsw.Connection(str(tmp_path / "vectors.db"))
    paths = {row[0].decode() for row in connection.execute("SELECT path FROM places")}
    counts = connection.execute("SELECT count(*) FROM chunks").fetchall()
    connection.close()
    assert paths == set(FILES) and counts == [(len(FILES),)]
    assert b"private_plan" not in (tmp_path / "vectors.db").read_bytes()


def test_vectors_that_do_not_fit_are_refused(works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-REFUSED: a trigger, rows of another length, another model than the manifest says."""
    changes = (
        "CREATE TRIGGER evil AFTER INSERT ON chunks BEGIN DELETE FROM places; END",
        "UPDATE chunks SET scales = zeroblob(4) || scales",
        "UPDATE places SET rows = zeroblob(3)",
        "UPDATE chunks SET rows = 'text'",
        "UPDATE meta SET value = 'b3:other' WHERE key = 'model'",
        "DELETE FROM meta WHERE key = 'dimensions'",
        "UPDATE meta SET value = -1 WHERE key = 'dimensions'",
    )
    for change in changes:
        members = unpacked(works.bundle)
        manifest = json.loads(members.pop(MANIFEST))
        (tmp_path / "vectors.db").write_bytes(members["vectors.db"])
        connection = open_database(tmp_path / "vectors.db", write=True)
        connection.execute(change)
        connection.close()
        members["vectors.db"] = (tmp_path / "vectors.db").read_bytes()
        with desk_on(laptop, tmp_path / "data", embedding=MODEL) as desk:
            with pytest.raises(Failure) as caught:
                brought(desk, packed(tmp_path / "b", manifest, members))
            assert caught.value.code == "DOWNLOAD_VERIFY_FAILED" and "vectors" in caught.value.message, change
            assert not (desk.home / "index.db").exists() and not (desk.home / "vectors.db").exists()


@pytest.mark.parametrize("point", [f"{PLACING}:_move:before:1", f"{PLACING}:_move:after:2", f"{PLACING}:_move:after:3"])
def test_killed_while_placing(point: str, works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-SWAP: after kill -9 vectors and index belong together, and importing again embeds nothing."""
    with desk_on(laptop, tmp_path / "made", embedding=MODEL) as desk:
        desk.index()
    data = Path(shutil.copytree(tmp_path / "made", tmp_path / "data"))

    def bring() -> None:
        with desk_on(laptop, data, embedding=MODEL) as desk:
            brought(desk, works.bundle)

    dies(point, bring)
    with desk_on(laptop, data, embedding=MODEL) as desk:
        model = watched(desk)
        assert ranked(desk) == works.said and store_of(desk).verify() == []
        brought(desk, works.bundle)
        assert model.texts == len(QUESTIONS) and ranked(desk) == works.said


def test_who_reads_meanwhile_sees_the_new_vectors(works: Works, laptop: Path, tmp_path: Path) -> None:
    """STATE-PINNED: an engine that had the old vectors open goes on with the new ones."""
    with desk_on(laptop, tmp_path / "data", embedding=MODEL) as reader:
        reader.index()
        assert ranked(reader) == works.said
        with desk_on(laptop, tmp_path / "data", embedding=MODEL) as other:
            brought(other, works.bundle)
        assert ranked(reader) == works.said and same(content(reader), works.content)
