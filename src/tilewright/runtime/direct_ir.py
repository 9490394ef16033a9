"""The direct call as LLVM IR text: a function that Python calls like one of its own C functions.

`tw_direct(self, args, nargs, names)` follows CPython's METH_FASTCALL | METH_KEYWORDS convention. It compares
the arguments with calls that were checked and accepted before (see `direct`); for one that matches it fills a launch
frame on its stack and launches. All else, keyword arguments and errors included, goes to the Python
function of the call site.
"""

from __future__ import annotations

from typing import Final

from tilewright.runtime.direct_layout import (
    ARGUMENT,
    ARGUMENT_DTYPE,
    ARGUMENT_HIGH,
    ARGUMENT_LAYOUT,
    ARGUMENT_LOW,
    ARGUMENT_MASK,
    ARGUMENT_RANK,
    ARGUMENT_SLOT,
    ARGUMENT_WIDTH,
    ARGUMENT_WRITEABLE,
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_RANK,
    ARRAY_STRIDES,
    CALL_ARGUMENTS,
    CALL_PAIRS,
    CALL_SLOTS,
    CALL_SPANS,
    OBJECT_TYPE,
    PAIR,
    SITE_ARGUMENTS,
    SITE_CALLS,
    SITE_FRAME,
    SITE_HEADER,
    SITE_LAUNCH,
    SITE_POOL,
    SITE_TOTAL,
    Kind,
)
from tilewright.runtime.pool_layout import DONE_STATUS, FRAME_SLOTS, INTERRUPTED_STATUS, field

IMPORTS: Final = (
    "PyTuple_GetItem",
    "PyLong_AsVoidPtr",
    "PyLong_AsLongLongAndOverflow",
    "PyFloat_AsDouble",
    "PyObject_Vectorcall",
    "Py_IncRef",
)
"""Functions of CPython that the text refers to; all are exported and keep their meaning between versions."""

_DECLARATIONS: Final = """
@tw_none = external global i8
@tw_true = external global i8
@tw_false = external global i8
@tw_float = external global i8
@tw_int = external global i8
@tw_ndarray = external global i8
declare ptr @PyTuple_GetItem(ptr, i64)
declare ptr @PyLong_AsVoidPtr(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare double @PyFloat_AsDouble(ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare double @llvm.fabs.f64(double)
declare float @llvm.fabs.f32(float)
"""

# One array against one that was accepted: same type, element type, extents and strides, writeable and aligned if need
# be. Stores its address.
_ARRAY: Final = f"""
define internal i1 @array(ptr %object, ptr %wanted, ptr %slot) {{
entry:
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
  %is.array = icmp eq ptr %type, @tw_ndarray
  br i1 %is.array, label %element, label %no

element:
{field("dtype.p", "%object", ARRAY_DTYPE)}
  %dtype = load ptr, ptr %dtype.p
{field("wanted.dtype.p", "%wanted", ARGUMENT_DTYPE)}
  %wanted.dtype = load ptr, ptr %wanted.dtype.p
  %same.dtype = icmp eq ptr %dtype, %wanted.dtype
{field("rank.p", "%object", ARRAY_RANK)}
  %rank.short = load i32, ptr %rank.p
  %rank = sext i32 %rank.short to i64
{field("wanted.rank.p", "%wanted", ARGUMENT_RANK)}
  %wanted.rank = load i64, ptr %wanted.rank.p
  %same.rank = icmp eq i64 %rank, %wanted.rank
  %alike = and i1 %same.dtype, %same.rank
  br i1 %alike, label %access, label %no

access:
{field("flags.p", "%object", ARRAY_FLAGS)}
  %flags.short = load i32, ptr %flags.p
  %flags = zext i32 %flags.short to i64
{field("needed.p", "%wanted", ARGUMENT_WRITEABLE)}
  %needed = load i64, ptr %needed.p
  %has = and i64 %flags, %needed
  %may = icmp eq i64 %has, %needed
{field("data.p", "%object", ARRAY_DATA)}
  %data = load i64, ptr %data.p
{field("mask.p", "%wanted", ARGUMENT_MASK)}
  %mask = load i64, ptr %mask.p
  %beyond = and i64 %data, %mask
  %aligned = icmp eq i64 %beyond, 0
  %usable = and i1 %may, %aligned
  br i1 %usable, label %layout, label %no

layout:
  store i64 %data, ptr %slot
{field("dimensions.p", "%object", ARRAY_DIMENSIONS)}
  %dimensions = load ptr, ptr %dimensions.p
{field("strides.p", "%object", ARRAY_STRIDES)}
  %strides = load ptr, ptr %strides.p
{field("wanted.dimensions.p", "%wanted", ARGUMENT_LAYOUT)}
  %wanted.dimensions = load ptr, ptr %wanted.dimensions.p
  %wanted.strides = getelementptr i64, ptr %wanted.dimensions, i64 %rank
  br label %mode

mode:
  %k = phi i64 [ 0, %layout ], [ %k.next, %next ]
  %more = icmp slt i64 %k, %rank
  br i1 %more, label %compare, label %yes

compare:
  %extent.p = getelementptr i64, ptr %dimensions, i64 %k
  %extent = load i64, ptr %extent.p
  %wanted.extent.p = getelementptr i64, ptr %wanted.dimensions, i64 %k
  %wanted.extent = load i64, ptr %wanted.extent.p
  %same.extent = icmp eq i64 %extent, %wanted.extent
  %stride.p = getelementptr i64, ptr %strides, i64 %k
  %stride = load i64, ptr %stride.p
  %wanted.stride.p = getelementptr i64, ptr %wanted.strides, i64 %k
  %wanted.stride = load i64, ptr %wanted.stride.p
  %same.stride = icmp eq i64 %stride, %wanted.stride
  %same = and i1 %same.extent, %same.stride
  br i1 %same, label %next, label %no

next:
  %k.next = add i64 %k, 1
  br label %mode

yes:
  ret i1 true

no:
  ret i1 false
}}
"""

# Python's own numbers, if the parameter's type holds them; others take the long way, where they are refused or rounded.
_NUMBERS: Final = f"""
define internal i1 @integer(ptr %object, i64 %low, i64 %high, ptr %value) {{
entry:
  %overflow = alloca i32
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
  %is.int = icmp eq ptr %type, @tw_int
  br i1 %is.int, label %convert, label %no

convert:
  %number = call i64 @PyLong_AsLongLongAndOverflow(ptr %object, ptr %overflow)
  %beyond = load i32, ptr %overflow
  %holds = icmp eq i32 %beyond, 0
  %above = icmp sge i64 %number, %low
  %below = icmp sle i64 %number, %high
  %inside = and i1 %above, %below
  %fits = and i1 %inside, %holds
  store i64 %number, ptr %value
  ret i1 %fits

no:
  ret i1 false
}}

define internal i1 @real(ptr %object, i64 %width, ptr %slot) {{
entry:
  %whole = alloca i64
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
  %is.float = icmp eq ptr %type, @tw_float
  br i1 %is.float, label %float, label %int

float:
  %direct = call double @PyFloat_AsDouble(ptr %object)
  br label %store

int:
  %is.int = call i1 @integer(ptr %object, i64 -9223372036854775808, i64 9223372036854775807, ptr %whole)
  br i1 %is.int, label %convert, label %no

convert:
  %integral = load i64, ptr %whole
  %converted = sitofp i64 %integral to double
  br label %store

store:
  %number = phi double [ %direct, %float ], [ %converted, %convert ]
  %is.wide = icmp eq i64 %width, 8
  br i1 %is.wide, label %double, label %narrow

double:
  store double %number, ptr %slot
  ret i1 true

narrow:
  %single = fptrunc double %number to float
  store float %single, ptr %slot
  %size = call float @llvm.fabs.f32(float %single)
  %became.infinite = fcmp oeq float %size, 0x7FF0000000000000
  %size.before = call double @llvm.fabs.f64(double %number)
  %was.infinite = fcmp oeq double %size.before, 0x7FF0000000000000
  %kept = icmp eq i1 %became.infinite, %was.infinite
  ret i1 %kept

no:
  ret i1 false
}}

define internal i1 @truth(ptr %object, ptr %slot) {{
  %is.true = icmp eq ptr %object, @tw_true
  %is.false = icmp eq ptr %object, @tw_false
  %value = zext i1 %is.true to i64
  store i64 %value, ptr %slot
  %either = or i1 %is.true, %is.false
  ret i1 %either
}}
"""

_ARGUMENT: Final = f"""
define internal i1 @argument(ptr %object, ptr %wanted, ptr %slots) {{
entry:
  %kind = load i64, ptr %wanted
{field("slot.offset.p", "%wanted", ARGUMENT_SLOT)}
  %slot.offset = load i64, ptr %slot.offset.p
  %slot = getelementptr i8, ptr %slots, i64 %slot.offset
  switch i64 %kind, label %array [
    i64 {Kind.REAL.value}, label %real
    i64 {Kind.INTEGER.value}, label %integer
    i64 {Kind.TRUTH.value}, label %truth
  ]

array:
  %is.array = call i1 @array(ptr %object, ptr %wanted, ptr %slot)
  ret i1 %is.array

real:
{field("width.p", "%wanted", ARGUMENT_WIDTH)}
  %width = load i64, ptr %width.p
  %is.real = call i1 @real(ptr %object, i64 %width, ptr %slot)
  ret i1 %is.real

integer:
{field("low.p", "%wanted", ARGUMENT_LOW)}
  %low = load i64, ptr %low.p
{field("high.p", "%wanted", ARGUMENT_HIGH)}
  %high = load i64, ptr %high.p
  %is.integer = call i1 @integer(ptr %object, i64 %low, i64 %high, ptr %slot)
  ret i1 %is.integer

truth:
  %is.truth = call i1 @truth(ptr %object, ptr %slot)
  ret i1 %is.truth
}}
"""

# Bytes that two arguments may touch, of which one was promised not to overlap the other.
_SPANS: Final = f"""
define internal i1 @apart(ptr %call, ptr %slots) {{
entry:
{field("count.p", "%call", CALL_PAIRS)}
  %count = load i64, ptr %count.p
{field("spans.p", "%call", CALL_SPANS)}
  %spans = load ptr, ptr %spans.p
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %compare ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %compare, label %yes

compare:
  %offset = mul i64 %k, {PAIR}
  %pair = getelementptr i8, ptr %spans, i64 %offset
  %left.begin = call i64 @edge(ptr %pair, i64 1, ptr %slots)
  %left.end = call i64 @edge(ptr %pair, i64 2, ptr %slots)
  %right = getelementptr i8, ptr %pair, i64 24
  %right.begin = call i64 @edge(ptr %right, i64 1, ptr %slots)
  %right.end = call i64 @edge(ptr %right, i64 2, ptr %slots)
  %before = icmp ule i64 %left.end, %right.begin
  %behind = icmp ule i64 %right.end, %left.begin
  %apart = or i1 %before, %behind
  %k.next = add i64 %k, 1
  br i1 %apart, label %loop, label %no

yes:
  ret i1 true

no:
  ret i1 false
}}

define internal i64 @edge(ptr %span, i64 %which, ptr %slots) alwaysinline {{
  %slot.offset = load i64, ptr %span
  %slot = getelementptr i8, ptr %slots, i64 %slot.offset
  %address = load i64, ptr %slot
  %relative.p = getelementptr i64, ptr %span, i64 %which
  %relative = load i64, ptr %relative.p
  %edge = add i64 %address, %relative
  ret i64 %edge
}}
"""

_DIRECT: Final = f"""
define ptr @tw_direct(ptr %self, ptr %args, i64 %nargs, ptr %names) {{
entry:
  %number = call ptr @PyTuple_GetItem(ptr %self, i64 0)
  %site = call ptr @PyLong_AsVoidPtr(ptr %number)
{field("frame.size.p", "%site", SITE_FRAME)}
  %frame.size = load i64, ptr %frame.size.p
  %slots.size = sub i64 %frame.size, {FRAME_SLOTS}
  %frame = alloca i8, i64 %frame.size, align 16
{field("slots", "%frame", FRAME_SLOTS)}
{field("wanted.p", "%site", SITE_ARGUMENTS)}
  %wanted = load i64, ptr %wanted.p
  %complete = icmp eq i64 %nargs, %wanted
  %nameless = icmp eq ptr %names, null
  %plain = and i1 %complete, %nameless
  br i1 %plain, label %begin, label %slow

begin:
{field("calls.p", "%site", SITE_CALLS)}
  %calls = load ptr, ptr %calls.p
  br label %try

try:
  %next.p = phi ptr [ %calls, %begin ], [ %call, %check ]
  %call = load ptr, ptr %next.p
  %none = icmp eq ptr %call, null
  br i1 %none, label %slow, label %copy

copy:
{field("template.p", "%call", CALL_SLOTS)}
  %template = load ptr, ptr %template.p
  call void @llvm.memcpy.p0.p0.i64(ptr %slots, ptr %template, i64 %slots.size, i1 false)
{field("arguments.p", "%call", CALL_ARGUMENTS)}
  %arguments = load ptr, ptr %arguments.p
  br label %check

check:
  %k = phi i64 [ 0, %copy ], [ %k.next, %matched ]
  %good = phi i1 [ true, %copy ], [ %matches, %matched ]
  br i1 %good, label %left, label %try

left:
  %more = icmp slt i64 %k, %nargs
  br i1 %more, label %matched, label %overlaps

matched:
  %object.p = getelementptr ptr, ptr %args, i64 %k
  %object = load ptr, ptr %object.p
  %offset = mul i64 %k, {ARGUMENT}
  %argument = getelementptr i8, ptr %arguments, i64 %offset
  %matches = call i1 @argument(ptr %object, ptr %argument, ptr %slots)
  %k.next = add i64 %k, 1
  br label %check

overlaps:
  %apart = call i1 @apart(ptr %call, ptr %slots)
  br i1 %apart, label %ready, label %slow

ready:
{field("total.p", "%site", SITE_TOTAL)}
  %total = load i64, ptr %total.p
  %empty = icmp eq i64 %total, 0
  br i1 %empty, label %done, label %launch

launch:
{field("header", "%site", SITE_HEADER)}
  call void @llvm.memcpy.p0.p0.i64(ptr %frame, ptr %header, i64 {FRAME_SLOTS}, i1 false)
{field("pool.p", "%site", SITE_POOL)}
  %pool = load ptr, ptr %pool.p
  %control = load ptr, ptr %pool
{field("entry.p", "%site", SITE_LAUNCH)}
  %start = load ptr, ptr %entry.p
  %status = call i32 %start(ptr %control, ptr %frame)
  switch i32 %status, label %slow [
    i32 {DONE_STATUS}, label %done
    i32 {INTERRUPTED_STATUS}, label %interrupted
  ]

interrupted:
  ret ptr null

done:
  call void @Py_IncRef(ptr @tw_none)
  ret ptr @tw_none

slow:
  %callable = load ptr, ptr %site
  %result = call ptr @PyObject_Vectorcall(ptr %callable, ptr %args, i64 %nargs, ptr %names)
  ret ptr %result
}}
"""


def direct_text() -> str:
    """Defines `tw_direct`."""
    return "\n".join([_DECLARATIONS, _ARRAY, _NUMBERS, _ARGUMENT, _SPANS, _DIRECT])
