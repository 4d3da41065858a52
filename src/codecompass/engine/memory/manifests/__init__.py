"""Manifests: read dependencies and commands from package manifests and build files."""

__all__ = ("ci_pipelines", "manifest_reader", "package_manifest")
