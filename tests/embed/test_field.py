"""The field: what is nearest, of chunks and of files, as comparing every vector by hand would have it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from codecompass.embed.embedder import Vectors, normalise
from codecompass.embed.quantised_vectors import quantise
from codecompass.store.embedded.vectors import vector_table
from codecompass.store.embedded.vectors.vector_table import VectorTable, ViewVectors, compute_norms
from tests.embed.lab import FILES, MODEL, looked, project_of
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo

ASKED = ("where is the cookie header read", "hash a password", "apply database migrations")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("field")
    repo = make_repo(base / "repo", {**FILES, "copy/cookie_0.py": FILES["pkg/cookie_0.py"], "empty.py": ""})
    with desk_on(repo, base / "data", embedding=MODEL) as found:
        found.index()
        yield found


@pytest.mark.parametrize("text", ASKED)
def test_the_nearest_chunks_are_those_of_all(desk: Desk, text: str) -> None:
    """VECTOR-EXACT: `best` gives what a comparison with every chunk gives, in that order."""
    with looked(desk) as (view, field):
        question = project_of(desk).embedder.embed(text)
        assert field is not None and question is not None and field.is_complete
        chunks = field.chunk_vectors(view.paths)
        every = sorted(
            ((float(row @ question), blob, at) for blob, rows in chunks.items() for at, row in enumerate(rows)),
            key=lambda row: -row[0],
        )
        found = field.compare_query(question).find_nearest(10)
        assert [round(hit.similarity, 5) for hit in found] == [round(row[0], 5) for row in every[:10]]
        assert text.split()[-2][:4] in view.paths[found[0].blob][0] or found[0].similarity > 0.3
        only = frozenset(blob for _, blob, _ in every[5:15])
        narrowed = field.compare_query(question).find_nearest(10, only)
        wanted = [row for row in every if row[1] in only and row[0] > 0][:10]
        assert {hit.blob for hit in narrowed} <= only
        assert [round(hit.similarity, 5) for hit in narrowed] == [round(row[0], 5) for row in wanted]


def test_the_numbers_of_a_file(desk: Desk) -> None:
    """VECTOR-FILES: best, second, whole, outline and path of each file, and their middle and highest."""
    with looked(desk) as (view, field):
        question = project_of(desk).embedder.embed(ASKED[0])
        assert field is not None and question is not None
        asked = field.compare_query(question)
        near = asked.compare_files([*FILES, "no/such.py"])
        assert near.keys() == FILES.keys()
        for path, found in near.items():
            rows = field.chunk_vectors([view.entries[path].blob])[view.entries[path].blob]
            each = np.sort(rows @ question)[::-1]
            mean = normalise(rows.mean(axis=0)[None])[0]
            outline, stem = field.file_vectors([path])[path] @ question
            wanted = (each[0], each[1] if len(each) > 1 else 0.8 * each[0], mean @ question, outline, stem)
            assert np.allclose(found[:5], wanted, atol=1e-4)
            assert np.isclose((rows @ question)[found.ordinal], found.best, atol=1e-5)
        table = np.array(list(asked.compare_files(view.entries).values()))[:, :5]
        assert np.allclose(asked.median()[:5], np.median(table, axis=0), atol=1e-4)
        assert np.allclose(asked.maximum()[:5], table.max(axis=0), atol=1e-4)


def test_a_view_sees_its_own_files_only(desk: Desk) -> None:
    """VECTOR-EXACT: of vectors that other views hold as well, none answers for a view that has them not."""
    project = project_of(desk)
    victim = Path(str(project.workspace.root), "pkg/cookie_6.py")
    text = victim.read_text()
    question = project.embedder.embed("cookie header 6")
    assert question is not None
    with looked(desk) as (view, _):
        gone = view.entries["pkg/cookie_6.py"].blob
    victim.unlink()
    desk.index()
    with looked(desk) as (view, field):
        assert field is not None and field.is_complete and gone in field.chunk_vectors([gone])
        assert gone not in {hit.blob for hit in field.compare_query(question).find_nearest(500)}
        assert "pkg/cookie_6.py" not in field.compare_query(question).compare_files(["pkg/cookie_6.py"])
    victim.write_text(text)
    desk.index()
    with looked(desk) as (_, field):
        assert field is not None and gone in {hit.blob for hit in field.compare_query(question).find_nearest(500)}


def _clustered(count: int) -> tuple[Vectors, Vectors]:
    chance = np.random.default_rng(7)
    centres = chance.standard_normal((60, 256))
    rows = centres[chance.integers(60, size=count)] + 0.9 * chance.standard_normal((count, 256))
    asked = centres[:20] + 0.6 * chance.standard_normal((20, 256))
    return normalise(rows.astype(np.float32)), normalise(asked.astype(np.float32))


def test_the_sketch_hardly_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    """VECTOR-SKETCH: with a tenth of the chunks compared, 19 of the 20 nearest are still found, and files are exact."""
    made, questions = _clustered(4_000)
    rows, scales = quantise(made)
    starts = np.arange(0, 4_001, 4)
    blobs = np.arange(1, 1_001)
    where = {(f"f{blob}", blob): at for at, blob in enumerate(blobs.tolist())}
    sides = np.repeat(rows[:1_000], 2, axis=0)
    stock = VectorTable(
        rows, scales, blobs, starts, compute_norms(rows, scales, starts), sides, np.full(2_000, 0.01, np.float32), where
    )
    field = ViewVectors(stock, "m", {f"f{blob}": blob for blob in blobs.tolist()})
    whole = [
        (field.compare_query(one).find_nearest(20), field.compare_query(one).compare_files(["f3", "f900"]))
        for one in questions
    ]
    monkeypatch.setattr(vector_table, "EXACT", 100)
    monkeypatch.setattr(vector_table, "SURVIVORS", 400)
    kept = 0
    for one, (exact, near) in zip(questions, whole, strict=True):
        found = field.compare_query(one)
        kept += len({hit[:2] for hit in exact} & {hit[:2] for hit in found.find_nearest(20)})
        assert np.allclose(list(found.compare_files(["f3", "f900"]).values()), list(near.values()), atol=1e-5)
        only = frozenset({5, 17})
        assert {hit.blob for hit in found.find_nearest(20, only)} <= only
    assert kept >= 0.95 * 20 * len(questions)
