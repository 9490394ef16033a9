"""Bytecode that NVIDIA's Python front end writes is read, where somebody has installed it (cuda-tile 1.6).

No GPU, driver or compiler of NVIDIA is needed.
"""

# pyright: reportInvalidTypeForm=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from pathlib import Path
from typing import Any

import pytest

from frontends.tile_ir.bytecode.equality import lines
from frontends.tile_ir.bytecode.test_round_trip import reread
from tilewright.dialects.cuda_tile.reductions import Reduce
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir.bytecode import write

ct = pytest.importorskip("cuda.tile")
compilation = pytest.importorskip("cuda.tile.compilation")


@ct.kernel
def axpy(x, y, z, a, N: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.load(x, index=(i,), shape=(N,)) * a + ct.load(y, index=(i,), shape=(N,)))


@ct.kernel
def product(a, b, c, M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((M, N), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], K)):
        left = ct.load(a, index=(i, k), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, index=(k, j), shape=(K, N), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(left, right, total)
    ct.store(c, index=(i, j), tile=total.astype(c.dtype))


@ct.kernel
def scattered(x, index, y, N: ct.Constant[int]):
    places = ct.load(index, index=(ct.bid(0),), shape=(N,))
    found = ct.cumsum(ct.gather(x, (places,)), axis=0)
    ct.scatter(y, (places,), ct.where(found > 0, found, 0.0))
    ct.atomic_add(y, (places,), found)
    ct.printf("%d\n", ct.bid(0))


@ct.kernel
def doubled(x, y, n, N: ct.Constant[int]):
    row = ct.load(x, index=(ct.bid(0),), shape=(N,))
    most = ct.max(row, axis=0)
    k = 0
    while k < n:
        if ct.sum(row) > most:
            break
        row = row * 2.0
        k = k + 1
    ct.store(y, index=(ct.bid(0),), tile=row)


@ct.kernel
def nothing():
    """A kernel without constants: their table is empty, and padded."""
    return


def array(dtype: Any, rank: int) -> Any:
    return compilation.ArrayConstraint(
        dtype,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[None] * (rank - 1) + [1],
        base_addr_divisible_by=16,
    )


KERNELS = {
    "axpy": (axpy, [*(array(ct.float32, 1) for _ in range(3)), compilation.ScalarConstraint(ct.float32), 128]),
    "product": (product, [*(array(ct.float16, 2) for _ in range(3)), 64, 64, 32]),
    "scattered": (scattered, [array(ct.float32, 1), array(ct.int32, 1), array(ct.float32, 1), 128]),
    "doubled": (doubled, [*(array(ct.float64, 1) for _ in range(2)), compilation.ScalarConstraint(ct.int32), 64]),
    "nothing": (nothing, []),
}


@pytest.mark.parametrize("version", list(Version))
@pytest.mark.parametrize("name", KERNELS)
def test_read_and_written(name: str, version: Version, tmp_path: Path) -> None:
    kernel, parameters = KERNELS[name]
    convention = compilation.CallingConvention.cutile_python_v2()
    path = tmp_path / "kernel.tilebc"
    compilation.export_kernel(
        kernel,
        [compilation.KernelSignature(parameters, convention)],
        path,
        gpu_code="sm_100",
        output_format="tileir_bytecode",
        bytecode_version=str(version),
    )
    module = reread(path.read_bytes())
    assert module.version == version
    assert lines(reread(write(module, version))) == lines(module)
    if name == "doubled":
        identities = [n.value for op in module.walk() if isinstance(op, Reduce) for n in op.identities]
        assert float("-inf") in identities
