"""Showroom: the real program with the exhibits that the conformance suite asks for.

Run as `python -m tests.proof.conformance_server serve-http …`, exactly like `codecompass`.
"""

import os
import sys
import warnings

from mcp.shared.exceptions import MCPDeprecationWarning

from codecompass.app import main
from tests.proof import conformance_tools

if __name__ == "__main__":
    # The suite asks for what the newest revision calls old; that is no news here.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    os._exit(main(sys.argv[1:], conformance_tools.TOOLS, conformance_tools.extend))
