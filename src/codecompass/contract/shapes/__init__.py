"""JSON shapes that both the tools and the command line show."""
