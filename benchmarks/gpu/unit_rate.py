"""How fast an NVIDIA GPU multiplies if threads do nothing else: a bound of products that threads multiply themselves.

CUDA C++ through CuPy, on factors that are read once and stay in registers, as many instructions as a product of square
matrices has and tiles of a block as large as those of `matmul_ablation.py` and `products.py`: `mma.sync` of f16, with
accumulators in f32 or f16, and of f64, and multiply-adds of f32. Random numbers: the rate depends on how many bits
change, for the device's power is limited. Those of real products change more often: they are new in each step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Unit:
    """What multiplies: C's types of factors and accumulators, rows and columns of a block, of what multiplies together
    (a warp or a thread) and of an instruction, its depth, what a thread has of its operands, and its text.

    So many blocks share a multiprocessor.
    """

    factor: str
    total: str
    block: tuple[int, int]
    part: tuple[int, int]
    shape: tuple[int, int, int]
    held: tuple[int, int, int]
    text: str
    threads: int = 256
    blocks: int = 1


_F16: Final = """asm volatile("mma.sync.aligned.m16n8k16.row.col.{0}.f16.f16.{0} {1}, {{{2}}}, {{{3}}}, {1};" : {4}
: "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));"""
_F64: Final = """asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
"{%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
: "d"(a[i][0]), "d"(a[i][1]), "d"(a[i][2]), "d"(a[i][3]), "d"(b[j][0]), "d"(b[j][1]));"""
_TO_F32: Final = _F16.format(
    "f32", "{%0,%1,%2,%3}", "%4,%5,%6,%7", "%8,%9", '"+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])'
)
_TO_F16: Final = _F16.format("f16", "{%0,%1}", "%2,%3,%4,%5", "%6,%7", '"+r"(c[0]), "+r"(c[1])')
UNITS: Final = {
    "f32": Unit("unsigned", "unsigned", (128, 256), (64, 64), (16, 8, 16), (4, 2, 4), _TO_F32),
    "f16": Unit("unsigned", "unsigned", (256, 256), (128, 64), (16, 8, 16), (4, 2, 2), _TO_F16),
    "f64": Unit("double", "double", (128, 128), (64, 32), (16, 8, 8), (4, 2, 4), _F64),
    "fma": Unit(
        "float", "float", (128, 128), (8, 16), (1, 1, 1), (1, 1, 1), "c[0] = fmaf(a[i][0], b[j][0], c[0]);", 128, 2
    ),
}
"""Those of factors of f16 by the type of their accumulators, that of f64, and multiply-adds of f32."""
_TEXT: Final = """
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
multiply(const FACTOR* from, TOTAL* to, int steps) {
  FACTOR a[M][HELD_A], b[N][HELD_B];
  TOTAL sums[M][N][HELD_C] = {};
  from += threadIdx.x;
  for (int i = 0; i < M; i++) for (int r = 0; r < HELD_A; r++) a[i][r] = from[(i * HELD_A + r) * THREADS];
  from += M * HELD_A * THREADS;
  for (int j = 0; j < N; j++) for (int r = 0; r < HELD_B; r++) b[j][r] = from[(j * HELD_B + r) * THREADS];
#pragma unroll unrolled
  for (int k = 0; k < steps; k++) {
#pragma unroll
    for (int i = 0; i < M; i++)
#pragma unroll
      for (int j = 0; j < N; j++) {
        TOTAL* c = sums[i][j];
        MULTIPLY
      }
  }
  TOTAL found = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int r = 0; r < HELD_C; r++) found += sums[i][j][r];
  to[blockIdx.x * THREADS + threadIdx.x] = found;
}
"""
_UNROLLED: Final = {"fma": 8}


def text_of(name: str) -> str:
    """The kernel of a unit."""
    unit = UNITS[name]
    numbers: dict[str, object] = {"THREADS": unit.threads, "BLOCKS": unit.blocks}
    numbers |= {"FACTOR": unit.factor, "TOTAL": unit.total, "MULTIPLY": unit.text.replace("\n", " ")}
    numbers |= {"M": unit.part[0] // unit.shape[0], "N": unit.part[1] // unit.shape[1]}
    numbers |= dict(zip(("HELD_A", "HELD_B", "HELD_C"), unit.held, strict=True))
    defined = "".join(f"#define {key} {number}\n" for key, number in numbers.items())
    return f"{defined}constexpr int unrolled = {_UNROLLED.get(name, 1)};\n{_TEXT}"


def alone(torch: Any, n: int, name: str) -> Callable[[], object] | None:
    """As many products as matrices of n x n have, by a unit; None where there is no CuPy."""
    if find_spec("cupy") is None:
        return None
    cupy, unit = import_module("cupy"), UNITS[name]
    (rows, columns), size = unit.block, {"unsigned": 4, "float": 4, "double": 8}[unit.factor]
    blocks = (n // rows) * (n // columns)
    parts = [length // own * held for length, own, held in zip(unit.part, unit.shape, unit.held, strict=False)]
    given = drawn(torch, unit.factor, sum(parts) * unit.threads)
    found = torch.empty(blocks * unit.threads * size // 4, dtype=torch.int32, device="cuda")
    kernel = cupy.RawKernel(text_of(name), "multiply")
    addresses = [cupy.uint64(array.data_ptr()) for array in (given, found)]

    def run() -> object:
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            kernel((blocks,), (unit.threads,), (*addresses, cupy.int32(n // unit.shape[2])))
        return given, found  # which live as long as this does

    return run


def drawn(torch: Any, factor: str, count: int) -> Any:
    """Random normal numbers of so many registers, two of f16 in one that has no other type."""
    if factor == "unsigned":
        return torch.randn(2 * count, device="cuda").half()
    return torch.randn(count, device="cuda", dtype=torch.float64 if factor == "double" else torch.float32)
