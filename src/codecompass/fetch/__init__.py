"""Fetching: files from the network or from disk, under limits; archives unpacked without trust."""

__all__ = ("archives", "download_manifest", "fetch_policy", "fetcher", "proxies", "source_url")
