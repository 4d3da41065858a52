"""Command `search -i`: results while typing, a preview, and keys to open a result in the editor.

The terminal library is an optional part of the installation, so it is loaded only here; `SearchScreen` holds the state
and knows nothing of it.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from codecompass.errors import Failure
from codecompass.model.call import Call, ListRange
from codecompass.runtime.deadline import PendingCall
from codecompass.surfaces.cli.editor.open_command import ProgramRunner, run_editor
from codecompass.surfaces.cli.output import print_line
from codecompass.surfaces.cli.path_args import ShellPaths
from codecompass.surfaces.cli.views.render import name_with_class
from codecompass.surfaces.cli.views.source_lines import split_query
from codecompass.surfaces.cli.views.terminal_text import escape

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer

LIMIT = 100
PREVIEW_LINES = 12
DELAY_S = 0.12
"""Pause in typing after which a search starts."""
KEYS = "↑↓ PgUp PgDn move · Enter opens · Ctrl-R other ref · Esc leaves"
MISSING = "Interactive search needs the package prompt_toolkit."

Fragments = list[tuple[str, str]]


class SearchSession(Protocol):
    """The dependencies of the command."""

    @property
    def dispatch(self) -> Any: ...  # noqa: ANN401 - the dispatch of the runtime

    @property
    def workspace(self) -> str: ...

    @property
    def editor(self) -> str: ...

    @property
    def run_program(self) -> ProgramRunner: ...


@dataclass
class SearchScreen:
    """What the screen shows: the results of the latest query, the chosen one, and the ref."""

    refs: tuple[str | None, ...] = (None, "live")
    results: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0
    chosen: int = 0
    words: list[str] = field(default_factory=list)
    state: str = "type a question, a name or a path"
    _ref_at: int = 0

    @property
    def ref(self) -> str | None:
        return self.refs[self._ref_at]

    @property
    def item(self) -> dict[str, Any] | None:
        """The chosen result."""
        return self.results[self.chosen] if self.results else None

    def move(self, by: int) -> None:
        """Choose another result; the ends of the list stop."""
        self.chosen = min(max(0, self.chosen + by), max(0, len(self.results) - 1))

    def toggle_ref(self) -> None:
        """Switch between the current branch and the working tree."""
        self._ref_at = (self._ref_at + 1) % len(self.refs)

    def show_answer(self, query: str, payload: dict[str, Any]) -> None:
        """Take the answer of a search."""
        self.results, self.total, self.chosen = payload["results"], payload["total_candidates"], 0
        self.words = split_query(query)
        meta = payload["metadata"]
        self.state = f"{len(self.results)} of {self.total:,} · {meta['ref']} · {meta['freshness_status']}"

    def show_failure(self, message: str) -> None:
        self.results, self.total, self.chosen, self.state = [], 0, 0, escape(message)

    def format_rows(self, height: int) -> Fragments:
        """Format the part of the list around the chosen result."""
        first = min(max(0, self.chosen - height // 2), max(0, len(self.results) - height))
        rows: Fragments = []
        for at, item in enumerate(self.results[first : first + height], first):
            mark, style = ("▌ ", "reverse ") if at == self.chosen else ("  ", "")
            kind = item.get("kind") or item.get("result_type", "")
            rows += [
                (style, mark + escape(item["path"])), (f"{style}fg:ansigreen", f":{item['line_start']}"),
                (f"{style}fg:ansicyan", f"  {kind} "), (style, f"{escape(name_with_class(item))}\n"),
            ]  # fmt: skip
        return rows

    def format_preview(self, height: int) -> Fragments:
        """Format the source of the chosen result around the first line that matched; its own first line is marked."""
        item = self.item or {}
        source = item.get("source", [])
        hits = [any(word in row["text"].lower() for word in self.words) for row in source]
        own = [at for at, row in enumerate(source) if row["line"] >= item["line_start"]]
        focus = next((at for at in own if hits[at]), own[0] if own else 0)
        first = min(max(0, focus - height // 3), max(0, len(source) - height))
        rows: Fragments = []
        for row, hit in list(zip(source, hits, strict=True))[first : first + height]:
            style = "bold" if row["line"] == item["line_start"] else "" if hit else "fg:ansibrightblack"
            rows += [("fg:ansigreen", f"{row['line']:>6} "), (style, f"{escape(row['text'])}\n")]
        return rows


def run_interactive(args: argparse.Namespace, session: SearchSession) -> int:
    """Show the screen; open the chosen result, or print its place where there is no editor."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("INVALID_REQUEST", "Interactive search needs a terminal.", hint="Leave out -i in pipes.")
    screen = SearchScreen((args.ref, "live") if args.ref != "live" else ("live", None))
    chosen = _show_screen(screen, args.query or "", session)
    if chosen is None:
        return 1
    path, line = os.path.join(session.workspace, chosen["path"]), chosen["line_start"]
    if session.editor:
        return run_editor(session.editor, path, line, session.run_program)
    print_line(f"{escape(ShellPaths(session.workspace).show(chosen['path']))}:{line}")
    return 0


def _show_screen(screen: SearchScreen, query: str, session: SearchSession) -> dict[str, Any] | None:
    """Run the screen until a result is chosen or the user leaves; return the result."""
    try:
        from prompt_toolkit.buffer import Buffer  # noqa: PLC0415 - optional, and only here
        from prompt_toolkit.document import Document  # noqa: PLC0415
    except ImportError:
        raise Failure("CAPABILITY_MISSING", MISSING, hint="Run: pip install 'codecompass[tui]'") from None
    buffer = Buffer(document=Document(query, len(query)), multiline=False)
    search = _LiveSearch(screen, buffer, session)
    app = _build_application(screen, buffer, search.restart)
    search.redraw = app.invalidate
    buffer.on_text_changed += lambda _: search.restart()
    return app.run(pre_run=search.restart)


class _LiveSearch:
    """Searches while the user types; a newer query replaces an older one."""

    def __init__(self, screen: SearchScreen, buffer: "Buffer", session: SearchSession) -> None:
        self.redraw: Callable[[], None] = lambda: None
        self._screen, self._buffer, self._session = screen, buffer, session
        self._task: asyncio.Task[None] | None = None

    def restart(self) -> None:
        """Search for the present text, after a pause in typing."""
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.get_running_loop().create_task(self._search())

    async def _search(self) -> None:
        await asyncio.sleep(DELAY_S)
        query, screen = self._buffer.text.strip(), self._screen
        if not query:
            return
        raw = {"query": query, "limit": LIMIT} | ({"ref": screen.ref} if screen.ref else {})
        call = Call(id="cli", wanted=ListRange(source_lines=PREVIEW_LINES))
        pending: PendingCall = self._session.dispatch.submit("search_code", raw, call)
        try:
            reply = await asyncio.wrap_future(pending.future)
        except asyncio.CancelledError:
            pending.cancel()
            raise
        if reply.failure is not None:
            screen.show_failure(reply.failure.message)
        else:
            screen.show_answer(query, reply.payload)
        self.redraw()


def _build_application(
    screen: SearchScreen, buffer: "Buffer", restart: Callable[[], None]
) -> "Application[dict[str, Any] | None]":
    """Build the screen: the query above, the results below it, then the preview and the keys."""
    from prompt_toolkit.application import Application, get_app  # noqa: PLC0415 - optional, and only here
    from prompt_toolkit.formatted_text import FormattedText  # noqa: PLC0415
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent  # noqa: PLC0415
    from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, Window  # noqa: PLC0415
    from prompt_toolkit.layout.processors import BeforeInput  # noqa: PLC0415

    keys = KeyBindings()

    def count_rows() -> int:
        return max(1, (get_app().output.get_size().rows - 4) // 2)

    for name, step in (("up", -1), ("down", 1), ("c-p", -1), ("c-n", 1)):
        keys.add(name)(lambda _event, step=step: screen.move(step))
    keys.add("pageup")(lambda _event: screen.move(-count_rows()))
    keys.add("pagedown")(lambda _event: screen.move(count_rows()))

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        if screen.item is not None:
            event.app.exit(result=screen.item)

    @keys.add("c-r")
    def _(_event: KeyPressEvent) -> None:
        screen.toggle_ref()
        restart()

    @keys.add("escape", eager=True)
    @keys.add("c-c")
    @keys.add("c-d")
    def _(event: KeyPressEvent) -> None:
        event.app.exit(result=None)

    layout = HSplit([
        Window(BufferControl(buffer, [BeforeInput("search: ", style="bold")]), height=1),
        Window(FormattedTextControl(lambda: FormattedText([("fg:ansibrightblack", screen.state)])), height=1),
        Window(FormattedTextControl(lambda: FormattedText(screen.format_rows(count_rows()))), height=count_rows),
        Window(char="─", height=1),
        Window(FormattedTextControl(lambda: FormattedText(screen.format_preview(count_rows())))),
        Window(FormattedTextControl([("fg:ansibrightblack", KEYS)]), height=1),
    ])  # fmt: skip
    return Application(layout=Layout(layout), key_bindings=keys, full_screen=True)
