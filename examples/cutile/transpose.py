"""Transposition by tiles. Run it: python examples/cutile/transpose.py"""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from tilewright.interop import cutile

TILE = 64


@ct.kernel
def transpose(x, out, rows: ct.Constant[int], columns: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, index=(j, i), tile=ct.transpose(ct.load(x, index=(i, j), shape=(rows, columns))))


def launch(x, out, target: str = "cpu") -> None:
    """out = x transposed, on the CPU or in the interpreter."""
    cutile.launch(
        (ct.cdiv(x.shape[0], TILE), ct.cdiv(x.shape[1], TILE)), transpose, (x, out, TILE, TILE), target=target
    )


def main() -> None:
    """Compare with NumPy on extents that no tile divides."""
    x = np.random.default_rng().standard_normal((1000, 333), np.float32)
    out = np.empty((333, 1000), np.float32)
    launch(x, out)
    print("equal to NumPy:", np.array_equal(out, x.T))


if __name__ == "__main__":
    main()
