"""Whether an array's extents and strides fit a memref parameter, and what to say if they do not.

The stride rule of the language, `S_0 >= 1` and `S_i >= S_{i-1} s_{i-1}`, is checked here for what the compiler could
not know. A stride that is never stepped along, because the extent is at most 1 or the array is empty, fits anything:
NumPy puts arbitrary numbers there. The launch passes one that fulfils what the compiler may have assumed.
"""

from __future__ import annotations

from math import prod

from tilewright.artifacts.artifact import MemrefParameter
from tilewright.runtime.strides import conforming_strides

Sizes = tuple[int, ...]


def type_text(parameter: MemrefParameter) -> str:
    """The parameter's type as the language writes it, with all strides, of which an order of 0 has none.

    That of a parameter whose modes are dimensions in another order is written as MLIR does.
    """
    if parameter.dimensions:
        return _foreign_type_text(parameter)
    shape = "".join(f"x{_size(extent)}" for extent in parameter.shape)
    layout = f",strided<{','.join(map(_size, parameter.strides))}>" if parameter.strides else ""
    return f"memref<{parameter.dtype}{shape}{layout}>"


def _foreign_type_text(parameter: MemrefParameter) -> str:
    extents = "".join(f"{_size(extent)}x" for extent in parameter.by_dimensions(parameter.shape))
    strides = parameter.by_dimensions(parameter.strides)
    return f"memref<{extents}{parameter.dtype}, strided<[{', '.join(map(_size, strides))}]>>"


def _size(size: int | None) -> str:
    return "?" if size is None else str(size)


def _divisor(divisors: tuple[int, ...], mode: int) -> int:
    return divisors[mode] if mode < len(divisors) else 1


def bound_strides(parameter: MemrefParameter, shape: Sizes, strides: Sizes) -> Sizes:
    """The strides that a kernel is given for an array; those of an array of another order as they are."""
    if len(shape) != len(parameter.shape):
        return strides
    return conforming_strides(parameter.strides, parameter.stride_gcd, shape, strides)


def shape_problem(parameter: MemrefParameter, shape: Sizes) -> str | None:
    """What is wrong with the extents, if anything is."""
    if len(shape) != len(parameter.shape):
        word = "rank" if parameter.dimensions else "order"
        return f"its {word} is {len(shape)} (shape {shape}), {len(parameter.shape)} is wanted"
    for mode, (extent, declared) in enumerate(zip(shape, parameter.shape, strict=True)):
        which = parameter.dimension(mode)
        if declared is not None and extent != declared:
            return f"its extent {which} is {extent} (shape {parameter.by_dimensions(shape)}), {declared} is wanted"
        divisor = _divisor(parameter.shape_gcd, mode)
        if extent % divisor:
            return f"its extent {which} is {extent}, a multiple of {divisor} is wanted (shape_gcd)"
    return None


def stride_rule_problem(shape: Sizes, strides: Sizes, parameter: MemrefParameter | None = None) -> str | None:
    """Where the array breaks the stride rule, if it does; the strides must be conforming ones.

    The `parameter` says how modes are called.
    """
    least = 1
    for mode, (extent, stride) in enumerate(zip(shape, strides, strict=True)):
        if stride < least and extent > 1 and 0 not in shape:
            which, said = mode, strides
            if parameter is not None:
                which, said = parameter.dimension(mode), parameter.by_dimensions(strides)
            return f"its stride {which} is {stride}, at least {least} is wanted (strides count elements: {said})"
        least = max(least, stride * extent)
    return None


def stride_problem(parameter: MemrefParameter, shape: Sizes, strides: Sizes) -> str | None:
    """What is wrong with the strides of an array whose shape fits, if anything is."""
    actual = bound_strides(parameter, shape, strides)
    for mode, (stride, declared) in enumerate(zip(actual, parameter.strides, strict=True)):
        which = parameter.dimension(mode)
        if declared is not None and stride != declared:
            said = parameter.by_dimensions(actual)
            return f"its stride {which} is {stride}, {declared} is wanted (strides count elements: {said})"
        divisor = _divisor(parameter.stride_gcd, mode)
        if declared is None and stride % divisor:
            return f"its stride {which} is {stride}, a multiple of {divisor} is wanted (stride_gcd)"
    return stride_rule_problem(shape, actual, parameter)


def layout_problem(parameter: MemrefParameter, shape: Sizes, strides: Sizes) -> str | None:
    """What is wrong with an array's extents and strides, with the ways out; None if they fit."""
    problem = shape_problem(parameter, shape)
    if problem is None:
        problem = stride_problem(parameter, shape, strides)
        if problem is None:
            return None
    ways = _ways_out(parameter, shape, strides)
    return f"{problem} for {type_text(parameter)}{ways}"


def _ways_out(parameter: MemrefParameter, shape: Sizes, strides: Sizes) -> str:
    """What would fit; nothing that is so already is offered."""
    if len(shape) != len(parameter.shape):
        return ""
    name = parameter.name
    transposed = _fits(parameter, shape[::-1], strides[::-1])
    ways = [f"pass {name}.T, which fits"] if transposed else []
    if parameter.dimensions:
        packed = tuple(prod(shape[:mode]) for mode in range(len(shape)))
        if not transposed and _fits(parameter, shape, packed):
            ways.append(_copy("numpy.ascontiguousarray", f"{name}.contiguous()", parameter))
        return f"; {', or '.join(ways)}" if ways else ""
    if shape_problem(parameter, shape) is None:
        ways += _types(parameter, shape, strides, transposed)
        packed = tuple(prod(shape[:mode]) for mode in range(len(shape)))
        if not transposed and _fits(parameter, shape, packed):
            ways.append(_copy("numpy.asfortranarray", _tensor_by_columns(name, len(shape)), parameter))
    return f"; {', or '.join(ways)}" if ways else ""


def _copy(function: str, of_tensor: str, parameter: MemrefParameter) -> str:
    """The advice to pass a copy, which has the result if the kernel writes; CuPy calls functions as NumPy does."""
    back = ", and copy the result back" if parameter.written else ""
    return f"pass {function}({parameter.name}) (a PyTorch tensor: {of_tensor}), a copy{back}"


def _tensor_by_columns(name: str, order: int) -> str:
    """How a copy of a tensor whose first dimension has stride 1 is written: PyTorch has no name for it."""
    if order < 2:
        return f"{name}.contiguous()"
    turned = "mT" if order == 2 else f"permute({', '.join(map(str, reversed(range(order))))})"
    return f"{name}.{turned}.contiguous().{turned}"


def _types(parameter: MemrefParameter, shape: Sizes, strides: Sizes, transposed: bool) -> list[str]:
    """Types that would fit the array or its transpose."""
    actual = bound_strides(parameter, shape, strides)
    if stride_rule_problem(shape, actual) is None:
        opened = tuple(1 if stride == 1 else None for stride in actual)
        return [] if opened == parameter.strides else [f"declare strided<{','.join(map(_size, opened))}>"]
    if transposed or stride_rule_problem(shape[::-1], strides[::-1]) is not None:
        return []
    extents = "".join(f"x{_size(extent)}" for extent in parameter.shape[::-1])
    declared = f"memref<{parameter.dtype}{extents},strided<{','.join(map(str, strides[::-1]))}>>"
    return [f"it is row-major, memrefs are column-major: pass {parameter.name}.T and declare {declared}"]


def _fits(parameter: MemrefParameter, shape: Sizes, strides: Sizes) -> bool:
    return shape_problem(parameter, shape) is None and stride_problem(parameter, shape, strides) is None
