"""Matrix product: a tile of the result a tile block, sums in f32. Run it: python examples/cutile/matmul.py"""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from tilewright.interop import cutile

TILES = (64, 64, 32)


@ct.kernel
def matmul(a, b, c, rows: ct.Constant[int], columns: ct.Constant[int], terms: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    sums = ct.zeros((rows, columns), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], terms)):
        left = ct.load(a, index=(i, k), shape=(rows, terms), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, index=(k, j), shape=(terms, columns), padding_mode=ct.PaddingMode.ZERO)
        sums = ct.mma(left, right, sums)
    ct.store(c, index=(i, j), tile=sums.astype(c.dtype))


def launch(a, b, c, target: str = "cpu", tiles: tuple[int, int, int] = TILES) -> None:
    """c = a b, on the CPU or in the interpreter."""
    grid = (ct.cdiv(c.shape[0], tiles[0]), ct.cdiv(c.shape[1], tiles[1]))
    cutile.launch(grid, matmul, (a, b, c, *tiles), target=target)


def main() -> None:
    """Compare with NumPy on extents that no tile divides."""
    rng = np.random.default_rng()
    a = rng.standard_normal((333, 517), np.float32)
    b = rng.standard_normal((517, 129), np.float32)
    c = np.empty((333, 129), np.float32)
    launch(a, b, c)
    expected = a.astype(np.float64) @ b
    print(f"relative error: {np.linalg.norm(c - expected) / np.linalg.norm(expected):.1e}")


if __name__ == "__main__":
    main()
