"""What holds for every test."""

import pytest

from codecompass.repo.process.child_process import SUPERVISOR


@pytest.fixture(autouse=True)
def foster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that run inside this process must not adopt orphans: children that tests start would be taken for
    such, and ended.
    """
    monkeypatch.setattr(SUPERVISOR, "adopt", lambda: False)
