"""Views: one published state of a ref, its files, its texts and its freshness."""
