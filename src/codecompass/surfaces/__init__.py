"""Surfaces: each turns bytes of its own protocol into calls of the one dispatch, and replies back into bytes."""
