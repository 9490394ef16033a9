"""Items of packed blocks whose memory lies, or is used, in other ways than of batches: against NumPy."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tilewright as tw
from tilewright.diagnostics import Report, Source
from tilewright.dialects import lane, operation_classes
from tilewright.dialects.builtin import Module
from tilewright.dialects.gpu_products import AwaitCopies
from tilewright.dialects.lane_products import CopyAsync
from tilewright.dialects.memref import GroupLoad
from tilewright.interpreter.engine import Group, interpret
from tilewright.ir.parser import parse_ir
from tilewright.ir.types import AddressSpace
from tilewright.ir.verifier import verify
from tilewright.transforms.emit import memref_type
from tilewright.transforms.pack_items.shares import Share

from .case import Array, GroupArgument, Launch, faults, kernel
from .emulated import Emulated, compiled, scheduled
from .test_joined_items import lowered
from .test_packing import Batch, disagreements

ITEMS = 19
SIDE = 8


def emulated(parameters: str, body: str, element: str = "f32", level: int = 2) -> Emulated:
    """A kernel of tiles with 0, 8 and the number %g of the work-group, compiled."""
    zero = "0.0" if element[0] == "f" else "0"
    head = f"""    %g = team.group_id {{dim = 0}} -> index
    %0 = arith.constant {{value = 0}} -> index
    %8 = arith.constant {{value = 8}} -> index
    %z = arith.constant {{value = {zero}}} -> tile<8x8x{element}>
"""
    report = Report()
    source = Source("items.twir", kernel(parameters, head + body))
    module = parse_ir(source, report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    assert verify(module, report), [str(d) for d in report.diagnostics]
    return scheduled(module, level)


def view(name: str, number: str = "g", element: str = "f32", strides: str = "") -> str:
    """The matrix of that number, the name in small letters."""
    segments = "operand_segments = [1, 1, 0], static_offsets = [0, 0, none], static_sizes = [8, 8, 0]"
    return f"    %{name.lower()} = memref.subview %{name}, %{number} {{{segments}}} -> memref<{element}x8x8{strides}>\n"


def numbers(rng: np.random.Generator, *shape: int, element: type[np.generic] = np.float32) -> Array:
    """Small integers, whose products and sums are exact."""
    return np.asfortranarray(rng.integers(-3, 4, shape).astype(element))


def wrong(on: Emulated, arguments: Sequence[Array], expected: dict[int, Array], *, is_packed: bool = True) -> list[str]:
    """What differs from what is expected of a kernel that is packed, or is not."""
    assert on.kernels[0].facts["schedule"].startswith("packed") == is_packed, on.kernels[0].facts["schedule"]
    launch = Launch(list(arguments), expected, (ITEMS, 1, 1))
    return faults(launch, on.run(launch, schedule=random.Random(ITEMS)))


def test_items_that_are_found_by_indices_of_accesses(rng: np.random.Generator) -> None:
    """The views are of all items: what is loaded and stored begins at an index that depends on the item."""
    body = """    %at = arith.mul %g, %8 -> index
    %p = tile.load %A, %0, %at -> tile<8x8xf32>
""" + view("B")
    body += """    %q = tile.load %b, %0, %0 -> tile<8x8xf32>
    %t = tile.mma %p, %q, %z -> tile<8x8xf32>
    tile.store %t, %C, %0, %at"""
    on = emulated("%A: memref<f32x8x?>, %B: memref<f32x8x8x?>, %C: memref<f32x8x?>", body)
    a, b = numbers(rng, SIDE, SIDE * ITEMS), numbers(rng, SIDE, SIDE, ITEMS)
    expected = np.hstack([a[:, SIDE * k : SIDE * (k + 1)] @ b[:, :, k] for k in range(ITEMS)])
    assert not wrong(on, [a, b, np.zeros_like(a)], {2: np.asfortranarray(expected)})


def test_neighbours_whose_indices_move_too(rng: np.random.Generator) -> None:
    """Views that begin a matrix on from item to item, and so do stores in them: what is stored is two apart."""
    body = view("A")
    body += """    %at = arith.mul %g, %8 -> index
    %all = memref.size %A {mode = 2} -> index
    %left = arith.mul %all, %8 -> index
    %c = memref.subview %C, %at, %left {operand_segments = [1, 1, 1], static_offsets = [0, none],
      static_sizes = [8, none]} -> memref<f32x8x?>
    %p = tile.load %a, %0, %0 -> tile<8x8xf32>
    %t = tile.mma %p, %p, %z -> tile<8x8xf32>
    tile.store %t, %c, %0, %at"""
    on = emulated("%A: memref<f32x8x8x?>, %C: memref<f32x8x?>", body)
    a, expected = numbers(rng, SIDE, SIDE, ITEMS), np.zeros((SIDE, 2 * SIDE * ITEMS), np.float32, "F")
    for k in range(ITEMS):
        expected[:, 2 * SIDE * k : 2 * SIDE * k + SIDE] = a[:, :, k] @ a[:, :, k]
    assert not wrong(on, [a, np.zeros_like(expected)], {1: expected})


def test_the_same_memory_by_the_numbers_of_items(rng: np.random.Generator) -> None:
    """Where B lies is computed from the item's number, of which nothing is left."""
    body = view("A")
    body += """    %one = arith.constant {value = 1} -> index
    %neg = arith.constant {value = -1} -> index
    %less = arith.mul %g, %neg -> index
    %at = arith.add %g, %one -> index
    %here = arith.add %at, %less -> index
"""
    body += view("B", "here") + view("C")
    body += """    %p = tile.load %a, %0, %0 -> tile<8x8xf32>
    %q = tile.load %b, %0, %0 -> tile<8x8xf32>
    %t = tile.mma %p, %q, %z -> tile<8x8xf32>
    tile.store %t, %c, %0, %0"""
    on = emulated("%A: memref<f32x8x8x?>, %B: memref<f32x8x8x?>, %C: memref<f32x8x8x?>", body)
    a, b = numbers(rng, SIDE, SIDE, ITEMS), numbers(rng, SIDE, SIDE, 2)
    expected = np.asfortranarray(np.einsum("ikn,kj->ijn", a, b[:, :, 1]))
    assert not wrong(on, [a, b, np.zeros_like(a)], {2: expected})


def test_what_is_loaded_is_stored_in_another_order(rng: np.random.Generator) -> None:
    """The slab of the result is that of the tile that was loaded, and all threads have read that before."""
    body = view("A") + view("X", strides=",strided<8,1>") + view("C") + view("D")
    body += """    %p = tile.load %a, %0, %0 -> tile<8x8xf32>
    %y = tile.load %x, %0, %0 -> tile<8x8xf32>
    %t = tile.mma %p, %y, %z -> tile<8x8xf32>
    tile.store %t, %c, %0, %0
    tile.store %y, %d, %0, %0"""
    matrices = "memref<f32x8x8x?>"
    on = emulated(f"%A: {matrices}, %X: memref<f32x8x8x?,strided<8,1,64>>, %C: {matrices}, %D: {matrices}", body)
    a, rows = numbers(rng, SIDE, SIDE, ITEMS), numbers(rng, SIDE * SIDE * ITEMS)
    x = as_strided(rows, (SIDE, SIDE, ITEMS), (4 * SIDE, 4, 4 * SIDE * SIDE))
    c = np.asfortranarray(np.einsum("ikn,kjn->ijn", a, x))
    assert not wrong(on, [a, x, np.zeros_like(a), np.zeros_like(a)], {2: c, 3: np.array(x, order="F")})


def test_stores_that_may_change_where_others_go(rng: np.random.Generator) -> None:
    """The number of the matrix is read before another store overwrites it: such items are not packed."""
    body = view("A", element="i32") + view("N", element="i32")
    body += """    %number = memref.load %n, %0, %0 -> i32
    %other = arith.cast %number -> index
"""
    body += view("C", "other", "i32")
    body += """    %p = tile.load %a, %0, %0 -> tile<8x8xi32>
    %t = tile.mma %p, %p, %z -> tile<8x8xi32>
    tile.store %t, %n, %0, %0
    tile.store %t, %c, %0, %0"""
    matrices = "memref<i32x8x8x?>"
    on = emulated(f"%A: {matrices}, %N: {matrices}, %C: {matrices}", body, "i32")
    assert "a store to memory that may say where stores go" in on.kernels[0].facts["schedule"]
    a, places = numbers(rng, SIDE, SIDE, ITEMS, element=np.int32), rng.permutation(ITEMS)
    n = np.zeros_like(a)
    n[0, 0] = places
    squares = np.asfortranarray(np.einsum("ikn,kjn->ijn", a, a))
    c = np.zeros_like(a)
    c[:, :, places] = squares
    assert not wrong(on, [a, n, np.zeros_like(a)], {1: squares, 2: c}, is_packed=False)


def test_what_nobody_asks_for_takes_no_memory_of_others(rng: np.random.Generator) -> None:
    """Nothing is optimised: the first tile is loaded for nothing, and the next one is not where that goes."""
    body = view("N", strides=",strided<1,9>") + view("A") + view("C")
    body += """    %n0 = tile.load %n, %0, %0 -> tile<8x8xf32>
    %p = tile.load %a, %0, %0 -> tile<8x8xf32>
    %t = tile.mma %p, %p, %z -> tile<8x8xf32>
    tile.store %t, %c, %0, %0"""
    matrices = "memref<f32x8x8x?>"
    on = emulated(f"%N: memref<f32x8x8x?,strided<1,9,?>>, %A: {matrices}, %C: {matrices}", body, level=0)
    n, a = numbers(rng, SIDE + 1, SIDE, ITEMS)[:SIDE], numbers(rng, SIDE, SIDE, ITEMS)
    assert not wrong(on, [n, a, np.zeros_like(a)], {2: np.asfortranarray(np.einsum("ikn,kjn->ijn", a, a))})


def test_only_what_is_stored_differs_from_item_to_item(rng: np.random.Generator) -> None:
    body = view("C")
    body += """    %p = tile.load %A, %0, %0 -> tile<8x8xf32>
    %t = tile.mma %p, %p, %z -> tile<8x8xf32>
    tile.store %t, %c, %0, %0"""
    on = emulated("%A: memref<f32x8x8>, %C: memref<f32x8x8x?>", body)
    a = numbers(rng, SIDE, SIDE)
    expected = np.asfortranarray(np.repeat((a @ a)[:, :, None], ITEMS, 2))
    assert not wrong(on, [a, np.zeros_like(expected)], {1: expected})


@pytest.mark.parametrize("count", [1000, 40000])
def test_memory_that_launches_reserve_is_no_batches(count: int) -> None:
    """Each work-group has its own, which may be more than fits beside what is packed."""
    body = view("A") + view("C")
    body += """    %p = tile.load %a, %0, %0 -> tile<8x8xf32>
    %t = tile.mma %p, %p, %z -> tile<8x8xf32>
    tile.store %t, %c, %0, %0"""
    on = emulated(f"%L: memref<f32x{count},local>, %A: memref<f32x8x8x?>, %C: memref<f32x8x8x?>", body)
    (found,) = on.kernels
    assert found.launch is not None
    assert found.launch.items == 1
    assert "work-groups are not packed: local memory" in found.facts["schedule"]


def test_lanes_of_an_item() -> None:
    """As many as it has pieces for, or a smaller group where that takes much fewer accesses, in groups that divide the
    items; what is short goes in one batch."""
    assert Share.of(32, 6, [45, 81], batched=True) == Share(16, 2, 3, 3)
    assert Share.of(32, 6, [64, 96], batched=True) == Share(32, 1, 6, 6)
    assert Share.of(32, 8, [8, 8], batched=True) == Share(8, 4, 2, 2)
    assert Share.of(32, 6, [8, 81], batched=True) == Share(16, 2, 3, 3)
    assert Share.of(128, 4, [400], batched=True) == Share(64, 2, 2, 2)
    assert Share.of(32, 8, [1000], batched=True) == Share(32, 1, 8, 1)
    assert Share.of(32, 8, [45], batched=False) == Share(32, 1, 8, 1)


@pytest.mark.parametrize(("element", "rows", "width"), [("f16", 8, 4), ("f32", 8, 4), ("f16", 10, 2)])
def test_columns_with_gaps_are_stored_by_pieces(element: str, rows: int, width: int, rng: np.random.Generator) -> None:
    """Such as begin at multiples of their bytes in each column, which are a pitch of four elements more apart."""
    batch = Batch(element, (rows, 8, 8), ("rows", "rows", "pitched"), gap=4)
    (packed,) = lowered(batch.text, "packed").kernels
    stores = [op for op in packed.walk() if isinstance(op, lane.Store)]
    outside = {op.width for op in stores if memref_type(op.memref).space is not AddressSpace.LOCAL}
    assert outside == {1, width}
    launch = batch.launch(rng, ITEMS)
    assert not faults(launch, compiled(batch.text, schedule="packed").run(launch, schedule=random.Random(ITEMS)))


@pytest.mark.parametrize(
    ("element", "size", "beta", "chunk"),
    [
        ("f32", (20, 9, 9), 1, "8x8/32"),
        ("f32", (8, 8, 8), 0, "4x8/32"),
        ("f32", (56, 9, 9), 0, "4x8/32"),
        ("f32", (35, 9, 20), 0, "4x7/32"),
        ("f16", (20, 9, 56), 0, "2x32/32"),
    ],
)
def test_chunks_of_whole_sectors(element: str, size: tuple[int, int, int], beta: int, chunk: str) -> None:
    """Four items of 324 bytes are no whole sectors: eight a chunk, unless few warps had room, or computing is long."""
    compiled = tw.compile(Batch(element, size, beta=beta).text, target="nvidia:sm_90a", cache=False)
    assert f"chunk={chunk} " in str(compiled.k.schedule)


@pytest.mark.parametrize("schedule", ["packed", "packed threads=32 chunk=15x2/32"])
def test_odd_numbers_of_halves_are_copied_by_words(schedule: str, rng: np.random.Generator) -> None:
    """Matrices behind pointers, every other one of which begins within a word, and ends with one."""
    batch = Batch("f16", (5, 3, 3), ("pointers", "pointers", "rows"), beta=1)
    (kernel,) = lowered(batch.text, schedule).kernels
    widths = {op.width for op in kernel.walk() if isinstance(op, CopyAsync) and memref_type(op.target).order == 1}
    assert 2 in widths
    for items in (1, kernel.items + 7):
        assert not disagreements(batch, compiled(batch.text, schedule=schedule), rng, items), items
    launch = batch.launch(rng, 9)
    arguments = [Group(a.arrays) if isinstance(a, GroupArgument) else a for a in launch.arguments]
    interpret(kernel, arguments, launch.grid)
    result = arguments[2]
    assert isinstance(result, np.ndarray)
    assert not faults(launch, {2: result})


def test_addresses_come_before_the_products() -> None:
    """Where results go is read from memory while factors are on their way."""
    (packed,) = lowered(Batch("f32", (8, 8, 8), ("pointers", "pointers", "pointers")).text, "packed").kernels
    operations = list(packed.walk())
    waits = [k for k, op in enumerate(operations) if isinstance(op, AwaitCopies)]
    loads = [k for k, op in enumerate(operations) if isinstance(op, GroupLoad)]
    assert loads
    assert max(loads) < min(waits)


def test_constants_are_copied_through_the_first_cache() -> None:
    """All blocks would ask the same part of the cache of the device for them; what is an item's goes past the first."""
    artifact = tw.compile(Batch("f32", (16, 8, 8), ("fixed", "rows", "rows")).text, target="nvidia:sm_90a", cache=False)
    ptx = artifact.artifact.texts["ptx"]
    assert re.search(r"cp\.async\.ca\.shared\.global \[[^]]*\], \[[^]]*\], 16", ptx)
    assert "cp.async.cg.shared.global" in ptx
