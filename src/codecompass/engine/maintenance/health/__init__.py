"""Health: checks of projects, storage and clients, and `doctor`."""

__all__ = ("doctor", "engine_health", "project_health")
