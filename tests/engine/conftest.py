"""Fixtures of the tests about differences: an engine for the module, a new repository for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.difflab import SHOP, Lab, lab_in
from tests.repo.gitrepo import make_repo


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_in(tmp_path_factory.mktemp("data")) as found:
        yield found


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", SHOP)
