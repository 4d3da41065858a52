"""Supplies: models, word lists and extensions that are fetched: what is ordered, what came of it, what is there."""

from dataclasses import dataclass

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class SupplyOrder:
    """What is to be fetched."""

    sources: tuple[str, ...] = ()
    """`name=url` or a URL alone, each perhaps with `#sha256=…`."""
    names: tuple[str, ...] = ()
    """Which of the configured sources; empty for all. With one source, what it is called."""
    directory: str | None = None
    """Another place than the data directory."""
    update: bool = False
    """Ask whether what is there has changed."""
    force: bool = False
    """Fetch it whatever is there."""
    machine: tuple[str, str] = ("", "")
    """System and processor that an extension is for; empty for this machine's."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of one source."""

    name: str
    status: str
    """`downloaded`, `present`, `not_modified` or `failed`."""
    source: str
    path: str = ""
    bytes: int = 0
    sha256: str = ""
    verified: bool = False
    """Its hash was known beforehand."""
    resumed: int = 0
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class SupplyReport:
    """What came of an order."""

    root: str
    directory: str
    deliveries: tuple[Delivery, ...]
    notes: tuple[str, ...] = ()

    def named(self, *statuses: str) -> list[str]:
        return [item.name for item in self.deliveries if item.status in statuses]


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One embedding model on the shelf."""

    name: str
    kind: str
    """`model2vec` or `onnx`; empty when it is neither."""
    path: str
    bytes: int
    trouble: str = ""
    """Why it cannot be used."""


@dataclass(frozen=True, slots=True)
class DictionaryState:
    """The word lists on the shelf, and what the index of a project was made with."""

    directory: str
    files: tuple[str, ...] = ()
    digest: str = ""
    enabled: bool = True
    applied: str = ""
    """The digest a project's index was made with."""
    message: str = ""
    """What to do so that they are used."""


@dataclass(frozen=True, slots=True)
class ProbeOrder:
    """What of an extension is to be tried."""

    path: str | None = None
    machine: tuple[str, str] = ("", "")
    """System and processor; empty for this machine's."""
    load: bool = True
    encoding: str = "float32"


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried."""

    attempted: bool = False
    ok: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ExtensionReport:
    """The vector extension of SQLite: where it is, and whether it works."""

    provider: str = "sqlite-vec"
    path: str = ""
    origin: str = ""
    """`package` or `download`; empty when there is none."""
    exists: bool = False
    version: str = ""
    platform: str = ""
    encoding: str = "float32"
    load: Trial = Trial()
    smoke: Trial = Trial()

    @property
    def works(self) -> bool:
        return self.load.ok and self.smoke.ok


@dataclass(frozen=True, slots=True)
class Supplies:
    """What is on the shelves."""

    model_directory: str
    dictionaries: DictionaryState
    models: tuple[ModelCard, ...] = ()
