# Kernels are read by the front end, whose annotations say nothing about types.
# pyright: basic
"""Kernels in NVIDIA's front end that the tests of launches use."""

from typing import Annotated

import cuda.tile as ct


@ct.kernel
def scale(x, y, factor, tile: ct.Constant[int]):
    block = ct.bid(0)
    values = ct.load(x, index=(block,), shape=(tile,)).astype(ct.float32)
    ct.store(y, index=(block,), tile=(values * factor).astype(y.dtype))


@ct.kernel
def scale_wide(x: ct.IndexedWithInt64, y: ct.IndexedWithInt64, factor: ct.ScalarInt64):
    ct.store(y, index=(ct.bid(0),), tile=ct.load(x, index=(ct.bid(0),), shape=(16,)) * factor)


@ct.kernel
def scale_static(x: Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(0,))], y):
    ct.static_assert(x.shape[0] == 24)
    ct.store(y, index=(ct.bid(0),), tile=ct.load(x, index=(ct.bid(0),), shape=(16,)) * 2)


@ct.kernel
def scale_stepped(x: Annotated[ct.Array, ct.ArrayAnnotation(static_stride_dims=(0, -1))], y):
    ct.store(y, index=(ct.bid(0),), tile=ct.load(x, index=(ct.bid(0),), shape=(16,)) * 2)


@ct.kernel
def sum_static(arrays: Annotated[list, ct.ListAnnotation(element=ct.ArrayAnnotation(static_shape_dims=(0,)))], out):
    total = ct.zeros((16,), dtype=ct.float32)
    for i in range(len(arrays)):
        x = arrays[i]
        ct.static_assert(x.shape[0] == 16)
        total += ct.load(x, index=(0,), shape=(16,))
    ct.store(out, index=(0,), tile=total)


@ct.kernel
def copy(x, y, tile: ct.Constant[int]):
    ct.store(y, index=(ct.bid(0),), tile=ct.load(x, index=(ct.bid(0),), shape=(tile,)))


@ct.kernel
def add_all(arrays, out, tile: ct.Constant[int]):
    block = ct.bid(0)
    total = ct.zeros((tile,), dtype=ct.float32)
    for i in range(len(arrays)):
        total += ct.load(arrays[i], index=(block,), shape=(tile,))
    ct.store(out, index=(block,), tile=total)


@ct.kernel
def ignores(x, y):
    ct.store(y, index=(0,), tile=ct.full((16,), 1, dtype=ct.float32))


@ct.kernel
def says(x):
    ct.printf("block %d: %d\n", ct.bid(0), ct.load(x, index=(ct.bid(0),), shape=(4,)))


@ct.kernel
def add_pair(pair, shape: ct.Constant[tuple[int, int]], out):
    ct.store(out, index=(ct.bid(0), 0), tile=ct.load(pair[0], index=(ct.bid(0), 0), shape=shape) + pair[1])


@ct.kernel
def where_in_grid(out):
    here = ct.bid(0) + 10 * ct.bid(1) + 100 * ct.bid(2)
    ct.store(out, index=(ct.bid(2), ct.bid(1), ct.bid(0)), tile=ct.full((1, 1, 1), here, dtype=ct.int32))


@ct.kernel
def choose(x, y, negate):
    values = ct.load(x, index=(0,), shape=(16,))
    ct.store(y, index=(0,), tile=ct.where(negate, -values, values))


def beyond(x, first):
    return ct.gather(x, (first + ct.arange(16, dtype=ct.int32),), check_bounds=False)


@ct.kernel
def reads_beyond(x, y, first):
    ct.store(y, index=(0,), tile=beyond(x, first))


@ct.kernel
def tile_of_three(x, y):
    ct.store(y, index=(0,), tile=ct.load(x, index=(0,), shape=(3,)))


@ct.kernel
def put(x, y):
    ct.store(y, index=(0,), tile=ct.insert(ct.load(x, (0,), (16,)), (1,), ct.full((4,), 1, dtype=ct.int32)))


@ct.kernel
def halve_rows(x, y):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, 16), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(ct.bid(0), 0), tile=row // 2)
