"""Manifests: read dependencies and commands from package manifests and build files."""
