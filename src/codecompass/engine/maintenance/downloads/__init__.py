"""Downloads: models, dictionaries and extensions, fetched and installed."""

__all__ = ("bootstrap_downloads", "download_service")
