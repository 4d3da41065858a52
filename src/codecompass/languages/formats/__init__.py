"""Formats: embedded languages, notebooks, templates, line-based formats and long files."""

__all__ = (
    "embedded_languages",
    "grammar_fixups",
    "item_macros",
    "line_formats",
    "parse_errors",
    "sections",
    "source_parts",
    "statements",
    "template_tags",
)
