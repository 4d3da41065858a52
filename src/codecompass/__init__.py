"""CodeCompass: code intelligence for coding agents, local first. `from codecompass import open_workspace`."""

# The names below are the library. They are imported when they are first used: `import codecompass` loads nothing.

TYPE_CHECKING = False
"""Type checkers take it as true. `typing` has the same constant, but its import takes as long as all the rest here."""

if TYPE_CHECKING:
    from codecompass.library import (
        Claim,
        ClaimCheck,
        CodeWorkspace,
        Conflict,
        ContextBundle,
        ContextSnippet,
        Discovery,
        DiscoverySource,
        ExcludedMention,
        Failure,
        GrepAnswer,
        GrepMatch,
        Hit,
        Hits,
        Job,
        MemoryAnswer,
        MemoryHit,
        OmittedSnippet,
        Outline,
        OutlineNode,
        Progress,
        ProjectStatus,
        Reasons,
        ReferenceReport,
        SearchCoverage,
        SymbolLocation,
        SymbolNode,
        SymbolUse,
        ViewState,
        open_workspace,
    )

__version__ = "0.1.0"

__all__ = (
    "Claim", "ClaimCheck", "CodeWorkspace", "Conflict", "ContextBundle", "ContextSnippet", "Discovery",
    "DiscoverySource", "ExcludedMention", "Failure", "GrepAnswer", "GrepMatch", "Hit", "Hits", "Job", "MemoryAnswer",
    "MemoryHit", "OmittedSnippet", "Outline", "OutlineNode", "Progress", "ProjectStatus", "Reasons", "ReferenceReport",
    "SearchCoverage", "SymbolLocation", "SymbolNode", "SymbolUse", "ViewState", "__version__", "open_workspace",
)  # fmt: skip

if not TYPE_CHECKING:  # hidden from type checkers: with it they would accept every name

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from codecompass import library  # noqa: PLC0415 - the purpose of this function

        value = globals()[name] = getattr(library, name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
