"""Taint analysis: untrusted values from sources to sinks, by rules in TOML."""
