"""Mining: discoveries from documents, comments, manifests and commits."""
