"""Fetching: files from the network or from disk, under limits; archives unpacked without trust."""
