"""Values shared by all layers: immutable, with no dependency but the standard library (and BLAKE3 for ids)."""
