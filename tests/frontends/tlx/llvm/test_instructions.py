"""Instructions: what LLVM takes is taken, what it refuses is refused, and is read as what it is."""

from __future__ import annotations

import pytest

from frontends.tlx.llvm.reading import codes, found, instructions, kernel, llvm_accepts
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.types import FLOATS, IntegerType, PointerType, VectorType

VALID = [
    "%r = add nuw nsw i32 %i, -7",
    "%r = fadd fast <4 x float> %w, <float 1.0, float 0.5, float -0.0, float 0x3FF8000000000000>",
    "%r = fneg nnan float %f",
    "%r = mul <4 x i32> %v, splat (i32 3)",
    "%r = udiv exact i64 %l, 4",
    "%r = or disjoint i8 %b, 1",
    "%r = icmp ule <4 x i32> %v, zeroinitializer",
    "%r = icmp eq ptr %p, null",
    "%r = fcmp ninf oge float %f, 0x7FF0000000000000",
    "%r = fadd half %h, 0xH3C00",
    "%r = fadd double %d, 1.25e-3",
    "%r = zext <4 x i1> %m to <4 x i8>",
    "%r = fptrunc double %d to bfloat",
    "%r = sitofp <4 x i32> %v to <4 x half>",
    "%r = bitcast <4 x i32> %v to <2 x i64>",
    "%r = bitcast <4 x float> %w to <2 x double>",
    "%r = ptrtoint ptr %p to i64\n%s = inttoptr i64 %r to ptr",
    "%r = select i1 %c, <4 x float> %w, <4 x float> poison",
    "%r = select nnan <4 x i1> %m, <4 x float> %w, <4 x float> zeroinitializer",
    "%r = freeze <4 x i32> %v",
    "%r = extractelement <4 x float> %w, i32 2",
    "%r = insertelement <4 x float> undef, float %f, i64 %l",
    "%r = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 poison>",
    "%r = alloca [4 x <4 x float>], i32 2, align 64",
    "%r = alloca i32\nstore volatile i32 %i, ptr %r, align 4\n%s = load volatile i32, ptr %r, align 4, !tbaa !1",
    "%r = getelementptr inbounds { i32, [4 x float] }, ptr %p, i64 %l, i32 1, i64 3",
    "%r = getelementptr float, ptr %p, <4 x i32> %v",
    "call void @llvm.memset.p0.i64(ptr align 4 %p, i8 0, i64 16, i1 false)",
    "%r = call fast float @llvm.fma.f32(float %f, float noundef %f, float 1.0) #3",
    "%r = tail call noalias ptr @malloc(i64 noundef 64)",
    "%r = call i32 (ptr, ...) @printf(ptr %p, i32 %i)",
    "switch i32 %i, label %x [ i32 0, label %y\n i32 -1, label %y ]\nx:\nbr label %y\ny:",
    "br i1 %c, label %x, label %y, !prof !3\nx:\nbr label %y\ny:\n%r = phi i32 [ 1, %0 ], [ %i, %x ]",
    "br label %x\nx:\n%n = phi i32 [ 0, %0 ], [ %s, %x ]\n%s = add i32 %n, 1\nbr i1 %c, label %x, label %y\ny:",
    "unreachable\nx:",
]
"""Bodies that end in `ret void`."""
INVALID = [
    ("%r = add i32 %i, %l", "TLX203 2: %l is i64, not i32"),
    (
        "call void @f(<2 x i32> <i32 1, i32 2>, <2 x i64> <i64 1, i64 2>)\ncall void @f(<2 x i64> <i32 1, i32 2>)",
        "TLX106 3: the elements of <2 x i64> are i64, not i32",
    ),
    ("%r = fadd i32 %i, %i", "TLX203 2: fadd takes floats or vectors of them, not i32"),
    ("%r = add float %f, %f", "TLX203 2: add takes integers or vectors of them, not float"),
    ("%r = fadd float %f, 0.1", "TLX106 2: this number is no float exactly"),
    (
        "%r = load i32, %q\n  ret void",
        "TLX106 2: %q is read as a type: write that of a value in front of it",
    ),
    ("%r = fadd float %f, 1", "TLX106 2: expected a float of type float, such as 1.0, found '1'"),
    ("%r = fadd half %h, 0xR3F80", "TLX106 2: 0xR3F80 is no half"),
    ("%r = icmp foo i32 %i, %i", "TLX101 2: expected a predicate of icmp, such as eq, found 'foo'"),
    ("%r = trunc i8 %b to i32", "TLX203 2: there is no trunc from i8 to i32"),
    ("%r = zext <4 x i1> %m to i8", "TLX203 2: there is no zext from <4 x i1> to i8"),
    ("%r = bitcast i32 %i to i64", "TLX203 2: bitcast of i32 to i64, which is no reading of the same bits"),
    ("%r = select i32 %i, float %f, float %f", "TLX203 2: a condition is an i1 or a vector of them, not i32"),
    ("%r = select i1 %c, float %f, double %d", "TLX203 2: both values have one type, not float and double"),
    ("%r = extractelement float %f, i32 0", "TLX203 2: extractelement takes a vector, not float"),
    ("%r = insertelement <4 x float> %w, i32 %i, i32 0", "TLX203 2: the elements of <4 x float> are no i32"),
    (
        "%r = getelementptr { i32, float }, ptr %p, i32 0, i32 %i",
        "TLX203 2: this index does not fit { i32, float }: a struct takes the constant number of a field",
    ),
    ("%r = getelementptr float, ptr %p, i32 0, i32 1", "TLX203 2: this index does not fit float: it has no parts"),
    ("%r = load i32, i32 %i", "TLX203 2: load takes a pointer, not i32"),
    ("%r = load %t, ptr %p", "TLX203 2: memory holds no %t"),
    ("store i32 %i, ptr %p, align 3", "TLX106 2: an alignment is a power of two up to 4294967296"),
    ("br i32 %i, label %x, label %x\nx:", "TLX203 2: br takes an i1, not i32"),
    ("br label %gone", "TLX105 2: there is no block %gone"),
    ("br label %x\nx:\n%r = phi i32 [ 0, %0 ], [ 0, %x ]", "TLX203 4: %x does not lead to this block"),
    ("br label %x\nx:\nbr i1 %c, label %x, label %y\ny:\n%r = phi i32 [ 0, %0 ]", "TLX203 6"),
    ("br label %x\nx:\n%r = add i32 0, 0\n%s = phi i32 [ 0, %0 ]", "TLX203 5: phi instructions stand at the beginning"),
    ("store i32 <i32 1>, ptr %p", "TLX106 2: this is no constant of type i32"),
    ("%r = add <4 x i32> %v, <i32 1, i32 2>", "TLX106 2: <4 x i32> has 4 elements, not 2"),
    (
        "%r = add <4 x i32> %v, <i32 1, i32 2, i32 3, float 4.0>",
        "TLX106 2: the elements of <4 x i32> are i32, not float",
    ),
    ("%r = add <4 x i32> %v, <32 800, i32 2>", "TLX106 2: expected a type before '32' in this constant, found '32'"),
    ("%r = add <4 x i32> %v, splat (i8 1)", "TLX106 2: splat of i8 is no <4 x i32>"),
    ("%r = alloca <0 x i32>", "TLX106 2: a vector has at least one element"),
    ("%r = alloca void", "TLX106 2: no value has the type void"),
    ("%r = ret void", "TLX101 2: this instruction computes nothing that could be named %r"),
    ("%r = frobnicate i32 %i", "TLX101 2: expected an instruction, found 'frobnicate'"),
    ("%r = add i32 %i, %r", "TLX105 2: %r uses itself"),
    ("%r = add i32 %i, %ii", "TLX105 2: %ii is not defined"),
    ("%r = add i32 %s, 1\n%s = add i32 %i, 1", "TLX105 2: %s does not dominate this use"),
    ("%r = add i32 %i, 1\n%r = add i32 %i, 1", "TLX104 3: %r is defined twice"),
]
UNSUPPORTED = [
    '%r = call i32 asm "nop", "=r"()',
    "fence seq_cst",
    "%r = atomicrmw add ptr %p, i32 1 monotonic",
    "%r = load atomic i32, ptr %p monotonic, align 4",
    "%r = extractvalue { i32, i32 } undef, 0",
    "%r = va_arg ptr %p, i32",
    "%r = call i32 %p(i32 1)",
]
DECLARATIONS = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare float @llvm.fma.f32(float, float, float)
declare noalias ptr @malloc(i64)
declare i32 @printf(ptr, ...)
attributes #3 = { nounwind }
!1 = !{!2, !2, i64 0}
!2 = !{!"int", !4, i64 0}
!3 = !{!"branch_weights", i32 1, i32 9}
!4 = !{!"root"}
"""


@pytest.mark.parametrize("body", VALID)
def test_what_llvm_takes(body: str) -> None:
    text = kernel(body, "ret void") + DECLARATIONS
    assert llvm_accepts(text)
    assert found(text) == []


@pytest.mark.parametrize(("body", "message"), INVALID)
def test_what_llvm_refuses(body: str, message: str) -> None:
    text = kernel(body, "ret void")
    assert not llvm_accepts(text)
    assert [line for line in found(text) if line.startswith(message)], found(text)
    assert len(found(text)) == 1 or message == "TLX203 6"


def test_numbers_that_do_not_fit() -> None:
    """LLVM drops their upper bits."""
    assert found(kernel("%r = add i8 %b, 256", "ret void")) == ["TLX106 2: 256 does not fit i8"]
    assert codes(kernel("%r = add i8 %b, 255", "ret void")) == []


@pytest.mark.parametrize("body", UNSUPPORTED)
def test_what_kernels_do_not_have(body: str) -> None:
    assert codes(kernel(body, "ret void")) == ["TLX404"]


def test_old_pointers_keep_what_they_point_to() -> None:
    body = (
        "%a = load float, float* %q, align 4",
        "%e = bitcast float* %q to <16 x float>*",
        "%g = getelementptr inbounds float, float* %q, i64 4",
        "%z = getelementptr { i32, [2 x i8*]* }, { i32, [2 x i8*]* }* undef, i32 0, i32 1",
        "ret void",
    )
    text = kernel(*body)
    assert llvm_accepts(text)
    load, cast, address, deep, _ = instructions(text)
    assert isinstance(load, syntax.Load)
    assert load.pointer.type == PointerType(FLOATS["float"])
    assert isinstance(cast, syntax.Cast)
    assert cast.to == PointerType(VectorType(16, FLOATS["float"]))
    assert isinstance(address, syntax.GetElementPointer)
    assert isinstance(deep, syntax.GetElementPointer)
    assert codes(kernel("%a = load i32, float* %q", "ret void")) == ["TLX203"]


def test_parts_have_their_places() -> None:
    text = kernel("  %r = add nsw i32 %i, 12 ; twelve", "  ret void")
    add = instructions(text)[0]
    assert isinstance(add, syntax.Binary)
    assert add.rhs is not None
    assert text[add.start : add.end] == "%r = add nsw i32 %i, 12"
    assert text[add.lhs.start : add.lhs.end] == "i32 %i"
    assert add.rhs.value == syntax.Integer(12)
    assert add.rhs.type == IntegerType(32)


def test_numbers_of_unnamed_values_are_llvms() -> None:
    text = "define i32 @f(i32, i32 %1) {\n%3 = add i32 %0, %1\nadd i32 %3, 1\nbr label %5\n5:\nret i32 %4\n}\n"
    assert llvm_accepts(text)
    assert codes(text) == []


def test_constants_keep_their_bits() -> None:
    text = kernel(
        "store half 0xH7E01, ptr %p", "store float 0xFFF8000020000000, ptr %p", "store i8 255, ptr %p", "ret void"
    )
    assert llvm_accepts(text)
    stored = [i.value.value for i in instructions(text) if isinstance(i, syntax.Store)]
    assert stored == [syntax.Float(0x7E01), syntax.Float(0xFFC00001), syntax.Integer(255)]
