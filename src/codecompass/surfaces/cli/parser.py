"""Argument parser of the command line. Imports nothing heavy: `codecompass --version` must be fast."""

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any, NoReturn

from codecompass import __version__
from codecompass.errors import Failure
from codecompass.surfaces.cli.care_args import (
    CARE_ACTIONS,
    add_care_options,
    add_doctor_options,
    add_forget_options,
    add_projects_options,
    add_state_options,
)
from codecompass.surfaces.cli.command_table import COMMANDS_WITHOUT_REF, QUERY_COMMANDS, WORD_HELP, QueryCommand
from codecompass.surfaces.cli.completion.shell_scripts import SHELLS
from codecompass.surfaces.cli.context_args import add_context_commands, is_memory_command
from codecompass.surfaces.cli.grep_args import add_grep_options
from codecompass.surfaces.cli.help.help_page import get_width, render_command_help, render_program_help
from codecompass.surfaces.cli.help.parser_sections import GLOBAL, format_usage
from codecompass.surfaces.cli.readiness.question_flags import add_question_flags
from codecompass.surfaces.cli.search_args import add_search_flags
from codecompass.surfaces.cli.setup_args import add_hook_options, add_setup_options
from codecompass.surfaces.cli.triage_args import add_triage_options
from codecompass.surfaces.cli.usage_errors import explain_usage_error

__all__ = ("ArgumentParser", "Namespace", "build_parser", "refuse_nul")


GREP_HELP = "Find lines that a regular expression matches, with the flags of ripgrep."
PROJECT_ALIASES = ("--workspace", "--path", "--repo")
"""Former names of `--project`."""


class _CommandParser(argparse.ArgumentParser):
    """Raises a Failure instead of exiting, so that wrong usage looks like every other error."""

    delegate: Callable[[list[str]], tuple[str, argparse.ArgumentParser] | None] | None = None
    """Returns the command and parser that handle the arguments instead of this one, or None."""

    action_rows: tuple[tuple[str, str], ...] = ()
    """Name and help of actions that are no parsers below this one."""

    rest_dest: str = ""
    """The attribute that receives unknown arguments; if empty, they are an error."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - as argparse has it
        other = self.delegate(list(args or ())) if self.delegate else None
        if other is None:
            found, rest = super().parse_known_args(args, namespace)
            if self.rest_dest:
                setattr(found, self.rest_dest, rest)
            elif rest and " " in self.prog:
                # Said by the command itself, which knows its own flags.
                self.error(f"unrecognized arguments: {' '.join(rest)}")
            return found, [] if self.rest_dest else rest
        command, parser = other
        found, rest = parser.parse_known_args(args, namespace)
        found.command = command
        return found, rest

    def error(self, message: str) -> NoReturn:
        raise Failure("INVALID_REQUEST", *explain_usage_error(self, message))

    def format_usage(self) -> str:
        return f"usage: {format_usage(self)}\n"

    def format_help(self) -> str:
        render = render_command_help if " " in self.prog else render_program_help
        return render(self, get_width())

    def _get_formatter(self) -> argparse.HelpFormatter:
        # A fixed width, because argparse makes a formatter for every argument and would ask the terminal each time.
        return argparse.HelpFormatter(self.prog, width=80)


def _build_shared_options(*, top: bool) -> _CommandParser:
    """Build the options accepted before and after the command. A subparser has no defaults, which would reset them."""
    whole = _CommandParser(add_help=False)
    parent = whole.add_argument_group(GLOBAL)

    def default(value: object) -> object:
        return value if top else argparse.SUPPRESS

    parent.add_argument("-v", "--verbose", action="count", default=default(0), help="log more to stderr (-vv: all)")
    parent.add_argument("--config", metavar="FILE", default=default(None), help="read this config file")
    parent.add_argument("--project", dest="path", metavar="DIR", default=default(None),
                        help="the project (default: the repository around the current directory)")  # fmt: skip
    parent.add_argument("--color", choices=("auto", "always", "never"), default=default("auto"),
                        help="colours: on a terminal (auto), always or never")  # fmt: skip
    parent.add_argument("--no-hyperlinks", action="store_true", default=default(False),
                        help="no links from paths to the editor")  # fmt: skip
    parent.add_argument("--data-dir", metavar="DIR", default=default(None), help=argparse.SUPPRESS)
    parent.add_argument("--version", action="version", version=f"codecompass {__version__}", help="show the version")
    return whole


def refuse_nul(words: list[str]) -> list[str]:
    """Return the words; a NUL in one is an error, because no name of a file or symbol has it."""
    if any("\0" in word for word in words):
        raise Failure("INVALID_REQUEST", "An argument contains a NUL character.")
    return words


def build_parser() -> argparse.ArgumentParser:
    """Build the whole parser except the tools' own flags, which come from their params."""
    parser = _CommandParser(
        prog="codecompass",
        description="Code intelligence for coding agents: exact, fresh, bounded answers about a repository.",
        parents=[_build_shared_options(top=True)],
        allow_abbrev=False,
    )
    below = _build_shared_options(top=False)
    # Subparsers have their parent's class, and so raise errors in the same way.
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, text: str) -> _CommandParser:
        return commands.add_parser(name, help=text, description=text, parents=[below], allow_abbrev=False)

    def add_overriding(name: str, text: str) -> _CommandParser:
        # Shared options of its own: `-v` of grep inverts the match, `--project` of setup says whose files to edit.
        own = _build_shared_options(top=False)
        return commands.add_parser(name, help=text, description=text, parents=[own], allow_abbrev=False,
                                   conflict_handler="resolve")  # fmt: skip

    add("init", "Register a project.").add_argument("--json", action="store_true", help="the project as JSON")
    text = "Connect coding agents to this program, or undo it; shows every change first."
    add_setup_options(add_overriding("setup", text))
    # No help text: agents run this command, not users.
    add_hook_options(commands.add_parser("hook", parents=[below], allow_abbrev=False))
    add_doctor_options(add("doctor", "Check storage, grammars, model, index and clients; say how to repair them."))
    text = "Take care of indexes: build, compact, sweep, bootstrap, download."
    care = commands.add_parser("care", help=text, parents=[below], allow_abbrev=False, add_help=False)
    care.rest_dest = "rest"
    care.action_rows = tuple((row.name, row.help) for row in CARE_ACTIONS)
    add_care_options(care)
    add_state_options(add("state", "Carry an index to another machine, or begin from one that was."), below)
    _add_index_options(add("index", "Index a project, or update its index."), "rebuild everything")
    _add_index_options(add("sync", "Bring the index up to the files as they are now."), "look at every file again")
    add_search_flags(add("search", "Search code by identifier, path, error text or plain question."))
    status = add("status", "Show what is indexed and how fresh it is.")
    status.add_argument("--ref", metavar="REF", help="branch or 'live'")
    status.add_argument("--json", action="store_true", help="the tool's payload, exactly")
    for question in QUERY_COMMANDS:
        _add_query_command(add(question.command, question.help), question)
    grep = add_overriding("grep", GREP_HELP)
    grep.rest_dest = "rest"
    add_grep_options(grep)
    text = "Search, record and check what the project is known to have decided."
    _add_context_options(add("context", text), commands.choices["bundle"], below)
    _add_open_options(add("open", "Open a file or a definition in your editor."))
    _add_history_options(add("history", "Show who changed a file last, how much it changes, and who wrote its lines."))
    _add_eval_options(
        add("eval", "Measure search on questions of which you know the answers: NDCG@10, MRR, recall by tokens.")
    )
    _add_watch_options(add("watch", "Index a project and keep its index current until Ctrl-C."))
    _add_job_options(add("jobs", "Show the jobs of a project, or cancel one."))
    add_projects_options(add("projects", "List the projects that are known, with their sizes."))
    add_forget_options(add("forget", "Remove what is kept of a project; shows it and asks first."))
    add_triage_options(add("triage", "Take scanners' findings in, decide about them, and see what they touch."), below)
    languages = add("languages", "List the languages that are understood, and how well.")
    languages.add_argument("--json", action="store_true", help="all that is known of each, as JSON")
    _add_servers(add)
    _add_shell_commands(add)
    # No help text: the scripts of `completion` and the build of this repository run these two, not users.
    complete = commands.add_parser("complete", parents=[below], allow_abbrev=False)
    complete.add_argument("words", nargs=argparse.REMAINDER)
    commands.add_parser("snapshots", parents=[below], allow_abbrev=False).add_argument("--root", default=".")
    text = "Call any tool; prints its payload as JSON."
    tool = commands.add_parser("tool", help=text, description=text, parents=[below], allow_abbrev=False, add_help=False)
    _add_tool_options(tool)
    for add_flags in (_add_output_options, add_question_flags, _add_project_aliases):
        add_flags(parser)
    return parser


def _add_shell_commands(add: Callable[[str, str], _CommandParser]) -> None:
    topic = add("help", "Explain a command, with examples.")
    topic.add_argument("topic", nargs="*", metavar="COMMAND", help="the command; without it, all are listed")
    shell = add("completion", "Print the script that completes commands, flags and names in a shell.")
    shell.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    add("man", "Print the manual page, which 'man codecompass' shows where the package is installed.")


def _add_tool_options(parser: _CommandParser) -> None:
    # The tool's own flags are derived from its parameters, which are not loaded here.
    parser.rest_dest = "rest"
    parser.add_argument("name", nargs="?", help="the tool; without it, all tools are listed")
    parser.add_argument("--json", action="store_true", help="the list of tools as JSON, too")
    parser.add_argument("--help", "-h", action="store_true", dest="wants_help", help="the flags of a tool")


def _add_project_aliases(parser: argparse.ArgumentParser) -> None:
    """Accept the former names of `--project` in every command that gives them no other meaning, without help."""
    for action in parser._actions:
        for below in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
            if not below.prog.endswith(" tool"):
                names = [name for name in PROJECT_ALIASES if name not in below._option_string_actions]
                below.add_argument(*names, dest="path", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
            _add_project_aliases(below)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add `--output json` to every command that has `--json` and no `--output` of its own."""
    for action in parser._actions:
        for below in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
            known = below._option_string_actions
            if "--json" in known and "--output" not in known and below.prog.split()[-1] != "tool":
                below.add_argument("--output", action=_OutputAction, choices=("text", "json"), metavar="FORMAT",
                                   help="text, or json as --json does")  # fmt: skip
            _add_output_options(below)


class _OutputAction(argparse.Action):
    """Sets `json` from the value of `--output`."""

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: Namespace, values: object, _option: str | None = None
    ) -> None:
        namespace.json = values == "json"


def _add_context_options(
    parser: _CommandParser, bundle: argparse.ArgumentParser, below: argparse.ArgumentParser
) -> None:
    """Add `context COMMAND`, which is about memory; `context QUESTION` is the former name of `bundle QUESTION`."""
    parser.delegate = lambda words: None if is_memory_command(words) else ("bundle", bundle)
    add_context_commands(parser, below)


def _add_index_options(parser: argparse.ArgumentParser, force: str) -> None:
    parser.add_argument("--force", action="store_true", help=force)
    parser.add_argument("--ref", metavar="REF", help="branch to index (default: the working tree)")
    parser.add_argument("--json", action="store_true", help="progress as JSON lines on stderr, the job on stdout")
    parser.add_argument("--no-embed", action="store_true", help="make no vectors now; search goes by words meanwhile")
    parser.add_argument("--no-memory", action="store_true", help="read no commits and documents for memory now")
    parser.add_argument("--job-id", help=argparse.SUPPRESS)


def _add_query_command(parser: argparse.ArgumentParser, question: QueryCommand) -> None:
    """Add the arguments of a command from its row, and those that every such command has."""
    for word in question.words:
        name = word.rstrip("?")
        count = "?" if word.endswith("?") else None
        parser.add_argument(f"ask:{name}", nargs=count, metavar=name.upper().removesuffix("_REF"), default=None,
                            help=WORD_HELP[name])  # fmt: skip
    for flag in question.flags:
        dest = f"ask:{flag.name.replace('-', '_')}"
        if flag.kind is bool:
            parser.add_argument(f"--{flag.name}", dest=dest, action="store_true", default=None, help=flag.help)
        else:
            parser.add_argument(f"--{flag.name}", dest=dest, type=flag.kind, choices=flag.choices or None,
                                default=None, help=flag.help,
                                metavar=None if flag.choices else flag.metavar or "N")  # fmt: skip
    if question.command not in COMMANDS_WITHOUT_REF:
        parser.add_argument(
            "--ref", dest="ask:ref", metavar="REF", help="branch or 'live' (default: the current branch)"
        )
    parser.add_argument("--json", action="store_true", help="the tool's payload, exactly")


def _add_open_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="PLACE", help="a file, FILE:LINE, or the name of a definition")
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the command, and run nothing")


def _add_watch_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON line for each sync")


def _add_job_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cancel", metavar="ID", help="end this job ('active': the one at work)")
    parser.add_argument("--json", action="store_true", help="the jobs as JSON")


def _add_history_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="PATH[:LINE[-LINE]]", help="a file, or some of its lines")
    parser.add_argument("--ref", metavar="REF", help="branch or 'live' (default: the current branch)")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")


def _add_eval_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queries", metavar="QUERIES.jsonl", help='lines of {"query": …, "relevant": ["path", …]}')
    parser.add_argument("--ref", metavar="REF", help="branch or 'live' (default: the current branch)")
    parser.add_argument("--json", action="store_true", help="all figures, and those of each question, as JSON")


def _add_server_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that all servers share."""
    parser.add_argument("--workspace", "--path", action="append", dest="workspaces", default=[], metavar="DIR",
                        help="a project to serve; the first is the default (repeatable)")  # fmt: skip
    parser.add_argument("--allowed-root", "--allow-root", action="append", dest="allowed_roots", default=[],
                        metavar="DIR", help="let calls name workspaces below this directory (repeatable)")  # fmt: skip
    parser.add_argument("--auto-workspace", action="store_true", help="register allowed workspaces when first named")
    parser.add_argument("--no-auto-index", action="store_true", help="do not index a workspace that never was indexed")
    parser.add_argument("--no-prewarm", action="store_true", help="do not load the index before the first query")
    parser.add_argument("--toolset", action="append", dest="toolsets", default=[], metavar="NAME",
                        help="serve only this set: all, agent, compass, cleats, context, admin")  # fmt: skip


def _add_servers(add: Callable[[str, str], _CommandParser]) -> None:
    _add_mcp_options(add("serve-mcp", "Serve the tools to an agent over MCP on stdin and stdout."))
    _add_http_options(add("serve-http", "Serve the tools over HTTP: MCP at /mcp, for any number of clients."))
    add("http-token", "Print the token that serve-http asks for before a tool may do more than read.")


def _add_mcp_options(parser: argparse.ArgumentParser) -> None:
    _add_server_options(parser)
    parser.add_argument("--mcp-mode", choices=("sdk", "legacy"), default=None,
                        help="framing: one JSON message a line (sdk) or Content-Length headers (legacy)")  # fmt: skip


def _add_http_options(parser: argparse.ArgumentParser) -> None:
    _add_server_options(parser)
    parser.add_argument("--host", default=None, metavar="ADDRESS", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=None, metavar="N", help="port (default: 7345; 0: a free one)")
    parser.add_argument("--auth-token", default=None, metavar="TOKEN",
                        help="token every request must carry; others may see it in the list of processes")  # fmt: skip
    parser.add_argument("--auth-token-file", default=None, metavar="FILE", help="file that holds the token")
    parser.add_argument("--allow-host", action="append", dest="allow_hosts", default=[], metavar="NAME",
                        help="name under which requests may come, besides the own addresses (repeatable)")  # fmt: skip
    parser.add_argument("--cors-origin", action="append", dest="cors_origins", default=[], metavar="ORIGIN",
                        help="let web pages of this origin call the server (repeatable)")  # fmt: skip
    parser.add_argument("--allow-writes", action="store_true",
                        help="let the web page index, sync, record and decide without signing in")  # fmt: skip
    parser.add_argument("--workers", type=int, default=1, metavar="N",
                        help="processes that answer calls (default: 1, the server itself)")  # fmt: skip
    parser.add_argument("--is-helper", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--stateless", action="store_true", help="no MCP sessions: every request stands alone")
    parser.add_argument("--json", action="store_true", help="say the address as one JSON line on stdout")
