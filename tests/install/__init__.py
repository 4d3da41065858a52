"""Installation, distribution and the pages that users read."""
