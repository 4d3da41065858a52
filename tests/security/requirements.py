"""Requirements of security: what runs, what is loaded, and who may ask for it. Part of `tests/requirements.py`."""

SECURITY = {
    "SEC-NO-NATIVE-CODE": ("issue 15 §5", "no call loads native code of an argument, a workspace or a shared place"),
    "SEC-TRIAL": ("issue 15 §5", "an extension is tried in a process without rights, never in the server"),
    "SEC-IMPORTS": ("issue 15 §5", "no module is imported from the workspace, however the program is started"),
    "SEC-EFFECTS": ("issue 15 §5", "every tool declares what it may do; token, hints and documents follow from that"),
    "SEC-TOKEN": ("contract §8", "over HTTP what does more than read needs a token, on loopback too, else 403"),
    "SEC-OTHER-USER": ("issue 15 §5", "another user of the machine can read, and do nothing else"),
    "SEC-INJECTED": ("issue 15 §5", "no sequence of tool calls that text in a repository suggests runs its code"),
    "SEC-OWNERSHIP": ("issue 15 §5", "data, extensions, models and settings that others own or may write are refused"),
    "SEC-MODELS": ("issue 15 §5", "a model brings no operators, reads no file elsewhere, and is nothing but a model"),
    "SEC-DESTINATIONS": ("issue 15 §5", "calls write nothing where programs, or this one, look for their own files"),
    "SEC-SETTINGS": ("docs/trust.md", "config_status shows no password of a setting"),
    "SEC-TERMINAL": ("docs/trust.md", "JSON on a terminal has its control and format characters escaped"),
    "SEC-LINTER": ("issue 15 §5", "the linter sees no configuration and no file of the repository"),
}
