"""The program: read the command line, build settings, engine, dispatch and surface, and run one command.

Heavy modules are imported inside the functions that need them, so that `--version` and `--help` answer at once.
"""

import errno
import gc
import os
import secrets
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codecompass.errors import Failure
from codecompass.surfaces.cli.parser import Namespace, build_parser

if TYPE_CHECKING:
    from collections.abc import Callable

    from codecompass.agents.agent_places import Machine
    from codecompass.contract.tool import Tool
    from codecompass.engine.engine import Engine
    from codecompass.model.maintenance.workspace_usage import EffectiveSetting
    from codecompass.runtime.dispatch import Dispatch
    from codecompass.runtime.log import Log
    from codecompass.settings import Settings
    from codecompass.surfaces.cli.views.index_progress import BarFactory

INTERRUPTED = 130
BROKEN_PIPE = 141
SERVERS = ("serve-mcp", "serve-http")
GC_THRESHOLD = (20_000, 20, 20)
"""Thresholds of the garbage collector in a server, for its three generations."""


def main(argv: list[str], more_tools: "tuple[Tool, ...]" = (), extend: "Callable[[Any], None] | None" = None) -> int:
    """Run one command and return its exit code. No exception escapes and no traceback is shown.

    `more_tools` are served beside the built-in tools: for programs that embed this one and for tests of the dispatch.
    `extend` receives the SDK's server of `serve-http` before it starts, to add protocol features that we do not have.
    """
    _ensure_standard_streams()
    try:
        return _run(argv, more_tools, extend)
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return BROKEN_PIPE
    except Failure as failure:
        return _show_failure(failure)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            return _report_crash(error)
        _discard_stdout()
        return _show_failure(Failure("DISK_FULL", "The output could not be written: no space left on the device."))
    except Exception as error:  # broad: no command may end with a traceback
        return _report_crash(error)


def _run(argv: list[str], more_tools: "tuple[Tool, ...]", extend: "Callable[[Any], None] | None") -> int:
    began = time.monotonic()
    parser = build_parser()
    args = parser.parse_args(argv)
    args.began = began
    args.more_tools = more_tools
    args.extend = extend
    if args.command is None:
        parser.print_help()
        return 2
    if args.command in SERVERS:
        return _serve(args)
    if args.command == "snapshots":
        return _write_documents(Path(args.root))
    if args.command == "languages":
        return _show_languages(args)
    if args.command == "http-token":
        return _show_token(args)
    if args.command == "setup":
        return _set_up_agents(args)
    if args.command == "hook":
        return _run_hook(args)
    workspace = _find_project_root(getattr(args, "path", None))
    settings = _load_settings(args, workspace)
    log = _open_log(args, settings)
    engine = _build_engine(args, settings, workspace, watch=args.command == "watch")
    try:
        if args.command == "watch":
            return _watch(args, engine, workspace)
        run = _run_job if args.command in ("init", "index", "sync", "jobs") else _run_query
        code = run(args, engine, settings, log, workspace)
        sys.stdout.flush()
        return code
    finally:
        engine.close()


def _run_job(args: Namespace, engine: "Engine", settings: "Settings", log: "Log", workspace: str) -> int:
    from codecompass.surfaces.cli.commands.index_commands import JOB_COMMANDS, JobSession  # noqa: PLC0415 - a sync must start fast

    calls = (engine.init, engine.index, engine.status, engine.cancel_job)
    return JOB_COMMANDS[args.command](args, JobSession(*calls, workspace, _choose_progress_bar(), args.began))


def _watch(args: Namespace, engine: "Engine", workspace: str) -> int:
    from codecompass.surfaces.cli.commands.watch_command import WatchSession, run_watch  # noqa: PLC0415 - only here

    return run_watch(args, WatchSession(engine.index, engine.follow, workspace, _choose_progress_bar()))


def _choose_progress_bar() -> "BarFactory | None":
    if not sys.stderr.isatty():
        return None
    from codecompass.surfaces.cli.views.progress_bar import open_progress_bar  # noqa: PLC0415 - only where it can be seen

    return open_progress_bar


def _run_query(args: Namespace, engine: "Engine", settings: "Settings", log: "Log", workspace: str) -> int:
    from codecompass.surfaces.cli.commands.query_commands import QUERY_HANDLERS, QuerySession  # noqa: PLC0415 - not needed for a job

    dispatch = _build_dispatch(args, engine, settings, log)
    machine = _describe_machine(workspace) if args.command == "doctor" else None
    return QUERY_HANDLERS[args.command](args, QuerySession(engine, dispatch, workspace, machine))


def _serve(args: Namespace) -> int:
    from codecompass.repo.process.child_process import end_children  # noqa: PLC0415 - servers only
    from codecompass.serving import ComponentFactories, serve_http, serve_mcp  # noqa: PLC0415

    # Loaded modules stay in memory, and calls seldom leave reference cycles behind. The default thresholds cost a tenth
    # of the time of all searches, and sometimes add a quarter of a second to one of them.
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLD)
    wiring = ComponentFactories(_find_project_root, _load_settings, _open_log, _build_engine, _build_dispatch)
    try:
        return (serve_mcp if args.command == "serve-mcp" else serve_http)(args, wiring)
    finally:
        end_children()


def _find_project_root(path: str | None) -> str:
    """Return the real path of the named directory; without a name, that of the repository around the current one."""
    if path is not None:
        if not os.path.isdir(path):
            raise Failure("INVALID_REQUEST", f"Not a directory: {path}", hint="Name the root of a project.")
        return os.path.realpath(path)
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError:
        raise Failure("FILE_NOT_FOUND", "The current directory no longer exists.", hint="Run 'cd' first.") from None
    for directory in (here, *here.parents):
        if (directory / ".git").exists() or (directory / ".codecompass").is_dir():
            return str(directory)
    return str(here)


def _load_settings(args: Namespace, workspace: str) -> "Settings":
    from codecompass.settings import load_settings  # noqa: PLC0415 - not needed for --help

    return load_settings(config=args.config, project=workspace)


def _open_log(args: Namespace, settings: "Settings") -> "Log":
    from codecompass.runtime.log import LEVELS, Log, relay_library_logs  # noqa: PLC0415 - not needed for --help

    # A flag can only lower the level of the setting, never raise it.
    level = min(settings["log.level"], ("error", "info", "debug")[min(args.verbose, 2)], key=LEVELS.index)
    log = Log(level, style=settings["log.format"])
    relay_library_logs(log)
    return log


def _build_engine(
    args: Namespace, settings: "Settings", workspace: str, *, watch: bool, also: tuple[str, ...] = ()
) -> "Engine":
    from codecompass.composition import EngineRequest, build_engine, prepare_process  # noqa: PLC0415 - not for --help

    request = EngineRequest(
        workspaces=(workspace, *also),
        data_dir=Path(args.data_dir) if args.data_dir else settings.data_dir,
        config=args.config,
        allowed_roots=tuple(getattr(args, "allowed_roots", ())),
        auto_workspace=getattr(args, "auto_workspace", False),
        auto_index=not getattr(args, "no_auto_index", True),
        personal=args.command == "care",
        starts_jobs=_may_start_jobs(args),
        build_vectors=not getattr(args, "no_embed", False),
        build_memory=args.command in ("index", "sync") and not args.no_memory,
        keeps_warmset=args.command in SERVERS,
        watch=watch,
    )
    prepare_process(settings)
    return build_engine(settings, request)


def _may_start_jobs(args: Namespace) -> bool:
    """Whether a command may start jobs: they end with the process, so a command that only queries must start none."""
    from codecompass.tools import TOOLS  # noqa: PLC0415 - not needed for --help

    jobs = {tool.name for tool in TOOLS if tool.starts_job}
    return args.command in (*SERVERS, "care") or (args.command == "tool" and args.name in jobs)


def _build_dispatch(args: Namespace, engine: "Engine", settings: "Settings", log: "Log") -> "Dispatch":
    from codecompass.contract.tool import Defaults, Host, select_tools  # noqa: PLC0415 - not needed for --help
    from codecompass.runtime.admission import Admission  # noqa: PLC0415
    from codecompass.runtime.dispatch import Dispatch  # noqa: PLC0415
    from codecompass.runtime.rate_limits import RateLimits  # noqa: PLC0415
    from codecompass.tools import INNER_TOOLS, TOOLS  # noqa: PLC0415

    defaults = Defaults(
        freshness_policy=settings["query.freshness_policy"],
        ranking_explain_level=settings.explain_level,
        max_response_bytes=settings["query.max_response_bytes"],
        debug=settings["server.debug"],
    )
    admission = Admission(settings["mcp.queueMax"], settings["mcp.workers"])
    # Limits are for clients that share a server; a command has no other clients.
    limits = RateLimits(settings.rate_limits) if args.command in SERVERS else None
    tools = select_tools(TOOLS + args.more_tools, tuple(getattr(args, "toolsets", ())))
    host = Host(
        engine,
        defaults,
        lambda: dispatch.snapshot(),
        _describe_settings(settings),
        lambda: dispatch.metrics.count_calls(),
    )
    dispatch = Dispatch(
        tools, host, log, admission=admission, limits=limits, timeout_ms=settings.timeout_ms,
        grace_s=settings["mcp.lostWorkerGraceMs"] / 1000, inner=INNER_TOOLS,
        # One process is one session, except where HTTP opens more; a command has no session.
        session=f"ses_{secrets.token_hex(8)}" if args.command in SERVERS else "",
    )  # fmt: skip
    return dispatch


def _describe_settings(settings: "Settings") -> "tuple[EffectiveSetting, ...]":
    from codecompass.model.maintenance.workspace_usage import EffectiveSetting  # noqa: PLC0415 - not needed for --help
    from codecompass.settings import SETTINGS  # noqa: PLC0415

    return tuple(
        EffectiveSetting(row.name, settings[row.name], settings.origin.get(row.name, ""), row.is_secret)
        for row in SETTINGS
    )


def _show_languages(args: Namespace) -> int:
    from codecompass.languages.language_info import describe_languages  # noqa: PLC0415 - only here
    from codecompass.languages.registry import Registry  # noqa: PLC0415
    from codecompass.surfaces.cli.commands.languages_command import show_languages  # noqa: PLC0415

    code = show_languages(args, describe_languages(Registry()))
    sys.stdout.flush()
    return code


def _show_token(args: Namespace) -> int:
    """Print the token that `serve-http` requires: the configured one, else the one in the data directory."""
    from codecompass.ownership import require_own_root  # noqa: PLC0415 - only here
    from codecompass.serving import read_configured_token  # noqa: PLC0415
    from codecompass.surfaces.http.token import read_or_create_token  # noqa: PLC0415

    settings = _load_settings(args, _find_project_root(None))
    data_dir = Path(args.data_dir) if args.data_dir else settings.data_dir
    require_own_root(data_dir)
    sys.stdout.write((read_configured_token(None, settings) or read_or_create_token(data_dir)) + "\n")
    sys.stdout.flush()
    return 0


def _describe_machine(project: str) -> "Machine":
    from codecompass.agents.agent_places import Machine  # noqa: PLC0415 - setup and doctor only
    from codecompass.settings import read_environment  # noqa: PLC0415

    return Machine(Path.home(), read_environment(), Path(project), sys.platform)


def _set_up_agents(args: Namespace) -> int:
    from codecompass.surfaces.cli.commands.setup_command import run_setup  # noqa: PLC0415 - only here

    code = run_setup(args, _describe_machine(_find_project_root(args.path)))
    sys.stdout.flush()
    return code


def _run_hook(args: Namespace) -> int:
    """Run a hook of an agent. It exits 0 and is silent whatever happens: a hook must not disturb the agent."""
    from codecompass.surfaces.cli.commands.setup_command import show_note  # noqa: PLC0415 - only here

    if args.kind == "guide":
        show_note(args.agent)
        return 0
    _discard_stdout()
    os.dup2(1, 2)
    words = ["--data-dir", args.data_dir] if args.data_dir else []
    with suppress(Failure, OSError):
        _run([*words, "sync"], (), None)
    return 0


def _write_documents(root: Path) -> int:
    """Write every document that is generated from tables (tools, errors, settings, languages) or from the source."""
    from codecompass.agents.agents_page import render_agents_page  # noqa: PLC0415 - developers only
    from codecompass.contract.export import (  # noqa: PLC0415
        build_documents,
        render_language_page,
        render_map_page,
    )
    from codecompass.languages.language_catalog import TABLE_NAME, render_catalog  # noqa: PLC0415
    from codecompass.languages.language_info import describe_languages  # noqa: PLC0415
    from codecompass.languages.registry import DATA, Registry  # noqa: PLC0415
    from codecompass.settings import SETTINGS  # noqa: PLC0415
    from codecompass.surfaces.http.api.reference_page import render_page  # noqa: PLC0415
    from codecompass.tools import TOOLS  # noqa: PLC0415

    written = build_documents(TOOLS, SETTINGS)
    written["docs/agents.md"] = render_agents_page()
    written["docs/http.md"] = render_page(TOOLS)
    written["docs/languages.md"] = render_language_page(describe_languages(Registry()))
    written["docs/map.md"] = render_map_page(Path(__file__).parent)
    written[f"src/codecompass/languages/data/{TABLE_NAME}"] = render_catalog(DATA)
    for name, text in written.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def _ensure_standard_streams() -> None:
    """Open closed standard descriptors: the next opened file would get their number and be written to by mistake."""
    for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, flags)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    sys.stdin = sys.stdin or open(0, closefd=False)
    sys.stdout = sys.stdout or open(1, "w", closefd=False)
    sys.stderr = sys.stderr or open(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot show is written as an escape and never raises an exception.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _show_failure(failure: Failure) -> int:
    from codecompass.surfaces.cli.output import show_failure  # noqa: PLC0415 - errors only

    return show_failure(failure)


def _discard_stdout() -> None:
    from codecompass.surfaces.cli.output import discard_stdout  # noqa: PLC0415 - errors only

    discard_stdout()


def _report_crash(error: Exception) -> int:
    from codecompass.runtime.log import Log  # noqa: PLC0415 - errors only

    Log().crash("command_crashed", error)
    return _show_failure(Failure("INTERNAL", "The command failed unexpectedly; the log line above has the details."))
