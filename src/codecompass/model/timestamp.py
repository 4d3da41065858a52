"""Timestamps: moments in UTC as ISO 8601 text."""

from datetime import UTC, datetime
from typing import Literal


def utc_timestamp(
    moment: datetime | float | None = None,
    *,
    timespec: Literal["seconds", "milliseconds"] = "seconds",
    zone: Literal["Z", "+00:00"] = "Z",
) -> str:
    """Format a moment in UTC: an aware time, seconds since 1970, or now. `zone` is how the text names UTC."""
    if moment is None:
        moment = datetime.now(UTC)
    elif not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    return moment.astimezone(UTC).isoformat(timespec=timespec).removesuffix("+00:00") + zone
