"""One indexed project for all tests of triage that only read it, and a fresh folder of records for each test."""

import shutil
from collections.abc import Iterator

import pytest

from tests.engine.support import desk_on
from tests.engine.triage.triage_repo import FILES, Bench
from tests.repo.gitrepo import make_repo


@pytest.fixture(scope="package")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    base = tmp_path_factory.mktemp("triage")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as desk:
        desk.index()
        yield Bench(desk, base / "repo")


@pytest.fixture
def bench(indexed: Bench) -> Iterator[Bench]:
    yield indexed
    shutil.rmtree(indexed.desk.home / "triage", ignore_errors=True)
