"""MCP resources: the table of what a client may read without calling a tool."""

from dataclasses import dataclass

RESOURCE_TOOL = "read_resource"
"""The internal tool that reads resources; clients cannot call it by name."""
MARKDOWN = "text/markdown"


@dataclass(frozen=True, slots=True)
class Resource:
    """One URI, or a URI template with a name in braces."""

    uri: str
    name: str
    title: str
    description: str
    largest: int
    """Maximum size of its text in bytes."""

    @property
    def is_template(self) -> bool:
        return "{" in self.uri


RESOURCES = (
    Resource("context://project/overview", "project-overview", "Project overview",
             "Stack, modules and the weightiest recorded decisions of the project.", 20_000),
    Resource("context://module/{name}", "module", "Module",
             "One module: its files, what it depends on, and what is recorded about it.", 50_000),
    Resource("context://session/current", "current-session", "This session",
             "Files read, questions asked and discoveries recorded over this connection.", 20_000),
    Resource("context://sessions/recent", "recent-sessions", "Recent sessions",
             "What the last sessions read, asked and recorded; `?limit=N` for more or fewer.", 50_000),
)  # fmt: skip
