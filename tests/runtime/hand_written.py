"""Kernels written by hand to the calling convention, and how tests bind them."""

from __future__ import annotations

from functools import cache

import numpy as np

from tilewright.artifacts.artifact import Artifact, KernelInfo, MemrefParameter, Parameter, ScalarParameter
from tilewright.machine.native import compile_text
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.launch import BoundKernel, bind_artifact
from tilewright.runtime.pool import Pool

SIGNATURE = "(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team)"

# Y[:, group] = alpha X[:, group] + beta Y[:, group], one column a work-group
AXPBY = f"""
define void @axpby{SIGNATURE} {{
entry:
  %alpha = load float, ptr %slots
  %x.p = getelementptr i8, ptr %slots, i64 8
  %x = load ptr, ptr %x.p
  %n.p = getelementptr i8, ptr %slots, i64 16
  %n = load i64, ptr %n.p
  %xs.p = getelementptr i8, ptr %slots, i64 32
  %xs = load i64, ptr %xs.p
  %beta.p = getelementptr i8, ptr %slots, i64 40
  %beta = load float, ptr %beta.p
  %y.p = getelementptr i8, ptr %slots, i64 48
  %y = load ptr, ptr %y.p
  %ys.p = getelementptr i8, ptr %slots, i64 72
  %ys = load i64, ptr %ys.p
  br label %columns
columns:
  %j = phi i64 [ %begin, %entry ], [ %j.next, %column.end ]
  %more = icmp slt i64 %j, %end
  br i1 %more, label %column, label %leave
column:
  %xo = mul i64 %j, %xs
  %yo = mul i64 %j, %ys
  br label %rows
rows:
  %i = phi i64 [ 0, %column ], [ %i.next, %row ]
  %again = icmp slt i64 %i, %n
  br i1 %again, label %row, label %column.end
row:
  %xi = add i64 %xo, %i
  %yi = add i64 %yo, %i
  %xp = getelementptr float, ptr %x, i64 %xi
  %yp = getelementptr float, ptr %y, i64 %yi
  %xv = load float, ptr %xp
  %yv = load float, ptr %yp
  %a = fmul float %alpha, %xv
  %b = fmul float %beta, %yv
  %s = fadd float %a, %b
  store float %s, ptr %yp
  %i.next = add i64 %i, 1
  br label %rows
column.end:
  %j.next = add i64 %j, 1
  br label %columns
leave:
  ret void
}}
"""

# G[i][0] *= z for the first `size` arrays of complex numbers at `offset`; out[i] = extent of array i
GROUP = f"""
define void @scale{SIGNATURE} {{
entry:
  %re = load double, ptr %slots
  %im.p = getelementptr i8, ptr %slots, i64 8
  %im = load double, ptr %im.p
  %table.p = getelementptr i8, ptr %slots, i64 16
  %table = load ptr, ptr %table.p
  %extents.p = getelementptr i8, ptr %slots, i64 24
  %extents = load ptr, ptr %extents.p
  %offset.p = getelementptr i8, ptr %slots, i64 40
  %offset = load i64, ptr %offset.p
  %out.p = getelementptr i8, ptr %slots, i64 48
  %out = load ptr, ptr %out.p
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %leave
body:
  %base.p = getelementptr ptr, ptr %table, i64 %i
  %base = load ptr, ptr %base.p
  %p = getelementptr {{ double, double }}, ptr %base, i64 %offset
  %q = getelementptr i8, ptr %p, i64 8
  %a = load double, ptr %p
  %b = load double, ptr %q
  %ac = fmul double %a, %re
  %bd = fmul double %b, %im
  %ad = fmul double %a, %im
  %bc = fmul double %b, %re
  %r = fsub double %ac, %bd
  %s = fadd double %ad, %bc
  store double %r, ptr %p
  store double %s, ptr %q
  %e.p = getelementptr i64, ptr %extents, i64 %i
  %e = load i64, ptr %e.p
  %o.p = getelementptr i64, ptr %out, i64 %i
  store i64 %e, ptr %o.p
  %i.next = add i64 %i, 1
  br label %loop
leave:
  ret void
}}
"""

# copies the parameter block to the address in its last slot, and the grid behind it
ECHO = f"""
define void @echo{SIGNATURE} {{
  %to.p = getelementptr i8, ptr %slots, i64 SIZE
  %to = load ptr, ptr %to.p
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %slots, i64 SIZE, i1 false)
  %behind = getelementptr i8, ptr %to, i64 SIZE
  call void @llvm.memcpy.p0.p0.i64(ptr %behind, ptr %grid, i64 24, i1 false)
  ret void
}}
"""


def matrix(name: str, dtype: str = "f32", **options: object) -> MemrefParameter:
    shape: tuple[int | None, ...] = (None, None)
    strides: tuple[int | None, ...] = (1, None)
    return MemrefParameter(name, dtype, shape, strides, **options)  # type: ignore[arg-type]


AXPBY_PARAMETERS: tuple[Parameter, ...] = (
    ScalarParameter("alpha", "f32"),
    matrix("X", written=False),
    ScalarParameter("beta", "f32"),
    matrix("Y"),
)


@cache
def pool() -> Pool:
    return Pool(2)


@cache
def bind(name: str, text: str, parameters: tuple[Parameter, ...], layout: str = "F") -> BoundKernel:
    artifact = Artifact("cpu", (KernelInfo(name, name, parameters),), compile_text(text))
    again = Artifact.from_bytes(artifact.to_bytes())
    return bind_artifact(again, pool=pool(), layout="C" if layout == "C" else "F")[name]


def axpby() -> BoundKernel:
    return bind("axpby", AXPBY, AXPBY_PARAMETERS)


def f32(*shape: int) -> AnyArray:
    return np.zeros(shape, np.float32, order="F")


LOCAL = f"""
define void @local{SIGNATURE} {{
entry:
  %out = load ptr, ptr %slots
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %next ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %leave
body:
  %last = getelementptr i8, ptr %scratch, i64 99992
  store i64 %i, ptr %last
  %o.p = getelementptr i64, ptr %out, i64 %i
  %alone = icmp eq ptr %team, null
  br i1 %alone, label %serial, label %parallel
serial:
  call void @add(ptr %o.p, i64 0, i64 1000, ptr %scratch, i64 0)
  br label %next
parallel:
  %fn = load ptr, ptr %team
  call void %fn(ptr %team, ptr @add, ptr %o.p, i64 1000)
  br label %next
next:
  %kept = load i64, ptr %last
  %a = atomicrmw add ptr %o.p, i64 %kept seq_cst
  %i.next = add i64 %i, 1
  br label %loop
leave:
  ret void
}}
define internal void @add(ptr %to, i64 %begin, i64 %end, ptr %scratch, i64 %thread) {{
  %n = sub i64 %end, %begin
  %a = atomicrmw add ptr %to, i64 %n seq_cst
  ret void
}}
"""


class TruthTensor:
    """A truth value as PyTorch has it: a tensor without dimensions, which converts to every kind of number."""

    shape, dtype = (), "torch.bool"

    def __init__(self, holds: bool) -> None:
        self._holds = holds

    def __bool__(self) -> bool:
        return self._holds

    def __index__(self) -> int:
        return self._holds

    def __float__(self) -> float:
        return self._holds

    def __complex__(self) -> complex:
        return complex(self._holds)
