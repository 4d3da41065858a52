"""Benchmarks: commands that measure the program beside its peers, on any repository."""
