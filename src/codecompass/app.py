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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codecompass import __version__
from codecompass.errors import Failure, find_system_failure
from codecompass.surfaces.cli.help.help_page import get_width, render_start_page
from codecompass.surfaces.cli.parser import ArgumentParser, Namespace, build_parser, refuse_nul
from codecompass.surfaces.cli.path_args import find_project_root
from codecompass.surfaces.cli.readiness.question_flags import is_question, list_question_tools
from codecompass.surfaces.cli.standard_streams import discard_stdout, ensure_standard_streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from codecompass.agents.agent_places import Machine
    from codecompass.contract.tool import Tool
    from codecompass.engine.engine import Engine
    from codecompass.runtime.dispatch import Dispatch
    from codecompass.runtime.log import Log
    from codecompass.settings import Settings
    from codecompass.surfaces.cli.completion.word_completion import NameLists
    from codecompass.surfaces.cli.readiness.index_run import IndexSession
    from codecompass.surfaces.cli.views.index_progress import BarFactory

INTERRUPTED = 130
BROKEN_PIPE = 141
SERVERS = ("serve-mcp", "serve-http")
SHELL_COMMANDS = ("complete", "completion", "man")
PROJECT_COMMANDS = ("projects", "forget")
GC_THRESHOLD = (20_000, 20, 20)
"""Thresholds of the garbage collector, for its three generations."""


def main(argv: list[str], more_tools: "tuple[Tool, ...]" = (), extend: "Callable[[Any], None] | None" = None) -> int:
    """Run one command and return its exit code. No exception escapes and no traceback is shown.

    `more_tools` are served beside the built-in tools: for programs that embed this one and for tests of the dispatch.
    `extend` receives the SDK's server of `serve-http` before it starts, to add protocol features that we do not have.
    """
    try:
        ensure_standard_streams()
        return _run(argv, more_tools, extend)
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        discard_stdout()
        return BROKEN_PIPE
    except Failure as failure:
        return _show_failure(failure)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            discard_stdout()
            return _show_failure(Failure("DISK_FULL", "The output could not be written: no space left on the device."))
        found = find_system_failure(error)
        return _report_crash(error, argv) if found is None else _show_failure(found)
    except Exception as error:  # broad: no command may end with a traceback
        return _report_crash(error, argv)


def _run(argv: list[str], more_tools: "tuple[Tool, ...]", extend: "Callable[[Any], None] | None") -> int:
    began = time.monotonic()
    parser = build_parser()
    args = parser.parse_args(refuse_nul(argv))
    if args.command == "help":
        args = parser.parse_args([*args.topic, "--help"])
    args.began = began
    args.argv = argv
    args.command_words = argv
    if args.color != "auto":
        # The terminal library reads these variables, as other programs do.
        os.environ.pop("FORCE_COLOR" if args.color == "never" else "NO_COLOR", None)
        os.environ["NO_COLOR" if args.color == "never" else "FORCE_COLOR"] = "1"
    args.more_tools = more_tools
    args.extend = extend
    if not is_question(args):
        # The console script disables it: a question ends before it would pay off. The default thresholds cost a tenth
        # of the time of all imports and searches, and sometimes add a quarter of a second to one search.
        gc.set_threshold(*GC_THRESHOLD)
        gc.enable()
    if args.command is None:
        return _show_start_page()
    if getattr(args, "wants_help", False):
        return _show_tool_help(args, parser)
    if args.command in SHELL_COMMANDS:
        return _serve_shell(args, parser)
    if args.command in COMMANDS_WITHOUT_ENGINE:
        return COMMANDS_WITHOUT_ENGINE[args.command](args)
    workspace = find_project_root(getattr(args, "path", None))
    settings = _load_settings(args, workspace)
    log = _open_log(args, settings)
    engine = _build_engine(args, settings, workspace, watch=args.command == "watch")
    try:
        if args.command == "watch":
            return _watch(args, engine, workspace)
        if args.command in PROJECT_COMMANDS:
            return _manage_projects(args, engine, workspace)
        run = _run_job if args.command in ("init", "index", "sync", "jobs") else _run_query
        code = run(args, engine, settings, log, workspace)
        sys.stdout.flush()
        return code
    finally:
        engine.close()


def _run_job(args: Namespace, engine: "Engine", settings: "Settings", log: "Log", workspace: str) -> int:
    from codecompass.surfaces.cli.commands.index_commands import JOB_COMMANDS, JobSession  # noqa: PLC0415 - a sync must start fast

    run = _open_index_session(args, engine)
    return JOB_COMMANDS[args.command](args, JobSession(engine.init, engine.cancel_job, workspace, run))


def _open_index_session(args: Namespace, engine: "Engine") -> "IndexSession":
    from codecompass.surfaces.cli.readiness.index_run import IndexSession  # noqa: PLC0415 - not needed for --help

    return IndexSession(engine.index, engine.status, _choose_progress_bar(), args.began)


def _prepare_question(args: Namespace, engine: "Engine", settings: "Settings", workspace: str) -> int | None:
    """Index a project that never was and sync what changed; return an exit code if the command ends here."""
    from codecompass.surfaces.cli.readiness.question_preparation import QuestionSession, prepare_question  # noqa: PLC0415 - not for --help

    seconds = 0.0 if args.no_sync else settings["query.sync_s"]
    session = QuestionSession(engine, lambda: _open_index_session(args, engine), workspace, seconds)
    return prepare_question(args, session)


def _watch(args: Namespace, engine: "Engine", workspace: str) -> int:
    from codecompass.surfaces.cli.commands.watch_command import WatchSession, run_watch  # noqa: PLC0415 - only here

    return run_watch(args, WatchSession(engine.index, engine.follow, workspace, _choose_progress_bar()))


def _manage_projects(args: Namespace, engine: "Engine", workspace: str) -> int:
    from codecompass.surfaces.cli.commands.projects_command import ProjectsSession, run_project_command  # noqa: PLC0415 - only here

    return run_project_command(args, ProjectsSession(engine.list_projects, engine.forget_project, workspace))


def _choose_progress_bar() -> "BarFactory | None":
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    from codecompass.surfaces.cli.views.progress_bar import open_progress_bar  # noqa: PLC0415 - only where it can be seen

    return open_progress_bar


def _run_query(args: Namespace, engine: "Engine", settings: "Settings", log: "Log", workspace: str) -> int:
    from codecompass.repo.process.child_process import replace_process  # noqa: PLC0415 - not needed for a job
    from codecompass.settings import find_editor  # noqa: PLC0415
    from codecompass.surfaces.cli.commands.query_commands import QUERY_HANDLERS, QuerySession  # noqa: PLC0415

    if is_question(args):
        code = _prepare_question(args, engine, settings, workspace)
        if code is not None:
            return code
    args.bar = _choose_progress_bar() if args.command in ("care", "state") else None
    dispatch = _build_dispatch(args, engine, settings, log)
    machine = _describe_machine(workspace) if args.command == "doctor" else None
    links = settings["terminal.hyperlinks"]
    scheme = "" if args.no_hyperlinks or links == "off" else links
    editor = settings["terminal.editor"] or find_editor()
    session = QuerySession(engine, dispatch, workspace, machine, scheme, editor, replace_process)
    return QUERY_HANDLERS[args.command](args, session)


def _serve(args: Namespace) -> int:
    from codecompass.repo.process.child_process import end_children  # noqa: PLC0415 - servers only
    from codecompass.serving import ComponentFactories, serve_http, serve_mcp  # noqa: PLC0415

    wiring = ComponentFactories(find_project_root, _load_settings, _open_log, _build_engine, _build_dispatch)
    try:
        return (serve_mcp if args.command == "serve-mcp" else serve_http)(args, wiring)
    finally:
        end_children()


def _load_settings(args: Namespace, workspace: str) -> "Settings":
    from codecompass.settings import load_settings  # noqa: PLC0415 - not needed for --help

    return load_settings(config=args.config, project=workspace)


def _open_log(args: Namespace, settings: "Settings") -> "Log":
    from codecompass.runtime.log import Log, choose_level, relay_library_logs  # noqa: PLC0415 - not needed for --help

    # A person reads no log lines unless they ask for them.
    is_quiet = args.command not in SERVERS and "log.level" not in settings.origin
    level = choose_level(settings["log.level"], args.verbose, is_quiet=is_quiet)
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
        personal=args.command in ("care", *PROJECT_COMMANDS),
        starts_jobs=_may_start_jobs(args),
        build_vectors=not getattr(args, "no_embed", False),
        build_memory=args.command in ("index", "sync") and not args.no_memory,
        keeps_warmset=args.command in SERVERS,
        watch=watch,
    )
    prepare_process(settings, in_background=bool(getattr(args, "job_id", None)))
    return build_engine(settings, request)


def _may_start_jobs(args: Namespace) -> bool:
    """Whether a command may start jobs: they end with the process, so a command that only queries must start none."""
    if args.command != "tool" or is_question(args):
        return args.command in (*SERVERS, "care")
    from codecompass.tools import TOOLS  # noqa: PLC0415 - not needed for --help

    return args.name in {tool.name for tool in TOOLS if tool.starts_job}


def _build_dispatch(args: Namespace, engine: "Engine", settings: "Settings", log: "Log") -> "Dispatch":
    from codecompass.composition import describe_settings  # noqa: PLC0415 - loaded with the engine
    from codecompass.contract.tool import Defaults, Host, select_tools  # noqa: PLC0415 - not needed for --help
    from codecompass.runtime.admission import Admission  # noqa: PLC0415
    from codecompass.runtime.dispatch import Dispatch  # noqa: PLC0415
    from codecompass.runtime.rate_limits import RateLimits  # noqa: PLC0415
    from codecompass.surfaces.cli.command_lines import to_shell_text  # noqa: PLC0415
    from codecompass.tools.tool_registry import INNER_TOOL_NAMES, TOOL_NAMES, load_tools  # noqa: PLC0415

    defaults = Defaults(
        freshness_policy=settings["query.freshness_policy"],
        ranking_explain_level=settings.explain_level,
        max_response_bytes=settings["query.max_response_bytes"],
        debug=settings["server.debug"],
    )
    admission = Admission(settings["mcp.queueMax"], settings["mcp.workers"])
    # Limits are for clients that share a server; a command has no other clients.
    limits = RateLimits(settings.rate_limits) if args.command in SERVERS else None
    one = is_question(args)  # which needs no other tool, and they take long to import
    tools = load_tools(list_question_tools(args) if one else TOOL_NAMES)
    tools = select_tools(tools + args.more_tools, tuple(getattr(args, "toolsets", ())))
    served = frozenset(tool.name for tool in tools)
    host = Host(
        engine,
        defaults,
        lambda: dispatch.snapshot(),
        describe_settings(settings),
        lambda: dispatch.metrics.count_calls(),
    )
    dispatch = Dispatch(
        tools, host, log, admission=admission, limits=limits, timeout_ms=settings.timeout_ms,
        grace_s=settings["mcp.lostWorkerGraceMs"] / 1000, inner=() if one else load_tools(INNER_TOOL_NAMES),
        served=TOOL_NAMES if one else (),
        # One process is one session, except where HTTP opens more; a command has no session.
        session=f"ses_{secrets.token_hex(8)}" if args.command in SERVERS else "",
        # A hint that names a tool which is not served gives the command instead.
        reword=partial(to_shell_text, kept=served) if not one and len(tools) < len(TOOL_NAMES) else None,
    )  # fmt: skip
    return dispatch


def _show_start_page() -> int:
    """Print what to do first; the exit code says that no command was given."""
    sys.stdout.write(render_start_page(__version__, get_width()))
    return 2


def _show_tool_help(args: Namespace, parser: ArgumentParser) -> int:
    """Print the help of `tool` or `care`, whose flags come from the tools' parameters."""
    from codecompass.surfaces.cli.help.tool_help import show_tool_help  # noqa: PLC0415 - only here
    from codecompass.tools import TOOLS  # noqa: PLC0415

    return show_tool_help(args, parser, TOOLS + args.more_tools)


def _serve_shell(args: Namespace, parser: ArgumentParser) -> int:
    from codecompass.surfaces.cli.completion.shell_command import run_shell_command  # noqa: PLC0415 - only here

    def open_names() -> "NameLists":
        from codecompass.shell_completion import list_sources  # noqa: PLC0415 - reads the index

        root = find_project_root(None)
        return list_sources(parser, root, Path(args.data_dir) if args.data_dir else _load_settings(args, root).data_dir)

    return run_shell_command(args, parser, open_names)


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

    settings = _load_settings(args, find_project_root(None))
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

    code = run_setup(args, _describe_machine(find_project_root(args.path)))
    sys.stdout.flush()
    return code


def _run_hook(args: Namespace) -> int:
    """Run a hook of an agent. It exits 0 and is silent whatever happens: a hook must not disturb the agent."""
    from codecompass.surfaces.cli.commands.setup_command import show_note  # noqa: PLC0415 - only here

    if args.kind == "guide":
        show_note(args.agent)
        return 0
    discard_stdout()
    os.dup2(1, 2)
    words = ["--data-dir", args.data_dir] if args.data_dir else []
    with suppress(Failure, OSError):
        _run([*words, "sync"], (), None)
    return 0


def _write_documents(args: Namespace) -> int:
    from codecompass.generated_documents import write_documents  # noqa: PLC0415 - developers only

    return write_documents(Path(args.root), build_parser())


def _show_failure(failure: Failure) -> int:
    from codecompass.surfaces.cli.output import show_failure  # noqa: PLC0415 - errors only

    return show_failure(failure)


def _report_crash(error: Exception, argv: list[str]) -> int:
    from codecompass.crash_report import report_crash  # noqa: PLC0415 - errors only

    return report_crash(error, argv)


COMMANDS_WITHOUT_ENGINE: "dict[str, Callable[[Namespace], int]]" = {
    **dict.fromkeys(SERVERS, _serve),
    "snapshots": _write_documents,
    "languages": _show_languages,
    "http-token": _show_token,
    "setup": _set_up_agents,
    "hook": _run_hook,
}
"""Commands that need no engine, or build their own."""
