"""A small engine for tests of contract and runtime: answers from memory, and can be told to misbehave."""

from tests.engine.memory.fake_memory import FakeMemory
from tests.engine.triage.fakes import FakeTriage
from tests.fake_engine.answers import EMPTY, HIT, READY
from tests.fake_engine.files import FakeFiles
from tests.fake_engine.maintenance import FakeMaintenance
from tests.fake_engine.navigation import FakeNavigation
from tests.fake_engine.search import FakeSearch

__all__ = ["EMPTY", "HIT", "READY", "FakeEngine"]


class FakeEngine(FakeTriage, FakeMemory, FakeSearch, FakeNavigation, FakeFiles, FakeMaintenance):
    """All ports; each part is a class of its own."""
