"""Workspaces: registered projects, their stores, jobs and caches."""
