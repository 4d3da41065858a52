"""Taint analysis: flows of untrusted values from sources to sinks, by rules in TOML."""

__all__ = ("risk_finder", "risk_rules")
