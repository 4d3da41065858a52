"""Findings: the formats of scanners, and the records made from them."""

__all__ = ("draft", "item_reader", "raw_item", "record_builder", "record_writer")
