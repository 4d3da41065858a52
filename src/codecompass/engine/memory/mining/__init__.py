"""Mining: extract discoveries from documents, comments, manifests and commits."""
