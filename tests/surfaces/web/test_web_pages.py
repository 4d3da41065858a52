"""Pages over HTTP, as somebody without scripts gets them."""

import gzip
import html
import re
from urllib.parse import quote

import httpx2
import pytest
from markupsafe import escape

from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import HttpServer, serving
from tests.surfaces.web.conftest import EVIL, EVIL_AUTHOR, EVIL_FILE

PAGES = {
    "home": "/",
    "search": "/?q=add%20tax",
    "search by type": "/?q=type:class%20basket",
    "docs": "/?q=prices&mode=prose",
    "comments": "/?q=prices&mode=extracted-prose",
    "nothing found": "/?q=zzzzqqqq",
    "hostile query": "/?q=" + quote(EVIL),
    "file": "/file/src/shop.py",
    "file with lines and a name": "/file/src/shop.py?lines=8-12&name=add_tax&on=14",
    "hostile file": "/file/" + quote(EVIL_FILE),
    "long file": "/file/src/long.py",
    "wide file": "/file/src/wide.js",
    "folder": "/file/src/",
    "name": "/name?name=add_tax",
    "symbol by name": "/symbol/?name=Basket",
    "finder": "/find?q=shop",
    "keys": "/keys",
}


@pytest.mark.parametrize("address", PAGES.values(), ids=PAGES)
def test_pages_read_without_scripts(get: httpx2.Client, address: str) -> None:
    """WEB-PAGES, WEB-POLICY, WEB-ESCAPE: each page is whole HTML under a strict policy, and nothing in it is markup."""
    response = get.get(address)
    assert response.status_code == 200, response.text[:500]
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "require-trusted-types-for 'script'" in policy and "unsafe" not in policy
    text = response.text
    assert "<main" in text and "</html>" in text and "<title>" in text
    assert "<img src=x" not in text and "<script>" not in text and "alert(1)</script>" not in text
    assert 'style="' not in text


def test_search_shows_the_lines_that_matched(get: httpx2.Client) -> None:
    """WEB-SEARCH: results are grouped by file, with the lines that hold the words."""
    text = get.get("/", params={"q": "add tax to a price"}).text
    assert 'href="/file/src/shop.py?lines=' in text and "<mark>tax</mark>" in text
    assert "type:<b>" in text, "filters are offered"
    part = get.get("/", params={"q": "add tax to a price", "part": "results"}).text
    assert "<html" not in part and "<mark>tax</mark>" in part


def test_a_chip_is_a_part_of_the_query(get: httpx2.Client) -> None:
    """WEB-CHIPS: a chosen filter is text of the query, and its link takes it away again."""
    text = get.get("/", params={"q": "total type:method"}).text
    assert re.search(r'<a href="/\?q=total" class="on"', text)


def test_why_this_rank(get: httpx2.Client) -> None:
    """WEB-WHY: every result explains its rank as bars."""
    text = get.get("/", params={"q": "add tax"}).text
    address = html.unescape(re.findall(r'class="why" href="([^"]+)"', text)[0])
    shown = get.get(address).text
    assert "bm25 score" in shown and '<rect class="bar"' in shown


def test_a_file_says_what_its_names_mean(get: httpx2.Client) -> None:
    """WEB-NAMES: names link to a panel that says resolved, ambiguous or unresolved."""
    text = get.get("/file/src/shop.py").text
    assert 'href="?name=add_tax&amp;on=15"' in text and 'id="L15"' in text
    assert "U+202E" in text, "a character that turns text around is shown by number"
    panels = {"add_tax": (15, "resolved"), "total": (1, "ambiguous"), "unknown_helper": (37, "unresolved")}
    for name, (line, verdict) in panels.items():
        panel = get.get("/file/src/shop.py", params={"name": name, "on": line, "part": "panel"}).text
        assert f'<span class="how {verdict}">' in panel, (name, panel)


def test_long_files_are_cut_and_say_so(get: httpx2.Client) -> None:
    """WEB-LONG: a file of many lines comes in pages, a long line is cut, and both are said."""
    text = get.get("/file/src/long.py").text
    assert "A long file: lines 1 to 4,000 of 6,000" in text and len(text) < 2_500_000
    assert 'id="L5000"' in get.get("/file/src/long.py", params={"lines": "5000"}).text
    wide = get.get("/file/src/wide.js").text
    assert "more characters" in wide and "its end is missing" in wide and len(wide) < 100_000
    assert get.get("/raw/src/wide.js").status_code == 400, "better nothing than a part that looks like the whole"


def test_raw_text_runs_nothing(get: httpx2.Client) -> None:
    """WEB-RAW: a file's own text is plain text in a sandbox, whatever it is."""
    response = get.get("/raw/README.md")
    assert response.headers["content-type"].startswith("text/plain") and EVIL in response.text
    assert response.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_a_symbol_has_callers_types_and_tests(get: httpx2.Client) -> None:
    """WEB-SYMBOL: one page says who calls a symbol, what it calls, and which tests touch it."""
    text = get.get("/symbol/?name=add_tax").text
    assert "<svg" in text and "Basket.total" in text and "Tests that touch it" in text and "test_shop.py" in text
    kinds = get.get("/symbol/?name=Basket").text
    assert "BigBasket" in kinds


def test_failures_are_pages(get: httpx2.Client) -> None:
    """WEB-ERRORS: what is not there is said on a page, with the status of the error table."""
    for address in ("/file/src/nothing.py", "/symbol/sym_1", "/symbol/?name=zzzz"):
        response = get.get(address)
        assert response.status_code in (400, 404) and "<main" in response.text, address
    assert get.get("/static/nothing.js").status_code == 404
    assert get.get("/file/../../etc/passwd").status_code in (400, 403, 404)


def test_a_permalink_names_the_commit(get: httpx2.Client) -> None:
    """WEB-PERMALINK: a view at a branch links to itself at its commit."""
    text = get.get("/file/src/shop.py?lines=3").text
    found = re.search(r'data-permalink="([^"]+)"', text)
    assert found and re.search(r"at=[0-9a-f]{40}", found[1]) and "lines=3" in found[1]
    again = get.get(html.unescape(found[1]))
    assert again.status_code == 200 and "RATE" in again.text
    old = get.get("/file/src/shop.py", params={"at": "HEAD~1"})
    assert old.status_code == 200 and "0.2" in old.text and "This ref has no index" in old.text


def test_other_hosts_and_origins_are_refused(site: HttpServer) -> None:
    """WEB-ORIGIN: a name that was rebound to this machine, or a page of another site, gets nothing."""
    rebound = httpx2.get(site.url, headers={"host": f"evil.test:{site.port}"})
    assert rebound.status_code == 421 and "<main" not in rebound.text
    foreign = httpx2.get(f"{site.url}/file/src/shop.py", headers={"origin": "https://evil.test"})
    assert foreign.status_code == 403 and "RATE" not in foreign.text


def test_static_files_are_small_and_kept(get: httpx2.Client) -> None:
    """WEB-WEIGHT: all scripts together stay below 45 kB compressed, and a browser keeps them by their digest."""
    text = get.get("/").text
    total = 0
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', text):
        response = get.get(html.unescape(address))
        assert response.status_code == 200 and "immutable" in response.headers["cache-control"]
        total += len(gzip.compress(response.content)) if ".js" in address else 0
    assert 0 < total < 45_000


def test_records_of_the_project_are_pages(get: httpx2.Client) -> None:
    """WEB-RECORDS: refs, differences by symbol, memory, findings, risks and workspaces are pages."""
    for address, word in {
        "/refs": "main", "/diff?base=HEAD~1&head=HEAD": "RATE", "/memory?q=round%20prices": "decision",
        "/triage": "title ", "/risks": "Risks", "/workspaces": "Calls of this server",
    }.items():  # fmt: skip
        response = get.get(address)
        assert response.status_code == 200 and word in response.text, address
        assert "<img src=x" not in response.text and "<script>alert" not in response.text, address


@pytest.mark.parametrize(
    "address", ["/triage", "/triage?q=title", "/?q=title&mode=records", "/file/" + quote(EVIL_FILE)]
)
def test_findings_of_scanners_are_text(get: httpx2.Client, address: str) -> None:
    """WEB-ESCAPE: whatever a scanner reports is shown as it is, and nothing of it is markup."""
    text = get.get(address).text
    assert "<img src=x" not in text and "<script>" not in text
    if address.startswith("/triage"):
        assert "&lt;img src=x onerror=alert(1)&gt;" in text and "{{7*7}}" in text and "high" in text


def test_names_of_authors_are_text(get: httpx2.Client) -> None:
    """WEB-ESCAPE: the name of an author is shown as it is wherever history is, and nothing of it is markup."""
    shown = str(escape(EVIL_AUTHOR.partition("{{")[0]))
    for address in ("/symbol/?name=add_tax&authors=1", "/symbol/?name=add_tax", "/memory?q=round%20prices"):
        text = get.get(address).text
        assert shown in text, address
        assert 'onmouseover="' not in text and "<img src=x" not in text and "{{7*7}}" in text, address


def post(client: httpx2.Client, address: str, **fields: str) -> httpx2.Response:
    return client.post(address, data=fields, headers={"content-type": "application/x-www-form-urlencoded"})


def test_nothing_is_written_without_leave(site: HttpServer) -> None:
    """WEB-WRITES: a form needs a sign-in or --allow-writes, a token of this server's pages, and its own site."""
    with httpx2.Client(base_url=site.url, timeout=30) as client:
        assert "form_token" not in client.get("/workspaces").text
        assert post(client, "/do/sync").status_code == 403
        assert post(client, "/sign-in", token="wrong").status_code == 403
        signed = post(client, "/sign-in", token=site.token, next="//evil.test/")
        assert signed.status_code == 303 and signed.headers["location"] == "/"
        assert "httponly" in signed.headers["set-cookie"].lower() and site.token not in signed.headers["set-cookie"]
        assert post(client, "/do/sync").status_code == 403, "a cookie alone is not enough"
        assert post(client, "/do/sync", form_token="x" * 43).status_code == 403
        found = re.search(r'name="form_token" value="([^"]+)"', client.get("/workspaces").text)
        assert found
        done = post(client, "/do/sync", form_token=found[1])
        assert done.status_code == 303 and done.headers["location"] == "/workspaces"
        for header in ({"origin": "https://evil.test"}, {"sec-fetch-site": "cross-site"}):
            refused = client.post("/do/sync", data={"form_token": found[1]}, headers=header)
            assert refused.status_code == 403
        said = post(client, "/do/record", form_token=found[1], type="decision", content=f"Round late {EVIL}")
        assert said.status_code == 303
        shown = client.get(said.headers["location"])
        assert "Round late" in shown.text and "<img src=x" not in shown.text
        api = client.post("/tools/sync_repo", json={})
        assert api.status_code == 403, "the cookie counts for pages only"


def test_a_server_with_a_token_asks_for_it(shop: Shell) -> None:
    """WEB-SIGN-IN: with a token of its own the server shows nothing but the page that asks for it."""
    with (
        serving(shop, "--auth-token", "a-token-of-24-characters") as server,
        httpx2.Client(base_url=server.url) as client,
    ):
        closed = client.get("/file/src/shop.py?lines=3")
        assert closed.status_code == 303 and closed.headers["location"].startswith("/sign-in?next=/file/src/shop.py")
        assert client.get("/raw/src/shop.py").status_code == 303
        assert client.get("/health").status_code == 401
        signed = post(client, "/sign-in", token="a-token-of-24-characters", next="/file/src/shop.py?lines=3")
        assert signed.headers["location"] == "/file/src/shop.py?lines=3"
        assert "RATE" in client.get(signed.headers["location"]).text
        assert client.get("/health").status_code == 401, "the cookie counts for pages only"
