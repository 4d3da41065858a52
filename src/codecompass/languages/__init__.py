"""Languages as data: each directory under `data/` is a language; the code is language-independent."""

__all__ = (
    "detection",
    "extraction",
    "formats",
    "language_catalog",
    "language_info",
    "language_spec",
    "qualified_names",
    "registry",
    "taint",
)
