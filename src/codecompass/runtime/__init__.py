"""The runtime: decode, admit, run, encode; the same for every surface."""
