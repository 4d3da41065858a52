"""The error table and the type of its codes."""

from typing import get_args

from codecompass.errors import CODES, CODES_BY_NAME, ErrorCode


def test_the_type_of_codes_and_the_table_agree() -> None:
    """HOUSE-TYPES: the type checker knows exactly the codes of the table, in its order."""
    assert get_args(ErrorCode) == tuple(row.name for row in CODES)
    assert len(CODES_BY_NAME) == len(CODES)
    assert {row.cleats for row in CODES} <= set(CODES_BY_NAME)
