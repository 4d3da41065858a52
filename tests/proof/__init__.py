"""Proof by programs that others wrote: the conformance suite, the Inspector, independent clients, a fuzzer."""
