"""Composition root: build an engine from the settings. The only module that names the concrete store.

The command line, the servers and the library build their engine here; an `EngineRequest` holds what differs.
"""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from codecompass.embed.models import ModelChoice
from codecompass.engine.engine import Engine
from codecompass.engine.options import DownloadOptions, EngineOptions
from codecompass.fetch.fetch_policy import FetchPolicy
from codecompass.fetch.proxies import read_proxies
from codecompass.model.maintenance.workspace_usage import EffectiveSetting
from codecompass.ownership import require_own_root
from codecompass.repo.process.child_process import configure_supervisor
from codecompass.settings import SETTINGS, Settings, read_environment
from codecompass.store.embedded.embedded_store import EmbeddedStore

BACKGROUND_NICENESS = 5
"""Niceness of a job that a server started: on a busy machine the server answers first."""


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """What the caller of an engine decides; the settings decide everything else."""

    workspaces: tuple[str, ...]
    """Real paths; the first one is the default."""
    data_dir: Path
    config: str | None = None
    """The config file of the command line, which jobs read too."""
    allowed_roots: tuple[str, ...] = ()
    """In addition to the workspaces and the setting."""
    auto_workspace: bool = False
    auto_index: bool = False
    personal: bool = False
    starts_jobs: bool = False
    """Whether queries and calls may start jobs in child processes; those end with this process."""
    build_vectors: bool = True
    build_memory: bool = False
    keeps_warmset: bool = False
    """Whether it remembers the workspaces that were used: only a server preloads them."""
    watch: bool = False
    """Whether it watches files for changes, if the setting allows it."""


def prepare_process(settings: Settings, *, in_background: bool = False) -> None:
    """Configure a process that runs nothing but this program: orphans of children, the umask and the priority.

    The library does not call this: it must not change the process of its caller.
    """
    if in_background and hasattr(os, "nice"):
        os.nice(BACKGROUND_NICENESS)
    configure_supervisor(settings["process.grace_ms"] / 1000)
    # Other users must not be able to write files that are created from here on, whatever umask the shell has.
    os.umask(os.umask(0o077) | 0o022)


def build_engine(settings: Settings, request: EngineRequest) -> Engine:
    """Build the engine; the caller closes it."""
    require_own_root(request.data_dir)
    watches = None
    if request.watch and settings["index.watch"]:
        from codecompass.repo.files.file_watch import open_watch  # noqa: PLC0415 - few callers watch

        watches = open_watch
    options = _build_options(settings, request)
    return Engine(request.data_dir, options, EmbeddedStore, read_environment(), watches)


def _build_options(settings: Settings, request: EngineRequest) -> EngineOptions:
    roots = (*request.workspaces, *request.allowed_roots, *settings["server.allowed_roots"])
    return EngineOptions(
        max_file_bytes=settings["index.max_file_size"],
        workers=settings["index.workers"],
        parse_timeout_s=settings["index.parse_timeout_s"],
        worker_memory_mb=settings["index.worker_memory_mb"],
        lint_rules=settings["index.lint_rules"],
        mask_secrets=settings["secrets.mask"],
        risk_rules=_expand_paths(settings["risk.rules"]),
        debug=settings["server.debug"],
        default_workspace=request.workspaces[0],
        workspaces=request.workspaces,
        allowed_roots=tuple(dict.fromkeys(os.path.realpath(root) for root in roots)),
        personal=request.personal,
        import_bundles=settings["index.import_bundles"],
        auto_index=settings["index.auto_index"] and request.auto_index,
        home=os.path.expanduser("~"),
        object_roots=_expand_paths(settings["index.object_roots"]),
        auto_workspace=settings["server.auto_workspace"] or request.auto_workspace,
        max_response_bytes=settings["query.max_response_bytes"],
        child_command=_build_child_command(request) if request.starts_jobs else (),
        max_open_projects=settings["server.max_open_projects"],
        dictionaries=settings["index.dictionaries"],
        downloads=build_download_options(settings),
        history_window=settings["history.window"],
        history_commits=settings["history.max_commits"],
        history_timeout_s=settings["history.timeout_s"],
        embedding=_build_model_choice(settings, request.data_dir),
        build_vectors=request.build_vectors,
        build_memory=request.build_memory,
        memory_budget_mb=settings["server.memory_budget_mb"],
        grep_cache_mb=settings["grep.cache_mb"],
        warmset_capacity=settings["server.warmset_capacity"] if request.keeps_warmset else 0,
    )


def _expand_paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(os.path.abspath(os.path.expanduser(path)) for path in paths)


def build_download_options(settings: Settings) -> DownloadOptions:
    """Build the download sources and the policy of fetches."""
    policy = FetchPolicy(
        allowed_hosts=tuple(settings["downloads.allowed_hosts"]),
        private_hosts=tuple(settings["downloads.private_hosts"]),
        file_roots=_expand_paths(settings["downloads.file_roots"]),
        proxies=read_proxies(settings["downloads.proxy"], read_environment()),
        ca_file=os.path.expanduser(settings["downloads.ca_file"]),
        max_bytes=settings["downloads.max_mb"] * 2**20,
        total_s=settings["downloads.timeout_s"],
        idle_s=settings["downloads.idle_s"],
    )
    lists = (tuple(settings[f"downloads.{name}"]) for name in ("dictionaries", "models", "extensions"))
    return DownloadOptions(policy, *lists)


def _build_model_choice(settings: Settings, data_dir: Path) -> ModelChoice:
    return ModelChoice(
        settings["embed.model"], settings["embed.endpoint_url"], settings["embed.endpoint_model"],
        settings["embed.endpoint_token"], settings["embed.allow_network"], settings["embed.timeout_s"],
        str(data_dir / "models"),
    )  # fmt: skip


def _build_child_command(request: EngineRequest) -> tuple[str, ...]:
    """Build the command that starts a job: this interpreter, without the current directory on its path (-P)."""
    config = ("--config", os.path.abspath(request.config)) if request.config else ()
    return (sys.executable, "-P", "-m", "codecompass", "--data-dir", os.path.abspath(request.data_dir), *config)


def describe_settings(settings: Settings) -> tuple[EffectiveSetting, ...]:
    """List every setting with its value and where it comes from."""
    return tuple(
        EffectiveSetting(row.name, settings[row.name], settings.origin.get(row.name, ""), row.is_secret)
        for row in SETTINGS
    )
