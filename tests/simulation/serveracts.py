"""What happens between processes: servers that keep the index current by themselves, commands beside them, kills."""

import time
from random import Random

from tests.simulation.disk_inventory import take_stock
from tests.simulation.servers import PATIENCE_S, ServerSeat, pause, run_command
from tests.simulation.world import Violation, World

MOST_SERVERS = 2


def start_server(world: World, rng: Random) -> str | None:
    if len(world.servers) >= MOST_SERVERS or world.disk.is_full:
        return None
    server = ServerSeat(f"server {len(world.servers)}", world.root, world.environment)
    world.servers.append(server)
    return server.name


def stop_server(world: World, rng: Random) -> str | None:
    if not world.servers:
        return None
    server = world.servers.pop(rng.randrange(len(world.servers)))
    server.stop()
    return server.name


def kill_server(world: World, rng: Random) -> str | None:
    if not world.servers:
        return None
    server = world.servers.pop(rng.randrange(len(world.servers)))
    server.kill()
    _now_unsure(world)
    return server.name


def command_line(world: World, rng: Random) -> str:
    """A command of its own process; beside a server it may have to wait, and beside another writer to give way."""
    words = rng.choice((("sync",), ("sync",), ("index",), ("index", "--force")))
    view, wanted = world.view_of(None), world.truth()
    code = run_command(world.root, world.environment, *words)
    if code == 0:
        world.after_sync(view, wanted)
    elif not world.servers and not world.disk.is_full:
        raise Violation(f"codecompass {' '.join(words)} ended with {code}")
    else:
        world.after_crash(view, wanted)
    return f"{' '.join(words)}: {code}"


def kill_command(world: World, rng: Random) -> str:
    words = rng.choice((("sync",), ("index", "--force")))
    view, wanted = world.view_of(None), world.truth()
    code = run_command(world.root, world.environment, *words, kill_after=pause(rng))
    (world.after_crash if code else world.after_sync)(view, wanted)
    return f"{' '.join(words)}: {code}"


def settle(world: World, rng: Random) -> str | None:
    """Nobody changes anything for a while: then every server is fresh, and all that is kept agrees."""
    if not world.servers or world.disk.is_full:
        return None
    until = time.monotonic() + PATIENCE_S
    for server in world.servers:
        while not _is_at_rest(server):
            if time.monotonic() > until:
                raise Violation(f"{server.name} is not fresh: {server.ask('index_status').payload}")
            time.sleep(0.1)
    world.settled()
    take_stock(world, world.seats[0])
    return "at rest"


def _is_at_rest(server: ServerSeat) -> bool:
    told = server.ask("index_status")
    semantic = told.payload.get("models", {}).get("semantic")
    return told.is_fresh and told.payload.get("active_job") is None and semantic != "building"


def _now_unsure(world: World) -> None:
    """What a server was about to publish nobody knows."""
    world.after_crash(world.view_of(None), world.truth())
