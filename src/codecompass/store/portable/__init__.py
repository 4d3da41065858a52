"""The portable index: a view as one SQLite file that any SQLite can read."""

__all__ = ("portable_reader",)
