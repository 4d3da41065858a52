"""Processes: start, supervise and end children; what differs by platform."""

__all__ = ("child_process", "process_memory", "process_tree", "subreaper", "worker_process")
