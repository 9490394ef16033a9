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
    LAYOUT_LEAST,
    LAYOUT_SIZES,
    OBJECT_TYPE,
    SEEN_ALL,
    SEEN_DATA,
    SEEN_DEVICE,
    SEEN_DTYPE,
    SEEN_FORM,
    SEEN_KIND,
    SEEN_NO_USE,
    SEEN_NOTHING,
    SEEN_RANK,
    SEEN_SIZES,
    SEEN_STRIDES,
    SEEN_WHICH,
)
from tilewright.runtime.pool_layout import field

_DECLARATIONS: Final = """
@tw_ndarray = external global i8
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
  %same = tail call i1 @same_layout(ptr %dimensions, ptr %strides, i64 %rank, ptr %wanted.dimensions)
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


def _told(name: str, offset: int, to: int) -> str:
    """What a function tells about a tensor is kept; `%name.status` is not 0 if it tells nothing."""
    return f"""{_function(name, offset)}
{field(f"{name}.p", "%seen", to)}
  %{name}.status = call i32 %{name}.f(ptr %tensor, ptr %{name}.p)"""


# A tensor of torch, by functions of its libraries (`torch_functions`): of a kind that was accepted, with no gradient
# wanted and nothing to be done to its elements yet. Only then is it asked where its elements are, which not all kinds
# have an answer to. What it says is kept in `%seen`, for comparison with other accepted calls. Stores its address.
_TENSOR: Final = f"""
define internal i1 @tensor(ptr %object, ptr %wanted, ptr %slot, ptr %seen) {{
entry:
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
{field("wanted.type.p", "%wanted", ARGUMENT_TYPE)}
  %wanted.type = load ptr, ptr %wanted.type.p
  %is.tensor = icmp eq ptr %type, %wanted.type
  br i1 %is.tensor, label %look, label %no

look:
{field("functions.p", "%wanted", ARGUMENT_FUNCTIONS)}
  %functions = load ptr, ptr %functions.p
  %place = load i64, ptr %functions
  %tensor = getelementptr i8, ptr %object, i64 %place
  %state = load i64, ptr %seen
  %is.new = icmp eq i64 %state, {SEEN_NOTHING}
  br i1 %is.new, label %ask.kind, label %kind

ask.kind:
  call void @kind_of(ptr %tensor, ptr %functions, ptr %seen)
  br label %kind

kind:
  %known = load i64, ptr %seen
{field("layout.p", "%wanted", ARGUMENT_LAYOUT)}
  %layout = load ptr, ptr %layout.p
{field("elements.p", "%seen", SEEN_DTYPE)}
  %elements = load i64, ptr %elements.p
{field("wanted.elements.p", "%layout", LAYOUT_DTYPE)}
  %wanted.elements = load i64, ptr %wanted.elements.p
  %same.elements = icmp eq i64 %elements, %wanted.elements
{field("device.p", "%seen", SEEN_DEVICE)}
  %device = load i64, ptr %device.p
{field("wanted.device.p", "%layout", LAYOUT_DEVICE)}
  %wanted.device = load i64, ptr %wanted.device.p
  %same.device = icmp eq i64 %device, %wanted.device
  %same.kind = and i1 %same.elements, %same.device
  %usable.kind = icmp ne i64 %known, {SEEN_NO_USE}
  %alike = and i1 %same.kind, %usable.kind
  br i1 %alike, label %place.known, label %no

place.known:
  %is.placed = icmp eq i64 %known, {SEEN_ALL}
  br i1 %is.placed, label %placed, label %ask.place

ask.place:
  call void @place_of(ptr %tensor, ptr %functions, ptr %seen)
  br label %placed

placed:
  %all = load i64, ptr %seen
  %fine = icmp eq i64 %all, {SEEN_ALL}
{field("rank.p", "%seen", SEEN_RANK)}
  %rank = load i64, ptr %rank.p
{field("wanted.rank.p", "%wanted", ARGUMENT_RANK)}
  %wanted.rank = load i64, ptr %wanted.rank.p
  %same.rank = icmp eq i64 %rank, %wanted.rank
{field("data.p", "%seen", SEEN_DATA)}
  %data = load i64, ptr %data.p
  store i64 %data, ptr %slot
{field("mask.p", "%wanted", ARGUMENT_MASK)}
  %mask = load i64, ptr %mask.p
  %beyond = and i64 %data, %mask
  %aligned = icmp eq i64 %beyond, 0
{field("least.p", "%layout", LAYOUT_LEAST)}
  %least = load i64, ptr %least.p
  %there = icmp uge i64 %data, %least
  %usable = and i1 %aligned, %there
  %told = and i1 %fine, %same.rank
  %good = and i1 %usable, %told
  br i1 %good, label %layouts, label %no

layouts:
{field("dimensions.p", "%seen", SEEN_SIZES)}
  %dimensions = load ptr, ptr %dimensions.p
{field("strides.p", "%seen", SEEN_STRIDES)}
  %strides = load ptr, ptr %strides.p
{field("wanted.dimensions", "%layout", LAYOUT_SIZES)}
  %same = tail call i1 @same_layout(ptr %dimensions, ptr %strides, i64 %rank, ptr %wanted.dimensions)
  ret i1 %same

no:
  ret i1 false
}}

define internal void @kind_of(ptr %tensor, ptr %functions, ptr %seen) {{
  %implementation = load ptr, ptr %tensor
{_has_state("gradient", FUNCTION_GRADIENT, "%implementation")}
{_has_state("negative", FUNCTION_NEGATIVE, "%tensor")}
{_has_state("conjugate", FUNCTION_CONJUGATE, "%tensor")}
{_told("dtype", FUNCTION_DTYPE, SEEN_DTYPE)}
{_told("form", FUNCTION_FORM, SEEN_FORM)}
{_told("device", FUNCTION_DEVICE, SEEN_DEVICE)}
{_told("which", FUNCTION_WHICH, SEEN_WHICH)}
  %waiting = or i1 %negative, %conjugate
  %more = or i1 %gradient, %waiting
  %elements.status = or i32 %dtype.status, %form.status
  %place.status = or i32 %device.status, %which.status
  %status = or i32 %elements.status, %place.status
  %refused = icmp ne i32 %status, 0
  %useless = or i1 %more, %refused
  %state = select i1 %useless, i64 {SEEN_NO_USE}, i64 {SEEN_KIND}
  store i64 %state, ptr %seen
  ret void
}}

define internal void @place_of(ptr %tensor, ptr %functions, ptr %seen) {{
{_told("rank", FUNCTION_RANK, SEEN_RANK)}
{_told("data", FUNCTION_DATA, SEEN_DATA)}
{_told("sizes", FUNCTION_SIZES, SEEN_SIZES)}
{_told("steps", FUNCTION_STRIDES, SEEN_STRIDES)}
  %some.refused = or i32 %data.status, %rank.status
  %sizes.refused = or i32 %sizes.status, %steps.status
  %status = or i32 %some.refused, %sizes.refused
  %refused = icmp ne i32 %status, 0
  %state = select i1 %refused, i64 {SEEN_NO_USE}, i64 {SEEN_ALL}
  store i64 %state, ptr %seen
  ret void
}}
"""


def arrays_text() -> str:
    """Defines `array` and `tensor`."""
    return "\n".join([_DECLARATIONS, _LAYOUT, _ARRAY, _TENSOR])
