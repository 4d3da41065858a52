"""Values that every level may hold: frozen, standard library only (and BLAKE3 for ids)."""
