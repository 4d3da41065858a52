"""What the outside may rely on: tool definitions, schemas, envelopes, error renderings, versions."""
