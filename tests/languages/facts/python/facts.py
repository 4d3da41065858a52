import os.path
import json as j
from app.net import Client, retry
from typing import Any


class Store(Base, mixins.Logged, Generic[T]):
#     ^ bases: Base, Generic, mixins.Logged
    """Keeps pages."""

    limit: int = 10
#   ^ types: limit: int annotation
#   ^ writes: limit

    @retry(times=3)
    @functools.cache
    async def load(self, url: str, tries=3, *rest, fresh: bool = False, **options: Any) -> dict[str, Page]:
#             ^ params: self | url: str | tries = 3 | rest | fresh: bool = False | options: Any
#             ^ returns: dict[str, Page]
#             ^ marks: async
#             ^ decorators: @retry(times=3), @functools.cache
#             ^ visibility: public
#             ^ doc: Load one page. / With retries.
#             ^ throws: LookupError, errors.Gone
#             ^ awaits: client.get, other.get, self.pause
#             ^ calls: Client, client.get, j.loads, os.path.join, other.get, range, self.pause
#             ^ imports: app.net, json, os.path, typing
#             ^ reads: attempt, body, client, errors, failed, fresh, functools, j, os, os.path, other, self.cache, self.root, tries, url
#             ^ writes: attempt, body, callback, client, failed, other, total
#             ^ mutations: self.cache[], self.last
#             ^ aliases: other=client, self.last=url
#             ^ types: url: str annotation, tries: int literal, fresh: bool annotation, options: Any annotation, client: Client constructor, total: float literal
#             ^ branches: 5
#             ^ loops: 2
#             ^ breaks: 1
#             ^ continues: 1
#             ^ returned: 1
#             ^ has names: Client, LookupError, body, client, get, join, url
        """Load one page.

        With retries.
        """
        client = Client(os.path.join(self.root, url))
        other = client
        total = 0.5
        for attempt in range(tries):
            if fresh:
                continue
            elif attempt > 2:
                break
            try:
                body = await other.get(url) if fresh else await client.get(url)
            except OSError as failed:
                raise LookupError(url) from failed
            self.cache[url] = j.loads(body)
        while not url:
            await self.pause()
            total += 1
        self.last = url
        if not body:
            raise errors.Gone
        callback = lambda body: body
        return self.cache


def numbers(rows):
#   ^ marks: generator
#   ^ returned: 0
#   ^ branches: 2
#   ^ loops: 1
#   ^ params: rows
#   ^ writes: first, row, second
#   ^ mutations: rows[]
#   ^ throws:
    for row in rows:
        match row:
            case 1:
                yield row
            case _:
                yield from rows
    first, *second = rows
    del rows[0]
    return


def outer():
#   ^ returned: 1
#   ^ reads: inner, pair
#   ^ types: box: list annotation, seen: dict literal, pair: tuple literal, name: str literal
#   ^ branches: 1
    box: list = []
    box, seen = [], {}
    seen = {}
    pair = (1, 2)
    name = "a" "b"

    def inner(deep):
#       ^ marks: generator
#       ^ params: deep
#       ^ returned: 0
        yield deep

    if pair:
        return inner


def _private(a, /, b, *, c=None):
#   ^ visibility: private
#   ^ params: a | b | c = None
#   ^ types: c: None literal
    with open(a) as (x, y):
        b.z = x
    print(y, (found := len(c)))
