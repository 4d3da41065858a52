"""Formats of findings: how each scanner's output is read, and how records are written."""
