"""Types of MLIR as those of the shared dialects: memrefs with their modes in reverse."""

from __future__ import annotations

from tilewright.dialects.mlir import func
from tilewright.ir.affine import AffineBinary, AffineConstant, AffineExpression, AffineMap, AffineOperator, Dimension
from tilewright.ir.core import BlockArgument, Operation
from tilewright.ir.mlir.attributes import StridedLayout
from tilewright.ir.mlir.types import MemrefType as Foreign
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import (
    BF16,
    BOOL,
    F8E4M3FN,
    F8E5M2,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    Extent,
    MemrefType,
    ScalarType,
    Type,
)
from tilewright.transforms.lower_mlir.context import Unsupported

STORED = (F8E4M3FN, F8E5M2)
"""Numbers that are loaded, stored, compared and converted."""
SCALARS = (BOOL, I8, I16, I32, I64, INDEX, *STORED, BF16, F16, F32, F64)


def scalar_type(op: Operation, type_: Type) -> ScalarType:
    """A number's type. Raises `Unsupported` for those that are not computed with."""
    if isinstance(type_, ScalarType) and type_ in SCALARS:
        return type_
    known = ", ".join(t.mlir for t in SCALARS)
    raise Unsupported(op, f"{op.name}: values of type {type_} are not supported; {known} are, and memrefs of them")


def element_type(op: Operation, type_: Type) -> ScalarType:
    """The type of elements in memory, where i1 is a byte of 0 or 1."""
    found = scalar_type(op, type_)
    return I8 if found is BOOL else found


def _check_element(function: func.Func, type_: Foreign | TensorType) -> None:
    """Arrays have no elements of one bit. Raises `Unsupported`."""
    if type_.element is BOOL:
        said = f"@{function.sym_name} takes or returns {type_}; arrays of i1 are not supported: pass i8, and compare"
        raise Unsupported(function, said)


def strides_of(op: Operation, type_: Foreign) -> tuple[Extent, ...]:
    """Strides in elements, in the order of MLIR's dimensions; None where they are not known."""
    shape = type_.shape
    if shape is None:
        raise Unsupported(op, f"{op.name}: {type_} has no rank")
    layout = type_.layout
    if layout is None:
        return _row_major(shape)
    if isinstance(layout, StridedLayout):
        return layout.strides
    if isinstance(layout, AffineMap) and len(layout.results) == 1:
        found = _coefficients(layout.results[0])
        if found is not None:
            return tuple(found.get(k, 0) for k in range(len(shape)))
    raise Unsupported(op, f"{op.name}: the layout {layout} is not supported; strided<..> is")


def _row_major(shape: tuple[Extent, ...]) -> tuple[Extent, ...]:
    found: list[Extent] = []
    stride: Extent = 1
    for extent in reversed(shape):
        found.append(stride)
        stride = None if stride is None or extent is None else stride * extent
    return tuple(reversed(found))


def _coefficients(expression: AffineExpression) -> dict[int, Extent] | None:
    """What each dimension is multiplied by in a sum, None where that is a symbol; None if it is no such sum."""
    match expression:
        case Dimension(position):
            return {position: 1}
        case AffineBinary(AffineOperator.ADD, lhs, rhs):
            left, right = _coefficients(lhs), _coefficients(rhs)
            return None if left is None or right is None or left.keys() & right.keys() else left | right
        case AffineBinary(AffineOperator.MULTIPLY, Dimension(position), rhs) if rhs.is_symbolic:
            return {position: rhs.value if isinstance(rhs, AffineConstant) else None}
        case _ if expression.is_symbolic:
            return {}
        case _:
            return None


def memory_of(op: Operation, type_: TensorType) -> Foreign:
    """A memref that holds a tensor, packed in row-major order."""
    if type_.shape is None or type_.encoding is not None:
        raise Unsupported(op, f"{op.name}: values of type {type_} are not supported; tensors with a rank, dense, are")
    return Foreign(type_.shape, type_.element)


def result_type(function: func.Func, type_: Type) -> tuple[MemrefType, tuple[int, ...]]:
    """The parameter that a result of a function becomes, and the dimensions of an array that its modes are."""
    if not isinstance(type_, TensorType):
        name = function.sym_name
        said = f"@{name} returns {type_}; what is launched returns tensors or nothing, and writes to memrefs"
        raise Unsupported(function, said)
    _check_element(function, type_)
    found = memref_type(function, memory_of(function, type_))
    return found, tuple(reversed(range(found.order)))


def memref_type(op: Operation, type_: Type) -> MemrefType:
    """A memref with its modes in reverse. The offset is no part of it: a memref begins at its first element."""
    if not isinstance(type_, Foreign):
        raise Unsupported(op, f"{op.name}: values of type {type_} are not supported; memrefs and numbers are")
    strides = strides_of(op, type_)
    assert type_.shape is not None
    return MemrefType(element_type(op, type_.element), type_.shape[::-1], strides[::-1])


def parameter_type(
    function: func.Func, argument: BlockArgument
) -> tuple[MemrefType | ScalarType, tuple[int, ...], tuple[int, ...]]:
    """A parameter's type, the dimensions of an array that its modes are, and the modes that the kernel has then.

    The modes of a parameter stand in the order of their strides, as everywhere at a launch.
    """
    type_ = argument.type
    if isinstance(type_, TensorType):
        type_ = memory_of(function, type_)
    if not isinstance(type_, Foreign):
        if isinstance(type_, ScalarType):
            return scalar_type(function, type_), (), ()
        said = f"argument {argument.index} of @{function.sym_name} is {type_}"
        raise Unsupported(function, f"{said}; kernels take memrefs, tensors and numbers", argument.location)
    _check_element(function, type_)
    found = memref_type(function, type_)
    _check_strides(function, found, type_, argument)
    rank = found.order
    order = sorted(range(rank), key=lambda k: _rank_of_stride(found, k))
    if order == list(range(rank)):
        return found, tuple(reversed(range(rank))), ()
    shape, strides = tuple(found.shape[k] for k in order), tuple(found.strides[k] for k in order)
    sorted_type = MemrefType(found.element, shape, strides, found.space)
    return sorted_type, tuple(rank - 1 - k for k in order), tuple(order.index(k) for k in range(rank))


def _rank_of_stride(type_: MemrefType, mode: int) -> tuple[int, int]:
    """Where a mode belongs: known strides by their size, unknown ones where they stand."""
    if None in type_.strides:
        return (0, mode)
    stride = type_.strides[mode]
    assert stride is not None
    return (stride, mode)


def _check_strides(function: func.Func, found: MemrefType, type_: Foreign, argument: BlockArgument) -> None:
    if 0 in found.shape:
        return
    pairs = sorted(
        (stride, extent)
        for stride, extent in zip(found.strides, found.shape, strict=True)
        if stride is not None and extent is not None
    )
    least = 1
    for stride, extent in pairs:
        if stride < least and extent > 1:
            said = f"argument {argument.index} of @{function.sym_name} is {type_}, whose elements overlap"
            raise Unsupported(function, said, argument.location)
        least = max(least, stride * extent)
