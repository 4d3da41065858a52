"""Generated documents: written from tables (tools, errors, settings, commands) or from the source."""

from pathlib import Path

from codecompass import __version__
from codecompass.agents.agents_page import render_agents_page
from codecompass.contract.export import build_documents, render_language_page, render_map_page
from codecompass.languages.language_catalog import TABLE_NAME, render_catalog
from codecompass.languages.language_info import describe_languages
from codecompass.languages.registry import DATA, Registry
from codecompass.settings import SETTINGS
from codecompass.surfaces.cli.help.man_page import PAGE_NAME, render_man_page
from codecompass.surfaces.cli.pages.command_page import render_command_page
from codecompass.surfaces.cli.pages.filter_page import render_filter_page
from codecompass.surfaces.cli.pages.troubleshooting_page import render_troubleshooting_page
from codecompass.surfaces.cli.parser import ArgumentParser
from codecompass.surfaces.http.api.reference_page import render_page
from codecompass.tools import TOOLS


def write_documents(root: Path, parser: ArgumentParser) -> int:
    """Write every generated document below a directory."""
    written = build_documents(TOOLS, SETTINGS)
    written["docs/agents.md"] = render_agents_page()
    written["docs/commands.md"] = render_command_page()
    written["docs/filters.md"] = render_filter_page()
    written["docs/troubleshooting.md"] = render_troubleshooting_page()
    written["docs/http.md"] = render_page(TOOLS)
    written["docs/languages.md"] = render_language_page(describe_languages(Registry()))
    written["docs/building/map.md"] = render_map_page(Path(__file__).parent)
    written[f"docs/man/{PAGE_NAME}"] = render_man_page(parser, __version__)
    written[f"src/codecompass/languages/data/{TABLE_NAME}"] = render_catalog(DATA)
    for name, text in written.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0
