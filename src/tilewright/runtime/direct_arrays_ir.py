"""Arrays and tensors of a direct call against those of an accepted one, as LLVM IR text."""

from __future__ import annotations

from typing import Final

from tilewright.runtime.direct_layout import (
    ARGUMENT_DTYPE,
    ARGUMENT_FUNCTIONS,
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
    FUNCTION_CONJUGATE,
    FUNCTION_DATA,
    FUNCTION_DEVICE,
    FUNCTION_DTYPE,
    FUNCTION_FORM,
    FUNCTION_GRADIENT,
    FUNCTION_NEGATIVE,
    FUNCTION_RANK,
    FUNCTION_SIZES,
    FUNCTION_STRIDES,
    FUNCTION_WHICH,
    LAYOUT_DEVICE,
    LAYOUT_DTYPE,
    LAYOUT_FORM,
    LAYOUT_LEAST,
    LAYOUT_SIZES,
    LAYOUT_WHICH,
    OBJECT_TYPE,
)
from tilewright.runtime.pool_layout import field

ARRAYS_IMPORTS: Final = ("PyErr_Clear",)

_DECLARATIONS: Final = """
@tw_ndarray = external global i8
declare void @PyErr_Clear()
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


def _function(name: str, offset: int) -> str:
    return f"""{field(f"{name}.f.p", "%functions", offset)}
  %{name}.f = load ptr, ptr %{name}.f.p"""


def _has_state(name: str, offset: int, of: str) -> str:
    """Whether a tensor is in a state, as `%name`."""
    return f"""{_function(name, offset)}
  %{name} = call zeroext i1 %{name}.f(ptr {of})"""


def _told(name: str, offset: int, answer: str) -> str:
    """What a function tells about a tensor goes to `answer`; `%name.status` is not 0 if it tells nothing."""
    return f"""{_function(name, offset)}
  %{name}.status = call i32 %{name}.f(ptr %tensor, ptr {answer})"""


def _differs(name: str, offset: int, wanted: int) -> str:
    """`%name.differs` is 0 if what a function tells is what was accepted."""
    return f"""{_told(name, offset, "%answer")}
  %{name} = load i32, ptr %answer
{field(f"wanted.{name}.p", "%layout", wanted)}
  %wanted.{name} = load i32, ptr %wanted.{name}.p
  %{name}.other = xor i32 %{name}, %wanted.{name}
  %{name}.differs = or i32 %{name}.other, %{name}.status"""


# A tensor of torch, by functions of its libraries (`torch_functions`): of a kind that was accepted, with no gradient
# wanted and nothing to be done to its elements yet. Only then is it asked where its elements are, which not all kinds
# have an answer to. Stores its address.
_TENSOR: Final = f"""
define internal i1 @tensor(ptr %object, ptr %wanted, ptr %slot) {{
entry:
  %answer = alloca i64
  %dimensions.p = alloca ptr
  %strides.p = alloca ptr
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
{field("wanted.type.p", "%wanted", ARGUMENT_TYPE)}
  %wanted.type = load ptr, ptr %wanted.type.p
  %is.tensor = icmp eq ptr %type, %wanted.type
  br i1 %is.tensor, label %states, label %no

states:
{field("functions.p", "%wanted", ARGUMENT_FUNCTIONS)}
  %functions = load ptr, ptr %functions.p
  %place = load i64, ptr %functions
  %tensor = getelementptr i8, ptr %object, i64 %place
  %implementation = load ptr, ptr %tensor
{_has_state("gradient", FUNCTION_GRADIENT, "%implementation")}
{_has_state("negative", FUNCTION_NEGATIVE, "%tensor")}
{_has_state("conjugate", FUNCTION_CONJUGATE, "%tensor")}
  %waiting = or i1 %negative, %conjugate
  %more = or i1 %gradient, %waiting
  br i1 %more, label %no, label %kind

kind:
{field("layout.p", "%wanted", ARGUMENT_LAYOUT)}
  %layout = load ptr, ptr %layout.p
{_differs("dtype", FUNCTION_DTYPE, LAYOUT_DTYPE)}
{_differs("form", FUNCTION_FORM, LAYOUT_FORM)}
{_differs("device", FUNCTION_DEVICE, LAYOUT_DEVICE)}
{_differs("which", FUNCTION_WHICH, LAYOUT_WHICH)}
  %other.elements = or i32 %dtype.differs, %form.differs
  %other.place = or i32 %device.differs, %which.differs
  %differs = or i32 %other.elements, %other.place
  %alike = icmp eq i32 %differs, 0
  br i1 %alike, label %access, label %no

access:
{_told("rank", FUNCTION_RANK, "%answer")}
  %rank = load i64, ptr %answer
{field("wanted.rank.p", "%wanted", ARGUMENT_RANK)}
  %wanted.rank = load i64, ptr %wanted.rank.p
  %same.rank = icmp eq i64 %rank, %wanted.rank
{_told("data", FUNCTION_DATA, "%answer")}
  %data = load i64, ptr %answer
  store i64 %data, ptr %slot
{_told("sizes", FUNCTION_SIZES, "%dimensions.p")}
{_told("steps", FUNCTION_STRIDES, "%strides.p")}
  %some.refused = or i32 %data.status, %rank.status
  %sizes.refused = or i32 %sizes.status, %steps.status
  %refused = or i32 %some.refused, %sizes.refused
  %fine = icmp eq i32 %refused, 0
{field("mask.p", "%wanted", ARGUMENT_MASK)}
  %mask = load i64, ptr %mask.p
  %beyond = and i64 %data, %mask
  %aligned = icmp eq i64 %beyond, 0
{field("least.p", "%layout", LAYOUT_LEAST)}
  %least = load i64, ptr %least.p
  %there = icmp uge i64 %data, %least
  %usable = and i1 %aligned, %there
  %known = and i1 %fine, %same.rank
  %good = and i1 %usable, %known
  br i1 %good, label %layouts, label %no

layouts:
  %dimensions = load ptr, ptr %dimensions.p
  %strides = load ptr, ptr %strides.p
{field("wanted.dimensions", "%layout", LAYOUT_SIZES)}
  %same = call i1 @same_layout(ptr %dimensions, ptr %strides, i64 %rank, ptr %wanted.dimensions)
  ret i1 %same

no:
  ret i1 false
}}
"""


def arrays_text() -> str:
    """Defines `array` and `tensor`."""
    return "\n".join([_DECLARATIONS, _LAYOUT, _ARRAY, _TENSOR])
