"""Fetch: files come in over the network or from disk, under limits, and archives are opened without trusting them."""
