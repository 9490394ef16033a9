"""Windows, convolutions, contractions and reductions that are larger than registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dialects.tlx.tensors import in_format, value
from tilewright.dialects import tile, tl
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.dialects.tlx.products import Contract, Convolution
from tilewright.dialects.tlx.reductions import ReduceMax
from tilewright.dialects.tlx.types import TensorType
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.core import Value
from tilewright.ir.types import (
    BF16,
    F32,
    I8,
    I32,
    ScalarType,
)
from tilewright.transforms.tile_values import tile_type
from transforms.lower_tlx.memory_programs import (
    POINTER,
    load,
    module_of,
    programs,
    store,
)
from transforms.lower_tlx.programs import compiled, lowered, program

Array = NDArray[Any]


@pytest.mark.parametrize("extent", [5, 6, 8, 9])
def test_windows_in_steps_of_tiles(rng: np.random.Generator, extent: int) -> None:
    """Two of three elements from every third on; behind the last there may be nothing."""
    x = rng.permutation(extent).astype(np.int32)
    module, out = program([TensorType.dense(I32, (extent,))], lambda b, v: b(ReduceMax(v[0], (2,), (3,))).out)
    found = np.zeros(out.shape, np.int32)
    compiled(lowered(module, extent))["f"][1](x, found)
    assert found.tolist() == [max(x[k : k + 2]) for k in range(0, extent - 1, 3)]


@pytest.mark.parametrize(("height", "stride"), [(3, 1), (6, 2)])
def test_a_convolution_of_many_channels(rng: np.random.Generator, height: int, stride: int) -> None:
    """Two images, three of the kernel's rows."""
    types = [TensorType.dense(F32, (2, 128, height, 42)), TensorType.dense(F32, (64, 128, 3, 3))]
    _same_convolution(rng, types, stride)


@pytest.mark.parametrize("channels", [37, 38])
def test_a_convolution_of_many_channels_to_few_maps(rng: np.random.Generator, channels: int) -> None:
    """Too narrow for one product; as many channels are summed at once as divide them and fit, all if none do."""
    types = [TensorType.dense(F32, (1, channels, 60, 62)), TensorType.dense(F32, (3, channels, 1, 1))]
    _same_convolution(rng, types, 1)


@pytest.mark.parametrize("spread", [(1, 2), (3, 1)])
def test_a_kernel_that_is_spread_one_way(rng: np.random.Generator, spread: tuple[int, int]) -> None:
    """A product for each of its elements."""
    types = [TensorType.dense(F32, (1, 3, 9, 8)), TensorType.dense(F32, (2, 3, 2, 3))]
    _same_convolution(rng, types, 1, spread)


def _same_convolution(
    rng: np.random.Generator, types: list[TensorType], stride: int, spread: tuple[int, int] = (1, 1)
) -> None:
    """A compiled convolution against that of NumPy, with integers."""
    x, kernel = (rng.integers(-3, 4, t.shape).astype(np.float32) for t in types)

    def body(b: Builder, v: Sequence[Value]) -> Value:
        return b(Convolution(v[0], v[1], (stride, 1), (1, 1), spread)).out

    module, out = program(types, body)
    found = np.zeros(out.shape, np.float32)
    compiled(lowered(module, 4096))["f"][1](x, kernel, found)
    size = [(n - 1) * step + 1 for n, step in zip(kernel.shape[2:], spread, strict=True)]
    patches = np.lib.stride_tricks.sliding_window_view(x, size, (2, 3))[:, :, ::stride]
    patches = patches[..., :: spread[0], :: spread[1]]
    assert np.array_equal(found, np.einsum("nchwij,ocij->nohw", patches, kernel, optimize=True))


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [("acik", "kbcj", "abij"), ("caik", "bkcj", "jbia"), ("abid", "dcj", "abcij"), ("abcij", "kijc", "bka")],
)
def test_contractions_whose_dimensions_no_stride_merges(
    rng: np.random.Generator, left: str, right: str, result: str
) -> None:
    """They are one product, whatever the layout of the result; the interpreter agrees behind the first stage."""
    sizes = {"a": 9, "b": 11, "c": 17, "d": 20, "i": 7, "j": 13, "k": 19}
    both = [c for c in left if c in right]
    free = [c for c in left if c not in both] + [c for c in right if c not in both]
    types = [TensorType.dense(F32, [sizes[c] for c in letters]) for letters in (left, right)]
    x, y = (rng.integers(-3, 4, t.shape).astype(np.float32) for t in types)

    def make() -> Module:
        def body(b: Builder, v: Sequence[Value]) -> Value:
            axes = [tuple(letters.index(c) for c in both) for letters in (left, right)]
            plain = TensorType.dense(F32, [sizes[c] for c in free])
            type_ = plain.relaid([free.index(c) for c in result])
            return b(Contract(v[0], v[1], *axes, result_types=[type_])).out

        return lowered(program(types, body)[0], 4096)

    assert sum(isinstance(op, tl.Contract) for op in make().walk()) == 1
    wanted = np.einsum(f"{left},{right}->{result}", x, y)
    for run in (interpreted_module(make(), "", False), compiled(make())):
        found = np.full(wanted.shape, np.nan, np.float32)
        run["f"][1](x, y, found)
        assert np.array_equal(found, wanted)


@pytest.mark.covering(1)
@pytest.mark.parametrize(("element", "layout"), [(F32, (0, 1, 2, 3)), (BF16, (0, 2, 3, 1)), (I8, (1, 0, 3, 2))])
@pytest.mark.parametrize(("strides", "spread", "dilations"), [((1, 1), (1, 1), (1, 1)), ((2, 3), (2, 1), (1, 2))])
def test_large_convolutions_are_one_product(
    rng: np.random.Generator,
    element: ScalarType,
    layout: tuple[int, ...],
    strides: tuple[int, int],
    spread: tuple[int, int],
    dilations: tuple[int, int],
) -> None:
    """Strides, dilations of either, results in any layout; 16-bit floats are rounded once."""
    types = [TensorType.dense(element, (2, 19, 23, 26)), TensorType.dense(element, (17, 19, 3, 3))]
    x, kernel = (rng.integers(-2, 3, t.shape) for t in types)

    def body(b: Builder, v: Sequence[Value]) -> Value:
        source, weights = map(value, types)
        natural = Convolution(source, weights, strides, spread, dilations).out.type
        assert isinstance(natural, TensorType)
        result = [natural.relaid(layout)]
        return b(Convolution(v[0], v[1], strides, spread, dilations, result_types=result)).out

    module, out = program(types, body)
    module = lowered(module, 4096)
    assert sum(isinstance(op, tl.Contract) for op in module.walk()) == 1
    stored = in_format(np.zeros(out.extents, np.int64), element)
    compiled(module)["f"][1](*(in_format(a, element) for a in (x, kernel)), stored)
    wide = np.zeros((2, 19, 22 * spread[0] + 1, 25 * spread[1] + 1), np.int64)
    wide[:, :, :: spread[0], :: spread[1]] = x
    size = [2 * d + 1 for d in dilations]
    patches = np.lib.stride_tricks.sliding_window_view(wide, size, (2, 3))
    patches = patches[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
    wanted = np.einsum("nchwij,ocij->nohw", patches, kernel, optimize=True).transpose(layout)
    assert stored.tobytes() == in_format(wanted, element).tobytes()


@pytest.mark.parametrize("columns", [63, 128, 129, 300])
def test_rows_of_every_length(rng: np.random.Generator, columns: int) -> None:
    """Shorter than what is combined at once, as long, longer by a rest."""
    type_ = TensorType.dense(F32, (37, columns))
    x = rng.standard_normal(type_.shape).astype(np.float32)
    x[3, columns - 1] = np.nan

    def body(b: Builder, given: Sequence[Value]) -> None:
        store(b, given[1], b(ReduceMax(load(b, given[0], type_), (columns,), (1,))).out)

    for run in programs(lambda: module_of([POINTER] * 2, body), 64).values():
        out = np.zeros(37, np.float32)
        run["f"][1](x, out)
        assert np.array_equal(out, x.max(1), equal_nan=True)


def test_long_rows_are_combined_as_several_streams(rng: np.random.Generator) -> None:
    """Rows of 4 KiB, a few more than whole rounds of eight; an element that is no number wins."""
    rows, columns = 19, 1030
    type_ = TensorType.dense(F32, (rows, columns))
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    x[3, columns - 1] = x[17, 5] = np.nan

    def body(b: Builder, given: Sequence[Value]) -> None:
        store(b, given[1], b(ReduceMax(load(b, given[0], type_), (columns,), (1,))).out)

    module = module_of([POINTER] * 2, body)
    shapes = {tile_type(op.out).shape for op in lowered(module, 4096).walk() if isinstance(op, tile.Load)}
    assert (16, 8) in shapes
    for run in programs(lambda: module_of([POINTER] * 2, body), 4096).values():
        out = np.zeros(rows, np.float32)
        run["f"][1](x, out)
        assert np.array_equal(out, x.max(1), equal_nan=True)
