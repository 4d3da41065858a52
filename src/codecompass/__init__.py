"""CodeCompass: code intelligence for coding agents, local first."""

from importlib.metadata import version

__version__ = version("codecompass")
