"""Strides that nobody steps along: what a memref gets for them, whatever number an array came with.

NumPy and others put any stride at a dimension of extent 1 and at all dimensions of an empty array. The program may
still compute with it: `fuse` goes on with the stride of its first mode. So each target and the interpreter bind arrays
by this one function, which says what a packed array would have there.
"""

from __future__ import annotations

from collections.abc import Sequence


def conforming_strides(
    declared: Sequence[int | None], divisors: Sequence[int], shape: Sequence[int], strides: Sequence[int]
) -> tuple[int, ...]:
    """The strides with those that do not matter replaced by ones that fit the type and break no promise.

    Static strides are the type's. Of the others a mode of extent 1 lies inside the next mode that matters and takes
    its stride, so that fusing both is right; behind the last such mode, and in an empty array, it is packed behind the
    mode before. A stride that `divisors` (stride_gcd) forbid is rounded up.
    """
    empty = 0 in shape
    fixed = [
        known if known is not None and (empty or extent <= 1) else stride if extent > 1 and not empty else None
        for known, extent, stride in zip(declared, shape, strides, strict=True)
    ]
    result: list[int] = []
    least = 1
    for mode, stride in enumerate(fixed):
        if stride is None:
            divisor = divisors[mode] if mode < len(divisors) else 1
            following = None if empty else next((later for later in fixed[mode + 1 :] if later is not None), None)
            fits = following is not None and following >= least and following % divisor == 0
            stride = following if fits and following is not None else -(-least // divisor) * divisor
        result.append(stride)
        least = max(stride, 1) * max(shape[mode], 1)
    return tuple(result)


def is_row_major(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether the elements lie one behind the other, the last mode running fastest; strides count elements."""
    if 0 in shape:
        return True
    step = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True
