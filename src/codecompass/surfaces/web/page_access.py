"""Who may open the pages, and who may change something there: sign-in by the server's token, and tokens of forms."""

import hmac
import secrets
from urllib.parse import parse_qs

from starlette.requests import Request

from codecompass.surfaces.http.answers import HttpError
from codecompass.surfaces.http.router import TRUSTED_KEY
from codecompass.surfaces.http.server_options import HttpOptions

COOKIE = "codecompass"
FORM = "application/x-www-form-urlencoded"
MAX_FORM = 20_000


class PageAccess:
    """Decides about requests for pages. A cookie stands for the token; it counts for pages only."""

    def __init__(self, options: HttpOptions) -> None:
        self._token = (options.token or options.local_token).encode()
        self._locked = bool(options.token)
        self._open_writes = options.allow_writes
        self.form_token = secrets.token_urlsafe(32)
        """Proof that a form came from a page of this process; no page of another site can read it."""

    def is_admitted(self, request: Request) -> bool:
        """Whether a request may read: without a configured token everybody on this machine may."""
        return not self._locked or self.is_signed_in(request)

    def is_signed_in(self, request: Request) -> bool:
        """Whether a request has the token, or the cookie that stands for it."""
        given = request.cookies.get(COOKIE, "").encode("latin-1", "replace")
        return bool(request.scope.get(TRUSTED_KEY)) or hmac.compare_digest(given, self.make_cookie().encode())

    def may_write(self, request: Request) -> bool:
        """Whether a request may use the forms that change something."""
        return self.is_signed_in(request) or (self._open_writes and self.is_admitted(request))

    def make_cookie(self) -> str:
        """Return the value of the cookie: made from the token, which it does not reveal."""
        return hmac.new(self._token, b"codecompass page", "sha256").hexdigest()

    def accepts(self, token: str) -> bool:
        """Whether a text is the token."""
        return hmac.compare_digest(token.strip().encode("utf-8", "replace"), self._token)

    def check_form(self, form: dict[str, str]) -> None:
        """Refuse a form that did not come from a page of this server."""
        given = form.pop("form_token", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, self.form_token.encode()):
            raise HttpError("FORBIDDEN", "This form did not come from a page of this server; reload the page.")


async def read_form(request: Request) -> dict[str, str]:
    """Read the fields of a form; a field that is given twice counts once."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    if site not in ("same-origin", "none"):
        raise HttpError("FORBIDDEN", "Forms of other sites are refused.")
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=50)
    except (UnicodeDecodeError, ValueError):
        raise HttpError("INVALID_REQUEST", "The form cannot be read.") from None
    return {name: values[-1] for name, values in fields.items()}
