"""Health: checks of projects, storage and clients, and `doctor`."""
