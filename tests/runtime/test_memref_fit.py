"""What a refusal offers fits, and is not what is there already."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from tilewright.artifacts.artifact import MemrefParameter
from tilewright.runtime.memref_fit import layout_problem

Sizes = tuple[int, ...]
Declared = tuple[int | None, ...]
ROW_MAJOR = (8, 4), (4, 1)


def parameter(shape: Declared, strides: Declared, divisors: Sizes = ()) -> MemrefParameter:
    return MemrefParameter("X", "f32", shape, strides, stride_gcd=divisors)


def offered(wanted: MemrefParameter, shape: Sizes, strides: Sizes) -> str:
    problem = layout_problem(wanted, shape, strides)
    assert problem is not None
    return problem.partition(">>; ")[2]


def test_only_the_transpose_is_offered_where_it_fits() -> None:
    for strides in ((None, None), (1, None)):
        assert offered(parameter((None, None), strides), *ROW_MAJOR) == "pass X.T, which fits"


def test_a_copy_of_what_the_kernel_writes_has_the_result() -> None:
    backwards = (4,), (-1,)
    for written, back in ((False, ""), (True, ", and copy the result back")):
        wanted = replace(parameter((None,), (1,)), written=written)
        ways = "numpy.asfortranarray(X) (a PyTorch tensor: X.contiguous())"
        assert offered(wanted, *backwards) == f"pass {ways}, a copy{back}"


@pytest.mark.parametrize("order", [2, 3])
def test_the_copy_of_a_tensor_fits(order: int) -> None:
    """What is offered for tensors, by a class that moves dimensions as PyTorch does."""
    wanted = parameter((None,) * order, (1,) + (None,) * (order - 1))
    shape = (6,) + (3,) * (order - 1)
    text = offered(wanted, shape, (1,) * order)
    found = re.search(r"tensor: (X.+)\), a copy", text)
    assert found is not None
    copied = eval(found[1], {"X": _Tensor(np.zeros(shape, np.float32))})
    assert copied.array.flags.f_contiguous
    assert copied.array.shape == shape


class _Tensor:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @property
    def mT(self) -> _Tensor:
        return _Tensor(np.swapaxes(self.array, -1, -2))

    def permute(self, *dims: int) -> _Tensor:
        return _Tensor(self.array.transpose(dims))

    def contiguous(self) -> _Tensor:
        return _Tensor(np.ascontiguousarray(self.array))


def test_the_declared_type_is_not_offered() -> None:
    apart = parameter((None, None), (1, None), (1, 16))
    assert offered(apart, (6, 4), (1, 8)) == ""
    assert offered(replace(apart, strides=(1, 8)), (6, 4), (1, 10)) == "declare strided<1,?>"


def sizes(text: str) -> Declared:
    return tuple(None if size == "?" else int(size) for size in re.findall(r"\?|\d+", text))


@pytest.mark.parametrize("extents", [(None, None), (6, 4), (4, 6), (6, None), (4, None)])
def test_whatever_is_offered_fits(extents: Declared) -> None:
    array = np.zeros((24, 24), np.float32)
    arrays = [array[:6, :4], array.T[:6, :4], array[::2, ::3][:6, :4], np.zeros((6, 4)), np.zeros((6, 4), order="F")]
    for declared, divisors, each in product(((1, None), (None, None), (1, 8), (2, 24)), ((), (1, 16)), arrays):
        wanted = parameter(extents, declared, divisors)
        strides = tuple(stride // each.itemsize for stride in each.strides)
        problem = layout_problem(wanted, each.shape, strides)
        if problem is None:
            continue
        ways = problem.partition(">>; ")[2]
        turned = each.shape[::-1], strides[::-1]
        if "X.T, which fits" in ways:
            assert layout_problem(wanted, *turned) is None
        for found in re.findall(r"declare strided<(.*?)>", ways):
            assert sizes(found) != declared
            assert layout_problem(replace(wanted, strides=sizes(found), stride_gcd=()), each.shape, strides) is None
        for rows, columns, found in re.findall(r"declare memref<f32x(.*?)x(.*?),strided<(.*?)>>", ways):
            other = parameter(sizes(f"{rows},{columns}"), sizes(found))
            assert layout_problem(other, *turned) is None
        if "asfortranarray" in ways:
            assert layout_problem(wanted, each.shape, (1, each.shape[0])) is None


def test_strides_must_step_over_the_modes_before() -> None:
    """`S_0 >= 1` and `S_i >= S_{i-1} s_{i-1}` (language reference 1.3)."""
    for strides in product((1, 2, 3), (1, 2, 3, 4, 5, 6, 8, 9), (9, 12, 15, 18, 24)):
        grows = strides[1] >= 3 * strides[0] and strides[2] >= 4 * strides[1]
        problem = layout_problem(parameter((None, None, None), (None, None, None)), (3, 4, 2), strides)
        assert (problem is None) is grows, (strides, problem)
