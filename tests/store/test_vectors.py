"""Stored vectors: killed at any instant, damaged, shared by processes. What is read is right, or there is nothing."""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import numpy as np
import pytest

from codecompass.embed.bundled import open_bundled
from codecompass.embed.quantised_vectors import quantise
from codecompass.engine.services.status_service import read_vector_state
from codecompass.errors import Failure
from codecompass.repo.workspace import LIVE
from codecompass.store.embedded.databases import sqlite_connection
from codecompass.store.embedded.databases.sqlite_connection import PAGE_SIZE, open_database, query_rows
from codecompass.store.embedded.embedded_store import EmbeddedStore
from codecompass.store.embedded.vectors import vector_writer
from codecompass.store.ports import Owner
from codecompass.store.vector_port import VectorBatch
from tests.embed.lab import FILES, MODEL, content, project_of, same
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo

ME = Owner(1, "", "test")
FLIPS = 40
POINTS = (
    "store.embedded.vectors.vector_writer:EmbeddedVectorWriter._open:after:1",
    "store.embedded.vectors.vector_writer:EmbeddedVectorWriter.flush:before:2",
    "store.embedded.vectors.vector_writer:EmbeddedVectorWriter.flush:after:2",
    "store.embedded.files.writer_lock:WriterLock.close:before:2",
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository and its index, without vectors."""
    base = tmp_path_factory.mktemp("vectors")
    repo = make_repo(base / "repo", FILES)
    with desk_on(repo, base / "data", build_vectors=False) as desk:
        desk.index()
    return repo, base / "data"


@pytest.fixture(scope="module")
def whole(plain: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same with vectors."""
    data = tmp_path_factory.mktemp("whole") / "data"
    shutil.copytree(plain[1], data)
    run(plain[0], data)
    return plain[0], data


def run(repo: Path, data: Path, point: str = "") -> int:
    """Index in another process; its code."""
    command = [sys.executable, "-m", "tests.embed.killed_embedding", str(repo), str(data), *([point] if point else [])]
    return subprocess.run(command, check=False, timeout=120).returncode


def count(data: Path, table: str) -> int:
    return len(read(data, f"SELECT 1 FROM {table}"))


def read(data: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of vectors.db, each page against its checksum."""
    connection = open_database(next((data / "projects").iterdir()) / "vectors.db", write=False)
    try:
        return query_rows(connection, query)
    finally:
        connection.close()


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_instant(point: str, plain: tuple[Path, Path], whole: tuple[Path, Path], tmp_path: Path) -> None:
    """VECTOR-KILL: what was flushed is there and right, the rest is made by the next run, nothing is made twice."""
    repo, data = plain[0], tmp_path / "data"
    shutil.copytree(plain[1], data)
    assert run(repo, data, point) == -signal.SIGKILL
    with desk_on(repo, whole[1], embedding=MODEL) as desk:
        right = content(desk)
    with desk_on(repo, data, embedding=MODEL) as desk:
        left = content(desk)
        assert same(left, {path: right[path] for path in left})
        assert (point == POINTS[2]) <= (0 < len(left) < len(FILES))
        assert desk.places("cookie_header_0")
        desk.index()
        assert same(content(desk), right)
    assert count(data, "places") == len(FILES)


@pytest.mark.parametrize("seed", range(FLIPS))
def test_a_flipped_bit_is_noticed(seed: int, whole: tuple[Path, Path], tmp_path: Path) -> None:
    """VECTOR-DAMAGE: any single flipped bit leaves the right vectors or none, and words find all the same."""
    repo, good = whole
    home = next((good / "projects").iterdir())
    chance = random.Random(seed)
    data = bytearray((home / "vectors.db").read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    (copy / "vectors.db").write_bytes(data)
    store, sound, model = EmbeddedStore(copy), EmbeddedStore(home), open_bundled()
    try:
        with store.pin() as snapshot, sound.pin() as other:
            (view,) = snapshot.views()
            wanted, found = other.vectors(view, model.digest), snapshot.vectors(view, model.digest)
            assert wanted is not None and wanted.is_complete
            blobs = list(snapshot.paths(view))
            if found is not None:
                mine, theirs = found.chunk_vectors(blobs), wanted.chunk_vectors(blobs)
                assert all(np.array_equal(mine[blob], theirs[blob]) for blob in blobs)
            else:
                writer = store.vectors.open_writer(ME, model.digest, model.dimensions)
                assert len(writer.find_missing(snapshot, view)) == len(FILES)
                writer.close()
    finally:
        store.close()
        sound.close()


def test_damage_is_told_and_healed(whole: tuple[Path, Path], tmp_path: Path) -> None:
    """VECTOR-DAMAGE: a check of everything names the file; the next sync makes the vectors again."""
    repo, data = whole[0], tmp_path / "data"
    shutil.copytree(whole[1], data)
    path = next((data / "projects").iterdir()) / "vectors.db"
    torn = bytearray(path.read_bytes())
    for at in range(40_000, len(torn), 16_384):
        torn[at] ^= 255
    path.write_bytes(torn)
    with desk_on(repo, data, embedding=MODEL) as desk:
        project = project_of(desk)
        assert any("vectors.db" in line for line in project.store.verify())
        assert read_vector_state(project, LIVE).state == "building"
        desk.index()
        assert read_vector_state(project, LIVE).state == "on" and project.store.verify() == []


def test_processes_share_one_set(plain: tuple[Path, Path], whole: tuple[Path, Path], tmp_path: Path) -> None:
    """VECTOR-SHARED: two processes at once make each vector once, and a third that reads sees them come."""
    repo, data = plain[0], tmp_path / "data"
    shutil.copytree(plain[1], data)
    with desk_on(repo, whole[1], embedding=MODEL) as desk:
        right = content(desk)
    command = [sys.executable, "-m", "tests.embed.killed_embedding", str(repo), str(data)]
    with desk_on(repo, data, embedding=MODEL) as reader:
        both = [subprocess.Popen(command) for _ in range(2)]
        seen = 0
        while any(one.poll() is None for one in both):
            found = content(reader)
            assert len(found) >= seen and same(found, {path: right[path] for path in found})
            seen = len(found)
            time.sleep(0.05)
        assert [one.returncode for one in both] == [0, 0]
        assert same(content(reader), right)
    assert count(data, "places") == count(data, "chunks") == len(FILES)


def test_one_writer_at_a_time(whole: tuple[Path, Path], tmp_path: Path) -> None:
    """VECTOR-SHARED: a second writer is refused while the first is at work; the index's own lock is free."""
    home = tmp_path / "home"
    shutil.copytree(next((whole[1] / "projects").iterdir()), home)
    store = EmbeddedStore(home)
    writer = store.vectors.open_writer(ME, "m", 4)
    assert store.vectors.is_building()
    with pytest.raises(Failure) as refused:
        store.vectors.open_writer(ME, "m", 4)
    assert refused.value.code == "INDEX_IN_PROGRESS"
    store.open_writer(ME).close()
    writer.close()
    assert not store.vectors.is_building()
    store.close()


def test_what_no_view_holds_is_forgotten(
    whole: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VECTOR-SWEEP: once enough is held by no view it goes, and readers see the rest as before."""
    monkeypatch.setattr(vector_writer, "GARBAGE_FLOOR", 5)
    home = tmp_path / "home"
    shutil.copytree(next((whole[1] / "projects").iterdir()), home)
    store, model = EmbeddedStore(home), open_bundled()
    made, scales = quantise(model.encode(["one", "two"]))
    with store.pin() as snapshot:
        (view,) = snapshot.views()
        assert snapshot.vectors(view, model.digest) is not None
        writer = store.vectors.open_writer(ME, model.digest, model.dimensions)
        for number in range(6):
            writer.add(VectorBatch(f"gone{number}", 900_000 + number, made, scales, made, scales))
        writer.flush()
        grown = snapshot.vectors(view, model.digest)
        assert grown is not None and set(grown.chunk_vectors([900_000])) == {900_000} and grown.covered == len(FILES)
        writer.sweep(snapshot)
        writer.close()
        left = snapshot.vectors(view, model.digest)
        assert left is not None and left.is_complete and left.chunk_vectors([900_000]) == {}
    store.close()


def test_a_page_never_written_is_no_damage(tmp_path: Path) -> None:
    """VECTOR-PORTABLE: while a file is being made its holes are zeros; once it has its name they are damage."""
    path = tmp_path / "hole"
    path.write_bytes(bytes(3 * PAGE_SIZE))
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
    young, strict = (
        kind("", str(path), list(flags))
        for kind in (sqlite_connection._UnjournaledPageFile, sqlite_connection._PageFile)
    )
    assert young.xRead(PAGE_SIZE, PAGE_SIZE) == bytes(PAGE_SIZE)
    with pytest.raises(apsw.CorruptError):
        strict.xRead(PAGE_SIZE, PAGE_SIZE)
    young.xWrite(b"\1" * PAGE_SIZE, PAGE_SIZE)
    assert young.xRead(PAGE_SIZE, PAGE_SIZE) == strict.xRead(PAGE_SIZE, PAGE_SIZE)
    young.xClose()
    strict.xClose()
    torn = bytearray(path.read_bytes())
    torn[PAGE_SIZE + 7] ^= 1
    path.write_bytes(torn)
    again = sqlite_connection._UnjournaledPageFile("", str(path), list(flags))
    with pytest.raises(apsw.CorruptError):
        again.xRead(PAGE_SIZE, PAGE_SIZE)
    again.xClose()
