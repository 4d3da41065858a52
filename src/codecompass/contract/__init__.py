"""The public contract: tool definitions, schemas, envelopes, error renderings and versions."""
