"""Care: health and doctor."""
