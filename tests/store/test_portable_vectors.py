"""Vectors in the portable file: for our own search, for any SQLite, and for one with the extension."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw
import numpy as np
import pytest

from codecompass.embed.quantised_vectors import quantise
from codecompass.engine.search.retrieval.backends import get_contents, select_backend
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.repo.workspace import LIVE
from codecompass.store.embedded.vectors.vector_extension import package_extension
from codecompass.store.portable import portable_vectors
from tests.embed.lab import FILES, MODEL, project_of
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

ASKED = "where is the cookie header read"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("portable")
    repo = make_repo(base / "repo", {**FILES, "copy/cookie_0.py": FILES["pkg/cookie_0.py"], "empty.py": ""})
    with desk_on(repo, base / "data", embedding=MODEL) as found:
        found.index()
        yield found


def build(desk: Desk, **order: object) -> PortableReport:
    return desk.engine.build_portable(None, PortableBuildRequest(**order), Call())  # type: ignore[arg-type]


def test_the_backend_answers_as_the_default(desk: Desk) -> None:
    """VECTOR-PORTABLE: the same nearest chunks and the same numbers of files, from the file alone."""
    report = build(desk)
    assert report.vectors >= report.chunks
    project = project_of(desk)
    question = project.embedder.embed(ASKED)
    assert question is not None
    with project.open_view(LIVE) as view:
        own = project.embedder.vector_index(view)
        assert select_backend(view, project.store.portable, "sqlite", partial(get_contents, project)) == ()
        theirs = project.embedder.vector_index(view)
        assert own is not None and theirs is not None and theirs is not own and theirs.is_complete
        mine, other = own.compare_query(question), theirs.compare_query(question)
        assert [hit[:2] for hit in mine.find_nearest(12)] == [hit[:2] for hit in other.find_nearest(12)]
        only = frozenset(hit.blob for hit in mine.find_nearest(12)[3:6])
        assert mine.find_nearest(5, only) == other.find_nearest(5, only)
        near, far = mine.compare_files(view.entries), other.compare_files(view.entries)
        assert near.keys() == far.keys() == set(view.entries)
        assert all(np.allclose(near[path], far[path], atol=1e-6) for path in near)
        assert np.allclose(mine.median(), other.median(), atol=1e-6)


def test_any_sqlite_reads_them(desk: Desk) -> None:
    """VECTOR-PORTABLE: without the extension, vectors are bytes and a scale, and words still find."""
    report = build(desk)
    project = project_of(desk)
    question = project.embedder.embed(ASKED)
    assert question is not None
    with closing(sqlite3.connect(f"file:{report.path}?mode=ro", uri=True)) as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        assert (meta["dimensions"], meta["vectors"], meta["vectors_complete"]) == (256, report.vectors, 1)
        found = connection.execute(
            "SELECT path, scale, vector FROM vectors JOIN chunks USING (id) ORDER BY id"
        ).fetchall()
        best = max(found, key=lambda row: row[1] * float(np.frombuffer(row[2], np.int8).astype(np.float32) @ question))
        assert "cookie" in best[0]
        query = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'cookie'"
        assert connection.execute(query).fetchone()[0] > 0
        assert connection.execute("SELECT count(*) FROM file_vectors").fetchone()[0] == len(FILES) + 2
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_the_extension_finds_the_nearest(desk: Desk) -> None:
    """VECTOR-PORTABLE: with `sqlite-vec` the nearest chunks come from SQL."""
    report = build(desk)
    project = project_of(desk)
    question = project.embedder.embed(ASKED)
    assert question is not None
    rows, _ = quantise(question[None])
    connection = apsw.Connection(report.path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.enable_load_extension(True)
        connection.load_extension(package_extension())
        query = (
            "SELECT chunks.path FROM (SELECT rowid, distance FROM chunks_vec WHERE vector MATCH vec_int8(?) AND k = 5)"
            " JOIN chunks ON chunks.id = rowid ORDER BY distance"
        )
        found = [str(path) for (path,) in connection.execute(query, (rows[0].tobytes(),)).fetchall()]
        assert found and all("cookie" in path for path in found[:3])
    finally:
        connection.close()


def test_a_file_without_vectors_gets_them(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """VECTOR-PORTABLE: a file that lacks what the view has is made anew; it can do without the extension."""
    assert build(desk, keep_current=True).built is False
    semantics = desk.engine.embedder
    model, semantics._model = semantics.get_model(), None
    semantics.error = "away"
    assert build(desk).vectors == 0
    semantics._model, semantics.error = model, ""
    monkeypatch.setattr(portable_vectors, "package_extension", lambda: str(tmp_path / "none.so"))
    again = build(desk, keep_current=True)
    assert again.built and again.vectors > 0
    with closing(sqlite3.connect(again.path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert "vectors" in tables and "chunks_vec" not in tables
