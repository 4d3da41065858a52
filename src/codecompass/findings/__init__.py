"""Findings: the formats of scanners, and the records made from them."""
