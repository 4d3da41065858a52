"""Rendering: templates to responses, with the content security policy of the pages."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from jinja2 import ChainableUndefined, Environment, FileSystemLoader, Undefined
from starlette.responses import HTMLResponse, Response

from codecompass.surfaces.web.static_files import load_static_files

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types codecompass"
)
HEADERS = {"content-security-policy": PAGE_POLICY, "cache-control": "private, no-cache"}
SIZES = ("B", "kB", "MB", "GB", "TB")
SEVERITIES = {"critical": "bad", "high": "bad", "medium": "warn", "low": "calm"}


class PageRenderer:
    """Renders templates with the globals that every page has."""

    undefined: ClassVar[type[Undefined]] = ChainableUndefined
    """What a missing value is: nothing, so that a page comes without it. Tests choose one that fails."""

    def __init__(self) -> None:
        loader = FileSystemLoader(Path(__file__).parent / "templates")
        self._environment = Environment(loader=loader, autoescape=True, undefined=self.undefined, trim_blocks=True,
                                        lstrip_blocks=True, auto_reload=False)  # fmt: skip
        self._environment.filters |= {"count": format_count, "size": format_size, "day": format_day, "tail": show_tail}
        files = load_static_files()
        self._environment.globals |= {"static": {name: file.address for name, file in files.items()},
                                      "tones": SEVERITIES}  # fmt: skip

    def render(self, template: str, model: Mapping[str, Any]) -> str:
        """Render one template."""
        return self._environment.get_template(template).render(model)

    def respond(self, template: str, model: Mapping[str, Any], status: int = 200) -> Response:
        """Render one template as a response."""
        return HTMLResponse(self.render(template, model), status, dict(HEADERS))


def format_count(number: object) -> str:
    """Format a number with commas."""
    return f"{number:,}" if isinstance(number, int) else str(number)


def format_size(size: int) -> str:
    """Format a number of bytes with three digits."""
    value, unit = float(size), 0
    while value >= 1_000 and unit < len(SIZES) - 1:
        value, unit = value / 1_000, unit + 1
    return f"{value:.3g} {SIZES[unit]}" if value < 1_000 else f"{value:.0f} {SIZES[unit]}"


def format_day(text: object) -> str:
    """Format a moment as its day; what is no moment stays as it is."""
    try:
        return datetime.fromisoformat(str(text)).strftime("%Y-%m-%d")
    except ValueError:
        return str(text)


def show_tail(path: str, most: int = 60) -> str:
    """Shorten a path from its beginning."""
    return path if len(path) <= most else "…" + path[-most + 1 :]
