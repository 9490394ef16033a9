"""A launch on a device as LLVM IR text, for calls that Python code has no part in (`runtime.direct`).

`tw_cuda_launch(control, frame)` asks the framework for the current stream, lets go of the GIL, and enqueues the kernel
with the frame's grid and parameter block. The control block, one a kernel and device:

    0    cuLaunchKernelEx | cuCtxGetCurrent | cuCtxPushCurrent | cuCtxPopCurrent
    32   context | function | function that tells the current stream, of a kind of device and a number
    56   kind of device i32 | number i32 | kernel's parameter block is not empty i64
    72   blocks that share a work-group i64 | number of maps i64 | their entries | cuTensorMapEncodeTiled
    104  function for launches that have all maps
    112  CUlaunchConfig, in which grid and stream are left open

The entry of a map (`tensor_maps.map_entries`) says where in the parameter block the address of its matrices and the
map itself lie, how far behind the address the first one begins, type, box, rank and bytes of an element, and how
extents and strides are found: a word of the parameter block, of which so many bits are not the number's, times 0 or 1,
plus a constant.

A launch frame is that of `pool_layout`: here the entry is unused, the number of work-groups is that of blocks, and the
grid is that of blocks, were each work-group one. What the driver refuses is said by the long way, which tries again.
"""

from __future__ import annotations

import struct
from typing import Final

from tilewright.machine.cuda.launch_config import CONFIG_BYTES, GRID, STREAM
from tilewright.machine.cuda.tensor_maps import (
    FETCHED,
    INTERLEAVED,
    MAP_ALIGNMENT,
    MAP_BYTES,
    MAP_UNIT,
    MOST_EXTENT,
    MOST_MODES,
)
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
MAPS: Final = 80
ENTRIES: Final = 88
ENCODE: Final = 96
MAPPED: Final = 104
CONFIG: Final = 112
CONTROL_BYTES: Final = CONFIG + CONFIG_BYTES

ENTRY: Final = struct.Struct(f"<3q2I{MOST_MODES}I{MOST_MODES}I4q{4 * (2 * MOST_MODES - 1)}q")
"""A map's slot, place, distance, type and swizzle; box and steps; rank, bytes of an element, bits that are not set in a
stride, and in one less 1; extents and strides, each of four words."""
_BOX: Final = 32
_STEPS: Final = _BOX + 4 * MOST_MODES
_RANK: Final = _STEPS + 4 * MOST_MODES
_ELEMENT_BYTES: Final = _RANK + 8
_NO_STRIDE: Final = _RANK + 16
_NO_STRIDE_LESS: Final = _RANK + 24
_EXTENTS: Final = _RANK + 32
_NUMBER_BYTES: Final = 32
_STRIDES: Final = _EXTENTS + MOST_MODES * _NUMBER_BYTES
_BEYOND_EXTENTS: Final = -MOST_EXTENT
"""Bits that are not set in an extent less 1."""

_INTERLEAVED, _FETCHED = (", ".join(f"i32 {number}" for number in some) for some in (INTERLEAVED, FETCHED))

_TEXT: Final = f"""
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @PyErr_Clear()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define i32 @tw_cuda_launch(ptr %control, ptr %frame) {{
entry:
  %stream.p = alloca ptr
  %current.p = alloca ptr
  %config = alloca [{CONFIG_BYTES} x i8], align 8
  %parameters = alloca ptr
  %has.all.p = alloca i1
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
  %described = call i32 @describe(ptr %control, ptr %slots, ptr %has.all.p)
  %complete = icmp eq i32 %described, 0
  br i1 %complete, label %release, label %incomplete

incomplete:
  ret i32 {BUSY_STATUS}

release:
{field("has.p", "%control", HAS_PARAMETERS)}
  %has = load i64, ptr %has.p
  %empty = icmp eq i64 %has, 0
  %given = select i1 %empty, ptr null, ptr %parameters
  %has.all = load i1, ptr %has.all.p
  %function.distance = select i1 %has.all, i64 {MAPPED}, i64 {FUNCTION}
  %function.p = getelementptr i8, ptr %control, i64 %function.distance
  %function = load ptr, ptr %function.p
  %thread = call ptr @PyEval_SaveThread()
  %status = call i32 @enqueue(ptr %control, ptr %function, ptr %config, ptr %given, ptr %current.p)
  call void @PyEval_RestoreThread(ptr %thread)
  %fine = icmp eq i32 %status, 0
  %outcome = select i1 %fine, i32 {DONE_STATUS}, i32 {BUSY_STATUS}
  ret i32 %outcome
}}

; Writes the maps of the matrices whose addresses stand in the parameter block; zeros for what is none or has no map.
; Tells whether all have one.
define internal i32 @describe(ptr %control, ptr %slots, ptr %has.all.p) {{
entry:
  %map = alloca [{MAP_BYTES} x i8], align {MAP_ALIGNMENT}
  %extents = alloca [{MOST_MODES} x i64]
  %pitches = alloca [{MOST_MODES - 1} x i64]
{field("count.p", "%control", MAPS)}
  %count = load i64, ptr %count.p
{field("entries.p", "%control", ENTRIES)}
  %entries = load ptr, ptr %entries.p
{field("encode.p", "%control", ENCODE)}
  %encode = load ptr, ptr %encode.p
  br label %head

head:
  %number = phi i64 [ 0, %entry ], [ %following, %written ]
  %has.all = phi i1 [ true, %entry ], [ %has.so.far, %written ]
  %more = icmp ult i64 %number, %count
  br i1 %more, label %one, label %done

done:
  store i1 %has.all, ptr %has.all.p
  ret i32 0

one:
  %distance.entry = mul i64 %number, {ENTRY.size}
  %entry.p = getelementptr i8, ptr %entries, i64 %distance.entry
  %slot.offset = load i64, ptr %entry.p
{field("place.p", "%entry.p", 8)}
  %place.offset = load i64, ptr %place.p
{field("distance.p", "%entry.p", 16)}
  %distance = load i64, ptr %distance.p
{field("type.p", "%entry.p", 24)}
  %type = load i32, ptr %type.p
{field("swizzle.p", "%entry.p", 28)}
  %swizzle = load i32, ptr %swizzle.p
{field("box", "%entry.p", _BOX)}
{field("steps", "%entry.p", _STEPS)}
{field("rank.p", "%entry.p", _RANK)}
  %rank = load i64, ptr %rank.p
{field("size.p", "%entry.p", _ELEMENT_BYTES)}
  %size = load i64, ptr %size.p
{field("no.stride.p", "%entry.p", _NO_STRIDE)}
  %no.stride = load i64, ptr %no.stride.p
{field("no.less.p", "%entry.p", _NO_STRIDE_LESS)}
  %no.less = load i64, ptr %no.less.p
{field("extent.entries", "%entry.p", _EXTENTS)}
{field("stride.entries", "%entry.p", _STRIDES)}
  %slot = getelementptr i8, ptr %slots, i64 %slot.offset
  %place = getelementptr i8, ptr %slots, i64 %place.offset
  %address = load i64, ptr %slot
  %begin = add i64 %address, %distance
  call void @llvm.memset.p0.i64(ptr %map, i8 0, i64 {MAP_BYTES}, i1 false)
  %null = icmp eq i64 %address, 0
  %rest.place = and i64 %begin, {MAP_UNIT - 1}
  br label %extent.head

extent.head:
  %mode = phi i64 [ 0, %one ], [ %mode.next, %extent.body ]
  %rest.extents = phi i64 [ %rest.place, %one ], [ %rest.extent, %extent.body ]
  %more.extents = icmp ult i64 %mode, %rank
  br i1 %more.extents, label %extent.body, label %stride.first

extent.body:
  %extent.distance = mul i64 %mode, {_NUMBER_BYTES}
  %extent.entry = getelementptr i8, ptr %extent.entries, i64 %extent.distance
  %extent = call i64 @number(ptr %extent.entry, ptr %slots)
  %extent.p = getelementptr i64, ptr %extents, i64 %mode
  store i64 %extent, ptr %extent.p
  %extent.less = sub i64 %extent, 1
  %extent.beyond = and i64 %extent.less, {_BEYOND_EXTENTS}
  %rest.extent = or i64 %rest.extents, %extent.beyond
  %mode.next = add i64 %mode, 1
  br label %extent.head

stride.first:
  %stride.count = sub i64 %rank, 1
  br label %stride.head

stride.head:
  %step = phi i64 [ 0, %stride.first ], [ %step.next, %stride.body ]
  %rest = phi i64 [ %rest.extents, %stride.first ], [ %rest.stride, %stride.body ]
  %more.strides = icmp ult i64 %step, %stride.count
  br i1 %more.strides, label %stride.body, label %compare

stride.body:
  %stride.distance = mul i64 %step, {_NUMBER_BYTES}
  %stride.entry = getelementptr i8, ptr %stride.entries, i64 %stride.distance
  %stride = call i64 @number(ptr %stride.entry, ptr %slots)
  %pitch = mul i64 %stride, %size
  %pitch.p = getelementptr i64, ptr %pitches, i64 %step
  store i64 %pitch, ptr %pitch.p
  %stride.odd = and i64 %stride, %no.stride
  %stride.less = sub i64 %stride, 1
  %stride.beyond = and i64 %stride.less, %no.less
  %stride.rest = or i64 %stride.odd, %stride.beyond
  %rest.stride = or i64 %rest, %stride.rest
  %step.next = add i64 %step, 1
  br label %stride.head

compare:
  %odd = icmp ne i64 %rest, 0
  %row = load i64, ptr %extents
  %row.bytes = mul i64 %row, %size
  %row.pitch = load i64, ptr %pitches
  %overlap = icmp sgt i64 %row.bytes, %row.pitch
  %no.layout = or i1 %odd, %overlap
  %none = or i1 %null, %no.layout
  br i1 %none, label %written, label %asked

asked:
  %modes = trunc i64 %rank to i32
  %status = call i32 %encode(ptr %map, i32 %type, i32 %modes, i64 %begin, ptr %extents, ptr %pitches, ptr %box,
    ptr %steps, {_INTERLEAVED}, i32 %swizzle, {_FETCHED})
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %written, label %refused

refused:
  ret i32 %status

written:
  %has.map = phi i1 [ false, %compare ], [ true, %asked ]
  %has.so.far = and i1 %has.all, %has.map
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %map, i64 {MAP_BYTES}, i1 false)
  %following = add i64 %number, 1
  br label %head
}}

; An extent or a stride, in elements.
define internal i64 @number(ptr %entry.p, ptr %slots) {{
entry:
  %offset = load i64, ptr %entry.p
{field("unused.p", "%entry.p", 8)}
  %unused = load i64, ptr %unused.p
{field("factor.p", "%entry.p", 16)}
  %factor = load i64, ptr %factor.p
{field("constant.p", "%entry.p", 24)}
  %constant = load i64, ptr %constant.p
  %place = getelementptr i8, ptr %slots, i64 %offset
  %word = load i64, ptr %place
  %high = shl i64 %word, %unused
  %value = ashr i64 %high, %unused
  %part = mul i64 %value, %factor
  %found = add i64 %part, %constant
  ret i64 %found
}}

; With the kernel's context current, as it mostly is already; whichever is current is so again afterwards.
define internal i32 @enqueue(ptr %control, ptr %function, ptr %config, ptr %given, ptr %current.p) {{
entry:
{field("launch.p", "%control", LAUNCH)}
  %launch = load ptr, ptr %launch.p
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
