"""Softmax of rows: a whole row in one tile. Run it: python examples/cutile/softmax.py"""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from tilewright.interop import cutile


@ct.kernel
def softmax(x, out, width: ct.Constant[int]):
    row = ct.bid(0)
    # Columns beyond the row's end count as exp(-inf) = 0.
    values = ct.load(x, index=(row, 0), shape=(1, width), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
    powers = ct.exp(values - ct.max(values, axis=1, keepdims=True))
    ct.store(out, index=(row, 0), tile=(powers / ct.sum(powers, axis=1, keepdims=True)).astype(out.dtype))


def launch(x, out, target: str = "cpu") -> None:
    """The softmax of each row of x, on the CPU or in the interpreter."""
    rows, columns = x.shape
    width = 1 << (columns - 1).bit_length()
    cutile.launch(rows, softmax, (x, out, width), target=target)


def main() -> None:
    """Compare with NumPy on rows that are no power of two long."""
    x = np.random.default_rng().standard_normal((100, 777), np.float32)
    out = np.empty_like(x)
    launch(x, out)
    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True)
    print(f"relative error: {np.linalg.norm(out - expected) / np.linalg.norm(expected):.1e}")


if __name__ == "__main__":
    main()
