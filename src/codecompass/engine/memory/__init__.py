"""Project memory: mine discoveries from a repository, check their claims and retrieve them."""
