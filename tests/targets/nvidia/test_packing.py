"""Batches of small products: several items a block, against NumPy, in the emulator and on the lane level itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.element_types import SCALARS
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.interpreter.engine import Group, interpret
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import Argument, Array, GroupArgument, Launch, faults
from .emulated import Emulated, compiled
from .launching import program_of_text
from .test_ptx import needs_ptxas

BATCHES = count("RANDOM_PACKED_BATCHES", 5, 400)

TABLE = [(4, 4, 4), (8, 8, 8), (16, 16, 16), (32, 32, 32), (9, 9, 9), (20, 9, 9), (56, 9, 9), (35, 9, 20), (20, 9, 56)]
SHAPES = [(8, 8, 8), (9, 9, 9), (20, 9, 9), (7, 5, 3), (1, 1, 1), (37, 2, 5), (3, 61, 2)]


def numbers(rng: np.random.Generator, element: str, *shape: int) -> Array:
    """Small integers, whose products and sums are exact."""
    most = 1 if element == "bf16" else 3
    return np.asfortranarray(rng.integers(-most, most + 1, shape).astype(SCALARS[element]))


@dataclass
class Operand:
    """A matrix for each item: `form` says how they lie in memory."""

    name: str
    element: str
    shape: tuple[int, int]
    form: str
    gap: int = 0
    later: int = 0

    @property
    def parameter(self) -> str:
        """As the kernel takes it."""
        rows, columns = self.shape
        match self.form:
            case "fixed":
                return f"%{self.name}: memref<{self.element}x{rows}x{columns}>"
            case "pointers":
                return f"%{self.name}: group<memref<{self.element}x{rows}x{columns}>x?>"
            case "middle":
                return f"%{self.name}: memref<{self.element}x{rows}x?x{columns}>"
            case "gaps" | "pitched":
                apart = (rows + self.gap) * (columns + 1) if self.form == "pitched" else "?"
                type_ = f"{self.element}x{rows}x{columns}x?,strided<1,{rows + self.gap},{apart}>"
                return f"%{self.name}: memref<{type_}>"
            case _:
                return f"%{self.name}: memref<{self.element}x{rows}x{columns}x?>"

    @property
    def view(self) -> str:
        """The matrix of a work-group, `%` and the name in small letters."""
        rows, columns = self.shape
        type_, view = f"{self.element}x{rows}x{columns}", self.name.lower()
        match self.form:
            case "fixed":
                return f"%{view} = subview %{self.name}[0:{rows}, 0:{columns}] : memref<{type_}>"
            case "pointers":
                return f"%{view} = load %{self.name}[%g] : memref<{type_}>"
            case "middle":
                return f"%{view} = subview %{self.name}[0:{rows}, %g, 0:{columns}] : memref<{type_},strided<1,?>>"
            case "gaps" | "pitched":
                place, strides = f"[0:{rows}, 0:{columns}, %g]", f"strided<1,{rows + self.gap}>"
                return f"%{view} = subview %{self.name}{place} : memref<{type_},{strides}>"
            case _:
                at = "%later" if self.later else "%g"
                return f"%{view} = subview %{self.name}[0:{rows}, 0:{columns}, {at}] : memref<{type_}>"

    def argument(self, rng: np.random.Generator, items: int) -> Argument:
        """Random numbers of so many items."""
        rows, columns = self.shape
        match self.form:
            case "fixed":
                return numbers(rng, self.element, rows, columns)
            case "pointers":
                # one behind the other: of an odd number of halves every other one begins within a word
                found = numbers(rng, self.element, rows, columns, items)
                return GroupArgument([found[:, :, item] for item in range(items)])
            case "middle":
                return numbers(rng, self.element, rows, items, columns)
            case "gaps" | "pitched":
                return numbers(rng, self.element, rows + self.gap, columns + 1, items)[:rows, :columns]
            case _:
                return numbers(rng, self.element, rows, columns, items + self.later)

    def matrix(self, argument: Argument, item: int) -> Array:
        """That of an item, in the memory of the argument."""
        if isinstance(argument, GroupArgument):
            found = argument.arrays[item]
            assert found is not None
            return found
        assert isinstance(argument, np.ndarray)
        match self.form:
            case "fixed":
                return argument
            case "middle":
                return argument[:, item]
            case "gaps" | "pitched":
                return argument[:, :, item]
            case _:
                return argument[:, :, item + self.later]


@dataclass
class Batch:
    """`C_i := alpha op(A_i) op(B_i) + beta C_i`."""

    element: str
    size: tuple[int, int, int]
    forms: tuple[str, str, str] = ("rows", "rows", "rows")
    turned: tuple[bool, bool] = (False, False)
    alpha: int = 1
    beta: int = 0
    gap: int = 0
    later: int = 0
    operands: list[Operand] = field(init=False)

    def __post_init__(self) -> None:
        m, n, k = self.size
        shapes: dict[str, tuple[int, int]] = {"A": (m, k), "B": (k, n), "C": (m, n)}
        turned = {"A": self.turned[0], "B": self.turned[1], "C": False}
        self.operands = [
            Operand(name, self.element, (shape[1], shape[0]) if turned[name] else shape, form, self.gap, self.later)
            for (name, shape), form in zip(shapes.items(), self.forms, strict=True)
        ]

    @property
    def text(self) -> str:
        """In the tensor language."""
        number = ".0" if self.element[0] in "fb" else ""
        forms = ".".join("t" if turned else "n" for turned in self.turned)
        views = "\n    ".join(operand.view for operand in self.operands)
        return f"""func @k({", ".join(operand.parameter for operand in self.operands)}) {{
    %g = group_id.x : index
    %more = constant {self.later} : index
    %later = add %g, %more : index
    %alpha = constant {self.alpha}{number} : {self.element}
    %beta = constant {self.beta}{number} : {self.element}
    {views}
    gemm.{forms} %alpha, %a, %b, %beta, %c
}}"""

    def launch(self, rng: np.random.Generator, items: int) -> Launch:
        """Arguments, and what NumPy makes of them."""
        given = [operand.argument(rng, items) for operand in self.operands]
        last = self.operands[2]
        target = given[2]
        expected = (
            [None if array is None else array.copy("F") for array in target.arrays]
            if isinstance(target, GroupArgument)
            else np.array(target, order="F")
        )
        memory = GroupArgument(expected) if isinstance(expected, list) else expected
        for item in range(items):
            a, b, c = (
                operand.matrix(argument, item).astype(np.float64)
                for operand, argument in zip(self.operands, given, strict=True)
            )
            left, right = (m.T if turned else m for m, turned in zip((a, b), self.turned, strict=True))
            found = self.alpha * (left @ right) + self.beta * c
            last.matrix(memory, item)[...] = found.astype(SCALARS[self.element])
        return Launch(given, {2: expected}, (items, 1, 1))


def packed(text: str, schedule: str = "") -> Emulated:
    """A kernel for the emulator, which is packed."""
    found = compiled(text, schedule=schedule)
    assert found.kernels[0].facts["schedule"].startswith("packed"), found.kernels[0].facts["schedule"]
    return found


def disagreements(batch: Batch, on: Emulated, rng: np.random.Generator, items: int) -> list[str]:
    """What differs between the emulator and NumPy."""
    launch = batch.launch(rng, items)
    return faults(launch, on.run(launch, schedule=random.Random(items)))


@pytest.mark.covering(1)
@pytest.mark.parametrize("element", ["f32", "f64", "f16", "i32"])
@pytest.mark.parametrize("size", SHAPES)
def test_products_of_every_count(element: str, size: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Grids that blocks divide and do not, and those with no work-group."""
    batch = Batch(element, size)
    on = packed(batch.text)
    launch = on.kernels[0].launch
    assert launch is not None
    assert launch.items > 1
    for items in (0, 1, launch.items - 1, launch.items, launch.items + 1):
        assert not disagreements(batch, on, rng, items), items


@pytest.mark.covering(1)
@pytest.mark.parametrize("form", ["rows", "fixed", "pointers", "middle", "gaps", "pitched"])
@pytest.mark.parametrize("turned", [(False, True), (True, False)])
def test_memory_of_every_form(form: str, turned: tuple[bool, bool], rng: np.random.Generator) -> None:
    for forms in ((form, "rows", "rows"), ("rows", form, "gaps"), (form, form, "rows" if form == "fixed" else form)):
        batch = Batch("f32", (8, 6, 4), forms, turned, alpha=2, beta=-1, gap=4)
        assert not disagreements(batch, packed(batch.text, "packed threads=64"), rng, 19), forms


def test_rows_that_are_not_aligned(rng: np.random.Generator) -> None:
    """The first item lies 324 bytes behind where the array begins; two warps a block, of which one may have no item."""
    batch = Batch("f32", (9, 9, 9), beta=1, later=1)
    on = packed(batch.text, "packed threads=64")
    assert not disagreements(batch, on, rng, 37)


def test_dense_items_that_lie_apart(rng: np.random.Generator) -> None:
    batch = Batch("f32", (8, 6, 4), ("rows", "rows", "pitched"))
    assert not disagreements(batch, packed(batch.text), rng, 19)


def random_batch(choice: random.Random) -> Batch:
    """Any size and form."""
    most = choice.choice((4, 12, 24, 64))
    m, n, k = (choice.randint(1, most) for _ in range(3))
    element = choice.choice(("f32", "f32", "f64", "f16", "bf16", "i32", "i8"))
    forms = ("rows", "rows", "fixed", "pointers", "middle", "gaps", "pitched")
    a, b, c = (choice.choice(forms) for _ in range(3))
    turned = (choice.random() < 0.3, choice.random() < 0.3)
    alpha, beta = choice.choice((1, 1, 2, 0)), choice.choice((0, 0, 1, -1))
    last = "rows" if c == "fixed" else c
    first = "rows" if a == b == "fixed" and last == "rows" and choice.random() < 0.5 else a
    gap = choice.choice((1, 4, 8))
    return Batch(element, (m, n, k), (first, b, last), turned, alpha, beta, gap, choice.choice((0, 0, 1)))


def test_random_batches(ran: Ran) -> None:
    """All that are packed, with a random number of items; any order of the threads."""
    done, seed = 0, SEED
    while done < BATCHES:
        seed += 1
        choice, rng = random.Random(seed), np.random.default_rng(seed)
        batch = random_batch(choice)
        on = compiled(batch.text)
        launch = on.kernels[0].launch
        assert launch is not None
        if not on.kernels[0].facts["schedule"].startswith("packed"):
            continue
        done += 1
        items = choice.choice((1, launch.items - 1, launch.items, launch.items + 1, choice.randint(1, 40)))
        found = disagreements(batch, on, rng, items)
        assert not found, f"seed {seed}, {items} items: {found}\n{batch.text}"
    ran(done, "packed batches in the emulator")


FUSED = (Path(__file__).parents[3] / "examples" / "fused_kernel.tl").read_text()

CHAIN = """func @chain(%P: memref<f32x12x12>, %Q: memref<f32x5x5>, %s: memref<f32x?>, %X: memref<f32x12x5x?>,
            %Y: memref<f32x12x5x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %f = load %s[%g] : f32
    %x = subview %X[0:12, 0:5, %g] : memref<f32x12x5>
    %y = subview %Y[0:12, 0:5, %g] : memref<f32x12x5>
    %t = alloca : memref<f32x12x5,local>
    %u = alloca : memref<f32x12x5,local>
    gemm %one, %P, %x, %zero, %t
    gemm %f, %t, %Q, %zero, %u
    axpby %one, %x, %f, %u
    gemm %one, %P, %u, %one, %y
}"""


def fused(rng: np.random.Generator, items: int) -> Launch:
    """The sample kernel, whose A are behind pointers."""
    a = [numbers(rng, "f32", 16, 8) for _ in range(items)]
    b, c, d = numbers(rng, "f32", 8, 8), numbers(rng, "f32", 8, 16), numbers(rng, "f32", 16, 16, items)
    found = d.copy("F")
    for item in range(items):
        found[:, :, item] += 2 * (a[item] @ b.T) @ c
    return Launch([np.float32(2), GroupArgument(a), b, c, d], {4: found}, (items, 1, 1))


def chain(rng: np.random.Generator, items: int) -> Launch:
    """Three products, with constant factors on either side, and a number of each item between them."""
    p, q, s = numbers(rng, "f32", 12, 12), numbers(rng, "f32", 5, 5), numbers(rng, "f32", items)
    x, y = numbers(rng, "f32", 12, 5, items), numbers(rng, "f32", 12, 5, items)
    found = y.copy("F")
    for item in range(items):
        between = x[:, :, item] + s[item] * (s[item] * (p @ x[:, :, item]) @ q)
        found[:, :, item] += p @ between
    return Launch([p, q, s, x, y], {4: found}, (items, 1, 1))


@pytest.mark.parametrize(("text", "prepare"), [(FUSED, fused), (CHAIN, chain)], ids=["fused", "chain"])
def test_chains_of_products(
    text: str, prepare: Callable[[np.random.Generator, int], Launch], rng: np.random.Generator
) -> None:
    """Intermediate results stay on the chip, whatever else the kernel does; and blocks of two in a row."""
    on = packed(text)
    for items in (1, 9, 30):
        launch = prepare(rng, items)
        assert not faults(launch, on.run(launch, schedule=random.Random(items))), items


WIDENED = """func @k(%A: memref<f32x12x24x?>, %P: memref<f32x24x4>, %Q: memref<f32x4x16>, %C: memref<f32x12x16x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %a = subview %A[0:12, 0:24, %g] : memref<f32x12x24>
    %c = subview %C[0:12, 0:16, %g] : memref<f32x12x16>
    %t = alloca : memref<f32x12x4,local>
    gemm %one, %a, %P, %zero, %t
    gemm %one, %t, %Q, %zero, %c
}"""


def test_results_stay_while_other_items_of_the_chunk_are_computed(rng: np.random.Generator) -> None:
    """Two passes: both what is between the products and the larger result would have room where a factor lay."""
    on = packed(WIDENED, "packed chunk=8x8/32")
    a, p, q = numbers(rng, "f32", 12, 24, 8), numbers(rng, "f32", 24, 4), numbers(rng, "f32", 4, 16)
    found = np.asfortranarray(np.stack([a[:, :, item] @ p @ q for item in range(8)], axis=2))
    launch = Launch([a, p, q, np.full_like(found, np.nan)], {3: found}, (8, 1, 1))
    assert not faults(launch, on.run(launch, schedule=random.Random(0)))


@pytest.mark.covering(1)
@pytest.mark.parametrize("forms", [("rows", "rows", "rows"), ("pointers", "fixed", "gaps"), ("middle", "gaps", "rows")])
@pytest.mark.parametrize("size", [(8, 8, 8), (9, 9, 9), (37, 2, 5)])
def test_lanes_in_the_interpreter(
    forms: tuple[str, str, str], size: tuple[int, int, int], rng: np.random.Generator
) -> None:
    """The same kernels on the lane level, where copies arrive when they are awaited."""
    batch = Batch("f32", size, forms, beta=1, gap=4)
    module = read_module(Source("batch.tl", batch.text), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(2, verify_each=True), Report())
    (kernel,) = module.kernels
    assert kernel.items > 1
    launch = batch.launch(rng, 21)
    arguments = [Group(a.arrays) if isinstance(a, GroupArgument) else a for a in launch.arguments]
    interpret(kernel, arguments, launch.grid)
    target = arguments[2]
    assert not faults(launch, {2: list(target.arrays) if isinstance(target, Group) else np.asarray(target)})


@needs_ptxas
@pytest.mark.covering(1)
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("size", TABLE)
@pytest.mark.parametrize("beta", [0, 1])
@pytest.mark.usefixtures("users_ptx")
def test_what_the_code_promises(element: str, size: tuple[int, int, int], beta: int) -> None:
    """No spills, one barrier of the block at most, copies and stores of 16 bytes, sums added by one instruction."""
    artifact = tw.compile(Batch(element, size, beta=beta).text, target="nvidia:sm_80", cache=False).artifact
    ptx = artifact.texts["ptx"]
    (resources,) = assemble(ptx, Architecture.SM_80).kernels.values()
    assert resources.spill_store_bytes == resources.spill_load_bytes == resources.stack_bytes == 0
    assert resources.barriers <= 1
    assert "cp.async.cg.shared.global" in ptx
    assert f"st.global.v{16 // np.dtype(SCALARS[element]).itemsize}" in ptx
    assert f"fma.rn.{element}" in ptx


def test_the_schedule_says_why_not() -> None:
    """Products that are done in parts have a better way, and keep it."""
    found = compiled(Batch("f32", (64, 64, 64)).text).kernels[0]
    assert "work-groups are not packed: " in found.facts["schedule"]
    assert "scf.for" in found.facts["schedule"]
    assert found.launch is not None
    assert found.launch.items == 1


def products_in_a_row(*last: str) -> str:
    lines = "\n".join(("gemm %one, %a, %b, %zero, %c", *last))
    views = "\n".join(f"%{name.lower()} = subview %{name}[0:4, 0:4, %g] : memref<f32x4x4>" for name in "ABCDE")
    parameters = ", ".join(f"%{name}: memref<f32x4x4x?>" for name in "ABCDE")
    return f"""func @k({parameters}) {{
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    {views}
    {lines}
}}"""


def test_what_is_read_behind_a_store_is_not_packed() -> None:
    """The second product reads what the first one has written."""
    found = compiled(
        products_in_a_row("%i = constant 0 : index", "%x = load %c[%i,%i] : f32", "gemm %x, %a, %b, %zero, %d")
    ).kernels[0]
    assert "a load behind a store to memory that may be the same" in found.facts["schedule"]
    assert found.apart is None


def test_what_may_be_read_behind_a_store_is_packed_where_arrays_lie_apart(rng: np.random.Generator) -> None:
    """The second product reads what the first one may have written."""
    text = products_in_a_row("gemm %one, %e, %b, %zero, %d")
    program, meant = program_of_text(text), tw.compile(text, target="interpreter").k[3]
    info = program.k.info
    assert "a load behind a store to an array that it may overlap" in info.facts["schedule"]
    assert info.apart is not None
    assert [each is not None and each.items > 1 for each in (info.launch, info.apart.launch)] == [False, True]
    for starts in ((0, 48, 96, 144, 192), (0, 48, 96, 144, 96), (0, 48, 96, 144, 0)):
        memory = rng.integers(-4, 5, 240).astype(np.float32)
        wanted = memory.copy()
        given, expected = (
            [whole[start : start + 48].reshape(4, 4, 3, order="F") for start in starts] for whole in (memory, wanted)
        )
        meant(*expected)
        program.k[3](*given)
        assert np.array_equal(memory, wanted), starts


def test_another_way_can_be_asked_for() -> None:
    text = Batch("f32", (8, 8, 8)).text
    taken = str(compiled(text).kernels[0].facts["schedule"])
    assert compiled(text, schedule=taken).kernels[0].facts["schedule"] == taken
    other = compiled(text, schedule="lanes").kernels[0]
    assert other.launch is not None
    assert (other.launch.items, other.facts["schedule"].split()[0]) == (1, "lanes")


@pytest.mark.parametrize("wanted", ["threads=256", "product=16x16x16:fma.f32"])
def test_what_packed_items_lack_takes_another_way(wanted: str) -> None:
    """Who asks for no way gets the one that has what he asks for."""
    found = compiled(Batch("f32", (16, 16, 16)).text, schedule=wanted).kernels[0]
    assert found.launch is not None
    assert found.launch.items == 1
    assert found.facts["schedule"].startswith("lanes")
    assert wanted in found.facts["schedule"].partition(" #")[0]
    assert f"work-groups are not packed: {wanted}" in found.facts["schedule"]


@pytest.mark.parametrize(
    ("text", "wanted", "said"),
    [
        (Batch("f32", (64, 64, 64)).text, "packed", "packed does not fit kernel .*work-groups are not packed"),
        (Batch("f32", (8, 8, 8)).text, "packed threads=992", "threads=992 does not fit kernel .* blocks have"),
        (Batch("f32", (8, 8, 8)).text, "packed tile=16x8x8", "tile=16x8x8 does not fit kernel .* tiles of 8x8x8"),
        (
            Batch("f32", (8, 8, 8)).text,
            "packed chunk=32x1/32 pairs=yes",
            "pairs=yes does not fit .* two at a time",
        ),
    ],
    ids=["large", "threads", "tile", "pairs"],
)
def test_what_cannot_be_packed_is_refused(text: str, wanted: str, said: str) -> None:
    with pytest.raises(tw.CompileError, match=said):
        tw.compile(text, target="nvidia:sm_80", schedule=wanted, cache=False)
