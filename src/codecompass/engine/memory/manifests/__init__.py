"""Package manifests and build files: dependencies and commands of a project."""
