"""How fast an NVIDIA GPU multiplies by mma.sync if threads do nothing else: a bound of products without wgmma.

CUDA C++ through CuPy, on fragments that are read once and stay in registers, as many instructions as a product of
square matrices has and tiles of a block as large as those of `matmul_ablation.py`. Random numbers: the rate depends on
how many bits change, for the device's power is limited.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

BLOCK: Final = {"f32": (128, 256, 64, 64), "f16": (256, 256, 128, 64)}
"""Rows and columns of a block and of a warp, by the type of the sums, whose registers they fill."""
THREADS: Final = 256
_DEPTH: Final = 16
_MULTIPLY: Final = {
    "f32": """asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])""",
    "f16": """asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
    : "+r"(c[0]), "+r"(c[1])""",
}
_WORDS: Final = {"f32": 4, "f16": 2}
_TEXT: Final = """
extern "C" __global__ void __launch_bounds__(THREADS, 1)
multiply(const unsigned* from, unsigned* to, int steps) {
  unsigned a[M / 16][4], b[N / 8][2], sums[M / 16][N / 8][WORDS] = {};
  from += threadIdx.x;
  for (int i = 0; i < M / 16; i++) for (int r = 0; r < 4; r++) a[i][r] = from[(i * 4 + r) * THREADS];
  from += M / 4 * THREADS;
  for (int j = 0; j < N / 8; j++) for (int r = 0; r < 2; r++) b[j][r] = from[(j * 2 + r) * THREADS];
  for (int k = 0; k < steps; k++) {
#pragma unroll
    for (int i = 0; i < M / 16; i++)
#pragma unroll
      for (int j = 0; j < N / 8; j++) {
        unsigned* c = sums[i][j];
        MULTIPLY : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
      }
  }
  unsigned found = 0;
  for (int i = 0; i < M / 16; i++)
    for (int j = 0; j < N / 8; j++)
      for (int r = 0; r < WORDS; r++) found ^= sums[i][j][r];
  to[blockIdx.x * THREADS + threadIdx.x] = found;
}
"""


def text_of(total: str) -> str:
    """The kernel that multiplies f16 with sums of a type."""
    _, _, rows, columns = BLOCK[total]
    numbers = {"THREADS": THREADS, "M": rows, "N": columns, "WORDS": _WORDS[total]}
    defined = "".join(f"#define {name} {number}\n" for name, number in numbers.items())
    multiply = _MULTIPLY[total].replace("\n", " ")
    return f"{defined}#define MULTIPLY {multiply}\n{_TEXT}"


def alone(torch: Any, n: int, total: str) -> Callable[[], object] | None:
    """As many products as matrices of n x n have, f16 with sums of a type; None where there is no CuPy."""
    if find_spec("cupy") is None:
        return None
    cupy = import_module("cupy")
    rows, columns, _, _ = BLOCK[total]
    blocks = (n // rows) * (n // columns)
    given = torch.randn(2 * (256 // 4 + 256 // 4) * THREADS, device="cuda").half()
    found = torch.empty(blocks * THREADS, dtype=torch.int32, device="cuda")
    kernel = cupy.RawKernel(text_of(total), "multiply")
    addresses = [cupy.uint64(array.data_ptr()) for array in (given, found)]

    def run() -> object:
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            kernel((blocks,), (THREADS,), (*addresses, cupy.int32(n // _DEPTH)))
        return given, found  # which live as long as this does

    return run
