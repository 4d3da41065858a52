"""Views: one published state of a ref, its files, its texts and its freshness."""

__all__ = ("commit_views", "file_modes", "freshness", "pinned_view", "tree_sources", "view_summary")
