"""Blocks that branch to each other as graphs: predecessors, orders, dominators, cycles.

The blocks are those of a region or some of them, with the one that they are entered by first; what leads out of them
counts as no edge.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ir.core import Block


def successors(block: Block) -> Sequence[Block]:
    """The blocks that a block leads to, once for each edge."""
    return () if block.last is None else block.last.successors


def predecessors(blocks: Sequence[Block]) -> dict[Block, list[Block]]:
    """The blocks that lead to each block, once for each edge."""
    found: dict[Block, list[Block]] = {block: [] for block in blocks}
    for block in blocks:
        for successor in successors(block):
            if successor in found:
                found[successor].append(block)
    return found


def postorder(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that the entry reaches, each behind those that it leads to but for cycles."""
    order: list[Block] = []
    inside = set(blocks)
    seen = {blocks[0]}
    stack: list[tuple[Block, int]] = [(blocks[0], 0)]
    while stack:
        block, index = stack.pop()
        following = successors(block)
        if index < len(following):
            stack.append((block, index + 1))
            if following[index] in inside and following[index] not in seen:
                seen.add(following[index])
                stack.append((following[index], 0))
        else:
            order.append(block)
    return order


def immediate_dominators(blocks: Sequence[Block]) -> dict[Block, Block]:
    """Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm. Unreachable blocks are absent."""
    if not blocks:
        return {}
    order = postorder(blocks)
    number = {block: i for i, block in enumerate(order)}
    before = predecessors(blocks)
    found: dict[Block, Block] = {blocks[0]: blocks[0]}
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            known = [p for p in before[block] if p in found]
            new = known[0]
            for other in known[1:]:
                new = _intersect(new, other, found, number)
            if found.get(block) is not new:
                found[block] = new
                changed = True
    return found


def _intersect(a: Block, b: Block, found: dict[Block, Block], number: dict[Block, int]) -> Block:
    while a is not b:
        while number[a] < number[b]:
            a = found[a]
        while number[b] < number[a]:
            b = found[b]
    return a


def dominator_chain(block: Block, dominators: dict[Block, Block]) -> list[Block]:
    """Strict dominators of a block."""
    chain: list[Block] = []
    while block in dominators and dominators[block] is not block:
        block = dominators[block]
        chain.append(block)
    return chain


def cycles(blocks: Sequence[Block]) -> list[list[Block]]:
    """The sets of blocks that all reach each other, as large as they get, in no order; without blocks in no cycle.

    Tarjan: Depth-First Search and Linear Graph Algorithms (1972), with a stack of its own instead of recursion.
    """
    number: dict[Block, int] = {}
    low: dict[Block, int] = {}
    path: list[Block] = []
    on_path: set[Block] = set()
    found: list[list[Block]] = []
    work: list[tuple[Block, int]] = [(blocks[0], 0)]
    while work:
        block, index = work.pop()
        if index == 0:
            number[block] = low[block] = len(number)
            path.append(block)
            on_path.add(block)
        following = successors(block)
        if index:
            low[block] = min(low[block], low[following[index - 1]])
        while index < len(following):
            other = following[index]
            index += 1
            if other not in number:
                work += [(block, index), (other, 0)]
                break
            if other in on_path:
                low[block] = min(low[block], number[other])
        else:
            if low[block] == number[block]:
                members: list[Block] = []
                while not members or members[-1] is not block:
                    members.append(path.pop())
                on_path.difference_update(members)
                if len(members) > 1 or block in following:
                    found.append(members)
    return found
