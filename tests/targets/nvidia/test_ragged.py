"""Tiles of any extents on lanes: interpreter and emulator give what the interpreter gives on tiles.

All bytes around the arrays are compared, too, and must be as they were where nothing is stored.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from effort import SEED, Ran, count, parts
from generators.element_types import SCALARS
from generators.tile_lines import LINES
from generators.tile_products import PRODUCTS
from generators.tiles import Array, Step, TileKernel, generate, memory_of
from tilewright.compiler import CompileOptions, lower_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.dialects.memref import Alloca
from tilewright.interpreter.engine import interpret
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.types import MemrefType
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import Launch, poisoned, random_array
from .emulated import emulated
from .few_registers import FewRegisters
from .test_ptx import needs_ptxas
from .test_runs import accesses

KERNELS = count("RANDOM_RAGGED_KERNELS", 12, 3000)
ASSEMBLED = count("RANDOM_RAGGED_PTX", 4, 200)
LINES_KERNELS = count("RANDOM_LINE_KERNELS", 10, 3000)
PRODUCT_KERNELS = count("RANDOM_TILE_PRODUCTS", 10, 2000)
CHUNKS = parts(10, usual=4)


def module_of(text: str) -> Module:
    """The verified program."""
    report = Report()
    module = parse_ir(Source("k.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    verified(module)
    return module


def lowered(text: str, sliced: bool = False) -> Module:
    """Lanes for a device, every step verified."""
    return lowered_module(module_of(text), sliced)


def lowered_module(module: Module, sliced: bool = False) -> Module:
    """The same of a module, in its place."""
    kind = FewRegisters if sliced else NvidiaTarget
    lower_module(module, kind(Architecture.SM_80), CompileOptions(2, verify_each=True), Report())
    return module


def laid_out(kernel: TileKernel) -> Module:
    """With layouts, not on lanes yet; printed and read back."""
    module = module_of(kernel.text)
    steps = [step for step in NvidiaTarget(Architecture.SM_80).passes(2) if step.name != "lower-to-lanes"]
    PassManager(steps).run(module, PassContext())
    return module_of(print_op(module))


def same(found: Array, wanted: Array) -> bool:
    """NaN is NaN, and a zero a zero."""
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64 if wanted.dtype.kind in "fV" else wanted.dtype
    return bool(np.array_equal(found.astype(wide), wanted.astype(wide), equal_nan=wanted.dtype.kind != "i"))


def interpreted(module: Module, kernel: TileKernel) -> list[Array]:
    """The outputs; nothing else may be written."""
    arguments = kernel.copies()
    interpret(module.kernels[0], arguments, checked=True)
    for number, (argument, given) in enumerate(zip(arguments, kernel.arguments, strict=True)):
        if isinstance(argument, np.ndarray) and isinstance(given, np.ndarray):
            found = np.array(argument)
            argument[...] = given
            assert memory_of(argument) == memory_of(given), f"argument {number} was written beside its elements"
            argument[...] = found
    return [a for k in kernel.outputs if isinstance(a := arguments[k], np.ndarray)]


def disagreements(kernel: TileKernel, sliced: bool = False) -> list[str]:
    """What differs, by output; `sliced` as if threads had one register for a tile."""
    meant = interpreted(module_of(kernel.text), kernel)
    module = lowered(kernel.text, sliced)
    assert print_op(module_of(print_op(module))) == print_op(module)
    ways = {"interpreter": interpreted(module, kernel)}
    if not sliced:
        ways["interpreter, with layouts"] = interpreted(laid_out(kernel), kernel)
    results = emulated(module).run(Launch(kernel.copies(), {}))
    ways["emulator"] = [a for k in kernel.outputs if isinstance(a := results[k], np.ndarray)]
    return [
        f"argument {number} in the {way}"
        for way, found in ways.items()
        for number, have, wanted in zip(kernel.outputs, found, meant, strict=True)
        if not same(have, wanted)
    ]


def agree(wanted: int, chunk: int, more: Sequence[Step] = ()) -> int:
    """So many random kernels agree, every other one sliced; how many did."""
    for number in range(wanted):
        seed = SEED + chunk + (number + 1) * len(CHUNKS)
        kernel = generate(random.Random(seed), more=more)
        try:
            found = disagreements(kernel, sliced=bool(number % 2))
        except Exception as error:
            error.add_note(f"seed {seed}\n{kernel.text}")
            raise
        assert not found, f"seed {seed}: {'; '.join(found)}\n{kernel.text}"
    return wanted


@pytest.mark.parametrize("chunk", CHUNKS)
def test_random_kernels(chunk: int, ran: Ran) -> None:
    ran(agree(KERNELS // len(CHUNKS), chunk), "kernels of ragged tiles on lanes")


@pytest.mark.parametrize("chunk", CHUNKS)
def test_random_kernels_of_lines_and_parts(chunk: int, ran: Ran) -> None:
    """Scans and reductions by regions, parts and joins among the rest."""
    ran(agree(LINES_KERNELS // len(CHUNKS), chunk, LINES), "kernels of lines and parts on lanes")


@pytest.mark.parametrize("chunk", CHUNKS)
def test_random_kernels_with_products(chunk: int, ran: Ran) -> None:
    """Sums in registers as instructions hold them, or as each thread adds them up, beside all else."""
    ran(
        agree(PRODUCT_KERNELS // len(CHUNKS), chunk, (*LINES, *PRODUCTS)),
        "kernels of products beside all else on lanes",
    )


@pytest.mark.parametrize(("row", "column"), [(0, -2), (0, -9), (-3, 0), (-1, -1), (2, 3)])
def test_factors_that_begin_in_front_of_their_matrix(row: int, column: int, seed: int) -> None:
    """What lies there is zero, though no element is behind the matrix."""
    body = f"""%z = arith.constant {{value = 0}} -> index
      %i = arith.constant {{value = {row}}} -> index
      %j = arith.constant {{value = {column}}} -> index
      %a = tile.load %A, %i, %j {{check = [true, true]}} -> tile<48x8xf64>
      %b = tile.load %B, %z, %z -> tile<8x48xf64>
      %c = tile.load %C, %z, %z -> tile<48x48xf64>
      %p = tile.mma %a, %b, %c -> tile<48x48xf64>
      tile.store %p, %C, %z, %z"""
    parameters = ["%A: memref<f64x52x12>", "%B: memref<f64x8x48>", "%C: memref<f64x48x48>"]
    kernel = TileKernel(random.Random(seed), (128, 1), 32, parameters, [body], [], [2])
    for shape in ((52, 12), (8, 48), (48, 48)):
        kernel.arguments.append(kernel.array(shape, "f64", False, (1, shape[0])))
    assert disagreements(kernel) == []


@pytest.mark.parametrize(("row", "column"), [(-2, 0), (9, -3), (-9, 9), (20, 1)])
def test_tiles_that_hang_over_the_edges(row: int, column: int, seed: int) -> None:
    """What is there of them, and zeros; so they are stored again, where they are from."""
    body = f"""%z = arith.constant {{value = 0}} -> index
      %i = arith.constant {{value = {row}}} -> index
      %j = arith.constant {{value = {column}}} -> index
      %a = tile.load %A, %i, %j {{check = [true, true]}} -> tile<5x7xf32>
      %b = arith.add %a, %a -> tile<5x7xf32>
      tile.store %b, %B, %z, %z
      tile.store %b, %A, %i, %j {{check = [true, true]}}"""
    kernel = TileKernel(
        random.Random(seed), (32, 1), 32, ["%A: memref<f32x11x12>", "%B: memref<f32x5x7>"], [body], [], [0, 1]
    )
    for shape in ((11, 12), (5, 7)):
        kernel.arguments.append(kernel.array(shape, "f32", False, (1, shape[0])))
    assert disagreements(kernel) == []


def lines(word: str, element: str, rows: int, columns: int) -> str:
    """The columns of a matrix, each combined by one operation."""
    tile, line = f"tile<{rows}x{columns}x{element}>", f"tile<{columns}x{element}>"
    return f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [96, 1]}}
    (%A: memref<{element}x{rows}x{columns}>, %B: memref<{element}x{columns}>) {{
      %z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z, %z -> {tile}
      %b = tile.reduce_by %a {{dim = 0}} -> {line} (%p: {element}, %q: {element}) {{
        %r = arith.{word} %p, %q -> {element} scf.yield %r }}
      tile.store %b, %B, %z }} }}"""


FLOATS = ("max", "min", "maximum", "minimum", "maximum_number", "minimum_number")
INTEGERS = ("max", "min", "umax", "umin", "and", "or")


@pytest.mark.covering(1)
@pytest.mark.parametrize("rows", [9, 67])
@pytest.mark.parametrize(
    ("word", "element"),
    [*((w, e) for w in FLOATS for e in ("f32", "f64")), *((w, e) for w in INTEGERS for e in ("i8", "i64"))],
)
def test_what_is_beyond_changes_no_line(word: str, element: str, rows: int) -> None:
    """Of equal numbers the number itself comes out, to the bit."""
    dtype = SCALARS[element]
    if dtype.kind == "f":
        numbers = np.array([-0.0, 0.0, np.nan, np.inf, -np.inf, np.finfo(dtype).max, -np.finfo(dtype).tiny], dtype)
    else:
        numbers = np.array([0, -1, 1, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    check_lines(lines(word, element, rows, len(numbers)), np.tile(numbers, (rows, 1)), numbers)


@pytest.mark.parametrize("rows", [9, 67])
@pytest.mark.parametrize(("word", "rest"), [("add", -0.0), ("mul", 1.0)])
def test_what_is_beyond_changes_no_sum(word: str, rest: float, rows: int) -> None:
    """One number, and else what changes nothing: it comes out, zeros with their signs."""
    numbers = np.array([-0.0, 0.0, np.nan, np.inf, -np.inf, 1e-40, 3.0], np.float32)
    matrix = np.full((rows, len(numbers)), rest, np.float32)
    matrix[rows - 2] = numbers
    check_lines(lines(word, "f32", rows, len(numbers)), matrix, numbers)


def test_every_row_is_added(rng: np.random.Generator) -> None:
    """Where threads hold five numbers of a line, of which one waits for the sum of the others."""
    matrix = rng.integers(1, 9, (67, 32)).astype(np.float32)
    check_lines(lines("add", "f32", *matrix.shape), matrix, matrix.sum(axis=0))


def check_lines(text: str, matrix: Array, wanted: Array) -> None:
    """On lanes, interpreted and emulated."""
    module = lowered(text)
    assert (module.kernels[0].schedule or "").startswith("lanes")
    arguments = [np.asfortranarray(matrix), np.zeros_like(wanted)]
    interpret(module.kernels[0], arguments, checked=True)
    emulation = emulated(module).run(Launch([np.asfortranarray(matrix), np.zeros_like(wanted)], {}))[1]
    for found in (arguments[1], np.asarray(emulation)):
        signs = wanted == 0 if wanted.dtype.kind == "f" else np.zeros(wanted.shape, bool)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(np.signbit(found[signs]), np.signbit(wanted[signs]))


@pytest.mark.parametrize(
    ("kind", "element", "wanted"),
    [("add", "f32", 0), ("max", "f16", -np.inf), ("min", "f64", np.inf), ("max", "i8", -128), ("min", "i16", 32767)],
)
def test_lines_of_nothing(kind: str, element: str, wanted: float) -> None:
    """Three of them."""
    text = f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [32, 1]}}
    (%A: memref<{element}x0x3>, %B: memref<{element}x3>) {{
      %z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z, %z -> tile<0x3x{element}>
      %b = tile.reduce %a {{kind = "{kind}", dim = 0}} -> tile<3x{element}>
      tile.store %b, %B, %z }} }}"""
    check_lines(text, np.zeros((0, 3), SCALARS[element]), np.full(3, wanted, SCALARS[element]))


def turned(element: str, rows: int, columns: int) -> str:
    """B := A transposed, both in columns: through shared memory."""
    return f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [96, 1]}}
    (%A: memref<{element}x{rows}x{columns}>, %B: memref<{element}x{columns}x{rows}>) {{
      %z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z, %z -> tile<{rows}x{columns}x{element}>
      %b = tile.permute %a {{order = [1, 0]}} -> tile<{columns}x{rows}x{element}>
      tile.store %b, %B, %z, %z }} }}"""


@pytest.mark.covering(1)
@pytest.mark.parametrize("element", ["i8", "f16", "f32", "f64"])
@pytest.mark.parametrize(("rows", "columns"), [(57, 43), (56, 40), (33, 50), (3, 70)])
def test_transposes_go_through_memory_of_their_own_shape(
    element: str, rows: int, columns: int, rng: np.random.Generator
) -> None:
    """Interpreted, where an access beyond the buffer is an error, and emulated."""
    module = lowered(turned(element, rows, columns))
    buffers = [op.out.type for op in module.walk() if isinstance(op, Alloca)]
    for type_ in buffers:
        assert isinstance(type_, MemrefType)
        assert type_.shape in ((rows, columns), (columns, rows))
    a, b = random_array(rng, element, rows, columns), poisoned(element, columns, rows)
    both = [a, b.copy(order="F")]
    interpret(module.kernels[0], both, checked=True)
    np.testing.assert_array_equal(both[1], a.T)
    np.testing.assert_array_equal(np.asarray(emulated(module).run(Launch([a, b], {}))[1]), a.T)
    assert buffers or element == "f64" or rows < 8


def copied(shape: str, memory: str) -> str:
    """B := A, in columns that begin so far behind each other."""
    return f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [128, 1],
      parameter_attributes = [{{alignment = 16}}, {{alignment = 16}}]}} (%A: memref<{memory}>, %B: memref<{memory}>) {{
      %z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z, %z -> tile<{shape}>
      tile.store %a, %B, %z, %z }} }}"""


@pytest.mark.parametrize(
    ("shape", "memory", "wide"),
    [
        ("56x40xf32", "f32x56x40", "v4.b32"),
        ("56x40xf32", "f32x56x40,strided<1,57>", None),
        ("56x40xf32", "f32x56x40,strided<1,58>", "v2.b32"),
        ("50x40xf32", "f32x50x40", "v2.b32"),
        ("57x40xf32", "f32x57x40", None),
        ("57x40xf16", "f16x57x40,strided<1,64>", None),
    ],
)
@pytest.mark.usefixtures("users_ptx")
def test_accesses_are_as_wide_as_extents_and_pitches_allow(shape: str, memory: str, wide: str | None) -> None:
    """And ptxas takes them."""
    module = lowered(copied(shape, memory))
    artifact = NvidiaTarget(Architecture.SM_80).generate(module, Report())
    ptx = artifact.texts["ptx"]
    assert {name for name in accesses(ptx) if ".v" in name} == (
        {f"ld.global.{wide}", f"st.global.{wide}"} if wide else set()
    )


@needs_ptxas
def test_ptxas_takes_random_kernels() -> None:
    for seed in range(SEED, SEED + ASSEMBLED):
        text = generate(random.Random(seed), more=LINES).text
        ptx = NvidiaTarget(Architecture.SM_90A).generate(lowered(text), Report()).texts["ptx"]
        assert assemble(ptx, Architecture.SM_90A).kernels, f"seed {seed}\n{text}"


def test_too_many_registers_are_said() -> None:
    """133 would be enough without what lies beyond."""
    text = copied("33x257xf32", "f32x33x257").replace("[128, 1]", "[64, 1]")
    schedule = lowered(text).kernels[0].schedule
    assert schedule is not None
    assert "tiles of 8481 elements: they take 153 registers of each of 64 threads" in schedule
