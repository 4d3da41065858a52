"""Languages as data: each directory under `data/` is a language; the code is language-independent."""
