"""Functions on text: tokens, chunks, encodings, documents. No files, no processes, no state."""
