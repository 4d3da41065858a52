"""One indexed shop for all search tests, and one repository in many languages for all filters."""

from collections.abc import Iterator

import pytest

from tests.engine.search.polyglotlab import take_findings, write_history
from tests.engine.search.small_repo import FILES
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo


@pytest.fixture(scope="package")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("shop")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as desk:
        desk.index()
        yield desk


@pytest.fixture(scope="package")
def polyglot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("polyglot")
    with desk_on(write_history(base / "repo"), base / "data") as desk:
        desk.index()
        take_findings(desk)
        yield desk
