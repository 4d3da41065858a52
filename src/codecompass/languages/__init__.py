"""Languages as data: a directory under `data/` is a language; the code here names none."""
