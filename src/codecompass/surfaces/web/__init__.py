"""The web page: search, files, symbols and memory as HTML that reads without scripts."""

__all__ = ("web_site",)
