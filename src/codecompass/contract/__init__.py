"""The public contract: tool definitions, schemas, envelopes, error renderings and versions."""

__all__ = (
    "codec",
    "encoding",
    "engine_ports",
    "envelope",
    "export",
    "families",
    "fields",
    "filter_params",
    "json_schema",
    "prompts",
    "resources",
    "shapes",
    "tool",
    "versions",
)
