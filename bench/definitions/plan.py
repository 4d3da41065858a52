"""Plan: which repository stands for which language, and which kinds are compared, from the tables beside this file."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.definitions.compare import SIDES, Difference, Kinds

PLACE = Path(__file__).parent
_RIGHT = frozenset({*SIDES, "both", "neither"})


@dataclass(frozen=True, slots=True)
class Example:
    """The public repository that a language is measured on."""

    language: str
    name: str
    commit: str
    under: str = ""
    """A directory of it, where the whole would be too much."""

    def root(self, work: Path) -> Path:
        return work / self.name.replace("/", "+")

    def command(self, work: Path) -> str:
        """How it is put where it is looked for."""
        place = self.root(work)
        return f"git clone https://github.com/{self.name} {place} && git -C {place} checkout {self.commit}"


@dataclass(frozen=True, slots=True)
class Peer:
    """What ctags calls a language, and which kinds of both sides compare."""

    ctags: str
    kinds: Kinds
    besides: frozenset[str] = frozenset()
    """Kinds that ctags lists only when asked, and that pair with some of ours."""


@dataclass(frozen=True, slots=True)
class Plan:
    examples: tuple[Example, ...]
    peers: dict[str, Peer]
    """Language → peer; a language that is not here is none that ctags knows."""
    differences: tuple[Difference, ...]


def read_plan(place: Path = PLACE) -> Plan:
    examples = tuple(Example(**row) for row in _table(place, "repositories")["repository"])
    peers = {language: _peer(row) for language, row in _table(place, "kinds").items()}
    differences = tuple(_difference(row) for row in _table(place, "differences").get("difference", []))
    return Plan(examples, peers, differences)


def _peer(row: dict[str, Any]) -> Peer:
    kinds = Kinds(
        ours=frozenset(row["ours"]), ctags=frozenset(row["theirs"]), strip=row.get("strip", ""),
        joint=row.get("joint", ""), until=row.get("until", ""), outermost=frozenset(row.get("outermost", ())),
    )  # fmt: skip
    return Peer(row["ctags"], kinds, frozenset(row.get("besides", ())))


def _difference(row: dict[str, Any]) -> Difference:
    one = Difference(**{**row, "kinds": frozenset(row.get("kinds", ()))})
    if one.side not in SIDES or one.right not in _RIGHT:
        raise ValueError(f"differences.toml: {one.language} has the side '{one.side}' and says '{one.right}' is right")
    return one


def _table(place: Path, name: str) -> dict[str, Any]:
    return tomllib.loads((place / f"{name}.toml").read_text(encoding="utf-8"))
