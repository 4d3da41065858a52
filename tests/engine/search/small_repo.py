"""A small shop in several languages: the repository the search tests ask."""

FILES = {
    "src/auth/token.py": (
        "SECONDS = 60\n"
        "\n"
        "\n"
        "def validate_token(token):\n"
        "    if token is None:\n"
        "        raise ValueError('token must not be empty')\n"
        "    return check_signature(token)\n"
        "\n"
        "\n"
        "def check_signature(token):\n"
        "    return token.endswith('ok')\n"
    ),
    "src/auth/session.py": (
        "from auth.token import validate_token\n"
        "\n"
        "\n"
        "class Session:\n"
        "    '''A visitor who is known.'''\n"
        "\n"
        "    def open(self, token):\n"
        "        return validate_token(token)\n"
        "\n"
        "    def close(self):\n"
        "        self._config = None\n"
    ),
    "src/store/basket.ts": (
        "export class ShoppingBasket {\n"
        "  addItem(item: string): void {}\n"
        "  removeItem(item: string): void {}\n"
        "}\n"
        "export function computeTotalPrice(basket: ShoppingBasket): number { return 0; }\n"
    ),
    "src/store/BasketView.tsx": (
        "export function BasketView(props: { title: string }) {\n  return <div>{props.title} wishlistmarker</div>;\n}\n"
    ),
    "src/store/stock.go": (
        "package store\n"
        "\n"
        "type Stock struct {\n"
        "\tCount int\n"
        "}\n"
        "\n"
        "func (s *Stock) Reserve(n int) bool {\n"
        "\treturn s.Count >= n\n"
        "}\n"
    ),
    "src/net/limiter.rs": (
        "pub mod io {\n"
        "    pub struct Error;\n"
        "}\n"
        "\n"
        "pub struct RateLimiter { max: u32 }\n"
        "\n"
        "impl RateLimiter {\n"
        "    pub fn check_rate_limit(&self) -> Result<(), io::Error> {\n"
        "        Err(io::Error)\n"
        "    }\n"
        "}\n"
    ),
    "src/net/Client.java": (
        "package net;\n"
        "\n"
        "public class Client {\n"
        "    public String sendRequest(String url) {\n"
        '        throw new IllegalStateException("connection refused by peer");\n'
        "    }\n"
        "}\n"
    ),
    "src/net/socket.c": ("#include <stdio.h>\n\nint open_socket(int port) {\n    return port > 1024;\n}\n"),
    "lib/mail.rb": ("module Mail\n  class Sender\n    def deliver(message)\n      puts message\n    end\n  end\nend\n"),
    "lib/legacy.js": (
        "function parseHTTPResponse(text) {\n"
        "  return JSON.parse(text);\n"
        "}\n"
        "function session(id) {\n"
        "  return id;\n"
        "}\n"
        "module.exports = { parseHTTPResponse };\n"
    ),
    "tests/test_token.py": (
        "from auth.token import validate_token\n\n\ndef test_validate_token():\n    assert validate_token('ok')\n"
    ),
    "docs/guide.md": (
        "# Guide\n"
        "\n"
        "Every visitor gets a basket. Tokens are validated before a session opens.\n"
        "\n"
        "foo(bar) is no call here.\n"
    ),
    "notes/credits.txt": ("Those who helped are named here: creditsmarker.\n"),
    "README.md": ("# Shop\n\nA shop that sells nothing; the rate limit protects it.\n"),
    "config/limits.yml": ("rate_limit: 10\nretries: 3\n"),
    "Makefile": ("all:\n\techo shop\n"),
}
