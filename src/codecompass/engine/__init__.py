"""The engine: index, search, navigation, memory and maintenance. Synchronous; knows no protocol."""

__all__ = ("engine", "options")
