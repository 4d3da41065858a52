"""Examples of every command, as rows; a test runs each. Imports nothing heavy, because `--help` must be fast."""

from typing import NamedTuple


class Example(NamedTuple):
    """A command line without the name of the program, and what it does."""

    line: str
    meaning: str


EXAMPLES: dict[str, tuple[Example, ...]] = {
    "index": (
        Example("index", "index the repository around the current directory, or what changed since"),
        Example("index --ref main", "index a branch without checking it out"),
        Example("index --force --no-embed", "read every file again, and make no vectors now"),
    ),
    "search": (
        Example('search "where are timeouts configured"', "a plain question"),
        Example("search load_config --type function --limit 3", "a name, only functions"),
        Example("search 'session -test' --path 'src/**' --json", "words and no tests, below src, as JSON"),
    ),
    "status": (
        Example("status", "what is indexed, how fresh it is, what is missing"),
        Example("status --ref main", "the same of a branch"),
        Example("status --json", "for a script"),
    ),
    "setup": (
        Example("setup claude --print", "show what would change in the files of an agent"),
        Example("setup claude cursor --yes", "connect these two without asking"),
        Example("setup --undo --yes", "remove everything that setup wrote"),
    ),
    "help": (
        Example("help", "all commands, in groups"),
        Example("help search", "one command"),
        Example("help context add", "a command below a command"),
    ),
    "locate": (
        Example("locate load_config", "where a name is defined"),
        Example("locate Session.close", "a method of a class"),
        Example("locate Session --kind class --ref main", "only classes, on a branch"),
    ),
    "references": (
        Example("references load_config", "every use of a function"),
        Example("references Session.close --limit 20", "uses of a method, twenty at most"),
        Example("references Session --file src/session.py --resolution resolved",
                "of the class in that file, and only proved uses"),
    ),
    "calls": (
        Example("calls load_config", "who calls it, and whom it calls"),
        Example("calls Session.fetch --direction callers --depth 2", "callers and their callers"),
        Example("calls handle_request --direction callees --json", "what it calls, for a script"),
    ),
    "types": (
        Example("types Session", "the types above and below a class, and its members"),
        Example("types CachedSession --depth 1", "only the next ones"),
        Example("types Session --file src/session.py --json", "of the class in that file, for a script"),
    ),
    "inspect": (
        Example("inspect load_config", "parameters, types, flow, lint and history of a symbol"),
        Example("inspect Session.close --authors", "and who wrote its lines"),
        Example("inspect Session --file src/session.py --ref main", "of the class in that file, on a branch"),
    ),
    "outline": (
        Example("outline src/session.py", "the symbols of a file as a tree"),
        Example("outline src/session.py --depth top", "only the outermost"),
        Example("outline src/config.py --ref main --json", "on a branch, for a script"),
    ),
    "grep": (
        Example("grep 'def \\w+_config'", "lines that a regular expression matches"),
        Example("grep -F 'Session(' src -g '*.py' -C 1", "plain text below src, with a line around each match"),
        Example("grep -l -i timeout", "only the files"),
    ),
    "bundle": (
        Example('bundle "how is a session closed"', "the code that answers a question"),
        Example('bundle "load the configuration" --max-tokens 2000', "within a budget for a model"),
        Example('bundle "close a session" --language python --json', "of one language, for a script"),
    ),
    "diff": (
        Example("diff", "symbols that the uncommitted changes touch, and who calls them"),
        Example("diff main", "from a branch to the working tree"),
        Example("diff v1.0 main", "between two refs"),
    ),
    "open": (
        Example("open src/config.py:3 --print", "the command that would open a line in your editor"),
        Example("open src/config.py --print", "the same for a whole file"),
        Example("open src/session.py:1 --print", "set the editor with terminal.editor, VISUAL or EDITOR"),
    ),
    "history": (
        Example("history src/config.py", "who changed a file last, and how often it changes"),
        Example("history src/config.py:1-8", "who wrote these lines"),
        Example("history src/session.py --ref main --json", "on a branch, for a script"),
    ),
    "refs": (
        Example("refs", "branches, tags and worktrees, and what is indexed of each"),
        Example("refs --contains main", "only those whose names hold a word"),
        Example("refs --json", "for a script"),
    ),
    "context": (
        Example('context search "why do sessions time out"', "what was decided, and whether it still holds"),
        Example('context add "Sessions close after 30 seconds, see DEFAULT_TIMEOUT." --type decision',
                "record a decision"),
        Example("context check", "which of them the uncommitted changes put at risk"),
    ),
    "context search": (
        Example('context search "timeouts of sessions" --type decision', "only decisions"),
    ),
    "context add": (
        Example('context add "Never call Session.close twice." --type rule --symbol Session.close',
                "a rule about a symbol"),
    ),
    "context list": (Example("context list --type decision --limit 5", "the newest decisions"),),
    "context show": (Example("context show ID", "one discovery, its claims checked"),),
    "context supersede": (Example("context supersede ID NEW_ID", "the first is replaced by the second"),),
    "context forget": (Example("context forget ID", "show it no more"),),
    "context export": (Example("context export --out -", "print what was recorded as Markdown"),),
    "context import": (Example("context import", "read docs/context/discoveries.md back"),),
    "context check": (Example("context check --base main", "compare the working tree with a branch"),),
    "context stats": (Example("context stats", "what is recorded, and which files are read most"),),
    "lint": (
        Example("lint", "what parsers and the Python linter say of all files"),
        Example("lint src/server.py", "of one file"),
        Example("lint src --limit 5 --json", "of a directory, for a script"),
    ),
    "risks": (
        Example("risks", "where untrusted values reach dangerous calls"),
        Example("risks src/server.py --min-severity high", "the severe ones of a file"),
        Example("risks --category command --json", "of one category, for a script"),
    ),
    "triage": (
        Example("triage ingest generic findings.json", "take the findings of a scanner in"),
        Example("triage list --severity high", "the severe ones, the worst first"),
        Example('triage decide ID not-affected --why "Not used here." --by ada', "decide about one"),
    ),
    "triage ingest": (
        Example("triage ingest generic findings.json --meta team=core", "with a note of whose they are"),
    ),
    "triage decide": (
        Example('triage decide ID accept --why "Behind a proxy." --expires 2099-01-31', "until a date"),
    ),
    "triage pack": (Example("triage pack ID", "one finding with what the repository says about it"),),
    "triage list": (Example("triage list --status open --limit 20", "what is undecided"),),
    "triage show": (Example("triage show ID", "one finding with its decisions"),),
    "init": (
        Example("init", "register the repository around the current directory; 'index' does it, too"),
        Example("init --project .", "register this directory"),
        Example("init --json", "the project as JSON"),
    ),
    "sync": (
        Example("sync", "bring the index up to the files as they are now"),
        Example("sync --ref main", "of a branch, after it moved"),
        Example("sync --no-embed --no-memory", "words and names only, which is faster"),
    ),
    "watch": (
        Example("watch", "keep the index current until Ctrl-C"),
        Example("watch --json", "one JSON line for each sync"),
        Example("watch --project .", "of the project in this directory"),
    ),
    "jobs": (
        Example("jobs", "the last jobs, and the one at work"),
        Example("jobs --json", "for a script"),
        Example("jobs --cancel active", "end the one at work"),
    ),
    "projects": (
        Example("projects", "every project with its directory, size and last index"),
        Example("projects --missing", "only those whose directory is gone"),
        Example("projects --json", "for a script"),
    ),
    "forget": (
        Example("forget", "show what is kept of this project, ask, then remove it"),
        Example("forget --dry-run", "only show it"),
        Example("forget . --yes --with-records", "remove everything without asking, decisions too"),
    ),
    "care": (
        Example("care report", "what lies on disk, and what is wrong with it"),
        Example("care gc", "find indexes of clones that are gone, and ask before removing them"),
        Example("care clean --dry-run", "what could be removed of this repository"),
    ),
    "state": (
        Example("state export", "write the index as codecompass-state.tar.zst"),
        Example("state import codecompass-state.tar.zst", "begin from such a file, then sync what differs"),
        Example("state export main.tar.zst --ref main", "the index of a branch"),
    ),
    "state export": (Example("state export ../index.tar.zst", "write the index to a file elsewhere"),),
    "state import": (Example("state import ../index.tar.zst --json", "begin from it, and say what it holds"),),
    "doctor": (
        Example("doctor", "check storage, grammars, index and agents; say how to repair them"),
        Example("doctor --read-data", "also read every stored byte against its checksum"),
        Example("doctor --json", "for a script"),
    ),
    "eval": (
        Example("eval queries.jsonl", "how well search answers questions whose answers you know"),
        Example("eval queries.jsonl --ref main", "on a branch"),
        Example("eval queries.jsonl --json", "all figures, for a script"),
    ),
    "languages": (
        Example("languages", "the languages that are understood, and how well"),
        Example("languages --json", "all that is known of each"),
        Example("languages --output json", "the same"),
    ),
    "serve-mcp": (
        Example("serve-mcp", "serve the repository around the current directory over MCP"),
        Example("serve-mcp --workspace . --toolset agent", "a short list of tools, for a coding agent"),
        Example("serve-mcp --workspace . --no-auto-index", "never index by itself"),
    ),
    "serve-http": (
        Example("serve-http --port 0", "serve on a free port of this machine"),
        Example("serve-http --workspace . --port 0 --json", "say the address as JSON"),
        Example("serve-http --port 0 --stateless --toolset agent", "without sessions, and a short list of tools"),
    ),
    "http-token": (
        Example("http-token", "print the token of serve-http"),
        Example("http-token --project .", "with the settings of this project"),
        Example("http-token -v", "and log more"),
    ),
    "tool": (
        Example("tool", "list the tools"),
        Example("tool locate_symbol --name load_config", "call one, with a flag for each parameter"),
        Example("""tool search_code --args-json '{"query": "session", "limit": 2}'""", "or with one JSON object"),
    ),
    "completion": (
        Example("completion bash", "print the script for bash: source <(codecompass completion bash)"),
        Example("completion zsh", "for zsh: the same line in ~/.zshrc, after compinit"),
        Example("completion fish", "for fish: codecompass completion fish | source"),
    ),
    "man": (
        Example("man", "print the manual page: codecompass man | man -l -"),
        Example("man --project .", "the same anywhere"),
        Example("help man", "where the page is installed"),
    ),
}  # fmt: skip
"""Keyed by the words of the command. Three rows for a command, at least one for a command below another."""
