"""The text index: Tantivy over chunks (words) and files (trigrams)."""

__all__ = ("text_index", "text_reader")
