"""Health check of the container: exit 0 if the server answers with its token."""

import os
import urllib.request

address = f"http://127.0.0.1:{os.environ.get('CODECOMPASS_HTTP_PORT', '7345')}/health"
token = os.environ["CODECOMPASS_HTTP_AUTH_TOKEN"]
urllib.request.urlopen(urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"}), timeout=4)
