"""Arrays and tensors of a direct call against those of an accepted one, as LLVM IR text."""

from __future__ import annotations

from typing import Final

from tilewright.runtime.direct_layout import (
    ARGUMENT_DESCRIBE,
    ARGUMENT_DTYPE,
    ARGUMENT_LAYOUT,
    ARGUMENT_MASK,
    ARGUMENT_RANK,
    ARGUMENT_TYPE,
    ARGUMENT_WRITEABLE,
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_DTYPE,
    ARRAY_FLAGS,
    ARRAY_RANK,
    ARRAY_STRIDES,
    COMPLEX_CODE,
    LAYOUT_DEVICE,
    LAYOUT_LEAST,
    LAYOUT_SIZES,
    OBJECT_TYPE,
    TENSOR_DEVICE,
    TENSOR_DTYPE,
    TENSOR_OFFSET,
    TENSOR_RANK,
    TENSOR_SHAPE,
    TENSOR_STRIDES,
    TENSOR_WORDS,
)
from tilewright.runtime.pool_layout import field

ARRAYS_IMPORTS: Final = (
    "PyObject_GetAttr",
    "PyObject_VectorcallMethod",
    "PyErr_Clear",
    "Py_DecRef",
)
TENSOR_NAMES: Final = ("requires_grad", "is_neg", "is_conj")
"""What a tensor is asked besides its layout."""

_DECLARATIONS: Final = """
@tw_ndarray = external global i8
@tw_requires_grad = external global i8
@tw_is_neg = external global i8
@tw_is_conj = external global i8
declare ptr @PyObject_GetAttr(ptr, ptr)
declare ptr @PyObject_VectorcallMethod(ptr, ptr, i64, ptr)
declare void @PyErr_Clear()
declare void @Py_DecRef(ptr)
"""

# Extents and strides against wanted extents with wanted strides behind them.
_LAYOUT: Final = """
define internal i1 @same_layout(ptr %dimensions, ptr %strides, i64 %rank, ptr %wanted) {
entry:
  %wanted.strides = getelementptr i64, ptr %wanted, i64 %rank
  br label %mode

mode:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %more = icmp slt i64 %k, %rank
  br i1 %more, label %compare, label %yes

compare:
  %extent.p = getelementptr i64, ptr %dimensions, i64 %k
  %extent = load i64, ptr %extent.p
  %wanted.extent.p = getelementptr i64, ptr %wanted, i64 %k
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
}
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
  %same = call i1 @same_layout(ptr %dimensions, ptr %strides, i64 %rank, ptr %wanted.dimensions)
  ret i1 %same

no:
  ret i1 false
}}
"""

# A tensor of torch: what DLPack's exchange interface says of it, and what that leaves out. Stores its address.
_TENSOR: Final = f"""
define internal i1 @tensor(ptr %object, ptr %wanted, ptr %slot) {{
entry:
  %described = alloca [{TENSOR_WORDS} x i64]
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
{field("wanted.type.p", "%wanted", ARGUMENT_TYPE)}
  %wanted.type = load ptr, ptr %wanted.type.p
  %is.tensor = icmp eq ptr %type, %wanted.type
  br i1 %is.tensor, label %ask, label %no

ask:
{field("describe.p", "%wanted", ARGUMENT_DESCRIBE)}
  %describe = load ptr, ptr %describe.p
  %status = call i32 %describe(ptr %object, ptr %described)
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %element, label %raised

raised:
  call void @PyErr_Clear()
  ret i1 false

element:
{field("layout.p", "%wanted", ARGUMENT_LAYOUT)}
  %layout = load ptr, ptr %layout.p
{field("dtype.p", "%described", TENSOR_DTYPE)}
  %dtype = load i32, ptr %dtype.p
  %wanted.dtype = load i32, ptr %layout
  %same.dtype = icmp eq i32 %dtype, %wanted.dtype
{field("device.p", "%described", TENSOR_DEVICE)}
  %device = load i64, ptr %device.p
{field("wanted.device.p", "%layout", LAYOUT_DEVICE)}
  %wanted.device = load i64, ptr %wanted.device.p
  %same.device = icmp eq i64 %device, %wanted.device
{field("rank.p", "%described", TENSOR_RANK)}
  %rank.short = load i32, ptr %rank.p
  %rank = sext i32 %rank.short to i64
{field("wanted.rank.p", "%wanted", ARGUMENT_RANK)}
  %wanted.rank = load i64, ptr %wanted.rank.p
  %same.rank = icmp eq i64 %rank, %wanted.rank
  %same.kind = and i1 %same.dtype, %same.device
  %alike = and i1 %same.kind, %same.rank
  br i1 %alike, label %access, label %no

access:
  %base = load i64, ptr %described
{field("offset.p", "%described", TENSOR_OFFSET)}
  %offset = load i64, ptr %offset.p
  %data = add i64 %base, %offset
  store i64 %data, ptr %slot
{field("mask.p", "%wanted", ARGUMENT_MASK)}
  %mask = load i64, ptr %mask.p
  %beyond = and i64 %data, %mask
  %aligned = icmp eq i64 %beyond, 0
{field("least.p", "%layout", LAYOUT_LEAST)}
  %least = load i64, ptr %least.p
  %there = icmp uge i64 %data, %least
  %usable = and i1 %aligned, %there
  br i1 %usable, label %layouts, label %no

layouts:
{field("dimensions.p", "%described", TENSOR_SHAPE)}
  %dimensions = load ptr, ptr %dimensions.p
{field("strides.p", "%described", TENSOR_STRIDES)}
  %strides = load ptr, ptr %strides.p
{field("wanted.dimensions", "%layout", LAYOUT_SIZES)}
  %same = call i1 @same_layout(ptr %dimensions, ptr %strides, i64 %rank, ptr %wanted.dimensions)
  br i1 %same, label %states, label %no

states:
  %gradient = call ptr @PyObject_GetAttr(ptr %object, ptr @tw_requires_grad)
  %constant = call i1 @is_false(ptr %gradient)
  br i1 %constant, label %sign, label %no

sign:
  %negative = call i1 @says_false(ptr %object, ptr @tw_is_neg)
  br i1 %negative, label %conjugate, label %no

conjugate:
  ; only complex numbers are conjugated lazily
  %code = and i32 %dtype, 255
  %is.complex = icmp eq i32 %code, {COMPLEX_CODE}
  br i1 %is.complex, label %look, label %yes

look:
  %plain = call i1 @says_false(ptr %object, ptr @tw_is_conj)
  ret i1 %plain

yes:
  ret i1 true

no:
  ret i1 false
}}

define internal i1 @says_false(ptr %object, ptr %name) {{
  %self = alloca ptr
  store ptr %object, ptr %self
  %answer = call ptr @PyObject_VectorcallMethod(ptr %name, ptr %self, i64 1, ptr null)
  %is.false = call i1 @is_false(ptr %answer)
  ret i1 %is.false
}}

define internal i1 @is_false(ptr %answer) {{
entry:
  %raised = icmp eq ptr %answer, null
  br i1 %raised, label %clear, label %compare

clear:
  call void @PyErr_Clear()
  ret i1 false

compare:
  %is.false = icmp eq ptr %answer, @tw_false
  call void @Py_DecRef(ptr %answer)
  ret i1 %is.false
}}
"""


def arrays_text() -> str:
    """Defines `array` and `tensor`."""
    return "\n".join([_DECLARATIONS, _LAYOUT, _ARRAY, _TENSOR])
