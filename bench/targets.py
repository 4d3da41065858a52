"""Targets: what the program has to reach. A number without its target beside it says little."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A limit that is not to be passed; `inclusive` limits may be met exactly."""

    limit: float
    unit: str
    inclusive: bool = False

    @property
    def text(self) -> str:
        return f"{'≤' if self.inclusive else '<'} {self.limit:g}{self.unit}"

    def verdict(self, value: float | None) -> str:
        if value is None:
            return "not measured"
        return "reached" if value < self.limit or (self.inclusive and value == self.limit) else "missed"


TIME_RATIO = Target(0.33, "×", inclusive=True)
MEMORY_RATIO = Target(0.5, "×", inclusive=True)
SIZE_RATIO = Target(0.5, "×", inclusive=True)
NO_CHANGE_SYNC = Target(0.5, " s")
EDIT_SEARCHABLE = Target(1.0, " s")
SECOND_BRANCH = Target(2.0, " s")
QUERY_IN_PROCESS = Target(10.0, " ms")
QUERY_STDIO = Target(15.0, " ms")
SERVING_MEMORY = Target(200.0, " MB")
ANSWER_P95 = Target(50.0, " ms")
HEALTH_P95 = Target(10.0, " ms")
REFERENCES_P95 = Target(100.0, " ms")
FRESHNESS_P95 = Target(5.0, " ms", inclusive=True)
