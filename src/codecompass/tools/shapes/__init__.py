"""Parameters and JSON shapes that several tools share."""
