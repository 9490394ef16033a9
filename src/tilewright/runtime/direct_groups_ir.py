"""Groups of a direct call against those of an accepted one, as LLVM IR text."""

from __future__ import annotations

from typing import Final

from tilewright.runtime.direct_layout import (
    ARGUMENT_COUNT,
    ARGUMENT_FIELDS,
    ARGUMENT_LAYOUT,
    ARGUMENT_MASK,
    ARGUMENT_TYPE,
    LAYOUT_LENGTH,
    LAYOUT_TABLE,
    OBJECT_TYPE,
    PY_EQ,
)
from tilewright.runtime.pool_layout import field

GROUPS_IMPORTS: Final = ("PyObject_RichCompareBool", "PyErr_Clear")

_DECLARATIONS: Final = """
declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)
declare void @PyErr_Clear()
"""

# A `PointerArray`: its table against the accepted one's length, each address, all fields that the launch depends on.
# Stores the table's address.
_POINTERS: Final = f"""
define internal i1 @pointers(ptr %object, ptr %wanted, ptr %slot) {{
entry:
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
{field("wanted.type.p", "%wanted", ARGUMENT_TYPE)}
  %wanted.type = load ptr, ptr %wanted.type.p
  %is.group = icmp eq ptr %type, %wanted.type
  br i1 %is.group, label %find, label %no

find:
{field("layout.p", "%wanted", ARGUMENT_LAYOUT)}
  %layout = load ptr, ptr %layout.p
  %place = load i64, ptr %layout
  %table.p = getelementptr i8, ptr %object, i64 %place
  %table = load ptr, ptr %table.p
  %absent = icmp eq ptr %table, null
  br i1 %absent, label %no, label %words

words:
{field("table.wanted", "%layout", LAYOUT_TABLE)}
  %is.table = call i1 @array(ptr %table, ptr %table.wanted, ptr %slot)
  br i1 %is.table, label %scan, label %no

scan:
  %data = load ptr, ptr %slot
{field("count.p", "%layout", LAYOUT_LENGTH)}
  %count = load i64, ptr %count.p
{field("mask.p", "%wanted", ARGUMENT_MASK)}
  %mask = load i64, ptr %mask.p
  br label %entries

entries:
  %k = phi i64 [ 0, %scan ], [ %k.next, %another ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %another, label %fields

another:
  %address.p = getelementptr i64, ptr %data, i64 %k
  %address = load i64, ptr %address.p, align 1
  %null = icmp eq i64 %address, 0
  %beyond = and i64 %address, %mask
  %misaligned = icmp ne i64 %beyond, 0
  %bad = or i1 %null, %misaligned
  %k.next = add i64 %k, 1
  br i1 %bad, label %no, label %entries

fields:
{field("list.p", "%wanted", ARGUMENT_FIELDS)}
  %list = load ptr, ptr %list.p
{field("fields.p", "%wanted", ARGUMENT_COUNT)}
  %number = load i64, ptr %fields.p
  br label %field

field:
  %f = phi i64 [ 0, %fields ], [ %f.next, %compare ]
  %left = icmp slt i64 %f, %number
  br i1 %left, label %compare, label %yes

compare:
  %pair.p = getelementptr [2 x i64], ptr %list, i64 %f
  %offset = load i64, ptr %pair.p
{field("expected.p", "%pair.p", 8)}
  %expected = load ptr, ptr %expected.p
  %found.p = getelementptr i8, ptr %object, i64 %offset
  %found = load ptr, ptr %found.p
  %same = call i1 @same(ptr %found, ptr %expected)
  %f.next = add i64 %f, 1
  br i1 %same, label %field, label %no

yes:
  ret i1 true

no:
  ret i1 false
}}

define internal i1 @same(ptr %found, ptr %expected) {{
entry:
  %identical = icmp eq ptr %found, %expected
  br i1 %identical, label %yes, label %exists

exists:
  %absent = icmp eq ptr %found, null
  br i1 %absent, label %no, label %types

types:
{field("found.type.p", "%found", OBJECT_TYPE)}
  %found.type = load ptr, ptr %found.type.p
{field("expected.type.p", "%expected", OBJECT_TYPE)}
  %expected.type = load ptr, ptr %expected.type.p
  %same.type = icmp eq ptr %found.type, %expected.type
  br i1 %same.type, label %compare, label %no

compare:
  %answer = call i32 @PyObject_RichCompareBool(ptr %found, ptr %expected, i32 {PY_EQ})
  switch i32 %answer, label %raised [
    i32 0, label %no
    i32 1, label %yes
  ]

raised:
  call void @PyErr_Clear()
  ret i1 false

yes:
  ret i1 true

no:
  ret i1 false
}}
"""


def groups_text() -> str:
    """Defines `pointers`."""
    return "\n".join([_DECLARATIONS, _POINTERS])
