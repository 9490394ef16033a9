"""Where a launch finds the matrices of which the machine copies boxes by itself, or what it does not know of them.

A launch knows the addresses of its arguments, their extents and strides, and integers. What matrices have constant is
looked at here, for the rest there are tests in the kernel that are true where the launch makes a map
(`machine.cuda.tensor_maps.has_map`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.artifacts import constraints
from tilewright.artifacts.constraints import Quantity
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.arith import And, Cast
from tilewright.dialects.arith_integers import UCast
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.gpu_tensors import no_map
from tilewright.dialects.lane import Aligned
from tilewright.dialects.memref import Size, Stride
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.interfaces import ViewLike, root_of
from tilewright.ir.types import I64, AddressSpace, MemrefType, ScalarType
from tilewright.machine.cuda.tensor_maps import MAP_UNIT, MOST_EXTENT, MOST_MODES, PITCH_LIMIT
from tilewright.transforms import emit
from tilewright.transforms.facts import alignment
from tilewright.transforms.launch_quantities import parameter_name

_NARROW: Final = 32


class Passed(Struct, frozen=True):
    """A number that a launch passes: an integer parameter, or the extent or stride of a mode of a memref parameter."""

    parameter: BlockArgument
    origin: constraints.Origin
    mode: int = 0

    @property
    def quantity(self) -> Quantity:
        """As launches know it."""
        return Quantity(self.origin, parameter_name(self.parameter), self.mode)

    def promised(self, name: str) -> int | None:
        """What the program promises of it: its `divisor`, or the `least` that it is."""
        kernel = self.parameter.block.parent_op
        if self.origin is not constraints.Origin.VALUE or not isinstance(kernel, Kernel):
            return None
        found = kernel.attributes_of(self.parameter).get(name)
        return found if isinstance(found, int) else None

    def value(self, build: Builder) -> Value:
        """In the kernel."""
        match self.origin:
            case constraints.Origin.EXTENT:
                return build(Size(self.parameter, self.mode)).out
            case constraints.Origin.STRIDE:
                return build(Stride(self.parameter, self.mode)).out
            case _:
                return emit.to_index(build, self.parameter)


Number: TypeAlias = int | Passed


class Beside(Struct, frozen=True):
    """A mode along which matrices lie beside each other, and the `position` of one among them."""

    position: Value
    extent: Number
    stride: Number


class Origin(Struct, frozen=True):
    """The address that a parameter holds, how many bytes behind it matrices begin, and which one of them it is."""

    parameter: BlockArgument
    distance: int
    beside: tuple[Beside, ...] = ()


class Matrix(Struct, frozen=True):
    """A matrix that a launch knows: extents, neighbours first, and the stride from a row to the next, in elements."""

    origin: Origin
    element: ScalarType
    extents: tuple[Number, Number]
    stride: Number
    is_aligned: bool

    @property
    def all_extents(self) -> tuple[Number, ...]:
        """Of the matrix and of modes along which there are others."""
        return (*self.extents, *(mode.extent for mode in self.origin.beside))

    @property
    def all_strides(self) -> tuple[Number, ...]:
        """From a row to the next, and from a matrix to the next."""
        return (self.stride, *(mode.stride for mode in self.origin.beside))


def matrix_of(view: Value, near: int) -> Matrix | str:
    """The matrix that a memref of order 2 with rows along mode `near` is, or what a launch does not know of it."""
    type_, far = memref_of(view), 1 - near
    origin = _origin(view)
    if origin is None:
        return f"a launch does not know where {type_} begins"
    found = {"rows": _extent(view, near), "columns": _extent(view, far), "stride": _stride(view, far)}
    numbers = [number for number in found.values() if number is not None]
    if len(numbers) < len(found):
        return f"a launch does not know extents and strides of {type_}"
    long, count, stride = numbers
    is_aligned = alignment(root_of(view) if origin.beside else view) % MAP_UNIT == 0
    return Matrix(origin, type_.element, (long, count), stride, is_aligned)


def obstacle(view: Value, near: int) -> str | None:
    """Why the machine cannot copy boxes of a matrix whose rows run along mode `near` by itself; None if it can."""
    type_ = memref_of(view)
    if type_.order != 2:
        return f"{type_} is no matrix"
    if (reason := no_map(type_, (near, 1 - near))) is not None:
        return reason
    found = matrix_of(view, near)
    if isinstance(found, str):
        return found
    distance, name = found.origin.distance, parameter_name(found.origin.parameter)
    if distance % MAP_UNIT:
        return f"{type_} begins {distance} bytes behind {name}"
    if len(found.all_extents) > MOST_MODES:
        return f"matrices that lie beside each other along {len(found.origin.beside)} modes"
    for mode in found.origin.beside:
        if isinstance(mode.extent, int) and not 0 < mode.extent <= MOST_EXTENT:
            return f"{mode.extent:,} matrices that lie beside each other, where there are {MOST_EXTENT:,} at most"
        pitch = mode.stride * type_.element.bytes if isinstance(mode.stride, int) else MAP_UNIT
        if pitch % MAP_UNIT or not 0 < pitch < PITCH_LIMIT:
            return f"matrices that are {pitch} bytes apart, no multiple of {MAP_UNIT}"
    return None


def tests_of(build: Builder, matrices: Sequence[Matrix]) -> Value | None:
    """Whether a launch has maps of matrices; None if it surely has."""
    aligned = (matrix.origin.parameter for matrix in matrices if not matrix.is_aligned)
    tests = [_is_aligned(build, parameter) for parameter in dict.fromkeys(aligned)]
    layouts = dict.fromkeys((matrix.all_extents, matrix.all_strides, matrix.element) for matrix in matrices)
    tests += [test for layout in layouts for test in _layout_tests(build, *layout)]
    found: Value | None = None
    for test in tests:
        found = test if found is None else emit.both(build, found, test)
    return found


def _is_aligned(build: Builder, parameter: BlockArgument) -> Value:
    if isinstance(parameter.type, MemrefType):
        return build(Aligned(parameter, [build.index(0)] * parameter.type.order, MAP_UNIT)).out
    rest = build(And(build(AddressOf(parameter)).out, build.constant(MAP_UNIT - 1, I64))).out
    return emit.equals_zero(build, rest)


def _layout_tests(
    build: Builder, extents: tuple[Number, ...], strides: tuple[Number, ...], element: ScalarType
) -> Sequence[Value]:
    """Of the numbers that are not constant: rows that do not overlap, at distances that are multiples of 16 bytes, and
    matrices at such distances."""
    tests: list[Value] = []
    for extent in extents:
        if isinstance(extent, Passed) and not _is_positive(extent):
            less = emit.sub(build, extent.value(build), build.index(1))
            tests.append(_has_none_of(build, less, -MOST_EXTENT))
    too_long = -PITCH_LIMIT // element.bytes
    for stride in strides:
        if isinstance(stride, Passed) and not (_is_positive(stride) and _is_divided(stride, element)):
            tests.append(_has_none_of(build, stride.value(build), too_long | (MAP_UNIT // element.bytes - 1)))
    for stride in strides[1:]:
        if isinstance(stride, Passed) and not _is_positive(stride):
            less = emit.sub(build, stride.value(build), build.index(1))
            tests.append(_has_none_of(build, less, too_long))
    if not _fits(extents[0], strides[0]):
        tests.append(emit.not_less(build, _emitted(build, strides[0]), _emitted(build, extents[0])))
    return tests


def _fits(extent: Number, stride: Number) -> bool:
    """Whether rows are known not to reach into the next one; constant ones have been looked at."""
    if not isinstance(extent, int):
        return stride == extent
    return isinstance(stride, int) or (stride.promised("least") or 0) >= extent


def _is_positive(number: Passed) -> bool:
    """Whether a number that a launch passes in at most 32 bits is promised to be positive: it fits then."""
    least = number.promised("least")
    return least is not None and least > 0 and _bits(number.parameter) in range(1, _NARROW + 1)


def _is_divided(stride: Passed, element: ScalarType) -> bool:
    """Whether rows so far apart are promised to be multiples of 16 bytes apart."""
    divisor = stride.promised("divisor")
    return divisor is not None and divisor * element.bytes % MAP_UNIT == 0


def _has_none_of(build: Builder, value: Value, bits: int) -> Value:
    return emit.equals_zero(build, build(And(value, build.index(bits))).out)


def _emitted(build: Builder, number: Number) -> Value:
    return build.index(number) if isinstance(number, int) else number.value(build)


# What a launch passes


def _origin(view: Value) -> Origin | None:
    """Where a memref begins; None where that depends on more than one parameter."""
    op = view.defining_op
    match op:
        case None:
            parameter = _parameter(view)
            is_given = parameter is not None and memref_of(view).space is AddressSpace.GLOBAL
            return Origin(parameter, 0) if parameter is not None and is_given else None
        case FromAddress():
            source = op.address.defining_op
            pointer = source.pointer if isinstance(source, AddressOf) else None
            return Origin(pointer, 0) if isinstance(pointer, BlockArgument) else None
        case ViewLike():
            return _origin_of_view(op, memref_of(view).element.bytes)
        case _:
            return None


def _origin_of_view(op: ViewLike, element_bytes: int) -> Origin | None:
    """Where a view begins; positions along modes that it has not any more may be any numbers."""
    behind = _origin(op.memref)
    if behind is None:
        return None
    distance, beside = 0, list(behind.beside)
    kept = {mode for modes in op.source_modes() for mode in modes}
    for mode, (offset, stride) in enumerate(zip(op.source_offsets(), memref_of(op.memref).strides, strict=False)):
        if isinstance(offset, int):
            if offset and stride is None:
                return None
            distance += offset * (stride or 0)
            continue
        extent, step = _extent(op.memref, mode), _stride(op.memref, mode)
        if mode in kept or extent is None or step is None:
            return None
        beside.append(Beside(offset, extent, step))
    return Origin(behind.parameter, behind.distance + distance * element_bytes, tuple(beside))


def _parameter(value: Value) -> BlockArgument | None:
    """The parameter of the kernel that a value is."""
    return value if isinstance(value, BlockArgument) and isinstance(value.block.parent_op, Kernel) else None


def _extent(view: Value, mode: int) -> Number | None:
    """Of a mode of a memref, if a launch passes it."""
    static, op = memref_of(view).shape[mode], view.defining_op
    if static is not None:
        return static
    match op:
        case None:
            parameter = _parameter(view)
            return None if parameter is None else Passed(parameter, constraints.Origin.EXTENT, mode)
        case FromAddress():
            return _number(op.mixed_layout[0][mode])
        case ViewLike():
            given, source = op.given_extent(mode), op.source_of(mode)
            if given is not None:
                return _number(given)
            return None if source is None else _extent(op.memref, source)
        case _:
            return None


def _stride(view: Value, mode: int) -> Number | None:
    """Of a mode of a memref, if a launch passes it."""
    static, op = memref_of(view).strides[mode], view.defining_op
    if static is not None:
        return static
    match op:
        case None:
            parameter = _parameter(view)
            return None if parameter is None else Passed(parameter, constraints.Origin.STRIDE, mode)
        case FromAddress():
            return _number(op.mixed_layout[1][mode])
        case ViewLike():
            source = op.source_of(mode)
            return None if source is None else _stride(op.memref, source)
        case _:
            return None


def _number(value: int | Value) -> Number | None:
    """An integer that the compiler knows or a launch passes, however it has been widened.

    Signed and unsigned widening differ for negative numbers alone, with which no matrix has a map: tests read
    parameters as signed.
    """
    if isinstance(value, int):
        return value
    if (known := emit.integer_of(value)) is not None:
        return known
    match value.defining_op:
        case None:
            parameter = _parameter(value)
            return None if parameter is None or not _bits(value) else Passed(parameter, constraints.Origin.VALUE)
        case (Cast() | UCast()) as op if 0 < _bits(op.value) <= _bits(op.out):
            return _number(op.value)
        case Size() as op:
            return _extent(op.source, op.mode) if isinstance(op.source.type, MemrefType) else None
        case Stride() as op:
            return _stride(op.source, op.mode)
        case _:
            return None


def _bits(value: Value) -> int:
    """Of an integer, 0 for anything else."""
    type_ = value.type
    return type_.bits if isinstance(type_, ScalarType) and type_.is_integer else 0
