"""Score: sets of places against sets of places, added up by symbol and over all of them."""

from collections.abc import Iterable, Set
from dataclasses import dataclass

from bench.accuracy.sources import Place


@dataclass(frozen=True, slots=True)
class Counts:
    """What was found rightly, found wrongly, and not found."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0

    @property
    def f1(self) -> float:
        """Two precisions times recall over their sum; 1 when there was nothing to find and nothing was found."""
        total = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / total if total else 1.0


def compare(found: Set[Place], true: Set[Place]) -> Counts:
    return Counts(len(found & true), len(found - true), len(true - found))


@dataclass(frozen=True, slots=True)
class Score:
    """The counts of every symbol by themselves."""

    each: tuple[Counts, ...]

    @property
    def micro(self) -> Counts:
        """Every place counts the same."""
        return sum(self.each, Counts())

    @property
    def macro_f1(self) -> float:
        """Every symbol counts the same."""
        return sum(item.f1 for item in self.each) / len(self.each) if self.each else 0.0

    def row(self) -> list[str]:
        micro = self.micro
        return [f"{value:.3f}" for value in (micro.precision, micro.recall, micro.f1, self.macro_f1)]


def joined(scores: Iterable[Score]) -> Score:
    return Score(tuple(item for score in scores for item in score.each))


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
