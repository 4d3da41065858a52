"""Claims in prose: what a text asserts about the code: names, values, versions and signatures, as values to check."""

__all__ = ("assertions", "claim_candidates", "stated_signatures", "word_search")
