"""A launch on a device as LLVM IR text, for calls that Python code has no part in (`runtime.direct`).

`tw_cuda_launch(control, frame)` asks the framework for the current stream, lets go of the GIL, and enqueues the kernel
with the frame's grid and parameter block. The control block, one a kernel and device:

    0    cuLaunchKernelEx | cuCtxGetCurrent | cuCtxPushCurrent | cuCtxPopCurrent
    32   context | function | function that tells the current stream, of a kind of device and a number
    56   kind of device i32 | number i32 | kernel's parameter block is not empty i64
    72   blocks that share a work-group i64 | CUlaunchConfig, in which grid and stream are left open

A launch frame is that of `pool_layout`: here the entry is unused, the number of work-groups is that of blocks, and the
grid is that of blocks, were each work-group one. What the driver refuses is said by the long way, which tries again.
"""

from __future__ import annotations

from typing import Final

from tilewright.machine.cuda.launch_config import CONFIG_BYTES, GRID, STREAM
from tilewright.runtime.pool_layout import BUSY_STATUS, DONE_STATUS, FRAME_GRID, FRAME_SLOTS, field

PYTHON_IMPORTS: Final = ("PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_Clear")

LAUNCH: Final = 0
GET_CURRENT: Final = 8
PUSH: Final = 16
POP: Final = 24
CONTEXT: Final = 32
FUNCTION: Final = 40
TELL_STREAM: Final = 48
DEVICE_KIND: Final = 56
DEVICE_NUMBER: Final = 60
HAS_PARAMETERS: Final = 64
PARTS: Final = 72
CONFIG: Final = 80
CONTROL_BYTES: Final = CONFIG + CONFIG_BYTES

_TEXT: Final = f"""
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @PyErr_Clear()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i32 @tw_cuda_launch(ptr %control, ptr %frame) {{
entry:
  %stream.p = alloca ptr
  %current.p = alloca ptr
  %config = alloca [{CONFIG_BYTES} x i8], align 8
  %parameters = alloca ptr
{field("tell.p", "%control", TELL_STREAM)}
  %tell = load ptr, ptr %tell.p
{field("kind.p", "%control", DEVICE_KIND)}
  %kind = load i32, ptr %kind.p
{field("number.p", "%control", DEVICE_NUMBER)}
  %number = load i32, ptr %number.p
  %told = call i32 %tell(i32 %kind, i32 %number, ptr %stream.p)
  %known = icmp eq i32 %told, 0
  br i1 %known, label %prepare, label %raised

raised:
  call void @PyErr_Clear()
  ret i32 {BUSY_STATUS}

prepare:
{field("template", "%control", CONFIG)}
  call void @llvm.memcpy.p0.p0.i64(ptr %config, ptr %template, i64 {CONFIG_BYTES}, i1 false)
{field("grid", "%frame", FRAME_GRID)}
  %x.whole = load i64, ptr %grid
{field("parts.p", "%control", PARTS)}
  %parts = load i64, ptr %parts.p
  %x = mul i64 %x.whole, %parts
{field("y.p", "%grid", 8)}
  %y = load i64, ptr %y.p
{field("z.p", "%grid", 16)}
  %z = load i64, ptr %z.p
  %x.short = trunc i64 %x to i32
  %y.short = trunc i64 %y to i32
  %z.short = trunc i64 %z to i32
{field("blocks.x", "%config", GRID)}
{field("blocks.y", "%config", GRID + 4)}
{field("blocks.z", "%config", GRID + 8)}
  store i32 %x.short, ptr %blocks.x
  store i32 %y.short, ptr %blocks.y
  store i32 %z.short, ptr %blocks.z
  %stream = load ptr, ptr %stream.p
{field("stream.place", "%config", STREAM)}
  store ptr %stream, ptr %stream.place
{field("slots", "%frame", FRAME_SLOTS)}
  store ptr %slots, ptr %parameters
{field("has.p", "%control", HAS_PARAMETERS)}
  %has = load i64, ptr %has.p
  %empty = icmp eq i64 %has, 0
  %given = select i1 %empty, ptr null, ptr %parameters
  %thread = call ptr @PyEval_SaveThread()
  %status = call i32 @enqueue(ptr %control, ptr %config, ptr %given, ptr %current.p)
  call void @PyEval_RestoreThread(ptr %thread)
  %fine = icmp eq i32 %status, 0
  %outcome = select i1 %fine, i32 {DONE_STATUS}, i32 {BUSY_STATUS}
  ret i32 %outcome
}}

; With the kernel's context current, as it mostly is already; whichever is current is so again afterwards.
define internal i32 @enqueue(ptr %control, ptr %config, ptr %given, ptr %current.p) {{
entry:
{field("launch.p", "%control", LAUNCH)}
  %launch = load ptr, ptr %launch.p
{field("function.p", "%control", FUNCTION)}
  %function = load ptr, ptr %function.p
{field("context.p", "%control", CONTEXT)}
  %context = load ptr, ptr %context.p
{field("get.p", "%control", GET_CURRENT)}
  %get = load ptr, ptr %get.p
  %got = call i32 %get(ptr %current.p)
  %can = icmp eq i32 %got, 0
  br i1 %can, label %compare, label %failed

failed:
  ret i32 %got

compare:
  %current = load ptr, ptr %current.p
  %same = icmp eq ptr %current, %context
  br i1 %same, label %at.once, label %push

at.once:
  %status = call i32 %launch(ptr %config, ptr %function, ptr %given, ptr null)
  ret i32 %status

push:
{field("push.p", "%control", PUSH)}
  %push.f = load ptr, ptr %push.p
  %pushed = call i32 %push.f(ptr %context)
  %there = icmp eq i32 %pushed, 0
  br i1 %there, label %within, label %refused

refused:
  ret i32 %pushed

within:
  %inner = call i32 %launch(ptr %config, ptr %function, ptr %given, ptr null)
{field("pop.p", "%control", POP)}
  %pop = load ptr, ptr %pop.p
  %popped = call i32 %pop(ptr %current.p)
  ret i32 %inner
}}
"""


def launch_text() -> str:
    """Defines `tw_cuda_launch`."""
    return _TEXT
