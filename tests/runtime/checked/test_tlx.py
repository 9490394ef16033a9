"""Checked code on the CPU for TLX: products reach as far as the arrays of their pointers."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright import KernelError

_INDICES = "<{n} x i32> <{values}>"


def _indices(*values: int) -> str:
    return _INDICES.format(n=len(values), values=", ".join(f"i32 {value}" for value in values))


def _load(name: str, *shape: int) -> str:
    order, zeros = range(len(shape)), (0,) * len(shape)
    operands = ", ".join(_indices(*values) for values in (shape, order, zeros, zeros))
    return f"  %t{name} = call token @llvm.tensor.load(ptr elementtype(float) %{name}, {operands})\n"


CONTRACTION = f"""define void @f(ptr %a, ptr %b, ptr %c) {{
{_load("a", 3, 4, 5)}{_load("b", 5, 4, 2)}
  %v = call <6 x float> @llvm.tensor.contract(token %ta, token %tb, {_indices(2, 1)}, {_indices(0, 1)})
  %t = call token @llvm.tensor.typeinfo(<6 x float> %v, {_indices(3, 2)}, {_indices(0, 1)}, {_indices(0, 0)})
  call void @llvm.tensor.store(ptr elementtype(float) %c, token %t, {_indices(0, 0)})
  ret void
}}
"""


@pytest.mark.parametrize("level", [0, 2])
def test_contractions_of_tlx(level: int) -> None:
    kernel = tw.compile(CONTRACTION, checked=True, level=level, cache=False).f[1]
    a, b = (np.arange(size, dtype=np.float32).reshape(shape) for size, shape in ((60, (3, 4, 5)), (40, (5, 4, 2))))
    c = np.zeros((3, 2), np.float32)
    kernel(a, b, c)
    assert np.array_equal(c, np.einsum("ijk,kjl->il", a, b))
    for arguments, name, size in ((a.ravel()[:-1], "a", 240), (b.ravel()[:-1], "b", 160)):
        given = [arguments if name == "a" else a, arguments if name == "b" else b, c]
        with pytest.raises(KernelError, match=f"bytes 0 to {size - 1} of %{name} are accessed, which has {size - 4}"):
            kernel(*given)
