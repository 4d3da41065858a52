"""Values shared by all layers: immutable, with no dependency but the standard library (and BLAKE3 for ids)."""

__all__ = (
    "call",
    "code",
    "editor_links",
    "history_facts",
    "ids",
    "job",
    "maintenance",
    "memory_values",
    "near_words",
    "path_text",
    "queries",
    "refs",
    "secrecy",
    "skipped_files",
    "states",
    "time_budget",
    "timestamp",
    "triage_values",
)
