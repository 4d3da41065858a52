"""Accuracy: what the index says about definitions, references and calls, against what a compiler says."""
