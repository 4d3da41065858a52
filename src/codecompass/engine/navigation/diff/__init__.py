"""Symbol diff: definitions that differ between two refs, and their callers."""

__all__ = ("changed_files", "fingerprint", "ref_list", "sides", "symbol_diff")
