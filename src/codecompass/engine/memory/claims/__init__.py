"""Claims: extract what a discovery says about the code, and check whether it still holds."""
