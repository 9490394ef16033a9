"""From the layouts of arrays, and what is asked of their product, to plans and launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.schedules import parse_line
from tilewright.operators.alignment import BYTES, aligned_strides, has_maps, has_wide_copies, misaligned
from tilewright.operators.contractions import (
    COLUMNS,
    PARTIAL,
    PARTS,
    ROWS,
    TERMS,
    Arranged,
    Arrangement,
    Contraction,
    Misplaced,
    arranged,
    check_result,
    packed_strides,
)
from tilewright.operators.device_tiles import architecture_of, device_tiles
from tilewright.operators.epilogues import operations_of
from tilewright.operators.errors import OperatorError, refused
from tilewright.operators.frameworks import Framework
from tilewright.operators.layouts import Extents
from tilewright.operators.program_text import LARGEST, NAME, ProgramClass, parameters_of, program_text
from tilewright.operators.splitting import in_parts
from tilewright.operators.turning import turned_anew
from tilewright.runtime.errors import LaunchError

if TYPE_CHECKING:
    from tilewright.program import Kernel

_KEPT_PROGRAMS: Final = 256
"""Compiled programs that a process keeps; the cache on disk keeps them all."""


_HALF: Final = 2
"""Bytes of elements whose tiles are always copied by the machine, where that has maps."""
_DOUBLE: Final = 8
_REGISTER: Final = 4
_SPARE: Final = 64
"""Registers of accumulators beside which a thread has enough."""
_SMALL: Final = 64
_MANY: Final = 16
_LONG: Final = 1024


class Copy(Struct, frozen=True):
    """An operand that is copied before a product, by its `name`, and the `reason`.

    What is copied has extents `shape` and these `strides`, in elements; the copy has those that are `wanted`.
    """

    name: str
    shape: Extents
    strides: Extents
    wanted: Extents
    reason: str

    def __str__(self) -> str:
        return f"{self.name} is copied: {self.reason} (strides {self.strides}, of the copy {self.wanted})"


class Wish(Struct, frozen=True):
    """What is asked of a product beside its arrays: types, steps behind it, factors, where it runs, and whether there
    are new arrays (`allocates`), for copies and sums of parts; in what products multiply."""

    accumulate: str
    compute: str
    steps: tuple[str, ...]
    scaled: bool
    added: bool
    rounded: bool
    target: str
    allocates: bool
    precision: str


class Step(Struct, frozen=True):
    """One launch of a product: its program, in MLIR, for operands as they are `arranged`, with the `tiles` that are
    asked of the compiler (a schedule, or nothing); whether it takes alpha and beta."""

    text: str
    arranged: Arrangement
    tiles: str
    takes_numbers: bool


class Plan(Struct, frozen=True):
    """What a product takes: `copies` of operands that no kernel takes as they lie, then a launch for each of `steps`.

    `arrangement` tells which modes are loops and which those of the matrices, with their extents. There is a second
    step where the first one computes sums of some of the terms each, in `parts`. A step's program is compiled for
    `target` and `precision` once for all products of its class. Print a plan to read how the kernels run.
    """

    copies: tuple[Copy, ...]
    arrangement: Arrangement
    steps: tuple[Step, ...]
    target: str
    precision: str = "exact"
    parts: int = 1

    @property
    def text(self) -> str:
        """The program that multiplies."""
        return self.steps[0].text

    @property
    def kernel(self) -> Kernel:
        """The compiled kernel that multiplies."""
        return self.kernels[0]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Those of all steps."""
        return tuple(compiled(step.text, self.target, self.precision, step.tiles) for step in self.steps)

    @property
    def schedule(self) -> str:
        """How the kernels run, and why not in a better way: of each `Kernel.schedule`, a line."""
        return "\n".join(kernel.schedule for kernel in self.kernels)

    def __str__(self) -> str:
        sizes = " ".join(f"{mode}={extent}" for mode, extent in self.arrangement.extents.items())
        turned = "; computed as the transposed product, whose result lies row by row" if self.arrangement.turned else ""
        parts = f"; in {self.parts} parts of the terms, whose sums a second launch adds" if self.parts > 1 else ""
        return "\n".join([*map(str, self.copies), f"matmul {sizes} on {self.target}{turned}{parts}", self.schedule])


def plan_of(contraction: Contraction, wish: Wish) -> Plan:
    """How a contraction is computed. Raises `OperatorError` where it cannot be."""
    check_result(contraction)
    copies: list[Copy] = []
    # on a GPU tiles of one row are faster than what products of vectors are there; those are always exact
    vectors = not wish.target.startswith("nvidia") and wish.precision == "exact"
    found = arranged(contraction, vectors=vectors)
    while isinstance(found, Misplaced):
        if not wish.allocates:
            name = found.operand.name
            raise OperatorError(f"{name}: {found.reason}, and its library is not known to copy it; pass a copy")
        extents = found.contraction.extents
        strides = packed_strides(found.modes, extents)
        shape = tuple(extents[mode] for mode in found.modes)
        now = tuple(found.operand.strides[mode] for mode in found.modes)
        wanted = tuple(strides[mode] for mode in found.modes)
        copies.append(Copy(found.operand.name, shape, now, wanted, found.reason))
        found = arranged(found.with_strides(strides), vectors=vectors)
    if not wish.target.startswith("nvidia"):
        return Plan(tuple(copies), found, (_step(found, wish, ""),), wish.target, wish.precision)
    if wish.allocates:
        found = _with_one_turned(found, wish, copies)
    reads_result = wish.added and all(one.name != "c" for one in found.operands)
    tiles = device_tiles(
        found,
        wish.accumulate,
        wish.target,
        wish.precision,
        divides=wish.allocates,
        reads_result=reads_result,
        operations=operations_of(wish.steps, wish.compute, found.operands[-1].dtype),
    )
    if wish.allocates:
        found = _with_aligned_factors(found, copies, tiles.seconds, exact=wish.precision == "exact")
    parts = tiles.parts
    if parts == 1:
        steps = (_step(found, wish, _with_maps(tiles.schedule, found, wish)),)
    else:
        divided = in_parts(found, parts, wish.accumulate)
        plain = replace(wish, compute=wish.accumulate, steps=(), scaled=False, added=False, rounded=False)
        steps = (
            _step(divided.product, plain, _with_maps(tiles.schedule, divided.product, wish)),
            _step(divided.sums, wish, ""),
        )
    return Plan(tuple(copies), found, steps, wish.target, wish.precision, parts)


def _with_maps(tiles: str, found: Arrangement, wish: Wish) -> str:
    """Tiles with the one way that matrices of the class need: of 16 bits all have maps, or one has none; those of
    f32 and f64 threads copy an element at a time, or 16 bytes where that is told from a second way."""
    types = {one.dtype for one in found.operands[:2]}
    if all(BYTES[each] == _HALF for each in types):
        is_copied = architecture_of(wish.target).multiplies_by_groups
        return f"{tiles} maps={'yes' if has_maps(found) else 'no'}" if is_copied else tiles
    is_wide = has_wide_copies(found) if wish.precision == "exact" and types == {wish.accumulate} else None
    if is_wide is False:
        return f"{tiles} maps=none"
    is_told = is_wide and BYTES[wish.accumulate] == _DOUBLE and _has_one_way(tiles, found.extents[TERMS])
    return f"{tiles} maps=yes" if is_told else tiles


def _has_one_way(tiles: str, terms: int) -> bool:
    """Whether products of f64 are faster without a second way of copying: accumulators take so many registers of a
    thread that both spill some, or terms end in a box, for which there is a loop of its own then.

    Others are not, nor are those of f32 (`benchmarks/gpu/matmul.py`; 4096).
    """
    schedule = parse_line(tiles)
    if schedule.tile is None or schedule.threads is None:
        return False
    rows, columns, depth = schedule.tile
    return terms % depth != 0 or rows * columns * _DOUBLE // _REGISTER > _SPARE * schedule.threads


def _step(found: Arrangement, wish: Wish, tiles: str) -> Step:
    """The launch of a product, or of the sums of its parts. Raises `OperatorError` where no program has room for it."""
    fixed = _fixed(found, wish.target)
    longest = max(found.extents.get(ROWS, 1), found.extents[COLUMNS])
    wanted = ProgramClass(
        len(found.loops),
        parameters_of(found, fixed),
        wish.accumulate,
        wish.compute,
        wish.steps,
        wish.scaled,
        wish.added,
        wish.rounded,
        # the interpreter has what it allocates
        longest if wish.target == "interpreter" else LARGEST,
        tuple((mode, found.extents[mode]) for mode in fixed),
    )
    if not wanted.is_plain and longest > LARGEST:
        raise OperatorError(f"rows and columns of a result with an epilogue have {LARGEST} elements at most")
    return Step(program_text(wanted), found, tiles, bool(wanted.scalars))


def _fixed(arrangement: Arrangement, target: str) -> tuple[str, ...]:
    """The modes whose extents a program is compiled for: parts, and on the CPU the short ones of many small matrices
    and of a long thin product.

    Of open extents each is packed as if it were large: matrices of 64 x 64 took ten times as long, of 8 x 8 twenty, and
    a matrix of three columns times one of 3 x 3 a hundred times as long.
    """
    extents = arrangement.extents
    if PARTS in extents:
        return (PARTS,)
    if not target.startswith("cpu"):
        return ()
    matrix = tuple(mode for mode in (ROWS, COLUMNS, TERMS) if mode in extents)
    short = tuple(mode for mode in matrix if 0 < extents[mode] <= _SMALL)
    are_many = short == matrix and prod(extents[mode] for mode in arrangement.loops) >= _MANY
    is_thin = len(short) == len(matrix) - 1 and max(extents[mode] for mode in matrix) >= _LONG
    return short if are_many or is_thin else ()


def _with_one_turned(arrangement: Arrangement, wish: Wish, copies: list[Copy]) -> Arrangement:
    """With a copy of one factor where both lie as units do not take them and that pays."""
    found = turned_anew(arrangement, wish.precision)
    if found is None or not architecture_of(wish.target).multiplies_by_groups:
        return arrangement
    now, then = found
    copies.append(Copy(now.name, now.shape, now.strides, then.strides, "no unit takes both factors as they lie"))
    operands = (then if one.name == then.name else one for one in arrangement.operands)
    return replace(arrangement, operands=tuple(operands))


def _with_aligned_factors(arrangement: Arrangement, copies: list[Copy], seconds: float, *, exact: bool) -> Arrangement:
    """With copies of factors that are read slowly as they lie, where that pays: others take so many seconds."""
    operands = {one.name: one for one in arrangement.operands}
    for factor, reason in misaligned(arrangement, seconds, exact=exact):
        wanted = aligned_strides(factor)
        copies.append(Copy(factor.name, factor.shape, factor.strides, wanted, reason))
        operands[factor.name] = replace(factor, strides=wanted, aligned=True)
    return replace(arrangement, operands=tuple(operands.values()))


@lru_cache(_KEPT_PROGRAMS)
def compiled(text: str, target: str, precision: str, tiles: str = "") -> Kernel:
    """The kernel of a program with the tiles that are asked for, compiled once."""
    from tilewright.api import compile

    return compile(text, target=target, precision=precision, schedule=tiles or None)[NAME]


class Start(Struct, frozen=True):
    """A launch on arrays: which ones, by name, in which views; whether it takes alpha and beta."""

    start: Callable[..., None]
    views: tuple[tuple[str, tuple[Extents, Extents] | None], ...]
    takes_numbers: bool


class Launch(Struct, frozen=True):
    """A product of arrays that lie as some did before: launches after copies; the extents and type of sums of parts."""

    starts: tuple[Start, ...]
    copies: tuple[Copy, ...]
    partial: tuple[Extents, str] | None = None

    def run(self, framework: Framework, numbers: Sequence[float], arrays: dict[str, object]) -> None:
        """Launch on arrays by name."""
        for copy in self.copies:
            copied = framework.copied(arrays[copy.name], copy.shape, copy.strides, copy.wanted)
            arrays = {**arrays, copy.name: copied}
        if self.partial is not None:
            arrays = {**arrays, PARTIAL: framework.empty(*self.partial, arrays["out"])}
        for each in self.starts:
            passed = [
                arrays[name] if view is None else framework.viewed(arrays[name], *view) for name, view in each.views
            ]
            try:
                each.start(*(numbers if each.takes_numbers else ()), *passed)
            except LaunchError as error:
                raise refused(error) from None


def launch_of(plan: Plan, layouts: dict[str, tuple[Extents, Extents]]) -> Launch:
    """The launch of a plan for arrays with these extents and strides, by name."""
    copied = {copy.name for copy in plan.copies}

    def view(one: Arranged) -> tuple[Extents, Extents] | None:
        if one.name == PARTIAL:
            return None
        as_is = one.name not in copied and layouts.get(one.name) == (one.shape, one.strides)
        return None if as_is else (one.shape, one.strides)

    starts = tuple(
        # a launch of its own: a kernel remembers few layouts, and takes others through Python
        Start(kernel.site(), tuple((one.name, view(one)) for one in step.arranged.operands), step.takes_numbers)
        for kernel, step in zip(plan.kernels, plan.steps, strict=True)
    )
    every = (one for step in plan.steps for one in step.arranged.operands)
    sums = next(((one.shape, one.dtype) for one in every if one.name == PARTIAL), None)
    return Launch(starts, plan.copies, sums)
