"""How well project memory remembers: claims that went stale, commits that decided, silence where nothing is known."""
