"""The text index: Tantivy over chunks (words) and files (trigrams)."""
