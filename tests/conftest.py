"""What holds for every test."""

import gc

import pytest

from codecompass.repo.process.child_process import SUPERVISOR


@pytest.fixture(autouse=True)
def foster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that run inside this process must not adopt orphans: children that tests start would be taken for
    such, and ended.
    """
    monkeypatch.setattr(SUPERVISOR, "adopt", lambda: False)


def pytest_collection_finish() -> None:
    """Keep what pytest collected out of every garbage collection: twenty thousand tests make each one take seconds."""
    gc.collect()
    gc.freeze()
