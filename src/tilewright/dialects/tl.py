"""The collective and cooperative-matrix instructions of the tensor language (reference 1.8, 1.10).

Collectives: all arithmetic in acc(T) of the result's element type T, one rounding at the end; beta = 0 overwrites
without reading when it is a constant, alpha = 0 makes the operands irrelevant; the written operand must not overlap a
read one except as the identical view in axpby (not transposed), hadamard and cumsum. `atomic`: every element gets one
atomic store (beta 0) or one atomic add (beta 1) of the finished value.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from string import ascii_letters
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from msgspec import Struct

from tilewright.dialects.arith import Mul
from tilewright.dialects.memref import AtomicKind, Scope, Semantics
from tilewright.ir.definition import (
    COLLECTIVE,
    CONVERGENT,
    PURE,
    RECURSIVE_EFFECTS,
    SPMD_ONLY,
    SPMD_REGION,
    Operation,
    Region,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    region,
    result,
)
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.interfaces import AccessedBox, AccessesBox
from tilewright.ir.types import COOPMATRIX, INDEX_ONLY, INTEGER, MEMREF, NUMBER, CoopMatrixType, MemrefType, Type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tilewright.diagnostics import Report
    from tilewright.dialects.builder import Builder

_T = TypeVar("_T")


def _constant_zero(value: Value) -> bool:
    op = value.defining_op
    return op is not None and op.name == "arith.constant" and op.attributes["value"] == 0


class TensorModes(Struct, frozen=True):
    """A letter for each mode of the tensor at position `operand`, as the instruction sees it: after transposition."""

    operand: int
    letters: str
    transposed: bool = False

    def seen(self, modes: tuple[_T, ...]) -> tuple[_T, ...]:
        """What belongs to the modes of the memref, in the order of the letters."""
        return modes[::-1] if self.transposed and len(modes) == 2 else modes


def _order(value: Value) -> int:
    assert isinstance(value.type, MemrefType)
    return value.type.order


class Collective(Operation):
    """alpha times something of the inputs, which stand after it, added to beta times the last operand, the target."""

    in_language: ClassVar[bool] = True
    """Whether the tensor language has an instruction for it."""

    def tensor_modes(self) -> Sequence[TensorModes]:
        """The tensors among the operands. Modes of one letter have one extent, which the first that has it sets: the
        one statement of which extents agree, for the rules of the language, the interpreter and launches."""
        raise NotImplementedError

    @property
    def in_place(self) -> bool:
        """Whether the target may be the very view that is an input."""
        return False

    def effects(self) -> Sequence[Effect]:
        """Inputs are read unless alpha is constant 0; the target is written, and read unless beta is constant 0."""
        alpha, *inputs, beta, target = self.operands
        found = [] if _constant_zero(alpha) else reads(*inputs)
        if self.attributes.get("atomic"):
            return [*found, Effect(EffectKind.UPDATE, target)]
        return [*found, *([] if _constant_zero(beta) else reads(target)), *writes(target)]


class ElementwiseCollective(Collective):
    """Each element of the target is updated with what is formed of the inputs' elements at its place.

    The tensors are of the target's order, which is one of `orders`; an attribute `transpose` turns the first input.
    """

    orders: ClassVar[tuple[int, ...]] = (1, 2)

    def formed(self, inputs: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """What is formed of the inputs, as arrays in a type at least as precise as acc(T)."""
        raise NotImplementedError

    def emit(self, build: Builder, inputs: Sequence[Value]) -> Value:
        """The same in operations on tiles or scalars, all in acc(T)."""
        raise NotImplementedError

    def tensor_modes(self) -> Sequence[TensorModes]:
        target = len(self.operands) - 1
        letters = ascii_letters[: _order(self.operands[target])]
        turned = bool(self.attributes.get("transpose"))
        inputs = [TensorModes(k, letters, turned and k == 1) for k in range(1, target - 1)]
        return [TensorModes(target, letters), *inputs]

    @property
    def in_place(self) -> bool:
        return not (self.attributes.get("transpose") and _order(self.operands[-1]) == 2)


class Axpby(ElementwiseCollective, name="tl.axpby", traits=(COLLECTIVE,), code="V39"):
    """`B := alpha op(A) + beta B` for orders 0, 1, 2; op transposes matrices if `transpose`."""

    orders = (0, 1, 2)
    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    beta: Value = operand(NUMBER)
    b: Value = operand(MEMREF)
    transpose: bool = optional_attribute(bool, default=False)
    atomic: bool = optional_attribute(bool, default=False)

    def formed(self, inputs: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return inputs[0]

    def emit(self, build: Builder, inputs: Sequence[Value]) -> Value:
        return inputs[0]


class Sum(Collective, name="tl.sum", traits=(COLLECTIVE,), code="V39"):
    """`b_i := alpha sum_j op(A)_ij + beta b_i`; for a vector A and b of order 0 the sum over the vector."""

    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    beta: Value = operand(NUMBER)
    b: Value = operand(MEMREF)
    transpose: bool = optional_attribute(bool, default=False)
    atomic: bool = optional_attribute(bool, default=False)

    def tensor_modes(self) -> Sequence[TensorModes]:
        kept = ascii_letters[: _order(self.b)]
        return TensorModes(1, f"{kept}z", self.transpose), TensorModes(3, kept)


class Cumsum(Collective, name="tl.cumsum", traits=(COLLECTIVE,), code="V39"):
    """Inclusive prefix sum along `mode`: `B[..j..] := alpha sum_{i<=j} A[..i..] + beta B[..j..]`."""

    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    mode: int = attribute(int, doc="the number of a mode")
    beta: Value = operand(NUMBER)
    b: Value = operand(MEMREF)
    atomic: bool = optional_attribute(bool, default=False)

    def tensor_modes(self) -> Sequence[TensorModes]:
        letters = ascii_letters[: _order(self.a)]
        return TensorModes(1, letters), TensorModes(3, letters)

    @property
    def in_place(self) -> bool:
        return True


class Gemm(Collective, name="tl.gemm", traits=(COLLECTIVE,), code="V39"):
    """`C := alpha op1(A) op2(B) + beta C`.

    Integers are signed but for factors that are said to be unsigned, which no source language can say.
    """

    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    b: Value = operand(MEMREF)
    beta: Value = operand(NUMBER)
    c: Value = operand(MEMREF)
    transpose_a: bool = optional_attribute(bool, default=False)
    transpose_b: bool = optional_attribute(bool, default=False)
    atomic: bool = optional_attribute(bool, default=False)
    unsigned_a: bool = optional_attribute(bool, default=False)
    unsigned_b: bool = optional_attribute(bool, default=False)

    def tensor_modes(self) -> Sequence[TensorModes]:
        return TensorModes(1, "mk", self.transpose_a), TensorModes(2, "kn", self.transpose_b), TensorModes(4, "mn")


class Contract(Collective, name="tl.contract", traits=(COLLECTIVE,), code="V39"):
    """`C := alpha sum over terms of A B + beta C`: `gemm` with several modes for rows, terms and columns each.

    A has the modes of rows, then those of terms, B those of terms, then those of columns, C those of rows, then those
    of columns; how many there are of each follows from the orders. All extents are static. What no single stride says,
    such as the positions that windows of an image meet, is so multiplied in place. Not in any source language.
    """

    in_language: ClassVar[bool] = False

    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    b: Value = operand(MEMREF)
    beta: Value = operand(NUMBER)
    c: Value = operand(MEMREF)
    unsigned_a: bool = optional_attribute(bool, default=False)
    unsigned_b: bool = optional_attribute(bool, default=False)

    @property
    def groups(self) -> tuple[int, int, int]:
        """How many modes are rows, terms and columns."""
        a, b, c = map(_order, (self.a, self.b, self.c))
        return (a + c - b) // 2, (a + b - c) // 2, (b + c - a) // 2

    def tensor_modes(self) -> Sequence[TensorModes]:
        rows, terms, columns = self.groups
        m, k, n = ascii_letters[:rows], ascii_letters[rows : rows + terms], ascii_letters[rows + terms :][:columns]
        return TensorModes(1, m + k), TensorModes(2, k + n), TensorModes(4, m + n)

    def verify(self, report: Report) -> None:
        memrefs = (self.a, self.b, self.c)
        if sum(map(_order, memrefs)) % 2 or min(self.groups) < 1:
            orders = ", ".join(str(_order(v)) for v in memrefs)
            rule = "orders of A, B and C must leave a mode at least for rows, terms and columns"
            report.error(self.definition.code, self.location, f"contract: {rule}, not {orders}")
            return
        known: dict[str, int | None] = {}
        for tensor in self.tensor_modes():
            type_ = self.operands[tensor.operand].type
            assert isinstance(type_, MemrefType)
            for letter, extent in zip(tensor.letters, type_.shape, strict=True):
                if extent is None or known.setdefault(letter, extent) != extent:
                    wanted = known.get(letter, "a constant")
                    text = f"contract: a mode of extent {'?' if extent is None else extent} where it has to be {wanted}"
                    report.error(self.definition.code, self.place(("operand", tensor.operand)), text)


class Gemv(Collective, name="tl.gemv", traits=(COLLECTIVE,), code="V39"):
    """`c := alpha op(A) b + beta c`."""

    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    b: Value = operand(MEMREF)
    beta: Value = operand(NUMBER)
    c: Value = operand(MEMREF)
    transpose: bool = optional_attribute(bool, default=False)
    atomic: bool = optional_attribute(bool, default=False)

    def tensor_modes(self) -> Sequence[TensorModes]:
        return TensorModes(1, "mk", self.transpose), TensorModes(2, "k"), TensorModes(4, "m")


class Ger(Collective, name="tl.ger", traits=(COLLECTIVE,), code="V39"):
    """`C := alpha a b^T + beta C`."""

    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    b: Value = operand(MEMREF)
    beta: Value = operand(NUMBER)
    c: Value = operand(MEMREF)
    atomic: bool = optional_attribute(bool, default=False)

    def tensor_modes(self) -> Sequence[TensorModes]:
        return TensorModes(1, "m"), TensorModes(2, "n"), TensorModes(4, "mn")


class Hadamard(ElementwiseCollective, name="tl.hadamard", traits=(COLLECTIVE,), code="V39"):
    """`c := alpha a .* b + beta c`, element by element, orders 1 and 2."""

    alpha: Value = operand(NUMBER)
    a: Value = operand(MEMREF)
    b: Value = operand(MEMREF)
    beta: Value = operand(NUMBER)
    c: Value = operand(MEMREF)
    atomic: bool = optional_attribute(bool, default=False)

    def formed(self, inputs: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return inputs[0] * inputs[1]

    def emit(self, build: Builder, inputs: Sequence[Value]) -> Value:
        return build(Mul(inputs[0], inputs[1])).out


class Foreach(Operation, name="tl.foreach", traits=(COLLECTIVE, SPMD_REGION, RECURSIVE_EFFECTS), code="V43"):
    """SPMD body once per point of the box [lower, upper), in no order; block arguments are the loop variables."""

    lowers: list[Value] = operands(INTEGER)
    uppers: list[Value] = operands(INTEGER)
    body: Region = region()


class ForeachTile(Operation, name="tl.foreach_tile", traits=(COLLECTIVE, SPMD_REGION, RECURSIVE_EFFECTS), code="V43"):
    """SPMD body once per tile of the box, each run by one whole subgroup.

    Block arguments: the tile offsets `i_k = f_k + q c_k`, then the sizes `s_k = min(c_k, t_k - i_k)`; both are
    dynamically uniform. `tile_shape` holds the c_k.
    """

    lowers: list[Value] = operands(INTEGER)
    uppers: list[Value] = operands(INTEGER)
    tile_shape: tuple[int, ...] = attribute(tuple)
    body: Region = region()


class Checked(Enum):
    """Which ends of a cooperative matrix access are tested against the memref's extents."""

    NONE = "none"
    ROWS = "rows_checked"
    COLUMNS = "cols_checked"
    BOTH = "both_checked"


class CoopAccess(AccessesBox):
    """Of a cooperative matrix: `memref`, `x` and `y` say where, `transpose` how it lies, `checked` what is left out."""

    def _box(self, matrix: Value, writes: bool, update: AtomicKind | None = None) -> AccessedBox:
        assert isinstance(matrix.type, CoopMatrixType)
        memref = next(value for value in self.operands if isinstance(value.type, MemrefType))
        checked = self.attributes.get("checked")
        shape = matrix.type.shape
        clipped = (checked in (Checked.ROWS, Checked.BOTH), checked in (Checked.COLUMNS, Checked.BOTH))
        if self.attributes.get("transpose"):
            shape, clipped = shape[::-1], clipped[::-1]
        return AccessedBox(memref, self.operands[-2:], shape, matrix, writes, clipped if any(clipped) else (), update)


class CoopLoad(CoopAccess, name="tl.cooperative_matrix_load", traits=(SPMD_ONLY, CONVERGENT), code="V46"):
    """Element (i, j) from `memref[x+i, y+j]`, transposed from `memref[x+j, y+i]`; 0 outside where checked."""

    memref: Value = operand(MEMREF)
    x: Value = operand(INDEX_ONLY)
    y: Value = operand(INDEX_ONLY)
    transpose: bool = optional_attribute(bool, default=False)
    checked: Checked = optional_attribute(Checked, default=Checked.NONE)
    out: Value = result(COOPMATRIX)

    def box(self) -> AccessedBox:
        return self._box(self.out, False)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])


class CoopStore(CoopAccess, name="tl.cooperative_matrix_store", traits=(SPMD_ONLY, CONVERGENT), code="V46"):
    """Element (i, j) to `memref[x+i, y+j]`, transposed to `memref[x+j, y+i]`; nothing outside where checked."""

    matrix: Value = operand(COOPMATRIX)
    memref: Value = operand(MEMREF)
    x: Value = operand(INDEX_ONLY)
    y: Value = operand(INDEX_ONLY)
    transpose: bool = optional_attribute(bool, default=False)
    checked: Checked = optional_attribute(Checked, default=Checked.NONE)

    def box(self) -> AccessedBox:
        return self._box(self.matrix, True)

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])


class CoopAtomicLoad(CoopAccess, name="tl.cooperative_matrix_atomic_load", traits=(SPMD_ONLY, CONVERGENT), code="V46"):
    """As cooperative_matrix_load, atomic per component."""

    memref: Value = operand(MEMREF)
    x: Value = operand(INDEX_ONLY)
    y: Value = operand(INDEX_ONLY)
    transpose: bool = optional_attribute(bool, default=False)
    checked: Checked = optional_attribute(Checked, default=Checked.NONE)
    scope: Scope = optional_attribute(Scope, default=Scope.WORK_GROUP)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(COOPMATRIX)

    def box(self) -> AccessedBox:
        return self._box(self.out, False)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[0])]


class CoopAtomicStore(
    CoopAccess, name="tl.cooperative_matrix_atomic_store", traits=(SPMD_ONLY, CONVERGENT), code="V46"
):
    """As cooperative_matrix_store, atomic per component."""

    matrix: Value = operand(COOPMATRIX)
    memref: Value = operand(MEMREF)
    x: Value = operand(INDEX_ONLY)
    y: Value = operand(INDEX_ONLY)
    transpose: bool = optional_attribute(bool, default=False)
    checked: Checked = optional_attribute(Checked, default=Checked.NONE)
    scope: Scope = optional_attribute(Scope, default=Scope.WORK_GROUP)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)

    def box(self) -> AccessedBox:
        return self._box(self.matrix, True)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[1])]


class CoopAtomicRmw(CoopAccess, name="tl.cooperative_matrix_atomic_rmw", traits=(SPMD_ONLY, CONVERGENT), code="V46"):
    """Updates memory atomically per component and returns the old values; outside no access, component 0."""

    matrix: Value = operand(COOPMATRIX, var="X")
    memref: Value = operand(MEMREF)
    x: Value = operand(INDEX_ONLY)
    y: Value = operand(INDEX_ONLY)
    kind: AtomicKind = attribute(AtomicKind)
    transpose: bool = optional_attribute(bool, default=False)
    checked: Checked = optional_attribute(Checked, default=Checked.NONE)
    scope: Scope = optional_attribute(Scope, default=Scope.WORK_GROUP)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(var="X")

    def box(self) -> AccessedBox:
        return self._box(self.matrix, True, self.kind)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE, self.operands[1])]


class CoopPrefetch(Operation, name="tl.cooperative_matrix_prefetch", traits=(SPMD_ONLY, CONVERGENT), code="V46"):
    """Hint for `rows` x `columns` elements at [x, y] into cache `level` (0 nearest); never faults."""

    memref: Value = operand(MEMREF)
    x: Value = operand(INDEX_ONLY)
    y: Value = operand(INDEX_ONLY)
    level: int = attribute(int)
    rows: int = attribute(int)
    columns: int = attribute(int)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class CoopConstruct(
    Operation, name="tl.cooperative_matrix_construct", traits=(PURE, SPMD_ONLY, CONVERGENT), code="V46"
):
    """Every entry is the (dynamically uniform) scalar."""

    value: Value = operand(NUMBER)
    out: Value = result(COOPMATRIX)


def _component(op: Operation) -> Type:
    type_ = op.operands[0].type
    return type_.element if isinstance(type_, CoopMatrixType) else type_


class CoopExtract(Operation, name="tl.cooperative_matrix_extract", traits=(PURE, SPMD_ONLY), code="V46"):
    """Component `index` of this work-item's share (layout: docs/language/tensor-language.md)."""

    matrix: Value = operand(COOPMATRIX)
    index: int = attribute(int)
    out: Value = result(NUMBER, infer=_component)


class CoopInsert(Operation, name="tl.cooperative_matrix_insert", traits=(PURE, SPMD_ONLY), code="V46"):
    """A copy with component `index` of this work-item's share changed."""

    value: Value = operand(NUMBER)
    matrix: Value = operand(COOPMATRIX, var="X")
    index: int = attribute(int)
    out: Value = result(var="X")


class CoopScale(Operation, name="tl.cooperative_matrix_scale", traits=(PURE, SPMD_ONLY, CONVERGENT), code="V46"):
    """`scalar * matrix`."""

    scalar: Value = operand(NUMBER)
    matrix: Value = operand(COOPMATRIX, var="X")
    out: Value = result(var="X")


class CoopMulAdd(Operation, name="tl.cooperative_matrix_mul_add", traits=(PURE, SPMD_ONLY, CONVERGENT), code="V46"):
    """`A B + C`, at least as precisely as in C's component type, then cast to the result's."""

    a: Value = operand(COOPMATRIX)
    b: Value = operand(COOPMATRIX)
    c: Value = operand(COOPMATRIX)
    out: Value = result(COOPMATRIX)


class CoopReduce(Operation, name="tl.cooperative_matrix_reduce", traits=(PURE, SPMD_ONLY, CONVERGENT), code="V46"):
    """Reduces over the columns of each row (`row`: M x 1) or over the rows of each column (1 x N)."""

    matrix: Value = operand(COOPMATRIX)
    kind: AtomicKind = attribute(AtomicKind)
    row: bool = attribute(bool)
    out: Value = result(COOPMATRIX)


class CoopApply(
    Operation, name="tl.cooperative_matrix_apply", traits=(SPMD_ONLY, CONVERGENT, RECURSIVE_EFFECTS), code="V46"
):
    """New component = what the region yields for (i, j, v); i, j are i32, relative to the matrix."""

    matrix: Value = operand(COOPMATRIX, var="X")
    body: Region = region()
    out: Value = result(var="X")
