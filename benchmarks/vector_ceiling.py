"""What sums of products on vectors could take at least: as many multiply-adds of registers, and nothing else."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Final

from tile_ceiling import in_threads
from tilewright.machine.native import compile_text, load_object
from tilewright.targets.cpu.machine import machine_of

_TYPES: Final = {"f32": ("float", 4), "f64": ("double", 8)}
_CHAINS: Final = 12
"""As many as processors add up at once, and fewer than they have registers."""


def multiply_adds(dtype: str, operations: float, threads: int = 1) -> Callable[[], object]:
    """A run of so many operations, two a multiply-add, shared evenly by some threads."""
    element, size = _TYPES[dtype]
    shape = machine_of()
    lanes = shape.lanes(size)
    steps = max(1, round(operations / (2 * lanes * _CHAINS * threads)))
    code = load_object(compile_text(_text(element, lanes, shape.attributes)), ["chains"])
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(code.address("chains"))
    memory = [ctypes.create_string_buffer(4096) for _ in range(threads)]

    def one(thread: int) -> None:
        assert code
        call(memory[thread], steps)

    return in_threads(one, threads)


def _text(element: str, lanes: int, attributes: str) -> str:
    vector, name = f"<{lanes} x {element}>", f"v{lanes}f{32 if element == 'float' else 64}"
    chains = range(_CHAINS)
    sums = "\n".join(f"  %s{k} = phi {vector} [ %x, %entry ], [ %n{k}, %step ]" for k in chains)
    products = "\n".join(
        f"  %n{k} = call {vector} @llvm.fma.{name}({vector} %s{k}, {vector} %half, {vector} %x)" for k in chains
    )
    stores = "\n".join(
        f"  %p{k} = getelementptr {vector}, ptr %to, i64 {k}\n  store {vector} %n{k}, ptr %p{k}, align 8"
        for k in chains
    )
    return f"""
declare {vector} @llvm.fma.{name}({vector}, {vector}, {vector})
define void @chains(ptr %to, i64 %steps) {attributes} {{
entry:
  %x = load {vector}, ptr %to, align 8
  %half = fadd {vector} %x, splat ({element} 0.5)
  br label %step
step:
  %i = phi i64 [ 0, %entry ], [ %i.next, %step ]
{sums}
{products}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %steps
  br i1 %more, label %step, label %leave
leave:
{stores}
  ret void
}}
"""
