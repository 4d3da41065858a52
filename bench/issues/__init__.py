"""Issues: long texts about problems, and the files and functions that were changed to solve them."""
