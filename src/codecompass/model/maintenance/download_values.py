"""Download values: requests and reports for models, dictionaries and extensions, and what is installed."""

from dataclasses import dataclass

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class DownloadRequest:
    """What to download."""

    sources: tuple[str, ...] = ()
    """`name=url` or a URL alone, each perhaps with `#sha256=…`."""
    names: tuple[str, ...] = ()
    """Names of configured sources; empty for all. With a single source, its name."""
    directory: str | None = None
    """Target directory instead of the data directory."""
    update: bool = False
    """Check whether the source has changed since the last download."""
    force: bool = False
    """Download even if the file is present."""
    machine: tuple[str, str] = ("", "")
    """System and processor of an extension; empty for this machine."""


@dataclass(frozen=True, slots=True)
class DownloadResult:
    """The result of downloading one source."""

    name: str
    status: str
    """`downloaded`, `present`, `not_modified` or `failed`."""
    source: str
    path: str = ""
    bytes: int = 0
    sha256: str = ""
    verified: bool = False
    """The hash was checked against a known value."""
    resumed: int = 0
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class DownloadReport:
    """The result of a download request."""

    root: str
    directory: str
    deliveries: tuple[DownloadResult, ...]
    notes: tuple[str, ...] = ()

    def list_names(self, *statuses: str) -> list[str]:
        return [item.name for item in self.deliveries if item.status in statuses]


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """One installed embedding model."""

    name: str
    kind: str
    """`model2vec` or `onnx`; empty if it is neither."""
    path: str
    bytes: int
    trouble: str = ""
    """Why it cannot be used."""


@dataclass(frozen=True, slots=True)
class DictionaryState:
    """The installed dictionaries, and the version with which a project was indexed."""

    directory: str
    files: tuple[str, ...] = ()
    digest: str = ""
    enabled: bool = True
    applied: str = ""
    """The digest with which a project was indexed."""
    message: str = ""
    """How to make the index use them."""


@dataclass(frozen=True, slots=True)
class ExtensionProbeRequest:
    """Which checks of an extension to run."""

    path: str | None = None
    machine: tuple[str, str] = ("", "")
    """System and processor; empty for this machine."""
    load: bool = True
    encoding: str = "float32"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of one check."""

    attempted: bool = False
    ok: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ExtensionReport:
    """The SQLite vector extension: its location, and whether it works."""

    provider: str = "sqlite-vec"
    path: str = ""
    origin: str = ""
    """`package` or `download`; empty if there is none."""
    exists: bool = False
    version: str = ""
    platform: str = ""
    encoding: str = "float32"
    load: ProbeResult = ProbeResult()
    smoke: ProbeResult = ProbeResult()

    @property
    def works(self) -> bool:
        return self.load.ok and self.smoke.ok


@dataclass(frozen=True, slots=True)
class InstalledDownloads:
    """All installed downloads."""

    model_directory: str
    dictionaries: DictionaryState
    models: tuple[InstalledModel, ...] = ()
