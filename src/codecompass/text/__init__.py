"""Functions on text: tokens, chunks, encodings, documents. No files, no processes, no state."""

__all__ = (
    "bm25",
    "chunks",
    "credentials",
    "dictionary",
    "documents",
    "log_detection",
    "sniff",
    "tokens",
    "trigram_code",
    "trigrams",
)
