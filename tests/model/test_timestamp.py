"""Timestamps: the exact text of a moment, in every form that is stored or shown."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from codecompass.model.timestamp import utc_timestamp

EAST = timezone(timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    ("moment", "options", "text"),
    [
        (0, {}, "1970-01-01T00:00:00Z"),
        (1_700_000_000.999, {}, "2023-11-14T22:13:20Z"),
        (1_700_000_000.25, {"timespec": "milliseconds"}, "2023-11-14T22:13:20.250Z"),
        (1_700_000_000, {"zone": "+00:00"}, "2023-11-14T22:13:20+00:00"),
        (1_700_000_000, {"timespec": "milliseconds", "zone": "+00:00"}, "2023-11-14T22:13:20.000+00:00"),
        (datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC), {}, "2024-02-29T23:59:59Z"),
        (datetime(2024, 3, 1, 5, 29, 59, tzinfo=EAST), {}, "2024-02-29T23:59:59Z"),
        (datetime(2024, 3, 1, 5, 29, 59, tzinfo=EAST), {"zone": "+00:00"}, "2024-02-29T23:59:59+00:00"),
    ],
)
def test_the_text_of_a_moment(moment: datetime | float, options: dict[str, Any], text: str) -> None:
    assert utc_timestamp(moment, **options) == text
    assert datetime.fromisoformat(text).tzinfo == UTC


def test_without_a_moment_it_is_now() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    text = utc_timestamp()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)
    assert before <= datetime.fromisoformat(text) <= datetime.now(UTC)
