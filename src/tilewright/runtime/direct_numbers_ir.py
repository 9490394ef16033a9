"""Numbers of a direct call against what a parameter holds, as LLVM IR text."""

from __future__ import annotations

from typing import Final

from tilewright.runtime.direct_layout import OBJECT_TYPE
from tilewright.runtime.pool_layout import field

NUMBERS_IMPORTS: Final = ("PyLong_AsLongLongAndOverflow", "PyFloat_AsDouble", "PyComplex_AsCComplex")

_DECLARATIONS: Final = """
@tw_true = external global i8
@tw_false = external global i8
@tw_numpy_true = external global i8
@tw_numpy_false = external global i8
@tw_int = external global i8
@tw_integers = external global ptr
@tw_reals = external global ptr
@tw_complexes = external global ptr
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare double @PyFloat_AsDouble(ptr)
declare { double, double } @PyComplex_AsCComplex(ptr)
declare double @llvm.fabs.f64(double)
declare float @llvm.fabs.f32(float)
"""

# Each against a null-terminated list of types, in the order of how often they come.
_TYPES: Final = f"""
define internal i1 @listed(ptr %object, ptr %types) {{
entry:
{field("type.p", "%object", OBJECT_TYPE)}
  %type = load ptr, ptr %type.p
  br label %compare

compare:
  %entry.p = phi ptr [ %types, %entry ], [ %next.p, %next ]
  %listed = load ptr, ptr %entry.p
  %same = icmp eq ptr %listed, %type
  br i1 %same, label %yes, label %next

next:
  %next.p = getelementptr ptr, ptr %entry.p, i64 1
  %end = icmp eq ptr %listed, null
  br i1 %end, label %no, label %compare

yes:
  ret i1 true

no:
  ret i1 false
}}
"""

# Python's own numbers and NumPy's, if the parameter's type holds them; others take the long way, where they are refused
# or rounded. Conversions of these types cannot fail.
_NUMBERS: Final = f"""
define internal i1 @integer(ptr %object, i64 %low, i64 %high, ptr %value) {{
entry:
  %overflow = alloca i32
  %is.int = call i1 @listed(ptr %object, ptr @tw_integers)
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
  %is.int = icmp eq ptr %type, @tw_int
  br i1 %is.int, label %int, label %other

other:
  %is.real = call i1 @listed(ptr %object, ptr @tw_reals)
  br i1 %is.real, label %float, label %no

float:
  %direct = call double @PyFloat_AsDouble(ptr %object)
  br label %store

int:
  %holds = call i1 @integer(ptr %object, i64 -9223372036854775808, i64 9223372036854775807, ptr %whole)
  br i1 %holds, label %convert, label %no

convert:
  %integral = load i64, ptr %whole
  %converted = sitofp i64 %integral to double
  br label %store

store:
  %number = phi double [ %direct, %float ], [ %converted, %convert ]
  %kept = call i1 @rounded(double %number, i64 %width, ptr %slot)
  ret i1 %kept

no:
  ret i1 false
}}

define internal i1 @complex(ptr %object, i64 %width, ptr %slot) {{
entry:
  %is.complex = call i1 @listed(ptr %object, ptr @tw_complexes)
  br i1 %is.complex, label %both, label %one

both:
  %parts = call {{ double, double }} @PyComplex_AsCComplex(ptr %object)
  %first = extractvalue {{ double, double }} %parts, 0
  %second = extractvalue {{ double, double }} %parts, 1
  %first.kept = call i1 @rounded(double %first, i64 %width, ptr %slot)
  %second.kept = call i1 @imaginary(double %second, i64 %width, ptr %slot)
  %kept = and i1 %first.kept, %second.kept
  ret i1 %kept

one:
  %real.kept = call i1 @real(ptr %object, i64 %width, ptr %slot)
  %zero.kept = call i1 @imaginary(double 0.0, i64 %width, ptr %slot)
  ret i1 %real.kept
}}

define internal i1 @imaginary(double %number, i64 %width, ptr %slot) {{
  %part = getelementptr i8, ptr %slot, i64 %width
  %kept = call i1 @rounded(double %number, i64 %width, ptr %part)
  ret i1 %kept
}}

; stores a number; false if it became infinite
define internal i1 @rounded(double %number, i64 %width, ptr %slot) {{
entry:
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
}}

define internal i1 @truth(ptr %object, ptr %slot) {{
  %is.python.true = icmp eq ptr %object, @tw_true
  %is.numpy.true = icmp eq ptr %object, @tw_numpy_true
  %is.true = or i1 %is.python.true, %is.numpy.true
  %is.python.false = icmp eq ptr %object, @tw_false
  %is.numpy.false = icmp eq ptr %object, @tw_numpy_false
  %is.false = or i1 %is.python.false, %is.numpy.false
  %value = zext i1 %is.true to i64
  store i64 %value, ptr %slot
  %either = or i1 %is.true, %is.false
  ret i1 %either
}}
"""


def numbers_text() -> str:
    """Defines `integer`, `real`, `complex` and `truth`."""
    return "\n".join([_DECLARATIONS, _TYPES, _NUMBERS])
