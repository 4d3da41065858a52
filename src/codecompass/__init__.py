"""CodeCompass: code intelligence for coding agents, local first."""

__version__ = "0.1.0"
