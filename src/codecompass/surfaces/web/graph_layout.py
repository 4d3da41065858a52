"""Layered graph of callers and callees: at most sixty boxes in columns, placed on the server."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

MAX_NODES = 60
MAX_COLUMN = 14
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 232, 42, 84, 10, 18
MAX_LABEL = 29
MAX_ABOUT = 37


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A symbol in a graph."""

    id: str
    name: str
    about: str
    """Where it is, in a few words."""
    kind: str = ""
    test: bool = False
    long_name: str = ""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """One symbol calls another."""

    caller: str
    callee: str
    resolution: str = "resolved"


@dataclass(frozen=True, slots=True)
class Box:
    """A placed symbol."""

    node: GraphNode
    layer: int
    x: int
    y: int
    label: str
    about: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A placed edge."""

    path: str
    resolution: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A placed graph."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]
    left_out: Mapping[int, int] = field(default_factory=dict)
    """Symbols that found no room, by layer."""


def draw_graph(nodes: Mapping[int, Sequence[GraphNode]], edges: Iterable[GraphEdge]) -> Drawing:
    """PagePlace the nodes of each layer in a column, in the order of those they are connected with."""
    edges = list(edges)
    kept, left_out = _limit(nodes)
    placed: dict[tuple[int, str], Box] = {}
    tallest = max((len(column) for column in kept.values()), default=0)
    height = max(tallest, 1) * (HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN
    first = min(kept, default=0)
    for layer in sorted(kept, key=lambda number: (abs(number), number)):
        column = _order(kept[layer], layer, edges, placed)
        top = (height - (len(column) * (HEIGHT + GAP_Y) - GAP_Y)) // 2
        for row, node in enumerate(column):
            placed[layer, node.id] = Box(
                node, layer, MARGIN + (layer - first) * (WIDTH + GAP_X), top + row * (HEIGHT + GAP_Y),
                shorten(node.name, MAX_LABEL), shorten(node.about, MAX_ABOUT),
            )  # fmt: skip
    width = len(kept) * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN
    return Drawing(width, height, tuple(placed.values()), tuple(_connect(placed, edges)), left_out)


def _limit(nodes: Mapping[int, Sequence[GraphNode]]) -> tuple[dict[int, list[GraphNode]], dict[int, int]]:
    """Keep as many nodes as there is room for, those near the middle first, tests last."""
    room = MAX_NODES
    kept: dict[int, list[GraphNode]] = {}
    left_out: dict[int, int] = {}
    for layer in sorted(nodes, key=abs):
        ordered = sorted(nodes[layer], key=lambda node: node.test)
        chosen = ordered[: min(MAX_COLUMN, room)]
        room -= len(chosen)
        if chosen:
            kept[layer] = chosen
        if len(ordered) > len(chosen):
            left_out[layer] = len(ordered) - len(chosen)
    return kept, left_out


def _order(
    column: Sequence[GraphNode], layer: int, edges: Sequence[GraphEdge], placed: Mapping[tuple[int, str], Box]
) -> list[GraphNode]:
    """Order a column by the mean height of the neighbours that are already placed."""
    inner = layer - 1 if layer > 0 else layer + 1

    def mean(node: GraphNode) -> float:
        near = [placed[inner, other].y for edge in edges for other in _list_other_ends(edge, node.id)
                if (inner, other) in placed]  # fmt: skip
        return sum(near) / len(near) if near else float("inf")

    return sorted(column, key=mean) if layer else list(column)


def _list_other_ends(edge: GraphEdge, node: str) -> list[str]:
    ends = []
    if edge.caller == node:
        ends.append(edge.callee)
    if edge.callee == node:
        ends.append(edge.caller)
    return ends


def _connect(placed: Mapping[tuple[int, str], Box], edges: Iterable[GraphEdge]) -> Iterable[Curve]:
    """Draw each edge between neighbouring columns once, from left to right."""
    drawn = set()
    for edge in edges:
        for (layer, node), start in placed.items():
            end = placed.get((layer + 1, edge.callee)) if node == edge.caller else None
            if end is None or (layer, edge.caller, edge.callee) in drawn:
                continue
            drawn.add((layer, edge.caller, edge.callee))
            x1, y1, x2, y2 = start.x + WIDTH, start.y + HEIGHT // 2, end.x, end.y + HEIGHT // 2
            bend = (x2 - x1) // 2
            yield Curve(f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2 - 5} {y2}", edge.resolution)


def shorten(text: str, most: int) -> str:
    """Shorten a text from its beginning."""
    return text if len(text) <= most else "…" + text[-most + 1 :]
