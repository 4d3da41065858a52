"""Downloads: models, dictionaries and extensions, fetched and installed."""
