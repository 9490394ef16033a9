"""Structure: use lists, linked operation lists, cloning."""

from __future__ import annotations

from tilewright.dialects.arith import Add, Constant, Mul
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.cf import Branch, ConditionalBranch
from tilewright.dialects.scf import Yield
from tilewright.ir.core import Block, Region
from tilewright.ir.printer import print_op
from tilewright.ir.types import F32, F64, I8, INDEX, TileType


def constant(block: Block, value: float) -> Constant:
    return Builder(block)(Constant(value, result_types=[F32]))


def test_uses_are_counted_per_operand_slot() -> None:
    block = Block()
    c = constant(block, 1.0).out
    add = Builder(block)(Add(c, c))
    assert c.use_count == 2
    assert not c.has_one_use()
    d = constant(block, 2.0).out
    add.set_operand(0, d)
    assert (c.use_count, d.use_count) == (1, 1)
    c.replace_all_uses_with(d)
    assert (c.use_count, d.use_count) == (0, 2)
    assert list(d.uses) == [add]


def test_blocks_keep_order_under_insertion_and_removal() -> None:
    block = Block()
    a, b, c = (constant(block, float(i)) for i in range(3))
    b.detach()
    assert list(block) == [a, c]
    block.insert(b, a)
    assert list(block) == [b, a, c]
    assert list(reversed(block)) == [c, a, b]


def test_erasing_while_iterating_is_safe() -> None:
    block = Block()
    for i in range(5):
        constant(block, float(i))
    for op in block:
        op.erase()
    assert block.first is None
    assert block.last is None


def test_cloning_maps_values_of_nested_regions() -> None:
    region, block = new_region([F32])
    product = Builder(block)(Mul(block.arguments[0], block.arguments[0]))
    Builder(block)(Yield([product.out]))
    module = Module(region)
    copy = module.clone()
    assert print_op(copy) == print_op(module)
    inner = copy.regions[0].entry
    assert inner is not block
    assert inner.first is not None
    assert inner.first.operands[0] is inner.arguments[0]
    assert product.out.use_count == 1


def test_cloning_finds_values_of_blocks_behind_their_use() -> None:
    """A block may stand in front of the one that dominates it."""
    arguments = Block([F32, F32]).arguments
    product = Mul(*arguments)
    total = Add(product.out, product.out)
    region = Region(Block(), Block(), Block())
    entry, use, definition = region.blocks
    entry.append(Branch([], definition))
    use.append(total)
    definition.append(product)
    definition.append(Branch([], use))
    copy = region.clone({})
    assert copy.blocks[1].first is not None
    assert copy.blocks[1].first.operands[0].defining_op is copy.blocks[2].first
    assert set(product.out.uses) == {total}


def test_copies_branch_to_copies_of_the_blocks() -> None:
    region, entry = new_region()
    loop, end = region.add_block(Block([F32])), region.add_block(Block())
    Builder(entry)(Branch([constant(entry, 1.0).out], loop))
    condition = Builder(loop).boolean(True)
    Builder(loop)(ConditionalBranch(condition, [loop.arguments[0]], [], loop, end))
    Builder(end)(Yield([]))
    copy = Module(region).clone().regions[0]
    first, inner = copy.blocks[0].last, copy.blocks[1].last
    assert first is not None
    assert inner is not None
    assert first.successors == (copy.blocks[1],)
    assert inner.successors == (copy.blocks[1], copy.blocks[2])
    assert inner.operands[1] is copy.blocks[1].arguments[0]


def test_inferred_result_types() -> None:
    block = Block([TileType((4, 8), F64)])
    assert Add(block.arguments[0], block.arguments[0]).out.type == TileType((4, 8), F64)
    assert Constant(3, result_types=[I8]).out.type is I8
    assert Builder(block).index(3).type is INDEX
