"""Pure functions on text: no files, no processes, no state."""
