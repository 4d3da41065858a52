"""Too many calls at once, from outside: everyone is answered, the surplus at once, and service goes on."""

import asyncio
from pathlib import Path

from bench.load_client import Launch, Message, is_error, stdio

from tests.proof.servers import WORKBENCH, Place

BURST, QUEUE = 200, 64


def test_a_burst_is_answered_to_the_last_call(place: Place, tmp_path: Path) -> None:
    """P-OVERLOAD: of 200 calls at once a queue of 64 takes 64; the rest hears so before any work is done."""
    crowded = Place(place.repo, place.env | {"CODECOMPASS_MCP_WORKERS": str(QUEUE)})
    launch = Launch(
        crowded.command(WORKBENCH, "serve-mcp", "--workspace", str(place.repo), "--no-prewarm"),
        place.repo,
        crowded.environment(),
    )
    taken, refused, normal = asyncio.run(_burst(launch))
    assert (len(taken), len(refused)) == (QUEUE, BURST - QUEUE)
    for answer in refused:
        error = answer["error"]
        assert error["code"] == -32001 and error["data"]["code"] == "QUEUE_OVERLOADED"
        assert error["data"]["details"]["queue"]["max"] == QUEUE
    assert not is_error(normal)


async def _burst(launch: Launch) -> tuple[list[Message], list[Message], Message]:
    taken: list[Message] = []
    refused: list[Message] = []
    order: list[bool] = []
    async with stdio(launch) as caller:

        async def one() -> None:
            answer = await caller.call("cleats_work", {"seconds": 4})
            (taken if "result" in answer else refused).append(answer)
            order.append("result" in answer)

        await asyncio.gather(*(one() for _ in range(BURST)))
        normal = await caller.call("index_status", {})
    assert not any(order[: BURST - QUEUE]), "a refusal waited behind work"
    return taken, refused, normal
