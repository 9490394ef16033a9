"""Products of tiles of a subgroup: by which instruction, which tiles have its layout, and that sums are right."""

from __future__ import annotations

import numpy as np
import pytest

from generators.element_types import SCALARS
from tilewright.dialects import tile
from tilewright.ir.layouts import Owner
from tilewright.ir.types import F16
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.subgroup_products import subgroup_products

from .case import Case, Launch, faults, kernel, random_array
from .emulated import Emulated
from .emulator.machine import Program

START = (
    "    %z = arith.constant {value = 0} -> index\n    %two = arith.constant {value = 2} -> index\n    team.spmd {\n"
)
LOOP = """\
      %a = tile.load %A, %z, %z -> tile<MxKxT>
      %b = tile.load %B, %z, %z -> tile<KxNxT>
      %c = tile.load %C, %z, %z -> tile<MxNxU>
      %s = scf.for %z, %two, %c {operand_segments = [1, 1, 0, 1]} -> tile<MxNxU> (%i: index, %acc: tile<MxNxU>) {
        %next = tile.mma %a, %b, %acc -> tile<MxNxU>
        scf.yield %next
      }
"""
STORED = "      %d = arith.add %s, %s -> tile<MxNxU>\n      tile.store %d, %C, %z, %z\n"
SIZES = [(16, 16, 16), (8, 16, 32), (32, 8, 16), (16, 8, 8), (8, 8, 4)]


def text_of(types: tuple[str, str], size: tuple[int, int, int], body: str, subgroup: int = 32) -> str:
    """A kernel of one warp."""
    sizes = dict(zip("MNK", size, strict=True))
    parameters = "%A: memref<TxMxK>, %B: memref<TxKxN>, %C: memref<UxMxN>"
    text = kernel(parameters, f"{START}{body}    }}", subgroup, (32, 1))
    text = text.replace("T>", f"{types[0]}>").replace("U>", f"{types[1]}>").replace("<T", f"<{types[0]}")
    text = text.replace("<U", f"<{types[1]}")
    for letter, extent in sizes.items():
        text = text.replace(f"<{letter}x", f"<{extent}x").replace(f"x{letter}x", f"x{extent}x")
        text = text.replace(f"x{letter}>", f"x{extent}>")
    return text


@pytest.mark.covering(1)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "types",
    [("f16", "f32"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64"), ("i8", "i32"), ("i16", "i32"), ("f16", "f64")],
    ids=str,
)
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
def test_sums_are_right_whatever_the_type_and_size(
    types: tuple[str, str], size: tuple[int, int, int], architecture: Architecture, rng: np.random.Generator
) -> None:
    """Twice the product is added, and the sum doubled; no element comes from another lane."""
    m, n, k = size

    def prepare(rng: np.random.Generator) -> Launch:
        a, b = (random_array(rng, types[0], *shape, small=True) for shape in ((m, k), (k, n)))
        c = random_array(rng, types[1], m, n, small=True)
        product = a.astype(np.float64) @ b.astype(np.float64)
        return Launch([a, b, c], {2: (2 * (c + 2 * product)).astype(SCALARS[types[1]])})

    case = Case("product", text_of(types, size, LOOP + STORED), prepare)
    module = case.lowered(architecture)
    launch = case.prepare(rng)
    text, kernels = emit_llvm(module, architecture, None)
    assert not faults(launch, Emulated(Program(text), kernels).run(launch))
    products = subgroup_products(module.kernels[0], architecture).products
    (found,) = products.values()
    assert (found.instruction.intrinsic or ("llvm.fma" if types[1][0] == "f" else " mul i32 ")) in text
    assert "shfl" not in text


def plain(body: str, size: tuple[int, int, int] = (16, 16, 16), subgroup: int = 32) -> int:
    """How many products are by instructions."""
    case = Case("product", text_of(("f16", "f32"), size, body, subgroup), lambda _: Launch([], {}))
    return len(subgroup_products(case.module().kernels[0], Architecture.SM_90A).products)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (LOOP + STORED, 1),
        (LOOP + '      %r = tile.reduce %s {dim = 0, kind = "add"} -> tile<NxU>\n' + STORED, 0),
        (LOOP + "      %t = tile.permute %a {order = [1, 0]} -> tile<KxMxT>\n" + STORED, 0),
        (LOOP.replace("%a, %b, %acc", "%a, %a, %acc") + STORED, 0),
        (LOOP + "      %q = tile.mma %b, %b, %s -> tile<MxNxU>\n      tile.store %q, %C, %z, %z\n", 0),
        (LOOP + "      %q = tile.mma %a, %b, %s -> tile<MxNxU>\n      tile.store %q, %C, %z, %z\n", 2),
    ],
    ids=["alone", "summed", "permuted", "both factors", "a factor of another side", "chained"],
)
def test_tiles_that_something_else_touches_keep_the_plain_layout(body: str, count: int) -> None:
    assert plain(body) == count


def test_what_is_no_whole_instruction_or_warp_keeps_the_plain_layout() -> None:
    assert plain(LOOP + STORED, (16, 6, 16)) == 0
    assert plain(LOOP + STORED, (16, 16, 16), subgroup=16) == 0
    assert plain(LOOP + STORED) == 1


def test_tiles_of_the_work_group_keep_the_plain_layout() -> None:
    """They are read from where they are, element by element."""
    body = LOOP + STORED
    text = text_of(("f16", "f32"), (16, 16, 16), body)
    load = next(line for line in text.splitlines() if "%a = tile.load" in line)
    text = text.replace(f"{load}\n", "").replace("    team.spmd {", f"{load}\n    team.spmd {{")
    case = Case("product", text, lambda _: Launch([], {}))
    assert not subgroup_products(case.module().kernels[0], Architecture.SM_90A).products


@pytest.mark.parametrize(("size", "swapped"), [((16, 16, 16), True), ((8, 16, 16), True), ((16, 8, 16), False)])
def test_rows_of_the_instruction_are_columns_of_the_tile_where_they_fit(
    size: tuple[int, int, int], swapped: bool
) -> None:
    case = Case("product", text_of(("f16", "f32"), size, LOOP + STORED), lambda _: Launch([], {}))
    (found,) = subgroup_products(case.module().kernels[0], Architecture.SM_80).products.values()
    assert found.instruction.shape == (16, 8, 16)
    assert found.swapped is swapped


def test_all_that_carries_the_sums_has_their_layout() -> None:
    case = Case("product", text_of(("f16", "f32"), (32, 16, 32), LOOP + STORED), lambda _: Launch([], {}))
    module = case.module()
    found = subgroup_products(module.kernels[0], Architecture.SM_80)
    (mma,) = (op for op in module.walk() if isinstance(op, tile.Mma))
    product = found.products[mma]
    assert {name for value in found.layouts if (name := value.name)} >= {"a", "b", "c", "s", "acc", "next", "d"}
    for value, layout in found.layouts.items():
        wanted = product.lhs if value.name == "a" else product.rhs if value.name == "b" else product.accumulators
        assert layout == wanted, value.name
    assert product.accumulators.count(Owner.REG) == 32 * 16 // 32
    assert product.accumulators.registers()[:2] == [(0, 0), (1, 0)], "neighbours in memory"


@pytest.mark.parametrize(
    ("element", "strides", "begin", "check", "count"),
    [
        ("f16", "1,24", 8, "", 1),
        ("f16", "24,1", 8, "", 1),
        ("f32", "1,24", 4, "", 0),
        ("f16", "1,20", 8, "", 0),
        ("f16", "1,24", 4, "", 0),
        ("f16", "2,48", 8, "", 0),
        ("f16", "1,24", 8, " {check = [true, false]}", 0),
    ],
    ids=["columns", "rows", "of four bytes", "at odd places", "that begin there", "with gaps", "that end"],
)
def test_matrices_in_shared_memory_are_loaded_by_warps(
    element: str, strides: str, begin: int, check: str, count: int
) -> None:
    """Where their rows are aligned to 16 bytes, and nothing of them may be missing."""
    start = (
        "    %z = arith.constant {value = 0} -> index\n    %two = arith.constant {value = 2} -> index\n"
        f"    %k0 = arith.constant {{value = {begin}}} -> index\n    %g = team.group_id {{dim = 0}} -> index\n"
        "    %k = arith.mul %g, %k0 -> index\n"
        f"    %S = memref.alloca -> memref<{element}x48x48,strided<{strides}>,local>\n    team.spmd {{\n"
    )
    body = (LOOP + STORED).replace("tile.load %A, %z, %z", f"tile.load %S, %k, %z{check}")
    text = text_of((element, "f32"), (16, 16, 16), body).replace(START, start)
    module = Case("product", text, lambda _: Launch([], {})).lowered(Architecture.SM_80)
    llvm, _ = emit_llvm(module, Architecture.SM_80, None)
    assert llvm.count("call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix") == count


@pytest.mark.parametrize(
    ("given", "kept", "is_narrow"), [("f16", "f16", True), ("bf16", "f16", False), ("f16", "f64", False)], ids=str
)
def test_sums_of_f16_are_rounded_as_the_program_rounds_them(given: str, kept: str, is_narrow: bool) -> None:
    """By the instruction, where they come from f16 and are cast to it."""
    body = f"""      %a = tile.load %A, %z, %z -> tile<MxKxT>
      %b = tile.load %B, %z, %z -> tile<KxNxT>
      %c = tile.load %C, %z, %z -> tile<MxNxU>
      %n = arith.cast %c -> tile<MxNx{given}>
      %w = arith.cast %n -> tile<MxNxf32>
      %s = tile.mma %a, %b, %w -> tile<MxNxf32>
      %r = arith.cast %s -> tile<MxNx{kept}>
      %d = arith.cast %r -> tile<MxNxU>
      tile.store %d, %C, %z, %z
"""
    case = Case("product", text_of(("f16", "f32"), (16, 16, 16), body), lambda _: Launch([], {}))
    (found,) = subgroup_products(case.module().kernels[0], Architecture.SM_80).products.values()
    assert (found.instruction.sum is F16) is is_narrow
