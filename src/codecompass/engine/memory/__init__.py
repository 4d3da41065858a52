"""Project memory: mine discoveries from a repository, check their claims and retrieve them."""

__all__ = (
    "claims",
    "conflicts",
    "corpus",
    "corpus_cache",
    "impact",
    "markdown_export",
    "memory_session",
    "memory_summaries",
    "mining",
    "search",
)
