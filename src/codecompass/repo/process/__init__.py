"""Processes: start, supervise and end children; what differs by platform."""
