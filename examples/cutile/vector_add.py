"""Sum of two vectors: one tile of each a tile block. Run it: python examples/cutile/vector_add.py"""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from tilewright.interop import cutile

TILE = 1024


@ct.kernel
def vector_add(x, y, out, tile: ct.Constant[int]):
    block = ct.bid(0)
    left = ct.load(x, index=(block,), shape=(tile,))
    right = ct.load(y, index=(block,), shape=(tile,))
    ct.store(out, index=(block,), tile=left + right)


def launch(x, y, out, target: str = "cpu") -> None:
    """out = x + y, on the CPU or in the interpreter."""
    cutile.launch(ct.cdiv(len(x), TILE), vector_add, (x, y, out, TILE), target=target)


def main() -> None:
    """Compare with NumPy on a length that no tile divides."""
    rng = np.random.default_rng()
    x, y = rng.standard_normal((2, 1_000_003), np.float32)
    out = np.empty_like(x)
    launch(x, y, out)
    print("equal to NumPy:", np.array_equal(out, x + y))


if __name__ == "__main__":
    main()
