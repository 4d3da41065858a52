"""Claims: extract what a discovery says about the code, and check whether it still holds."""

__all__ = ("claim_checker", "tree_snapshot")
