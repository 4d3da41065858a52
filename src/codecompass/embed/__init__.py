"""Embedding models: text and code to vectors, without a network."""

__all__ = ("bundled", "embedder", "models", "onnxfile", "quantised_vectors")
