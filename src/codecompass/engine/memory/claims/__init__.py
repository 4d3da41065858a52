"""Claims: what a discovery says about the code, and whether it still holds."""
