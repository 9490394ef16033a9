"""What products on AMX tiles could reach at most: nothing but loads of tiles from the first cache, and products.

Factors are random, since processors are faster on zeros, and loaded anew for each step of four products, as they have
to be in any product of matrices.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
from msgspec import Struct

from tilewright.machine.native import LoadedObject, compile_text, load_object
from tilewright.machine.processor import machine
from tilewright.machine.units import unavailable
from tilewright.settings.product_units import Unit
from tilewright.targets.cpu.units.splitting import PRODUCTS

_UNITS: Final = {
    "i8": (Unit.AMX_INT8, "tdpbssd", 64),
    "bf16": (Unit.AMX_BF16, "tdpbf16ps", 32),
    "f16": (Unit.AMX_F16, "tdpbf16ps", 32 // len(PRODUCTS)),
}
"""The instruction, and how many terms it adds up: of f16 it takes several."""
_STEPS: Final = 100_000
"""Two milliseconds at least, of which waking a thread takes little."""
_KEPT: Final = 4
_STEP_BYTES: Final = 2048
_FOUR: Final = range(4)


class Ceiling(Struct, frozen=True):
    """A run, and how many operations all of its threads do."""

    run: Callable[[], object]
    operations: float


def ceiling(dtype: str, threads: int = 1) -> Ceiling | None:
    """For factors of a type, on some threads at once; None where there are no tiles."""
    unit, word, terms = _UNITS[dtype]
    if unavailable(machine(), unit) is not None:
        return None
    code: LoadedObject = load_object(compile_text(_text(word)), ["ceiling"])
    pointer = ctypes.c_void_p
    call = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, ctypes.c_int64)(code.address("ceiling"))
    memory = [(_factor(dtype), _factor(dtype), np.zeros(2048, np.uint8)) for _ in range(threads)]

    def one(thread: int) -> None:
        assert code
        call(*map(_line, memory[thread]), _STEPS)

    return Ceiling(in_threads(one, threads), 4.0 * _STEPS * 2 * 16 * 16 * terms * threads)


def in_threads(one: Callable[[int], object], threads: int) -> Callable[[], None]:
    """A run of something on some threads at once, each of which is told its number."""
    others = ThreadPoolExecutor(max(threads - 1, 1))

    def run() -> None:
        started = [others.submit(one, thread) for thread in range(1, threads)]
        one(0)
        for each in started:
            each.result()

    return run


def _factor(dtype: str) -> np.ndarray:
    rng, size = np.random.default_rng(), _KEPT * _STEP_BYTES + 64
    if dtype == "i8":
        return rng.integers(0, 256, size).astype(np.uint8)
    import ml_dtypes

    # some bytes more on both sides of the first cache line
    return rng.standard_normal(size // 2).astype(ml_dtypes.bfloat16).view(np.uint8)


def _line(array: np.ndarray) -> int:
    """Address of the first cache line inside."""
    return -(-array.ctypes.data // 64) * 64


def _text(word: str) -> str:
    tile = "i16 16, i16 64"

    def loads(name: str) -> str:
        return "\n".join(
            f"""  %{name}.p{k} = getelementptr i8, ptr %{name}, i64 %{name}.at{k}
  %{name}{k} = call x86_amx @llvm.x86.tileloadd64.internal({tile}, ptr %{name}.p{k}, i64 64)"""
            for k in range(2)
        )

    places = "\n".join(f"  %{name}.at{k} = or i64 %at, {1024 * k}" for name in "ab" for k in range(2))
    zeros = "\n".join(f"  %z{k} = call x86_amx @llvm.x86.tilezero.internal({tile})" for k in _FOUR)
    sums = "\n".join(f"  %s{k} = phi x86_amx [ %z{k}, %entry ], [ %n{k}, %step ]" for k in _FOUR)
    products = "\n".join(
        f"  %n{k} = call x86_amx @llvm.x86.{word}.internal({tile}, i16 64, "
        f"x86_amx %s{k}, x86_amx %a{k // 2}, x86_amx %b{k % 2})"
        for k in _FOUR
    )
    stores = "\n".join(
        f"  call void @llvm.x86.tilestored64.internal({tile}, ptr %c, i64 64, x86_amx %n{k})" for k in _FOUR
    )
    return f"""
declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)
declare x86_amx @llvm.x86.tilezero.internal(i16, i16)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)
declare x86_amx @llvm.x86.{word}.internal(i16, i16, i16, x86_amx, x86_amx, x86_amx)
define void @ceiling(ptr %a, ptr %b, ptr %c, i64 %steps) nounwind {{
entry:
{zeros}
  br label %step
step:
  %i = phi i64 [ 0, %entry ], [ %i.next, %step ]
{sums}
  %kept = and i64 %i, {_KEPT - 1}
  %at = mul i64 %kept, {_STEP_BYTES}
{places}
{loads("a")}
{loads("b")}
{products}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %steps
  br i1 %more, label %step, label %leave
leave:
{stores}
  ret void
}}
"""
