"""A file at any ref: highlighted lines with anchors, outline, marks in the margin, and the panel of a name."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import anyio.to_thread
from markupsafe import Markup

from codecompass.surfaces.http.answers import HttpError
from codecompass.surfaces.web.code_markup import CodeLine, Highlighter, render_line
from codecompass.surfaces.web.page_links import PagePlace
from codecompass.surfaces.web.page_request import PageRequest, WebPage
from codecompass.surfaces.web.screens.name_panel import NamePanel, build_name_panel

MAX_LINES = 4_000
"""Lines of a file on one page."""
MAX_BYTES = 600_000
BLOCK = 100
"""Lines of a block that a browser lays out only when it comes into sight."""
OUTLINE_SKIPPED = frozenset({"use", "field"})
OUTLINE_DEPTH = 3
MIN_FOLD = 4
HIGHLIGHTER = Highlighter()
_RANGE = re.compile(r"(\d{1,8})(?:-(\d{1,8}))?")


@dataclass(frozen=True, slots=True)
class FileText:
    """Lines of a file, from `first`, and what is known of the whole."""

    path: str
    lines: tuple[str, ...]
    first: int
    total: int
    language: str
    digest: str
    ref: str
    freshness: str
    indexed: bool = True
    cut: bool = False
    """Whether a line is longer than an answer of the tools, so that its end is missing."""

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One definition of the outline."""

    name: str
    kind: str
    first: int
    last: int
    depth: int
    handle: str


@dataclass(frozen=True, slots=True)
class LineMark:
    """What a linter or a risk rule says about a line."""

    line: int
    tone: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownCode:
    """One line with everything in its margin."""

    code: CodeLine
    chosen: bool
    fold: int
    marks: tuple[LineMark, ...]


async def show_file(page: PageRequest) -> WebPage:
    """Show a file."""
    path = page.rest
    if not path or path.endswith("/"):
        return await _show_directory(page, path)
    name, line = page.get("name"), page.get_number("on")
    if page.get("part") == "panel":
        about = await build_name_panel(page, name, path, line)
        return WebPage("name.html", name, {"panel": about}, {"panel": "name_part.html"})
    chosen = parse_lines(page.get("lines"))
    start = page.get_number("from") or (max(chosen[0] - BLOCK, 1) if chosen[0] > MAX_LINES else 1)
    text, outline, lint, risks, panel, refs = await asyncio.gather(
        read_lines(page, path, start),
        page.try_ask("get_file_outline", path=path, depth="all"),
        page.try_ask("get_diagnostics", path=path, limit=100),
        page.try_ask("find_risks", path=path, limit=100),
        _build_panel(page, name, path, line),
        page.try_ask("list_refs", limit=3),
    )
    rows = flatten_outline(outline.payload.get("symbols", ()))
    marks = collect_marks(lint.payload.get("diagnostics", ()), risks.payload.get("findings", ()))
    blocks = await anyio.to_thread.run_sync(build_blocks, text, page.place, rows, marks, chosen)
    model = {
        "file": text, "blocks": blocks, "outline": rows, "panel": panel, "crumbs": split_path(path, page.place),
        "chosen": chosen, "outline_cut": outline.payload.get("metadata", {}).get("result_completeness") == "truncated",
        "problems": sum(len(found) for found in marks.values()), "indexed": text.indexed,
        "before": page.place.file(path, **{"from": max(text.first - MAX_LINES, 1)}) if text.first > 1 else "",
        "after": page.place.file(path, **{"from": text.last + 1}) if text.last < text.total else "",
    }  # fmt: skip
    state = {"ref": text.ref, "freshness": text.freshness}
    commit = find_commit(refs.payload, page.place.at)
    return WebPage("file.html", path, model, {"panel": "name_part.html"}, commit=commit,
                state=state)  # fmt: skip


async def show_name(page: PageRequest) -> WebPage:
    """Show what a name means, without a place in a file."""
    panel = await build_name_panel(page, page.get("name"), "", 0)
    return WebPage("name.html", page.get("name"), {"panel": panel}, {"panel": "name_part.html"})


async def read_raw(page: PageRequest) -> str:
    """Return the whole text of a file."""
    parts, start = [], 1
    while True:
        text = await read_lines(page, page.rest, start, most=1_000_000, size=64_000_000)
        if text.cut:
            raise HttpError("INVALID_REQUEST", "A line of this file is longer than an answer of the tools.",
                            hint="Raise the setting query.max_response_bytes.")  # fmt: skip
        parts.append("\n".join(text.lines))
        if text.last >= text.total or not text.lines:
            return "\n".join(parts)
        start = text.last + 1


async def read_lines(
    page: PageRequest, path: str, start: int, most: int = MAX_LINES, size: int = MAX_BYTES
) -> FileText:
    """Read lines of a file from the index, or from git at a ref that has no index."""
    try:
        return await _read_indexed(page, path, start, most, size)
    except HttpError as error:
        if not page.place.at or not isinstance(error.details, dict) or "ref" not in error.details:
            raise
        return await _read_unindexed(page, path, start, most, size)


async def _read_indexed(page: PageRequest, path: str, start: int, most: int, size: int) -> FileText:
    lines: list[str] = []
    used, at, cut = 0, start, False
    while True:
        found = await page.ask("show_file", path=path, startLine=at, endLine=start + most - 1)
        piece = found["text"].split("\n")
        lines += piece
        used += len(found["text"])
        cut = cut or (found["truncated"] and len(piece) == 1)
        at = found.get("nextLine", 0)
        if not found["truncated"] or used > size or at > found["totalLines"]:
            break
    total = found["totalLines"]
    kept = tuple(lines[: max(total - start + 1, 0)])  # an empty file has one empty line and no number
    return FileText(found["file"], kept, start, total, found["lang"], found["hash"], found["branch"],
                    found["freshness"], cut=cut)  # fmt: skip


async def _read_unindexed(page: PageRequest, path: str, start: int, most: int, size: int) -> FileText:
    text, at = "", start
    while True:
        found = await page.ask("read_file", path=path, startLine=at if at > 1 else None)
        text += found["file"]["content"]
        at = found["file"].get("nextLine", 0)
        if not at or len(text) > size or at >= start + most:
            break
    file, about = found["file"], found["metadata"]
    lines = text.removesuffix("\n").split("\n")[:most]
    return FileText(file["path"], tuple(lines), start, file["lines"], file["language"] or "", "", about["ref"],
                    "not indexed", indexed=False)  # fmt: skip


async def _show_directory(page: PageRequest, path: str) -> WebPage:
    """Show the files below a directory, as far as one answer reaches."""
    folder = path.rstrip("/")
    filters: dict[str, object] = {"query": f"path:/^{re.escape(folder)}[/]/" if folder else "path:/./"}
    asked = {mode: {"tool": "search", "mode": mode, "top": 100, **filters} for mode in ("code", "prose")}
    found = await page.ask_all(**asked)
    paths = sorted({hit["file"] for one in found.values() for mode in ("code", "prose") for hit in
                    one.payload.get(mode, ())})  # fmt: skip
    errors = [one.error for one in found.values() if one.error]
    if errors and not paths:
        raise errors[0]
    model = {"folder": folder, "entries": list_entries(paths, folder, page.place),
             "crumbs": split_path(folder, page.place) if folder else [], "cut": len(paths) >= 100}  # fmt: skip
    return WebPage("folder.html", folder or "Files", model)


def list_entries(paths: Iterable[str], folder: str, place: PagePlace) -> list[tuple[str, str, int]]:
    """List what a folder holds directly: name, address, and the number of files below a folder."""
    below = f"{folder}/" if folder else ""
    found: dict[str, int] = {}
    for path in paths:
        if path.startswith(below):
            head, inner, _ = path[len(below) :].partition("/")
            found[head + inner] = found.get(head + inner, 0) + 1
    ordered = sorted(found, key=lambda name: (not name.endswith("/"), name))
    return [(name, place.file(below + name), found[name] if name.endswith("/") else 0) for name in ordered]


async def _build_panel(page: PageRequest, name: str, path: str, line: int) -> NamePanel | None:
    return await build_name_panel(page, name, path, line) if name else None


def parse_lines(text: str) -> tuple[int, int]:
    """Parse `12` or `12-20`; anything else is no line."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return 0, 0
    first = int(found[1])
    return first, max(first, int(found[2] or 0))


def split_path(path: str, place: PagePlace) -> list[tuple[str, str]]:
    """Split a path into names with the addresses of their folders."""
    names = path.split("/")
    return [(name, place.file("/".join(names[: n + 1]) + ("/" if n < len(names) - 1 else "")))
            for n, name in enumerate(names)]  # fmt: skip


def find_commit(refs: Mapping[str, Any], at: str) -> str:
    """Return the commit of the view that a page shows."""
    for row in refs.get("refs", ()):
        if row["name"] == at or (not at and row.get("is_current")):
            return str(row.get("indexed_commit") or row.get("commit") or "")
    return at if re.fullmatch(r"[0-9a-f]{40}", at) else ""


def flatten_outline(symbols: Sequence[Mapping[str, Any]], depth: int = 0) -> list[OutlineRow]:
    """List definitions in the order of the file, with their depth; imports and fields are left out."""
    rows: list[OutlineRow] = []
    for one in symbols:
        if one["kind"] in OUTLINE_SKIPPED or depth >= OUTLINE_DEPTH:
            continue
        rows.append(OutlineRow(one["name"], one["kind"], one["line_start"], one["line_end"], depth,
                               one.get("symbol_id", "")))  # fmt: skip
        rows += flatten_outline(one.get("children", ()), depth + 1)
    return rows


def collect_marks(
    diagnostics: Iterable[Mapping[str, Any]], findings: Iterable[Mapping[str, Any]]
) -> dict[int, list[LineMark]]:
    """Collect what linters and risk rules say, by line."""
    marks: dict[int, list[LineMark]] = {}
    for row in findings:
        tone = "bad" if row["severity"] in ("critical", "high") else "warn"
        text = f"{row['severity']} {row['category']} risk: {row['sink']}"
        marks.setdefault(row["line"], []).append(LineMark(row["line"], tone, text))
    for row in diagnostics:
        text = f"{row['tool']} {row['code']}: {row['message']}"
        marks.setdefault(row["line"], []).append(LineMark(row["line"], "lint", text))
    return marks


def build_blocks(
    text: FileText, place: PagePlace, outline: Sequence[OutlineRow], marks: Mapping[int, Sequence[LineMark]],
    chosen: tuple[int, int],
) -> list[list[ShownCode]]:  # fmt: skip
    """Build the lines of a file in blocks."""
    spans = HIGHLIGHTER.split("\n".join(text.lines), text.language, text.path, text.digest and
                              f"{text.digest}:{text.first}")  # fmt: skip
    folds = {row.first: row.last for row in outline if row.last - row.first >= MIN_FOLD}
    prefix = "?" + urlencode({name: value for name, value in (("repo", place.repo), ("at", place.at)) if value})
    prefix += "&" if len(prefix) > 1 else ""
    rows = []
    for offset, line in enumerate(spans):
        number = text.first + offset
        html = render_line(line, link=make_linker(prefix, number) if text.indexed else None)
        rows.append(ShownCode(CodeLine(number, html), chosen[0] <= number <= chosen[1], folds.get(number, 0),
                              tuple(marks.get(number, ()))))  # fmt: skip
    return [rows[first : first + BLOCK] for first in range(0, len(rows), BLOCK)]


def make_linker(prefix: str, line: int) -> Callable[[str], str]:
    """Make the function that turns a name on a line into an address, relative to the file's own."""

    def link(name: str) -> str:
        return f"{prefix}name={quote(name)}&on={line}" if len(name) > 1 and name.isidentifier() else ""

    return link


def join_lines(lines: Iterable[CodeLine]) -> Markup:
    """Join lines as one piece of HTML."""
    return Markup("\n").join(line.html for line in lines)
