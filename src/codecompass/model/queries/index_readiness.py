"""Index readiness: whether a project is indexed and current enough to answer a question, before it is asked."""

from dataclasses import dataclass
from typing import Literal

Readiness = Literal["ready", "behind", "busy", "indexing", "not_indexed", "not_registered"]


@dataclass(frozen=True, slots=True)
class IndexReadiness:
    """The state of a project's index for a question about one ref."""

    root: str
    state: Readiness
    """`ready`: nothing to do, or nothing that a sync would change. `behind`: files changed since the last sync. `busy`:
    the same, and another process is writing the index. `indexing`: nothing is published, and a job is running.
    """
    is_project: bool = True
    """Whether the directory is one project: a git work tree or a directory with a manifest, never the home directory
    or a file-system root. Known only where nothing is indexed.
    """
    changed_files: int = 0
    changed_bytes: int = 0
