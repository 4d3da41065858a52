"""Requirements of the set-up of coding agents: id → (document, rule), part of `tests/requirements.py`."""

AGENT_SETUP = {
    "SETUP-IDENTITY": ("docs/agents.md", "setup and then undo leaves every file as it was, byte by byte"),
    "SETUP-KEEPS": ("docs/agents.md", "an edit keeps comments, order, indentation, line ends and other servers"),
    "SETUP-TWICE": ("docs/agents.md", "a second setup changes nothing"),
    "SETUP-REFUSES": ("docs/agents.md", "a file that cannot be parsed or written is named, and nothing is written"),
    "SETUP-CHANGED": ("docs/agents.md", "after a change by others undo removes only our parts"),
    "SETUP-PLACES": ("docs/agents.md", "each agent gets the entry that it reads, in the file that it reads"),
    "SETUP-DETECTS": ("docs/agents.md", "agents are found by program or file, never by a directory alone"),
    "SETUP-ASKS": ("docs/agents.md", "a terminal is asked; elsewhere --yes or --print is needed"),
    "SETUP-HOOKS": ("docs/agents.md", "hooks join the lists of others, are removed alone, and never disturb the agent"),
    "SETUP-INSTRUCTIONS": ("docs/agents.md", "the block stands between markers, names MCP tools, and can be removed"),
    "SETUP-CWD": ("docs/agents.md", "a server without --workspace serves the repository around its directory"),
    "AGENT-CHECKS": ("docs/agents.md", "doctor names the file of each agent, and starts its command"),
    "AGENT-REGISTRY": ("docs/agents.md", "server.json and the bundle are valid and carry the version of the package"),
}
