"""One yard for all tests of the contract that need a real index."""

from collections.abc import Iterator

import pytest

from tests.contract.contract_repo import Yard, yard_in


@pytest.fixture(scope="package")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yard]:
    with yard_in(tmp_path_factory.mktemp("yard")) as made:
        yield made
