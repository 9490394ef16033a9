"""Dominators, orders and cycles of random graphs of blocks, against what paths say: who is reached without whom."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping

import pytest

from tilewright.diagnostics import Report, Source
from tilewright.dialects import cf, operation_classes, scf
from tilewright.dialects.builtin import Module
from tilewright.ir.control_flow import cycles, dominator_chain, immediate_dominators, postorder, predecessors
from tilewright.ir.core import Block
from tilewright.ir.parser import parse_ir
from tilewright.ir.types import I32
from tilewright.ir.verifier import verify

Graph = Mapping[int, list[int]]
"""The successors of each block, once for each edge; block 0 is the entry."""


def random_graph(rnd: random.Random) -> Graph:
    size = rnd.randint(1, 9)
    return {k: [rnd.randrange(size) for _ in range(rnd.choice([0, 1, 1, 2, 2, 3]))] for k in range(size)}


def blocks_of(graph: Graph) -> list[Block]:
    blocks = [Block([I32]), *(Block() for _ in range(len(graph) - 1))]
    for k, following in graph.items():
        if following:
            cases, counts = tuple(range(len(following) - 1)), (0,) * len(following)
            dests = [blocks[other] for other in following]
            blocks[k].append(cf.Switch(blocks[0].arguments[0], [], cases, counts, dests))
        else:
            blocks[k].append(scf.Yield([]))
    return blocks


def reached(graph: Graph, start: Collection[int], without: int | None = None) -> set[int]:
    """Where paths from some blocks lead, these among them, that do not touch one."""
    found, work = set[int](), [k for k in start if k != without]
    while work:
        k = work.pop()
        if k not in found:
            found.add(k)
            work += [other for other in graph[k] if other != without]
    return found


@pytest.fixture(params=range(8))
def graphs(request: pytest.FixtureRequest, seed: int) -> list[tuple[Graph, list[Block]]]:
    rnd = random.Random(f"{seed} {request.param}")
    made = [random_graph(rnd) for _ in range(60)]
    return [(graph, blocks_of(graph)) for graph in made]


def test_dominators_are_on_every_path(graphs: list[tuple[Graph, list[Block]]]) -> None:
    for graph, blocks in graphs:
        found, whole = immediate_dominators(blocks), reached(graph, [0])
        assert set(found) == {blocks[k] for k in whole}
        for k in whole:
            strict = {a for a in whole - {k} if k not in reached(graph, [0], without=a)}
            chain = [blocks.index(block) for block in dominator_chain(blocks[k], found)]
            assert set(chain) == strict
            assert len(chain) == len(strict)
            # From the nearest on: each is dominated by all behind it.
            for place, nearer in enumerate(chain):
                assert not any(nearer in reached(graph, [0], without=further) for further in chain[place + 1 :])


def test_predecessors_are_counted_by_edge(graphs: list[tuple[Graph, list[Block]]]) -> None:
    for graph, blocks in graphs:
        found = predecessors(blocks)
        for k, block in enumerate(blocks):
            wanted = Counter(blocks[a] for a, following in graph.items() for b in following if b == k)
            assert Counter(found[block]) == wanted


def test_a_block_comes_behind_what_it_leads_to_but_for_cycles(graphs: list[tuple[Graph, list[Block]]]) -> None:
    for graph, blocks in graphs:
        order = [blocks.index(block) for block in postorder(blocks)]
        assert sorted(order) == sorted(reached(graph, [0]))
        assert order[-1] == 0
        for place, k in enumerate(order):
            assert all(order.index(other) < place or k in reached(graph, [other]) for other in graph[k])


def test_cycles_are_blocks_that_reach_each_other(graphs: list[tuple[Graph, list[Block]]]) -> None:
    for graph, blocks in graphs:
        behind = {k: reached(graph, graph[k]) for k in reached(graph, [0])}
        wanted = {frozenset(b for b in behind if b in behind[a] and a in behind[b]) for a in behind} - {frozenset()}
        found = [frozenset(map(blocks.index, members)) for members in cycles(blocks)]
        assert len(found) == len(wanted)
        assert set(found) == wanted


def test_values_are_not_visible_above_their_definition_in_one_of_several_blocks() -> None:
    text = """builtin.module { builtin.kernel {sym_name = "k"} (%x: i32) {
        cf.br [^a]
      ^a:
        %y = arith.add %x, %x -> i32
        %z = arith.add %x, %x -> i32
        scf.yield
    } }"""
    report = Report()
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert isinstance(module, Module)
    assert verify(module, report)
    first, second, _ = module.kernels[0].body.blocks[1]
    first.set_operand(1, second.results[0])
    assert not verify(module, report)
    assert [d.message for d in report.diagnostics] == ["%z of arith.add is not defined on every path to this use"]
