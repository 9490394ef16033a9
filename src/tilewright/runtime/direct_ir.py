"""The direct call as LLVM IR text: a function that Python calls like one of its own C functions.

`tw_direct(self, args, nargs, names)` follows CPython's METH_FASTCALL | METH_KEYWORDS convention: behind `nargs`
arguments stand those with `names`. It compares the arguments with calls that were checked and accepted before (see
`direct`); for one that matches it fills a launch frame on its stack and launches. All else, names in another order and
errors included, goes to the Python function of the call site.

A launch of three arrays takes some 35 ns, so calls count: those at the end of a function are `tail` calls, which are
jumps, and what is small is cleared in a loop (together 10 % of the launch).
"""

from __future__ import annotations

from typing import Final

from tilewright.runtime.direct_arrays_ir import arrays_text
from tilewright.runtime.direct_groups_ir import GROUPS_IMPORTS, groups_text
from tilewright.runtime.direct_layout import (
    ARGUMENT,
    ARGUMENT_HIGH,
    ARGUMENT_LOW,
    ARGUMENT_OBJECT,
    ARGUMENT_SLOT,
    ARGUMENT_WIDTH,
    CALL_ARGUMENTS,
    CALL_OVERLAPPING,
    CALL_PAIRS,
    CALL_RUNNER,
    CALL_SLOTS,
    CALL_SPANS,
    PAIR,
    SEEN,
    SEEN_NOTHING,
    SITE_ARGUMENTS,
    SITE_CALLS,
    SITE_FRAME,
    SITE_HEADER,
    SITE_LAUNCH,
    SITE_NAMES,
    SITE_TOTAL,
    Kind,
)
from tilewright.runtime.direct_numbers_ir import NUMBERS_IMPORTS, numbers_text
from tilewright.runtime.pool_layout import DONE_STATUS, FRAME_SLOTS, INTERRUPTED_STATUS, field

IMPORTS: Final = (
    *GROUPS_IMPORTS,
    *NUMBERS_IMPORTS,
    "PyTuple_GetItem",
    "PyTuple_Size",
    "PyLong_AsVoidPtr",
    "PyObject_Vectorcall",
    "Py_IncRef",
)
"""Functions of CPython that the text refers to; all are exported and keep their meaning between versions."""

_DECLARATIONS: Final = """
@tw_none = external global i8
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyLong_AsVoidPtr(ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

_ARGUMENT: Final = f"""
define internal i1 @argument(ptr %object, ptr %wanted, ptr %slots, ptr %seen) {{
entry:
  %kind = load i64, ptr %wanted
{field("slot.offset.p", "%wanted", ARGUMENT_SLOT)}
  %slot.offset = load i64, ptr %slot.offset.p
  %slot = getelementptr i8, ptr %slots, i64 %slot.offset
  switch i64 %kind, label %array [
    i64 {Kind.REAL.value}, label %real
    i64 {Kind.INTEGER.value}, label %integer
    i64 {Kind.TRUTH.value}, label %truth
    i64 {Kind.TENSOR.value}, label %tensor
    i64 {Kind.POINTERS.value}, label %pointers
    i64 {Kind.COMPLEX.value}, label %complex
    i64 {Kind.SAME.value}, label %same
  ]

array:
  %is.array = tail call i1 @array(ptr %object, ptr %wanted, ptr %slot)
  ret i1 %is.array

tensor:
  %is.tensor = tail call i1 @tensor(ptr %object, ptr %wanted, ptr %slot, ptr %seen)
  ret i1 %is.tensor

pointers:
  %is.group = tail call i1 @pointers(ptr %object, ptr %wanted, ptr %slot)
  ret i1 %is.group

same:
{field("cell.p", "%wanted", ARGUMENT_OBJECT)}
  %cell = load ptr, ptr %cell.p
  %living = load ptr, ptr %cell
  %is.same = icmp eq ptr %object, %living
  ret i1 %is.same

real:
{field("width.p", "%wanted", ARGUMENT_WIDTH)}
  %width = load i64, ptr %width.p
  %is.real = tail call i1 @real(ptr %object, i64 %width, ptr %slot)
  ret i1 %is.real

complex:
{field("part.p", "%wanted", ARGUMENT_WIDTH)}
  %part = load i64, ptr %part.p
  %is.complex = tail call i1 @complex(ptr %object, i64 %part, ptr %slot)
  ret i1 %is.complex

integer:
{field("low.p", "%wanted", ARGUMENT_LOW)}
  %low = load i64, ptr %low.p
{field("high.p", "%wanted", ARGUMENT_HIGH)}
  %high = load i64, ptr %high.p
  %is.integer = tail call i1 @integer(ptr %object, i64 %low, i64 %high, ptr %slot)
  ret i1 %is.integer

truth:
  %is.truth = tail call i1 @truth(ptr %object, ptr %slot)
  ret i1 %is.truth
}}
"""

# Whether no two of the spans of bytes that arguments touch, which are compared in pairs, share a byte.
_SPANS: Final = f"""
define internal i1 @apart(ptr %pairs, ptr %slots) {{
entry:
  %count = load i64, ptr %pairs
{field("spans.p", "%pairs", CALL_SPANS - CALL_PAIRS)}
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
  %seen.size = mul i64 %wanted, {SEEN}
  %seen = alloca i8, i64 %seen.size, align 8
  %nameless = icmp eq ptr %names, null
  br i1 %nameless, label %counted, label %named

counted:
  %complete = icmp eq i64 %nargs, %wanted
  br i1 %complete, label %begin, label %slow

named:
  %given = call i64 @PyTuple_Size(ptr %names)
  %all = add i64 %nargs, %given
  %fits = icmp eq i64 %all, %wanted
{field("known.p", "%site", SITE_NAMES)}
  %known = load ptr, ptr %known.p
  br i1 %fits, label %name, label %slow

name:
  %n = phi i64 [ 0, %named ], [ %n.next, %compare ]
  %others = icmp slt i64 %n, %given
  br i1 %others, label %compare, label %begin

compare:
  %is = call ptr @PyTuple_GetItem(ptr %names, i64 %n)
  %place = add i64 %nargs, %n
  %expected.p = getelementptr ptr, ptr %known, i64 %place
  %expected = load ptr, ptr %expected.p
  %same = icmp eq ptr %is, %expected
  %n.next = add i64 %n, 1
  br i1 %same, label %name, label %slow

begin:
  br label %forget

forget:
  %record = phi i64 [ 0, %begin ], [ %record.next, %unseen ]
  %ahead = icmp slt i64 %record, %seen.size
  br i1 %ahead, label %unseen, label %accepted

unseen:
  %state.p = getelementptr i8, ptr %seen, i64 %record
  store i64 {SEEN_NOTHING}, ptr %state.p
  %record.next = add i64 %record, {SEEN}
  br label %forget

accepted:
{field("calls.p", "%site", SITE_CALLS)}
  %calls = load ptr, ptr %calls.p
  br label %try

try:
  %next.p = phi ptr [ %calls, %accepted ], [ %call, %check ]
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
  %more = icmp slt i64 %k, %wanted
  br i1 %more, label %matched, label %overlaps

matched:
  %object.p = getelementptr ptr, ptr %args, i64 %k
  %object = load ptr, ptr %object.p
  %offset = mul i64 %k, {ARGUMENT}
  %argument = getelementptr i8, ptr %arguments, i64 %offset
  %seen.offset = mul i64 %k, {SEEN}
  %seen.argument = getelementptr i8, ptr %seen, i64 %seen.offset
  %matches = call i1 @argument(ptr %object, ptr %argument, ptr %slots, ptr %seen.argument)
  %k.next = add i64 %k, 1
  br label %check

overlaps:
{field("pairs", "%call", CALL_PAIRS)}
  %apart = call i1 @apart(ptr %pairs, ptr %slots)
{field("overlapping", "%call", CALL_OVERLAPPING)}
  %demanded = load i64, ptr %overlapping
  %any = icmp eq i64 %demanded, 0
  br i1 %apart, label %overlap, label %slow

overlap:
  br i1 %any, label %ready, label %some

some:
  %all.apart = call i1 @apart(ptr %overlapping, ptr %slots)
  br i1 %all.apart, label %slow, label %ready

ready:
{field("total.p", "%site", SITE_TOTAL)}
  %total = load i64, ptr %total.p
  %empty = icmp eq i64 %total, 0
  br i1 %empty, label %done, label %launch

launch:
{field("header", "%site", SITE_HEADER)}
  call void @llvm.memcpy.p0.p0.i64(ptr %frame, ptr %header, i64 {FRAME_SLOTS}, i1 false)
{field("runner.p", "%call", CALL_RUNNER)}
  %runner = load ptr, ptr %runner.p
  %control = load ptr, ptr %runner
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
    return "\n".join([_DECLARATIONS, arrays_text(), groups_text(), numbers_text(), _ARGUMENT, _SPANS, _DIRECT])
