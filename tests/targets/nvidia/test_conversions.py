"""Conversions between layouts, in registers, by shuffles and through shared memory: interpreted and emulated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.diagnostics import Report
from tilewright.dialects import gpu, lane, team
from tilewright.dialects.builtin import Module
from tilewright.dialects.memref import Alloca
from tilewright.interpreter.engine import interpret
from tilewright.ir.core import Operation
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.passes import PassContext
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.dtypes import numpy_dtype
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.transforms.schedule.conversions import exchanges, gathered
from tilewright.transforms.schedule.lower_to_lanes import LowerToLanes

from .case import Case, Launch, faults, kernel, poisoned, random_array
from .cases_tile_ir import transposed
from .emulated import emulated
from .lane_level import laid_out

WARPS = 4


@st.composite
def pairs(draw: st.DrawFn) -> list[Layout]:
    """Two layouts of one shape for all threads of a block: any bits of the coordinates to any owner."""
    bits = [(dim, 1 << k) for dim, count in enumerate(draw(st.tuples(*[st.integers(0, 4)] * 2))) for k in range(count)]
    shape = tuple(prod(2 for d, _ in bits if d == dim) for dim in range(2))
    found: list[Layout] = []
    for _ in range(2):
        order = [*draw(st.permutations(bits))]
        digits: list[Digit] = []
        for owner, count in ((Owner.LANE, 5), (Owner.WARP, 2)):
            for _ in range(count):
                is_copy = not order or draw(st.integers(0, 9)) == 0
                digits.append(Digit(owner, 2) if is_copy else Digit(owner, 2, *order.pop()))
        found.append(Layout(shape, (*(Digit(Owner.REG, 2, *bit) for bit in order), *digits)))
    return found


def converting(pair: Sequence[Layout], element: str) -> Case:
    """B := 4 A by way of two layouts, twice in a loop, each time once more than needed."""
    rows, columns = pair[0].shape
    memory = f"memref<{element}x{rows}x{columns}>"
    types = [f"tile<{rows}x{columns}x{element}, {layout}>" for layout in pair]
    body = f"""%z = arith.constant {{value = 0}} -> index %n = arith.constant {{value = 2}} -> index
        %one = arith.constant {{value = 1}} -> index
        %a = tile.load %A, %z, %z -> {types[0]}
        %r = scf.for %z, %n, %a {{operand_segments = [1, 1, 0, 1]}} -> {types[0]}
        (%k: index, %c: {types[0]}) {{
          %t = gpu.convert_layout %c -> {types[1]}
          %again = gpu.convert_layout %c -> {types[1]}
          %s = arith.add %t, %again -> {types[1]}
          %u = gpu.convert_layout %s -> {types[0]}
          scf.yield %u
        }}
        %last = gpu.convert_layout %r -> {types[1]}
        tile.store %last, %B, %z, %z"""

    def launch(rng: np.random.Generator) -> Launch:
        a = random_array(rng, element, rows, columns, small=True)
        four = np.asarray(a * 4).astype(a.dtype)
        return Launch([a, poisoned(element, rows, columns)], {1: four})

    text = kernel(f"%A: {memory}, %B: {memory}", body, 32, (32 * WARPS, 1), ', schedule = "lanes threads=128"')
    return Case("converting", text, launch)


def lowered(case: Case) -> Module:
    module = case.module()
    LowerToLanes().run(module, PassContext(Report()))
    verified(module)
    return module


def count(module: Module, kind: type[Operation]) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


@settings(max_examples=60)
@given(pairs(), st.sampled_from(["f32", "f16", "i8", "f64"]), st.integers(0, 2**32))
def test_any_layout_becomes_any_other(pair: list[Layout], element: str, seed: int) -> None:
    case = converting(pair, element)
    launch = case.prepare(np.random.default_rng(seed))
    module = lowered(case)
    assert not count(module, gpu.ConvertLayout)
    arguments = [a.copy(order="F") for a in launch.arguments if isinstance(a, np.ndarray)]
    interpret(module.kernels[0], arguments, launch.grid)
    found = faults(launch, dict(enumerate(arguments)))
    assert not found, "; ".join(found)
    # the module goes there and back again
    assert None in (exchanges(*pair), exchanges(*pair[::-1])) or not count(module, Alloca)


def of(shape: tuple[int, int], **digits: list[tuple[int, int, int]]) -> Layout:
    return Layout(shape, tuple(Digit(Owner(owner), *digit) for owner, found in digits.items() for digit in found))


WARP_BITS = [(2, 0, 32), (2, 1, 1)]
ROWS = of((64, 16), lane=[(32, 0, 1)], warp=WARP_BITS, reg=[(8, 1, 2)])
SUMS = of((96, 64), reg=[(2, 0, 1), (12, 0, 8), (2, 1, 32)], lane=[(4, 0, 2), (8, 1, 1)], warp=[(4, 1, 8)])
"""Of an instruction with 96 columns."""
PAIRS = {
    "registers": (ROWS, of((64, 16), lane=[(32, 0, 1)], warp=WARP_BITS, reg=[(2, 1, 8), (4, 1, 2)])),
    "shuffles": (ROWS, of((64, 16), lane=[(4, 1, 2), (8, 0, 4)], warp=WARP_BITS, reg=[(4, 0, 1), (2, 1, 8)])),
    "lanes": (ROWS, of((64, 16), lane=[(2, 0, 2), (2, 0, 1), (8, 0, 4)], warp=WARP_BITS, reg=[(8, 1, 2)])),
    "no power of two": (SUMS, gathered(SUMS, 0, 8) or SUMS),
    "memory": (ROWS, of((64, 16), lane=[(4, 1, 4), (8, 0, 1)], warp=[(4, 0, 8)], reg=[(4, 1, 1), (2, 0, 32)])),
}


@settings(max_examples=60)
@given(pairs(), st.sampled_from([2, 4, 8]), st.integers(0, 1))
def test_neighbours_are_gathered(pair: list[Layout], count: int, dim: int) -> None:
    """By shuffles alone, each element where it was or with a lane of the same warp."""
    source = pair[0]
    found = gathered(source, dim, count)
    if found is None:
        return
    assert exchanges(source, found) is not None
    before, after = (layout.table()[:, :, :, 0] for layout in (source, found))
    for warp in range(before.shape[2]):
        held = [sorted(map(tuple, table[:, :, warp].reshape(-1, 2).tolist())) for table in (before, after)]
        assert held[0] == held[1]
    steps = after[:count] - after[:1]
    assert (steps[..., dim] == np.arange(count)[:, None, None]).all()
    assert (steps[..., 1 - dim] == 0).all()


def test_sums_of_a_product_are_gathered() -> None:
    """As `mma` and `wgmma` leave them: a quad of lanes has eight neighbours, each of them two."""
    digits = (Digit(Owner.REG, 2, 0, 1), Digit(Owner.REG, 2, 1, 8), Digit(Owner.REG, 4, 0, 8))
    sums = Layout((32, 16), (*digits, Digit(Owner.LANE, 4, 0, 2), Digit(Owner.LANE, 8, 1, 1)))
    found = gathered(sums, 0, 8)
    assert found is not None
    assert [tuple(element) for element in found.table()[:8, 1, 0, 0].tolist()] == [(8 + k, 0) for k in range(8)]
    assert gathered(sums, 1, 8) is None, "registers have but one bit of rows to give"


@pytest.mark.parametrize("name", PAIRS)
def test_the_least_that_does_it(name: str, rng: np.random.Generator) -> None:
    """Renamed registers cost nothing, and only what leaves a warp takes memory; the emulator sees no race."""
    case = converting(PAIRS[name], "f32")
    module = lowered(case)
    has = [bool(count(module, kind)) for kind in (lane.Flip, Alloca, team.Barrier)]
    assert has == {"registers": [False] * 3, "memory": [False, True, True]}.get(name, [True, False, False])
    launch = case.prepare(rng)
    found = faults(launch, emulated(module).run(launch))
    assert not found, "; ".join(found)


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_halves_are_exchanged_as_words(element: str, rng: np.random.Generator) -> None:
    """Numbers of f32 are rounded two at a time; nothing takes apart what they become on the way to the store."""
    layouts = PAIRS["no power of two"]
    rows, columns = layouts[0].shape
    types = {name: f"tile<{rows}x{columns}x{name}, {layouts[0]}>" for name in ("f32", element)}
    stored = f"tile<{rows}x{columns}x{element}, {layouts[1]}>"
    body = f"""%z = arith.constant {{value = 0}} -> index
        %a = tile.load %A, %z, %z -> {types["f32"]}
        %c = arith.cast %a -> {types[element]}
        %t = gpu.convert_layout %c -> {stored}
        tile.store %t, %B, %z, %z"""
    memories = [f"memref<{name}x{rows}x{columns}>" for name in ("f32", element)]

    def launch(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "f32", rows, columns)
        return Launch([a, poisoned(element, rows, columns)], {1: a.astype(numpy_dtype(element))})

    case = Case("halves", laid_out(f"%A: {memories[0]}, %B: {memories[1]}", body), launch)
    module = lowered(case)
    text, _ = emit_llvm(module, Architecture.SM_80)
    words = rows * columns // (32 * WARPS) // 2
    assert len(re.findall(rf"= call <2 x \w+> @llvm.nvvm.ff2{element}x2.rn\(", text)) == words
    assert len(re.findall(r"= trunc i32 \S+ to i16", text)) == 2 * words, "for the way of what is not aligned"
    prepared = launch(rng)
    found = faults(prepared, emulated(module).run(prepared))
    assert not found, "; ".join(found)


@pytest.mark.parametrize(("element", "tile"), [("f32", 64), ("f16", 64), ("f64", 64), ("i8", 128)])
def test_transposes_move_16_bytes_everywhere(element: str, tile: int, rng: np.random.Generator) -> None:
    """In global memory on both sides, through one buffer whose lines are swizzled or padded; the right answer."""
    case = transposed(element, tile)
    launch = case.prepare(rng)
    module = case.lowered(Architecture.SM_80)
    assert (module.kernels[0].schedule or "").startswith("lanes")
    accesses = [op for op in module.walk() if isinstance(op, lane.Load | lane.Store)]
    assert len(accesses) == 4
    for op in accesses:
        assert isinstance(op.memref.type, MemrefType)
        is_buffer = op.memref.type.space is AddressSpace.LOCAL
        assert is_buffer or op.width * op.memref.type.element.bytes == 16
        assert not is_buffer or op.memref.type.swizzle is not None or not op.memref.type.is_packed
    found = faults(launch, emulated(module).run(launch))
    assert not found, "; ".join(found)
