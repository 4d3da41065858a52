"""EngineOptions: the settings that reach the engine, as plain values."""

from dataclasses import dataclass

from codecompass.embed.models import NONE, ModelChoice
from codecompass.fetch.fetch_policy import Policy


@dataclass(frozen=True, slots=True)
class DownloadOptions:
    """Where supplies come from unless a call says otherwise: `name=url#sha256=…`."""

    policy: Policy = Policy()
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
    """Rules of the linter, with commas; empty for none."""
    risk_rules: tuple[str, ...] = ()
    """Files with risk rules besides those that come along."""
    mask_secrets: bool = True
    """Whether keys and tokens that a text holds are masked in the index and in answers."""
    debug: bool = False
    default_workspace: str | None = None
    workspaces: tuple[str, ...] = ()
    """Every workspace the server was started with, the default one among them."""
    allowed_roots: tuple[str, ...] = ()
    auto_workspace: bool = False
    auto_index: bool = False
    """Whether a server registers and indexes the workspaces it was started for."""
    home: str = ""
    """The home directory of whoever runs the program, which is never indexed by itself."""
    personal: bool = False
    """Whether it is the owner of the data directory who asks, at a terminal of theirs."""
    max_response_bytes: int = 65_536
    child_command: tuple[str, ...] = ()
    """How a job child is started: the program and its first arguments."""
    config_path: str | None = None
    max_open_projects: int = 8
    memory_budget_mb: int = 512
    """Resident memory of the process above which projects that nobody uses are closed."""
    grep_cache_mb: int = 128
    """Memory for texts of files that patterns are looked for in; 0 reads every file again."""
    history_window: int = 10
    """Newest commits of a file that its churn is counted over."""
    history_commits: int = 20_000
    """Commits of the history that are looked at."""
    history_timeout_s: float = 20.0
    warmset_capacity: int = 3
    """Recent workspaces to remember and to load at the start; 0 for none."""
    dictionaries: bool = True
    """Whether compounds are taken apart by the word lists of the data directory."""
    downloads: DownloadOptions = DownloadOptions()
    embedding: ModelChoice = ModelChoice(NONE)
    """Which model makes vectors; none unless the settings are asked."""
    build_vectors: bool = True
    """Whether a job makes the vectors that are missing, once its view is published."""
    build_memory: bool = False
    """Whether it then mines what the commit and those before it say, so that the first question finds it."""
