"""From the layouts of arrays, and what is asked of their product, to plans and launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators.alignment import aligned_strides, misaligned
from tilewright.operators.contractions import (
    COLUMNS,
    PARTIAL,
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
from tilewright.operators.errors import OperatorError, refused
from tilewright.operators.frameworks import Framework
from tilewright.operators.layouts import Extents
from tilewright.operators.program_text import LARGEST, NAME, ProgramClass, parameters_of, program_text
from tilewright.operators.splitting import in_parts, parts_of
from tilewright.runtime.errors import LaunchError

if TYPE_CHECKING:
    from tilewright.program import Kernel

_KEPT_PROGRAMS: Final = 256
"""Compiled programs that a process keeps; the cache on disk keeps them all."""


_SMALL: Final = 64
_MANY: Final = 16


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


class Plan(Struct, frozen=True):
    """What a product takes: `copies` of operands that kernels do not take as they lie, then one launch of `kernel`.

    `arrangement` tells which modes are loops and which those of the matrices, with their extents. `text` is its
    program, in MLIR, which is compiled for `target` and `precision` once for all products of its class. Print a plan to
    read how the kernel runs.
    """

    copies: tuple[Copy, ...]
    arrangement: Arrangement
    text: str
    target: str
    precision: str = "exact"

    @property
    def kernel(self) -> Kernel:
        """The compiled kernel."""
        return compiled(self.text, self.target, self.precision)

    @property
    def schedule(self) -> str:
        """How the kernel runs, and why not in a better way: `Kernel.schedule`."""
        return self.kernel.schedule

    def __str__(self) -> str:
        sizes = " ".join(f"{mode}={extent}" for mode, extent in self.arrangement.extents.items())
        turned = "; computed as the transposed product, whose result lies row by row" if self.arrangement.turned else ""
        return "\n".join([*map(str, self.copies), f"matmul {sizes} on {self.target}{turned}", self.schedule])


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
    if wish.target.startswith("nvidia") and wish.allocates:
        found = _with_aligned_factors(found, copies)
        parts = parts_of(found)
        if parts > 1:
            found = in_parts(found, parts, wish.accumulate)
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
    return Plan(tuple(copies), found, program_text(wanted), wish.target, wish.precision)


def _fixed(arrangement: Arrangement, target: str) -> tuple[str, ...]:
    """The modes whose extents a program is compiled for: those of many small matrices on the CPU.

    Of open extents each is packed as if it were large: matrices of 64 x 64 took ten times as long, of 8 x 8 twenty.
    """
    extents = arrangement.extents
    matrix = tuple(mode for mode in (ROWS, COLUMNS, TERMS) if mode in extents)
    many = prod(extents[mode] for mode in arrangement.loops)
    is_small = all(0 < extents[mode] <= _SMALL for mode in matrix)
    return matrix if target.startswith("cpu") and is_small and many >= _MANY else ()


def _with_aligned_factors(arrangement: Arrangement, copies: list[Copy]) -> Arrangement:
    """With copies of factors that are read slowly as they lie, where that pays."""
    operands = {one.name: one for one in arrangement.operands}
    for factor, reason in misaligned(arrangement):
        wanted = aligned_strides(factor)
        copies.append(Copy(factor.name, factor.shape, factor.strides, wanted, reason))
        operands[factor.name] = replace(factor, strides=wanted, aligned=True)
    return replace(arrangement, operands=tuple(operands.values()))


@lru_cache(_KEPT_PROGRAMS)
def compiled(text: str, target: str, precision: str) -> Kernel:
    """The kernel of a program, compiled once."""
    from tilewright.api import compile

    return compile(text, target=target, precision=precision)[NAME]


class Launch(Struct, frozen=True):
    """A product of arrays that lie as some did before: which arrays, by name, in which views, after which copies; the
    extents and type of sums of parts."""

    start: Callable[..., None]
    copies: tuple[Copy, ...]
    views: tuple[tuple[str, tuple[Extents, Extents] | None], ...]
    partial: tuple[Extents, str] | None = None

    def run(self, framework: Framework, numbers: Sequence[float], arrays: dict[str, object]) -> None:
        """Launch on arrays by name."""
        for copy in self.copies:
            copied = framework.copied(arrays[copy.name], copy.shape, copy.strides, copy.wanted)
            arrays = {**arrays, copy.name: copied}
        if self.partial is not None:
            arrays = {**arrays, PARTIAL: framework.empty(*self.partial, arrays["out"])}
        passed = [arrays[name] if view is None else framework.viewed(arrays[name], *view) for name, view in self.views]
        try:
            self.start(*numbers, *passed)
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

    views = tuple((one.name, view(one)) for one in plan.arrangement.operands)
    sums = next(((one.shape, one.dtype) for one in plan.arrangement.operands if one.name == PARTIAL), None)
    return Launch(plan.kernel[1], plan.copies, views, sums)
