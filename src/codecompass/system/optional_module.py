"""Import of modules that some systems do not have."""

from importlib import import_module
from types import ModuleType


def import_optional(name: str) -> ModuleType | None:
    """Import a module of the standard library; None on a system without it."""
    try:
        return import_module(name)
    except ImportError:
        return None
