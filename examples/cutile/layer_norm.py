"""Layer norm of rows longer than a tile: three walks along the row. Run it: python examples/cutile/layer_norm.py"""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from tilewright.interop import cutile

TILE = 256


@ct.kernel
def layer_norm(x, weight, bias, out, epsilon, width: ct.Constant[int]):
    row = ct.bid(0)
    columns = x.shape[1]
    steps = ct.cdiv(columns, width)
    sums = ct.zeros((1, width), dtype=ct.float32)
    for j in range(steps):
        sums += ct.load(x, index=(row, j), shape=(1, width), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    mean = ct.sum(sums, axis=1, keepdims=True) / columns

    squares = ct.zeros((1, width), dtype=ct.float32)
    for j in range(steps):
        values = ct.load(x, index=(row, j), shape=(1, width), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
        inside = (j * width + ct.arange(width, dtype=ct.int32)).reshape((1, width)) < columns
        distance = ct.where(inside, values - mean, 0.0)
        squares += distance * distance
    scale = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True) / columns + epsilon)

    for j in range(steps):
        values = ct.load(x, index=(row, j), shape=(1, width), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
        gain = ct.load(weight, index=(j,), shape=(width,), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
        shift = ct.load(bias, index=(j,), shape=(width,), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
        ct.store(out, index=(row, j), tile=((values - mean) * scale * gain + shift).astype(out.dtype))


def launch(x, weight, bias, out, epsilon: float = 1e-5, target: str = "cpu") -> None:
    """Rows of x with mean 0 and variance 1, times weight, plus bias; on the CPU or in the interpreter."""
    cutile.launch(x.shape[0], layer_norm, (x, weight, bias, out, epsilon, TILE), target=target)


def main() -> None:
    """Compare with NumPy on rows that no tile divides."""
    rng = np.random.default_rng()
    x = rng.standard_normal((64, 1000), np.float32)
    weight, bias = rng.standard_normal((2, 1000), np.float32)
    out = np.empty_like(x)
    launch(x, weight, bias, out)
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * weight + bias
    print(f"relative error: {np.linalg.norm(out - expected) / np.linalg.norm(expected):.1e}")


if __name__ == "__main__":
    main()
