"""Languages as data: a directory under `data/` is a language; this code names none."""
