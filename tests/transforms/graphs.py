"""Random graphs of blocks, as IR text and as what a walk through them computes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

_MASK = (1 << 32) - 1


def _signed(number: int) -> int:
    number &= _MASK
    return number - (1 << 32) if number >> 31 else number


@dataclass(slots=True)
class Step:
    """`name = left op right`, where the operands are names or numbers."""

    name: str
    op: str
    left: str
    right: str


@dataclass(slots=True)
class Edge:
    """Where to, with which values."""

    dest: int
    values: list[str]


@dataclass(slots=True)
class Node:
    """A block: its arguments, what it computes, the name that chooses among its edges (the last block has none)."""

    arguments: list[str]
    steps: list[Step] = field(default_factory=list[Step])
    chooser: str = ""
    edges: list[Edge] = field(default_factory=list[Edge])


@dataclass(slots=True)
class Graph:
    """Blocks 0 .. n-1, entered by the first and left by the last. Edges but each block's first may lead anywhere; they
    are taken as long as there is fuel, so that every walk ends."""

    nodes: list[Node]

    def walk(self, start: list[int], fuel: int) -> int:
        """What the last block's first argument is in the end."""
        values: dict[str, int] = dict(zip(self.nodes[0].arguments, start, strict=True))
        at = 0
        while True:
            node = self.nodes[at]
            for step in node.steps:
                left, right = (values[x] if x[0] == "v" else int(x) for x in (step.left, step.right))
                made = {"add": left + right, "mul": left * right, "xor": left ^ right}[step.op]
                values[step.name] = _signed(made)
            if not node.edges:
                return values[node.arguments[0]]
            choice = values[node.chooser] & 3 if fuel > 0 else 0
            fuel -= 1
            edge = node.edges[min(choice, len(node.edges) - 1)]
            handed = [values[v] for v in edge.values]
            at = edge.dest
            values.update(zip(self.nodes[at].arguments, handed, strict=True))

    def text(self) -> str:
        """The body of a kernel with parameters %start0 .., %fuel and %out, memrefs of one i32 (%fuel, %out)."""
        lines: list[str] = ["%z = arith.constant {value = 0} -> index", "%zero = arith.constant {value = 0} -> i32"]
        lines += ["%one = arith.constant {value = 1} -> i32", "%three = arith.constant {value = 3} -> i32"]
        starts = ", ".join(f"%start{k}" for k in range(len(self.nodes[0].arguments)))
        lines.append(f"cf.br {starts} [^n0]")
        for number, node in enumerate(self.nodes):
            lines.append(f"^n{number} ({', '.join(f'%{a}: i32' for a in node.arguments)}):")
            lines += self._node(number, node)
        return "\n".join(lines)

    def _node(self, number: int, node: Node) -> list[str]:
        lines: list[str] = []
        for k, step in enumerate(node.steps):
            operands: list[str] = []
            for side, x in (("l", step.left), ("r", step.right)):
                if x[0] != "v":
                    lines.append(f"%c{number}_{k}{side} = arith.constant {{value = {x}}} -> i32")
                operands.append(f"%{x}" if x[0] == "v" else f"%c{number}_{k}{side}")
            lines.append(f"%{step.name} = arith.{step.op} {', '.join(operands)} -> i32")
        if not node.edges:
            return [*lines, f"memref.store %{node.arguments[0]}, %out, %z"]
        lines += [
            f"%f{number} = memref.load %fuel, %z -> i32",
            f"%g{number} = arith.sub %f{number}, %one -> i32",
            f"memref.store %g{number}, %fuel, %z",
            f'%h{number} = arith.cmp %f{number}, %zero {{predicate = "gt"}} -> bool',
            f"%m{number} = arith.and %{node.chooser}, %three -> i32",
            f"%s{number} = arith.select %h{number}, %m{number}, %zero -> i32",
        ]
        flat = [f"%{v}" for edge in node.edges for v in edge.values]
        if len(node.edges) == 1:
            return [*lines, f"cf.br {', '.join(flat)} [^n{node.edges[0].dest}]".replace("br  [", "br [")]
        if len(node.edges) == 2:
            lines.append(f'%t{number} = arith.cmp %s{number}, %zero {{predicate = "eq"}} -> bool')
            counts = f"1, {len(node.edges[0].values)}, {len(node.edges[1].values)}"
            operands = [f"%t{number}", *flat]
            name, attributes = "cf.cond_br", f"operand_segments = [{counts}]"
        else:
            cases = ", ".join(map(str, range(len(node.edges) - 1)))
            counts = ", ".join(str(len(edge.values)) for edge in node.edges)
            operands = [f"%s{number}", *flat]
            name, attributes = "cf.switch", f"cases = [{cases}], counts = [{counts}]"
        labels = ", ".join(f"^n{edge.dest}" for edge in node.edges)
        return [*lines, f"{name} {', '.join(operands)} [{labels}] {{{attributes}}}"]


def random_graph(rng: np.random.Generator, most: int = 9) -> Graph:
    """A graph of 2 to `most` blocks, with cycles of several entries and exits as often as of one."""
    count = int(rng.integers(2, most + 1))
    nodes = [Node([f"v{k}_{a}" for a in range(1 if k == count - 1 else int(rng.integers(1, 4)))]) for k in range(count)]
    dests = _random_edges(rng, count)
    visible = _visible(dests)
    for k, node in enumerate(nodes):
        for s in range(int(rng.integers(0, 4))):
            known = _names(nodes, visible[k], k)
            op = str(rng.choice(["add", "mul", "xor"]))
            right = str(rng.choice(known)) if rng.random() < 0.6 else str(int(rng.integers(-9, 10)))
            node.steps.append(Step(f"v{k}_s{s}", op, str(rng.choice(known)), right))
    for k, node in enumerate(nodes):
        known = _names(nodes, visible[k], k)
        node.chooser = str(rng.choice(known))
        node.edges = [Edge(d, [str(v) for v in rng.choice(known, len(nodes[d].arguments))]) for d in dests[k]]
    return Graph(nodes)


def _random_edges(rng: np.random.Generator, count: int) -> list[list[int]]:
    """Every block is reached from one in front of it and leads to one behind it first, so dominators stand in front."""
    dests: list[list[int]] = [[] for _ in range(count)]
    for k in range(1, count):
        dests[int(rng.integers(0, k))].append(k)
    for k in range(count - 1):
        if not dests[k]:
            dests[k].append(int(rng.integers(k + 1, count)))
        extra = int(rng.choice([0, 1, 1, 2, 3]))
        dests[k] += [int(d) for d in rng.integers(0, count, extra)]
    return dests


def _names(nodes: list[Node], dominators: set[int], k: int) -> list[str]:
    return [x for d in sorted(dominators | {k}) for x in (*nodes[d].arguments, *(s.name for s in nodes[d].steps))]


def _visible(dests: list[list[int]]) -> list[set[int]]:
    """For each block the blocks that no path from the entry to it avoids: what is unreachable without them."""
    found: list[set[int]] = [set() for _ in dests]
    for removed in range(len(dests)):
        reached = {0} - {removed}
        work = list(reached)
        while work:
            new = set(dests[work.pop()]) - reached - {removed}
            reached |= new
            work += new
        for k in range(len(dests)):
            if k not in reached:
                found[k].add(removed)
    return found
