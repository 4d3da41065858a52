"""Pages: documents for users that follow from the tables of the command line, of filters and of errors."""

__all__ = ("command_page", "filter_page", "troubleshooting_page")
