"""Engine options: the settings that the engine uses, as plain values."""

from dataclasses import dataclass

from codecompass.embed.models import NONE, ModelChoice
from codecompass.fetch.fetch_policy import FetchPolicy


@dataclass(frozen=True, slots=True)
class DownloadOptions:
    """Default download sources, each as `name=url#sha256=…`."""

    policy: FetchPolicy = FetchPolicy()
    dictionaries: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineOptions:
    max_file_bytes: int = 16_777_216
    """A longer file is indexed up to the last line that fits."""
    workers: int = 0
    """Parse workers; 0 means one per core."""
    parse_timeout_s: float = 20.0
    worker_memory_mb: int = 1024
    lint_rules: str = "E4,E7,E9,F,B,PLE"
    """Linter rules, separated by commas; empty for none."""
    risk_rules: tuple[str, ...] = ()
    """Files with risk rules in addition to the bundled ones."""
    mask_secrets: bool = True
    """Whether keys and tokens in a text are masked in the index and in answers."""
    debug: bool = False
    default_workspace: str | None = None
    workspaces: tuple[str, ...] = ()
    """Every workspace the server was started with, including the default one."""
    allowed_roots: tuple[str, ...] = ()
    object_roots: tuple[str, ...] = ()
    """Directories that a repository may borrow git objects from, besides the one that contains it."""
    auto_workspace: bool = False
    auto_index: bool = False
    """Whether a server registers and indexes the workspaces it was started for."""
    home: str = ""
    """The user's home directory, which is never indexed automatically."""
    import_bundles: bool = False
    """Whether an index may be imported from a file of the workspace; `state import` names one and needs no setting."""
    personal: bool = False
    """Whether the caller is the owner of the data directory, at their own terminal."""
    max_response_bytes: int = 65_536
    child_command: tuple[str, ...] = ()
    """The command of a job child: the program and its first arguments."""
    max_open_projects: int = 8
    memory_budget_mb: int = 512
    """Resident memory of the process above which unused projects are closed."""
    grep_cache_mb: int = 128
    """Memory for file texts that grep caches; 0 reads every file again."""
    history_window: int = 10
    """Number of newest commits of a file that its churn counts."""
    history_commits: int = 20_000
    """Maximum commits of the history that are read."""
    history_timeout_s: float = 20.0
    warmset_capacity: int = 3
    """Recent workspaces to remember and to load at the start; 0 for none."""
    dictionaries: bool = True
    """Whether compounds are split with the word lists of the data directory."""
    downloads: DownloadOptions = DownloadOptions()
    embedding: ModelChoice = ModelChoice(NONE)
    """Model that builds vectors; none by default."""
    build_vectors: bool = True
    """Whether a job builds missing vectors after its view is published."""
    build_memory: bool = False
    """Whether it then mines memory from the commits, so that the first query finds it."""
