"""Views: answers as text for a terminal."""
