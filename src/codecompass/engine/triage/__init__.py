"""Triage: store scanner findings as records, search them, record decisions and build context packs."""

__all__ = (
    "context_pack",
    "decision_writer",
    "decisions",
    "evidence",
    "ingestion",
    "record_fields",
    "record_scoring",
    "record_search",
    "record_store",
)
