"""Values about source code: facts, kinds, traits, facets, risks."""

__all__ = ("coverage", "facets", "facts", "kinds", "language", "risk_facts", "traits")
