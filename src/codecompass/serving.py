"""Server start: open what every transport needs, run the server, close everything.

Like `app.py` it imports heavy modules inside the functions that need them.
"""

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from codecompass.errors import Failure
from codecompass.ownership import require_own_root

if TYPE_CHECKING:
    from codecompass.engine.engine import Engine
    from codecompass.model.maintenance.sync_attempt import SyncAttempt
    from codecompass.runtime.dispatch import Dispatch
    from codecompass.runtime.log import Log
    from codecompass.settings import Settings
    from codecompass.surfaces.cli.parser import Namespace
    from codecompass.surfaces.mcp.wire import Wire

S = TypeVar("S")
SWITCH_INTERVAL_S = 0.001
"""Switch interval of the interpreter in seconds: how long one thread computes while others wait."""
HELPER_FLAG = "--is-helper"
"""The hidden flag with which a server starts the processes that answer calls for it."""
HELPER_COMMAND = "answer-calls"
"""The command as which such a process is treated: like a command that only queries, it starts no jobs."""
HELPER_SILENCE_S = 0.05
"""Seconds after which a wait for a helper looks whether the call was cancelled."""
CLOSE_TIMEOUT_S = 0.5
"""Seconds that a stopping server has to close its files; files that stay open are not damaged."""


@dataclass(frozen=True, slots=True)
class ComponentFactories:
    """Functions of `app.py` that build each part from the arguments of the command line."""

    project_root: "Callable[[str | None], str]"
    settings: "Callable[[Namespace, str], Settings]"
    log: "Callable[[Namespace, Settings], Log]"
    engine: "Callable[..., Engine]"
    dispatch: "Callable[[Namespace, Engine, Settings, Log], Dispatch]"


@dataclass(frozen=True, slots=True)
class _ServerSetup:
    """Arguments, workspaces, settings and log of a server."""

    args: "Namespace"
    workspaces: tuple[str, ...]
    settings: "Settings"
    log: "Log"


def serve_mcp(args: "Namespace", wiring: ComponentFactories) -> int:
    """Serve one client on stdin and stdout."""
    # This comes first: output of libraries and children must not reach the stream of the protocol.
    from codecompass.surfaces.mcp.wire import claim_stdio  # noqa: PLC0415 - serve-mcp only

    wire = claim_stdio()
    plan = _prepare_server(args, wiring)
    mode = args.mcp_mode or plan.settings["mcp.mode"]
    with _open_dispatch(plan, wiring, lambda: _select_stdio_session(mode)) as (dispatch, serve):
        return serve(dispatch, wire, plan.log, plan.settings["mcp.maxBufferBytes"])


def _select_stdio_session(mode: str) -> "Callable[[Dispatch, Wire, Log, int], int]":
    """Select the server loop for a framing. A mode that is not available is refused, never replaced by another."""
    if mode == "legacy":
        from codecompass.surfaces.mcp.legacy_session import serve as serve_frames  # noqa: PLC0415 - needs no SDK

        return serve_frames
    with _require_packages("serve-mcp"):
        from codecompass.surfaces.mcp.stdio_loop import serve as serve_lines  # noqa: PLC0415 - the SDK is slow to import
    return serve_lines


def serve_http(args: "Namespace", wiring: ComponentFactories) -> int:
    """Serve any number of clients over HTTP."""
    from codecompass.surfaces.http.listen_address import bind_sockets  # noqa: PLC0415 - serve-http only

    if args.is_helper:
        return _serve_calls(args, wiring)
    plan = _prepare_server(args, wiring)
    options = _build_http_options(args, plan)
    # Before anything is opened: a port in use is the most common reason why a server does not start.
    address = bind_sockets(options.host, options.port, protected=bool(options.token))
    try:
        with _open_dispatch(plan, wiring, _load_http_server) as (dispatch, serve), _open_helpers(plan, dispatch):
            return serve(dispatch, options, address, plan.log, as_json=args.json)
    finally:
        address.close()


def _load_http_server() -> "Callable[..., int]":
    with _require_packages("serve-http"):
        from codecompass.surfaces.http.http_server import serve  # noqa: PLC0415 - the SDK costs a second to import
    return serve


@contextmanager
def _open_helpers(plan: _ServerSetup, dispatch: "Dispatch") -> Iterator[None]:
    """Start the processes that answer calls for this server; with one worker it answers them itself."""
    if plan.args.workers < 1:
        raise Failure("INVALID_REQUEST", "--workers must be at least 1.")
    if plan.args.workers == 1:
        yield
        return
    from codecompass.repo.process.worker_process import WorkerProcess  # noqa: PLC0415 - only with several workers
    from codecompass.runtime.helper_pool import HelperPool  # noqa: PLC0415
    from codecompass.settings import read_environment  # noqa: PLC0415

    command = [sys.executable, "-P", "-m", "codecompass", *plan.args.argv, HELPER_FLAG]
    helpers = HelperPool(
        lambda: WorkerProcess.start(command, read_environment(), timeout=HELPER_SILENCE_S), plan.args.workers, plan.log
    )
    dispatch.share_calls(helpers)
    try:
        yield
    finally:
        helpers.close()


def _serve_calls(args: "Namespace", wiring: ComponentFactories) -> int:
    """Answer the calls that a server passes to this process. It starts no jobs and no syncs: the server does."""
    from codecompass.runtime.helper_loop import answer_calls  # noqa: PLC0415 - helpers only

    # Output of libraries and children must not reach the pipe of the server.
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    plan = _prepare_server(args, wiring)
    args.command, args.no_auto_index = HELPER_COMMAND, True
    _limit_process()
    first, *also = plan.workspaces
    engine = wiring.engine(args, plan.settings, first, watch=True, also=tuple(also))
    try:
        engine.load_services()
        dispatch = wiring.dispatch(args, engine, plan.settings, plan.log)
        (engine.skip_prewarm if args.no_prewarm else engine.prewarm)()
        gc.freeze()
        answer_calls(dispatch, source, sink)
        return 0
    finally:
        _close_within([engine.close], CLOSE_TIMEOUT_S)


def _prepare_server(args: "Namespace", wiring: ComponentFactories) -> _ServerSetup:
    named = ([args.path] if args.path is not None else []) + args.workspaces
    workspaces = tuple(dict.fromkeys(wiring.project_root(path) for path in named)) or (wiring.project_root(None),)
    settings = wiring.settings(args, workspaces[0])
    _check_roots(args, settings)
    return _ServerSetup(args, workspaces, settings, wiring.log(args, settings))


@contextmanager
def _require_packages(command: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        what = error.name or "mcp"
        message = f"{command} needs the package '{what}', which is not installed; run: pip install {what}"
        raise Failure("CAPABILITY_MISSING", message) from None


def _is_auto_sync_enabled(settings: "Settings") -> bool:
    """Whether the server syncs indexes by itself: not with `best_effort` unless `index.auto_sync` is set explicitly."""
    answers_only = settings["query.freshness_policy"] == "best_effort"
    return bool(settings["index.auto_sync"] and not (answers_only and "index.auto_sync" not in settings.origin))


def _limit_process() -> None:
    from codecompass.repo.process.process_memory import limit_arenas  # noqa: PLC0415 - servers only

    limit_arenas()
    # A call that takes a millisecond must not wait five whenever a longer call computes.
    sys.setswitchinterval(SWITCH_INTERVAL_S)


@contextmanager
def _open_dispatch(
    plan: _ServerSetup, wiring: ComponentFactories, load: "Callable[[], S]"
) -> "Iterator[tuple[Dispatch, S]]":
    """Open an engine and its dispatch, and close them when the server ends; `load` imports the server itself.

    A first index starts before everything that takes long to import, so that both run side by side.
    """
    _limit_process()
    first, *also = plan.workspaces
    engine = wiring.engine(plan.args, plan.settings, first, watch=True, also=tuple(also))
    closing: list[Callable[[], None]] = [engine.close]
    try:
        if _is_auto_sync_enabled(plan.settings):
            engine.keep(_make_sync_logger(plan.log))
        if engine.options.auto_index:
            try:
                engine.index_served()
            except Failure as failure:
                # The server starts anyway; every answer reports the missing index.
                plan.log.event("warning", "auto_index_failed", code=failure.code, text=failure.message[:200])
        serve = load()
        engine.load_services()
        dispatch = wiring.dispatch(plan.args, engine, plan.settings, plan.log)
        start = engine.skip_prewarm if plan.args.no_prewarm else engine.prewarm
        start()
        closing.insert(0, dispatch.end_sessions)
        gc.freeze()  # loaded modules stay in memory, and calls seldom leave reference cycles behind
        yield dispatch, serve
    finally:
        _close_within(closing, CLOSE_TIMEOUT_S)


def _build_http_options(args: "Namespace", plan: _ServerSetup) -> Any:  # noqa: ANN401 - HttpOptions, imported late
    from codecompass.surfaces.http.server_options import HttpOptions  # noqa: PLC0415 - serve-http only
    from codecompass.surfaces.http.token import TOKEN_FILE, read_or_create_token  # noqa: PLC0415

    settings = plan.settings
    data_dir = Path(args.data_dir) if args.data_dir else settings.data_dir
    require_own_root(data_dir)
    token = args.auth_token or read_configured_token(args.auth_token_file, settings)
    return HttpOptions(
        host=args.host or settings["http.host"],
        port=settings["http.port"] if args.port is None else args.port,
        token=token,
        local_token="" if token else read_or_create_token(data_dir),
        token_file="" if token else str(data_dir / TOKEN_FILE),
        hosts=(*args.allow_hosts, *settings["http.allowed_hosts"]),
        origins=(*args.cors_origins, *settings["http.cors_origins"]),
        allow_writes=args.allow_writes,
        stateless=args.stateless or settings["http.stateless"],
        max_sessions=settings["http.max_sessions"],
        session_idle_s=settings["http.session_idle_s"],
        max_connections=settings["http.max_connections"],
        max_body=settings["http.max_body_bytes"],
        max_mcp_body=settings["http.max_mcp_body_bytes"],
        header_s=settings["http.header_timeout_s"],
        body_s=settings["http.body_timeout_s"],
        keep_alive_s=settings["http.keep_alive_s"],
        write_s=settings["http.write_timeout_s"],
        replay_bytes=settings["http.replay_bytes"],
        replay_s=settings["http.replay_s"],
        heartbeat_s=settings["http.heartbeat_s"],
        repo=plan.workspaces[0],
        extend=args.extend,
    )


def read_configured_token(file: str | None, settings: "Settings") -> str:
    """Return the token that protects the whole server, or an empty string if none is configured."""
    from codecompass.surfaces.http.token import read_token  # noqa: PLC0415 - serve-http only

    named = file or settings["http.auth_token_file"]
    return str(settings["http.auth_token"]) or (read_token(named) if named else "")


def _check_roots(args: "Namespace", settings: "Settings") -> None:
    """Refuse to start with an allowed root that is not a directory, or with auto workspaces and no allowed root."""
    roots = (*args.allowed_roots, *settings["server.allowed_roots"])
    for root in roots:
        if not os.path.isdir(root):
            raise Failure("INVALID_REQUEST", f"The allowed root {ascii(root)} is not a directory.")
    if (args.auto_workspace or settings["server.auto_workspace"]) and not roots:
        message = "--auto-workspace needs at least one --allowed-root: without it any directory could be registered."
        raise Failure(
            "INVALID_REQUEST", message, hint="Add --allowed-root DIR for the directory that holds your projects."
        )


def _make_sync_logger(log: "Log") -> "Callable[[SyncAttempt], None]":
    """Return a callback that logs each automatic sync."""

    def log_attempt(done: "SyncAttempt") -> None:
        if done.failure is not None:
            log.event("warning", "auto_sync_failed", code=done.failure.code, text=done.failure.message[:200],
                      retry_s=done.retry_s)  # fmt: skip
        elif done.job is not None:
            log.event("info", "auto_sync", job_id=done.job.job_id, changed_files=done.job.changed_files,
                      ms=done.job.duration_ms)  # fmt: skip

    return log_attempt


def _close_within(steps: "list[Callable[[], None]]", seconds: float) -> None:
    def close() -> None:
        for step in steps:
            step()

    closing = threading.Thread(target=close, name="close", daemon=True)
    closing.start()
    closing.join(seconds)
