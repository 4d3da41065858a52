"""Agent table: one row for each coding agent, with the files, keys and shapes that it reads."""

from dataclasses import dataclass
from typing import Any, Literal

PROGRAM = "codecompass"
COMMAND, ARGUMENTS, WHOLE_COMMAND = "<command>", "<arguments>", "<command and arguments>"
"""Values of an entry that are filled in: the executable, its arguments, both as one list."""

SystemName = Literal["linux", "mac", "windows"]
FileFormat = Literal["json", "toml"]


@dataclass(frozen=True, slots=True)
class Place:
    """A file; `~` is the home directory, `${NAME:-default}` an environment variable."""

    path: str
    systems: tuple[SystemName, ...] = ()
    """Systems that have it; empty for all."""


@dataclass(frozen=True, slots=True)
class EntryShape:
    """Where the entry of a server stands in a file, and what it looks like."""

    keys: tuple[str, ...]
    fields: tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class HookRow:
    """How an agent runs commands at events."""

    user: str
    project: str
    sync: tuple[str, str]
    """Event after an edit, and its matcher."""
    guide: str
    """Event at the start of a session."""
    nested: bool = True
    """Whether an item is a matcher with a list of commands; otherwise it is a command."""
    note: Literal["additionalContext", "additional_context"] = "additionalContext"
    """Field of the command's output that the agent adds to the conversation."""
    seconds: int = 1
    """The number that means one second in `timeout`."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One coding agent."""

    name: str
    title: str
    programs: tuple[str, ...]
    user: tuple[Place, ...]
    """Files of the user; the first one that exists is edited, otherwise the first one is created."""
    project: str
    """File below the project's root; empty if there is none."""
    shape: EntryShape
    restart: str
    format: FileFormat = "json"
    older_shape: EntryShape | None = None
    """Shape of older versions, used in files whose entries have it."""
    workspace: str = ""
    """Value of `--workspace` in the user's file; empty if the agent starts servers in the project."""
    creates: bool = True
    """Whether a missing file of the user is created; otherwise the entry is only printed."""
    user_instructions: str = ""
    project_instructions: str = "AGENTS.md"
    user_skills: str = "~/.agents/skills"
    project_skills: str = ".agents/skills"
    hooks: HookRow | None = None
    note: str = ""
    """What a user should know about this agent's files."""


def _shape(*keys: str, more: tuple[tuple[str, object], ...] = (), kind: str = "") -> EntryShape:
    first: tuple[tuple[str, object], ...] = (("type", kind),) if kind else ()
    return EntryShape(keys, (*first, ("command", COMMAND), ("args", ARGUMENTS), *more))


_MCP_SERVERS = _shape("mcpServers")
_TYPED = _shape("mcpServers", kind="stdio")
_OPENCODE_COMMAND: tuple[tuple[str, object], ...] = (("type", "local"), ("command", WHOLE_COMMAND))

AGENTS = (
    Agent(
        "claude", "Claude Code", ("claude",), (Place("${CLAUDE_CONFIG_DIR:-~}/.claude.json"),), ".mcp.json", _TYPED,
        "Start a new session; `/mcp` lists the server. A project's file asks for approval once.",
        user_instructions="${CLAUDE_CONFIG_DIR:-~/.claude}/CLAUDE.md", project_instructions="CLAUDE.md",
        user_skills="${CLAUDE_CONFIG_DIR:-~/.claude}/skills", project_skills=".claude/skills",
        hooks=HookRow("${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json", ".claude/settings.json",
                      ("PostToolUse", "Edit|MultiEdit|Write|NotebookEdit"), "SessionStart"),
        note="To allow all its tools without questions, add `mcp__codecompass__*` to `permissions.allow` in "
        "`~/.claude/settings.json`.",
    ),
    Agent(
        "cursor", "Cursor", ("cursor", "cursor-agent"), (Place("~/.cursor/mcp.json"),), ".cursor/mcp.json",
        _MCP_SERVERS, "Enable the server under Settings, MCP.", workspace="${workspaceFolder}",
        project_instructions=".cursor/rules/codecompass.mdc",
        hooks=HookRow("~/.cursor/hooks.json", ".cursor/hooks.json", ("afterFileEdit", ""), "sessionStart",
                      nested=False, note="additional_context"),
        note="Cursor does not start servers in the workspace, so the entry names it.",
    ),
    Agent(
        "codex", "Codex", ("codex",), (Place("${CODEX_HOME:-~/.codex}/config.toml"),), ".codex/config.toml",
        _shape("mcp_servers"), "Start a new session; `/mcp` lists the server.", format="toml",
        user_instructions="${CODEX_HOME:-~/.codex}/AGENTS.md",
        hooks=HookRow("${CODEX_HOME:-~/.codex}/hooks.json", ".codex/hooks.json",
                      ("PostToolUse", "apply_patch|Edit|Write"), "SessionStart"),
        note="Codex reads a project's file only in trusted projects.",
    ),
    Agent(
        "vscode", "VS Code", ("code", "code-insiders"),
        (Place("${XDG_CONFIG_HOME:-~/.config}/Code/User/mcp.json", ("linux",)),
         Place("~/Library/Application Support/Code/User/mcp.json", ("mac",)),
         Place("${APPDATA:-~/AppData/Roaming}/Code/User/mcp.json", ("windows",))),
        ".vscode/mcp.json", _shape("servers", kind="stdio"), "Run `MCP: List Servers` and start it.",
        project_instructions=".github/copilot-instructions.md",
    ),
    Agent(
        "copilot", "Copilot CLI", ("copilot",), (Place("${COPILOT_HOME:-~/.copilot}/mcp-config.json"),), "",
        _shape("mcpServers", kind="local", more=(("tools", ["*"]),)), "Start a new session; `/mcp show` lists it.",
        user_instructions="${COPILOT_HOME:-~/.copilot}/copilot-instructions.md",
    ),
    Agent(
        "gemini", "Gemini CLI", ("gemini",), (Place("~/.gemini/settings.json"),), ".gemini/settings.json",
        _MCP_SERVERS, "Start a new session; `/mcp` lists the server.",
        user_instructions="~/.gemini/GEMINI.md", project_instructions="GEMINI.md",
        user_skills="~/.gemini/skills", project_skills=".gemini/skills",
        hooks=HookRow("~/.gemini/settings.json", ".gemini/settings.json", ("AfterTool", "write_file|replace"),
                      "SessionStart", seconds=1000),
    ),
    Agent(
        "windsurf", "Windsurf", ("windsurf",), (Place("~/.codeium/windsurf/mcp_config.json"),), "", _MCP_SERVERS,
        "Refresh the list of MCP servers in Cascade.", project_instructions=".windsurf/rules/codecompass.md",
    ),
    Agent(
        "zed", "Zed", ("zed", "zeditor"),
        (Place("${XDG_CONFIG_HOME:-~/.config}/zed/settings.json", ("linux",)),
         Place("~/.config/zed/settings.json", ("mac",)),
         Place("~/Library/Application Support/Zed/settings.json", ("mac",)),
         Place("${APPDATA:-~/AppData/Roaming}/Zed/settings.json", ("windows",))),
        ".zed/settings.json", _shape("context_servers"), "None: Zed reads the file again when it changes.",
    ),
    Agent(
        "opencode", "opencode", ("opencode",),
        (Place("${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.jsonc"),
         Place("${XDG_CONFIG_HOME:-~/.config}/opencode/opencode.json")),
        "opencode.jsonc",
        EntryShape(("mcp", "servers"), (*_OPENCODE_COMMAND, ("disabled", False), ("codemode", False))),
        "Start a new session.",
        older_shape=EntryShape(("mcp",), (*_OPENCODE_COMMAND, ("enabled", True))),
        user_instructions="${XDG_CONFIG_HOME:-~/.config}/opencode/AGENTS.md",
        note="A file whose servers stand directly under `mcp` is one of version 1 and gets an entry of that version.",
    ),
    Agent(
        "cline", "Cline", ("cline",),
        (Place("${CLINE_MCP_SETTINGS_PATH:-~/.cline/data/settings/cline_mcp_settings.json}"),
         Place("~/.cline/mcp.json"),
         Place("${XDG_CONFIG_HOME:-~/.config}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
               "cline_mcp_settings.json", ("linux",)),
         Place("~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
               "cline_mcp_settings.json", ("mac",)),
         Place("${APPDATA:-~/AppData/Roaming}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
               "cline_mcp_settings.json", ("windows",))),
        "", _shape("mcpServers", more=(("disabled", False),)), "None: Cline reads the file again when it changes.",
        creates=False, note="Versions of Cline use different files: one that exists is edited, none is created.",
    ),
    Agent(
        "jetbrains", "JetBrains (Copilot plugin)", (),
        (Place("${XDG_CONFIG_HOME:-~/.config}/github-copilot/intellij/mcp.json", ("linux", "mac")),
         Place("${LOCALAPPDATA:-~/AppData/Local}/github-copilot/intellij/mcp.json", ("windows",))),
        "", _shape("servers", kind="stdio"), "Restart the IDE.",
        note="For AI Assistant paste the JSON of `codecompass setup jetbrains --print` into its settings page, with "
        "`mcpServers` instead of `servers`.",
    ),
    Agent(
        "antigravity", "Antigravity", ("antigravity",),
        (Place("~/.gemini/config/mcp_config.json"), Place("~/.gemini/antigravity/mcp_config.json")), "",
        _MCP_SERVERS, "Refresh the list of MCP servers.", user_instructions="~/.gemini/GEMINI.md",
        project_instructions="GEMINI.md",
    ),
)  # fmt: skip
"""In the order of the documents. The order of the places of a row is their precedence."""

AGENTS_BY_NAME = {agent.name: agent for agent in AGENTS}


def build_entry(shape: EntryShape, command: str, arguments: list[str]) -> dict[str, Any]:
    """Fill the fields of an entry in."""
    values: dict[str, object] = {COMMAND: command, ARGUMENTS: arguments, WHOLE_COMMAND: [command, *arguments]}
    return {name: values.get(value, value) if isinstance(value, str) else value for name, value in shape.fields}
