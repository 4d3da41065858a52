"""Fetching: files from the network or from disk, under limits; archives unpacked without trust."""

__all__ = ("archives", "download_manifest", "fetch_policy", "fetcher", "http_client", "proxies", "source_url")
