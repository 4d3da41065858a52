"""EngineOptions: the settings that reach the engine, as plain values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineOptions:
    max_file_bytes: int = 1_048_576
    """A longer file is indexed up to the last line that fits."""
    workers: int = 0
    """Parse workers; 0 means one per core."""
    parse_timeout_s: float = 20.0
    worker_memory_mb: int = 1024
    debug: bool = False
    default_workspace: str | None = None
    allowed_roots: tuple[str, ...] = ()
    auto_workspace: bool = False
    max_response_bytes: int = 65_536
    child_command: tuple[str, ...] = ()
    """How a job child is started: the program and its first arguments."""
    config_path: str | None = None
