"""Mining: extract discoveries from documents, comments, manifests and commits."""

__all__ = ("commit_miner", "mined_item", "miner", "tool_choices")
