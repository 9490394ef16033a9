"""The instructions that multiply and add, a declaration each: types, who holds which element, LLVM's name, machine.

An instruction forms D = A B + C of m x k, k x n and m x n elements, which the lanes of a warp hold as `rows`, `columns`
and `accumulators` say (B's layout has n first, k second: both factors read alike). Registers of a factor are words of
adjacent k. The scalar multiply-add is a row as any other: 8 x 4 lanes with an element each.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects.group_layouts import WARPGROUP_BYTES, WARPGROUP_ROWS, has_turned_rows, layouts_of_group
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I32, I64, TF32, ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.numerics.formats import FloatFormat

_BUSY: Final = 8
"""Bytes of an access with which no bank of shared memory has less to do than with wider ones."""
_TURNED_BYTES: Final = 2
_SMALL_BITS: Final = 8
_REG, _LANE = Owner.REG, Owner.LANE

Signs: TypeAlias = tuple[bool, bool]
"""Whether the integers of either factor are unsigned."""
SIGNED: Final[Signs] = (False, False)
_SIGNS: Final[tuple[Signs, ...]] = (SIGNED, (True, True), (False, True), (True, False))


class MatrixInstruction(Struct, frozen=True):
    """One instruction. `word` is the LLVM type of a factor's registers, `intrinsic` "" for scalar multiply-adds.

    A group of four warps (`warps`) has its factors in shared memory: `rows` and `columns` have one holder, and
    `intrinsic` is what assembly calls the instruction. It may as well have its rows in registers, as `held` says.
    `unsigned` says so of integers in rows and columns. Words of factors may be converted in registers: `conversion` is
    the intrinsic that rounds one, or that makes two neighbours of 8 bits what two instructions want, one for the lower
    and one for the upper neighbours of all words: the order of k is free. If `turned`, neighbours in shared memory are
    rows, which threads read from there into registers as `held` says.
    """

    name: str
    factor: ScalarType
    sum: ScalarType
    rows: Layout
    columns: Layout
    accumulators: Layout
    word: str
    intrinsic: str
    since: Architecture = Architecture.SM_80
    warps: int = 1
    held: Layout | None = None
    unsigned: Signs = SIGNED
    conversion: str = ""
    turned: bool = False

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, n, k."""
        (m, n), (_, k) = self.accumulators.shape, self.rows.shape
        return (m, n, k)

    @property
    def word_elements(self) -> int:
        """Adjacent k in one register of a factor."""
        return self.rows.vector_width(1) if self.factor.bits < 32 else 1

    @property
    def interleaves(self) -> bool:
        """Whether one access should read elements for several instructions.

        Elements of 8 bytes keep all banks busy alone. An instruction that wants several of them in a row would cost
        moves.
        """
        return self.word_elements == 1 and (self.factor.bytes < _BUSY or self.rows.count(_REG) == 1)

    @property
    def reads_memory(self) -> bool:
        """Whether factors lie in shared memory when it runs."""
        return self.warps > 1

    @property
    def rounds(self) -> bool:
        """Whether factors of f32 are rounded to tf32 in registers: such is no product of f32."""
        return bool(self.conversion) and self.factor is F32

    @property
    def turns_factors(self) -> bool:
        """Whether rows of factors in shared memory may run along m and n: `wgmma` turns elements of two bytes alone."""
        return not self.reads_memory or self.factor.bytes == _TURNED_BYTES

    @property
    def is_scalar(self) -> bool:
        """Whether each lane multiplies and adds by itself."""
        return not self.intrinsic


def _warp_product(
    name: str,
    types: tuple[ScalarType, ScalarType],
    depth: int,
    registers: tuple[Digit, ...],
    word: str,
    since: Architecture = Architecture.SM_80,
    unsigned: Signs = SIGNED,
) -> MatrixInstruction:
    """An instruction of 16 x 8 accumulators: lane 4 g + t has row g, adjacent k from t on, and two sums of columns 2
    t."""
    factor, total = types
    adjacent = 4 // factor.bytes if factor.bytes < 4 else 1
    word_digits = (Digit(_REG, adjacent, 1, 1),)
    lanes = (Digit(_LANE, 4, 1, adjacent), Digit(_LANE, 8, 0, 1))
    deeper = tuple(digit for digit in registers if digit.dim == 1)
    accumulators = (Digit(_REG, 2, 1, 1), Digit(_REG, 2, 0, 8), Digit(_LANE, 4, 1, 2), Digit(_LANE, 8, 0, 1))
    return MatrixInstruction(
        name,
        factor,
        total,
        Layout((16, depth), (*word_digits, *registers, *lanes)),
        Layout((8, depth), (*word_digits, *deeper, *lanes)),
        Layout((16, 8), accumulators),
        word,
        f"llvm.nvvm.mma.{name}",
        since,
        unsigned=unsigned,
    )


def _halves(step: int) -> tuple[Digit, ...]:
    """Registers of A: rows g and g + 8, then the k that are `step` further on."""
    return (Digit(_REG, 2, 0, 8), Digit(_REG, 2, 1, step))


_EIGHT: Final = (Digit(_LANE, 4, 1, 1), Digit(_LANE, 8, 0, 1))


def _multiply_add(type_: ScalarType, word: str) -> MatrixInstruction:
    """Multiply-adds of lanes that stand in 8 rows and 4 columns.

    Of four lanes that follow each other two share a row and two a column: shared memory serves accesses of 16 bytes in
    half the time where lanes beside each other, or next but one, want the same.
    """
    accumulators = (Digit(_LANE, 2, 1, 1), Digit(_LANE, 2, 0, 1), Digit(_LANE, 4, 0, 2), Digit(_LANE, 2, 1, 2))
    return MatrixInstruction(
        f"fma.{type_}",
        type_,
        type_,
        Layout((8, 1), tuple(_along(digit, 0) for digit in accumulators)),
        Layout((4, 1), tuple(_along(digit, 1) for digit in accumulators)),
        Layout((8, 4), accumulators),
        word,
        "",
    )


def _along(digit: Digit, dim: int) -> Digit:
    """What lanes of accumulators have of a factor, which shares one of their dimensions."""
    return Digit(digit.owner, digit.extent, 0, digit.stride) if digit.dim == dim else Digit(digit.owner, digit.extent)


F16_F32: Final = _warp_product("m16n8k16.row.col.f32.f32", (F16, F32), 16, _halves(8), "<2 x half>")
F16_F16: Final = _warp_product("m16n8k16.row.col.f16.f16", (F16, F16), 16, _halves(8), "<2 x half>")
"""Rounds the accumulators of each step along k, as nothing does that accumulators in f32: it is in no table."""


def _of_small(factor: ScalarType, name: str) -> MatrixInstruction:
    """Floats of 8 bits as f16, which has all of their numbers: two products of 16 k each, exact as those of f16 are."""
    found = _warp_product(f"m16n8k32.row.col.{name}.f16", (factor, F32), 32, _halves(16), "i32", Architecture.SM_90A)
    return replace(found, intrinsic=F16_F32.intrinsic, conversion=f"llvm.nvvm.{name}x2.to.f16x2.rn")


BF16_F32: Final = _warp_product("m16n8k16.row.col.bf16", (BF16, F32), 16, _halves(8), "i32")
TF32_F32: Final = _warp_product("m16n8k8.row.col.tf32", (TF32, F32), 8, _halves(4), "i32")
TF32_OF_F32: Final = replace(
    _warp_product("m16n8k8.row.col.tf32.rn", (F32, F32), 8, _halves(4), "float", Architecture.SM_90A),
    intrinsic=TF32_F32.intrinsic,
    conversion="llvm.nvvm.f2tf32.rn",
)


def _spelled(unsigned: Signs, together: bool) -> str:
    """Types of bytes in names; one stands for both where they are the same, if `together`."""
    rows, columns = ("u8" if each else "s8" for each in unsigned)
    return rows if together and rows == columns else f"{rows}.{columns}"


def _of_bytes(depth: int, registers: tuple[Digit, ...], unsigned: Signs) -> MatrixInstruction:
    name = f"m16n8k{depth}.row.col.{_spelled(unsigned, together=True)}"
    return _warp_product(name, (I8, I32), depth, registers, "i32", unsigned=unsigned)


_OF_BYTES: Final = (
    *(_of_bytes(32, _halves(16), unsigned) for unsigned in _SIGNS),
    *(_of_bytes(16, (Digit(_REG, 2, 0, 8),), unsigned) for unsigned in _SIGNS),
)
F64_K4: Final = MatrixInstruction(
    "m8n8k4.row.col.f64",
    F64,
    F64,
    Layout((8, 4), _EIGHT),
    Layout((8, 4), _EIGHT),
    Layout((8, 8), (Digit(_REG, 2, 1, 1), Digit(_LANE, 4, 1, 2), Digit(_LANE, 8, 0, 1))),
    "double",
    "llvm.nvvm.mma.m8n8k4.row.col.f64",
)
F64_K8: Final = _warp_product("m16n8k8.row.col.f64", (F64, F64), 8, _halves(4), "double", Architecture.SM_90A)
F64_K16: Final = _warp_product(
    "m16n8k16.row.col.f64",
    (F64, F64),
    16,
    (Digit(_REG, 2, 0, 8), Digit(_REG, 4, 1, 4)),
    "double",
    Architecture.SM_90A,
)

TABLE: Final = (
    _of_small(F8E4M3FN, "e4m3"),
    _of_small(F8E5M2, "e5m2"),
    F16_F32,
    BF16_F32,
    TF32_OF_F32,
    TF32_F32,
    *_OF_BYTES,
    F64_K8,
    F64_K16,
    F64_K4,
    _multiply_add(F32, "float"),
    _multiply_add(I32, "i32"),
    _multiply_add(I64, "i64"),
)
"""Of several that multiply the same types the best first."""


MOST_WARPGROUP_COLUMNS: Final = 256
_COARSE_COLUMNS: Final = 32
"""Products of integers have no more columns that are no multiple of 16."""


def _held_by_one(outer: int, depth: int) -> Layout:
    return Layout((outer, depth), (Digit(_REG, outer, 0, 1), Digit(_REG, depth, 1, 1)))


_WARPGROUP_TYPES: Final = {
    F16: (F32, "f32.f16.f16"),
    BF16: (F32, "f32.bf16.bf16"),
    TF32: (F32, "f32.tf32.tf32"),
    I8: (I32, "s32"),
    F8E4M3FN: (F32, "f32.e4m3.e4m3"),
    F8E5M2: (F32, "f32.e5m2.e5m2"),
}
"""What groups of warps multiply: accumulators, and the types as assembly calls them, but for signs."""
_COARSE_SUMS: Final = (F8E4M3FN, F8E5M2)
"""Factors whose accumulators the unit keeps in fewer bits than f32 has."""


def is_warpgroup_factor(lhs: ScalarType, rhs: ScalarType, total: ScalarType, fast: bool) -> bool:
    """Whether `wgmma` multiplies these types; `fast` accumulators may have fewer bits than `total`."""
    known = lhs is rhs and lhs in _WARPGROUP_TYPES and _WARPGROUP_TYPES[lhs][0] is total
    return known and (fast or lhs not in _COARSE_SUMS)


def _takes(factor: ScalarType, given: ScalarType) -> bool:
    """Whether a type is that of a factor, or converted to it exactly: 8 bits of a float to 16.

    Wider ones are left out: nothing is known of how units treat their subnormal numbers.
    """
    if given is factor:
        return True
    narrow, wide = given.format, factor.format
    if not isinstance(narrow, FloatFormat) or not isinstance(wide, FloatFormat):
        return False
    return narrow.bits <= _SMALL_BITS and factor.bytes == _TURNED_BYTES and wide.holds(narrow)


def is_warpgroup_width(factor: ScalarType, columns: int) -> bool:
    """Whether `wgmma` has so many columns: multiples of 8 up to 256, of integers beyond 32 those of 16."""
    step = 16 if factor.is_integer and columns > _COARSE_COLUMNS else 8
    return 0 < columns <= MOST_WARPGROUP_COLUMNS and columns % step == 0


def _warpgroup_shape(factor: ScalarType, columns: int) -> str:
    return f"m{WARPGROUP_ROWS}n{columns}k{WARPGROUP_BYTES // factor.bytes}"


def _warpgroup_name(factor: ScalarType, columns: int, unsigned: Signs, turned: bool) -> str:
    total, _ = _WARPGROUP_TYPES[factor]
    types = factor.name if unsigned == SIGNED else _spelled(unsigned, together=True)
    return f"wgmma.{_warpgroup_shape(factor, columns)}.{total}.{types}{'.turned' if turned else ''}"


@cache
def warpgroup_product(
    factor: ScalarType, columns: int, unsigned: Signs = SIGNED, turned: bool = False
) -> MatrixInstruction:
    """`wgmma` of 64 x `columns` sums of products of 32 bytes of each row; `turned` rows lie along m in memory."""
    accumulators, held = layouts_of_group(columns, factor.bytes, turned)
    (total, types), depth = _WARPGROUP_TYPES[factor], WARPGROUP_BYTES // factor.bytes
    if factor.is_integer:
        types = f"{types}.{_spelled(unsigned, together=False)}"
    return MatrixInstruction(
        _warpgroup_name(factor, columns, unsigned, turned),
        factor,
        total,
        _held_by_one(WARPGROUP_ROWS, depth),
        _held_by_one(columns, depth),
        accumulators,
        "",
        f"wgmma.mma_async.sync.aligned.{_warpgroup_shape(factor, columns)}.{types}",
        Architecture.SM_90A,
        4,
        held if turned or factor.bytes == _TURNED_BYTES else None,
        unsigned,
        turned=turned,
    )


@cache
def instruction_of(name: str) -> MatrixInstruction | None:
    """The instruction of a name."""
    known = next((each for each in TABLE if each.name == name), None)
    products = (each for each in _warpgroup_products() if _warpgroup_name(*each) == name)
    return known or next((warpgroup_product(*each) for each in products), None)


def _warpgroup_products() -> Iterator[tuple[ScalarType, int, Signs, bool]]:
    """All of them, as `warpgroup_product` takes them: to make each takes longer than all names."""
    for factor in _WARPGROUP_TYPES:
        signs, turns = _SIGNS if factor.is_integer else (SIGNED,), (False, True)[: 1 + has_turned_rows(factor.bytes)]
        known = (n for n in range(8, MOST_WARPGROUP_COLUMNS + 8, 8) if is_warpgroup_width(factor, n))
        yield from ((factor, n, unsigned, turned) for n, unsigned, turned in product(known, signs, turns))


def instructions_of(
    lhs: ScalarType, rhs: ScalarType, total: ScalarType, have: Architecture, unsigned: Signs = SIGNED
) -> list[MatrixInstruction]:
    """What multiplies these types exactly on an architecture, the best first; `unsigned` are rows and columns.

    Factors are converted, exactly, to what scalar multiply-adds and products of f64 want, and floats of 8 bits to those
    of 16; others are wanted as they are, unsigned ones too.
    """
    usable = [i for i in TABLE if i.sum is total and (i.since is have or i.since is Architecture.SM_80)]
    return [i for i in usable if i.unsigned == unsigned and _multiplies(i, lhs, rhs)]


def _multiplies(found: MatrixInstruction, lhs: ScalarType, rhs: ScalarType) -> bool:
    """Whether an instruction takes such factors."""
    if found.rounds:
        return lhs is rhs is TF32
    return found.factor is found.sum or (lhs is rhs and _takes(found.factor, lhs))
