"""AMX: products of tiles, registers of up to 16 rows of 64 bytes, added to a tile of accumulators in i32 or f32.

Rows of the first tile are lines of one factor, 16 words of each; rows of the second one are words, of 16 lines of the
other factor each. A product of i8 is exact and its accumulators wrap, for all signs. Of bf16, one instruction adds up
the first terms of all words, and the second ones, in f32, then these two accumulators, then what was there, each
rounded to nearest even; subnormal numbers count as zeros everywhere. Factors of f16 are packed as sums of two of bf16
(`splitting.py`), of which four products are formed.

LLVM allocates the eight registers and writes the configuration of their shapes, at the entry of a function. Registers
do not survive calls.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.types import BF16, F16, F32, I8, I32, ScalarType
from tilewright.settings.product_units import Unit
from tilewright.targets.cpu.units.splitting import LARGER, PARTS, PRODUCTS
from tilewright.targets.cpu.units.unit import Factor, Packing
from tilewright.targets.llvm.emitter import Builder, Module, Value, i64

ROWS: Final = 16
"""Of a tile at most."""
ROW_BYTES: Final = 64
"""Of a row at most."""
ROW_WORDS: Final = 16
_TILE: Final = "x86_amx"
_ZERO: Final = "llvm.x86.tilezero.internal"


class Tile(Struct, frozen=True):
    """The shape of a tile, of which LLVM checks nothing."""

    rows: int
    row_bytes: int = ROW_BYTES

    def __post_init__(self) -> None:
        assert 1 <= self.rows <= ROWS
        assert 4 <= self.row_bytes <= ROW_BYTES
        assert self.row_bytes % 4 == 0

    @property
    def operands(self) -> list[Value]:
        """As instructions take it."""
        return [Value("i16", str(self.rows)), Value("i16", str(self.row_bytes))]

    def zeros(self, b: Builder) -> Value:
        """A tile of zeros."""
        return b.intrinsic(_ZERO, _TILE, self.operands, overload=(), hint="tile")

    def load(self, b: Builder, start: Value, step: int, *, passing: bool = False) -> Value:
        """A tile whose rows are `step` bytes apart; `passing`: it is not kept in the first cache."""
        word = "tileloaddt164" if passing else "tileloadd64"
        arguments = [*self.operands, start, i64(step)]
        return b.intrinsic(f"llvm.x86.{word}.internal", _TILE, arguments, overload=(), hint="tile")

    def store(self, b: Builder, tile: Value, start: Value, step: Value) -> None:
        """Store a tile, its rows `step` bytes apart."""
        b.intrinsic_void("llvm.x86.tilestored64.internal", [*self.operands, start, step, tile])


class AmxUnit(Struct, frozen=True):
    """One of the instructions."""

    unit: Unit
    instruction: str
    accumulator: ScalarType
    vectors: Packing
    scalars: Packing
    products: tuple[tuple[int, int], ...] = ((0, 0),)
    """Which parts of scalars are multiplied with which of vectors, in turn."""
    factor: float = 1.0
    """What accumulators have to be multiplied by, a power of two."""

    @property
    def name(self) -> str:
        """As users know it."""
        return self.unit.value

    @property
    def terms(self) -> int:
        """That one instruction adds up, or one for each of the products."""
        return ROW_WORDS * self.vectors.group

    def multiply(self, b: Builder, shape: Tile, scalars: Value, vectors: Value, total: Value) -> Value:
        """`total`, a tile of this shape, and the products of two tiles."""
        shapes = [*shape.operands, Value("i16", str(ROW_BYTES))]
        name = f"llvm.x86.{self.instruction}.internal"
        return b.intrinsic(name, _TILE, [*shapes, total, scalars, vectors], overload=(), hint="dot")


def amx(vectors: Factor, scalars: Factor, accumulator: ScalarType) -> AmxUnit | None:
    """The unit for two factors; None if there is none."""
    if accumulator is I32 and vectors.element is scalars.element is I8:
        signs = "".join("s" if factor.signed else "u" for factor in (scalars, vectors))
        return AmxUnit(Unit.AMX_INT8, f"tdpb{signs}d", I32, Packing(I8, 4), Packing(I8, 4, words=ROW_WORDS))
    if accumulator is F32 and vectors.element is scalars.element is BF16:
        return AmxUnit(Unit.AMX_BF16, "tdpbf16ps", F32, Packing(BF16, 2), Packing(BF16, 2, words=ROW_WORDS))
    if accumulator is F32 and vectors.element is scalars.element is F16:
        parts = Packing(BF16, 2, parts=PARTS, together=ROW_WORDS)
        return AmxUnit(Unit.AMX_F16, "tdpbf16ps", F32, parts, replace(parts, words=ROW_WORDS), PRODUCTS, LARGER)
    return None


def uses_tiles(module: Module) -> bool:
    """Whether some code of a module does: its accumulators begin with zeros."""
    return module.declared(_ZERO)
