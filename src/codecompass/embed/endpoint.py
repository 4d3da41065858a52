"""Embedding endpoint: a client of an OpenAI-compatible `/embeddings` service. Used only if two settings allow it.

Redirects are not followed and no proxy is used: texts go to the configured host or nowhere. Responses are validated
before use; nothing is substituted for an invalid one.
"""

import json
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from blake3 import blake3

from codecompass.embed.embedder import Vectors, normalise
from codecompass.errors import Failure
from codecompass.fetch.fetch_policy import RetryableFetchError
from codecompass.fetch.http_client import post_bytes

BATCH = 64
MAX_CHARACTERS = 8_000
"""Maximum characters of a text to send."""
MAX_RESPONSE_BYTES = 2**26
TRIES = 3
_PAUSE_S = 0.25
_RETRY_STATUSES = (408, 409, 429, 500, 502, 503, 504)
_PROBE = "def probe(): ..."


class EndpointEmbedder:
    """Opens one connection for each request; thread-safe."""

    def __init__(self, url: str, model: str, token: str, timeout_s: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
            raise _make_endpoint_failure("embed.endpoint_url must look like https://host/v1")
        self._url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/embeddings"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._model = model
        self._timeout = timeout_s
        self.name = model or parts.hostname
        self.dimensions = 0
        self.dimensions = int(self._request_vectors([_PROBE]).shape[1])
        # The service does not identify its weights, so use its address, model and vector length.
        named = f"{self._url} {model} {self.dimensions}"
        self.digest = "endpoint:" + blake3(named.encode()).hexdigest(16)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text; a Failure if the service does not return them."""
        parts = [self._request_vectors(list(texts[at : at + BATCH])) for at in range(0, len(texts), BATCH)]
        return normalise(np.concatenate(parts)) if parts else np.zeros((0, self.dimensions), np.float32)

    def _request_vectors(self, texts: list[str]) -> Vectors:
        # Most services reject an empty text.
        request = {
            "model": self._model,
            "input": [text[:MAX_CHARACTERS] or " " for text in texts],
            "encoding_format": "float",
        }
        body = json.dumps(request).encode()
        for attempt in range(TRIES):
            try:
                status, data = self._post(body)
            except RetryableFetchError as error:
                if attempt == TRIES - 1:
                    raise _make_endpoint_failure(f"it cannot be reached ({error})") from error
            else:
                if status == 200:
                    return self._parse_vectors(data, len(texts))
                if status not in _RETRY_STATUSES or attempt == TRIES - 1:
                    raise _make_endpoint_failure(f"it answered with status {status}")
            time.sleep(_PAUSE_S * 2**attempt)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _post(self, body: bytes) -> tuple[int, bytes]:
        status, data = post_bytes(self._url, body, self._headers, self._timeout, MAX_RESPONSE_BYTES)
        if len(data) > MAX_RESPONSE_BYTES:
            raise _make_endpoint_failure("its answer is too long")
        return status, data

    def _parse_vectors(self, data: bytes, count: int) -> Vectors:
        try:
            rows: list[Any] = json.loads(data)["data"]
            placed = {int(row["index"]): row["embedding"] for row in rows}
            found = np.array([placed[at] for at in range(count)], np.float32)
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise _make_endpoint_failure("its answer cannot be read") from error
        if found.ndim != 2 or not found.shape[1] or not np.isfinite(found).all():
            raise _make_endpoint_failure("its answer contains no vectors")
        if self.dimensions and found.shape[1] != self.dimensions:
            raise _make_endpoint_failure(f"its vectors have {found.shape[1]} components instead of {self.dimensions}")
        return found


def open_endpoint(url: str, model: str, token: str, timeout_s: float) -> EndpointEmbedder:
    """Connect to the service; one probe request returns its vector length and shows whether it works."""
    return EndpointEmbedder(url, model, token, timeout_s)


def _make_endpoint_failure(why: str) -> Failure:
    return Failure(
        "CAPABILITY_MISSING",
        f"The embedding service cannot be used: {why}. Search by words works without it.",
        hint="Check embed.endpoint_url, embed.endpoint_model and its token, or set embed.model to bundled.",
    )
