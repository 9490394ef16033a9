"""Instructions on tiles as functions in LLVM's language, so that code for AMX runs where there is none.

A tile is 16 rows of 64 bytes in one of several slots of the function that makes it, which do not outlive a call, and
as a value the number of its making, which tells the slot; what lies outside its shape is zero. (LLVM takes
much longer with vectors of that length.) A tile that is used when its slot holds a later one ends the process.
Products are those of Intel's
description, word by word: of bf16 the first terms of all words are added up, and the second ones, each fused and
rounded to nearest even, then both, then the sum before; subnormal numbers are zeros everywhere. Shapes that the
processor refuses end the process, as there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from effort import thorough
from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import TILES
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Module
from tilewright.machine import processor
from tilewright.machine.processor import machine
from tilewright.machine.units import FACTS
from tilewright.targets.cpu import generation
from tilewright.targets.cpu.machine import Machine, machine_of
from tilewright.targets.cpu.target import CpuTarget
from tilewright.targets.llvm.features import Features

_INTRINSIC = re.compile(r"@llvm\.x86\.(t\w+)\.internal")
_FUNCTION = re.compile(r"^(define .*\n.*:\n)((?:.*\n)*?}$)", re.MULTILINE)
_CALL = re.compile(r"@tile\.(\w+)\(")
_FEATURES = ("amx-tile", "amx-int8", "amx-bf16")
_SLOTS = 32
"""More than are made while a tile is in use."""
_FRAME = f"%tile.frame.type = type {{ i64, [{_SLOTS} x i64], [{_SLOTS} x [16 x [16 x i32]]] }}"
_SLOTS_OF_FUNCTION = """\
  %tile.frame = alloca %tile.frame.type, align 64
  %tile.made = getelementptr %tile.frame.type, ptr %tile.frame, i64 0, i32 0
  store i64 0, ptr %tile.made"""
_EXTENSIONS = {"s": "sext", "u": "zext"}


def tile_machine() -> Machine:
    """This machine as if it had AMX."""
    shape = machine_of()
    features = [f for f in shape.processor.features.split(",") if f[1:] not in _FEATURES]
    features += [f"+{name}" for name in _FEATURES]
    return replace(shape, processor=replace(shape.processor, features=",".join(features)))


def described_machine() -> Machine:
    """A machine with AVX-512 and all product units, whatever this one has: for code that is looked at and not run."""
    shape = machine_of()
    needed = sorted({feature for facts in FACTS.values() for feature in (*facts.needs, "fma")})
    others = [f for f in shape.processor.features.split(",") if f[1:] not in needed]
    described = replace(shape.processor, features=",".join([*others, *(f"+{name}" for name in needed)]))
    return Machine(
        processor=described,
        vector_bytes=64,
        registers=32,
        fma=True,
        masks=True,
        fast_gathers=True,
        fetches_stores=False,
        l1_bytes=48 << 10,
        l2_bytes=2 << 20,
        last_cache_bytes=32 << 20,
        flags=Features.of_x86(described.flags),
    )


def compiled_here(module: Module, target: CpuTarget, options: CompileOptions) -> Artifact:
    """Code for AMX as code of this machine; thorough runs generate that for AMX too, which takes LLVM longer."""
    generate = generation.compile_text

    def compile_text(
        text: str, target: processor.Machine | None = None, *, passes: Sequence[str] = (), optimisation: int = 3
    ) -> bytes:
        if thorough():
            generate(text, target, passes=passes, optimisation=optimisation)
        return generate(emulated(text), machine(), passes=passes, optimisation=optimisation)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(generation, "compile_text", compile_text)
        artifact = compile_module(module, target, options, Report())
    kernels = tuple(
        replace(info, facts={name: fact for name, fact in info.facts.items() if name != TILES})
        for info in artifact.kernels
    )
    return replace(artifact, features=machine().features, kernels=kernels)


def emulated(text: str) -> str:
    """The text with functions in place of instructions on tiles."""
    kept = [line for line in text.splitlines() if not (line.startswith("declare") and _INTRINSIC.search(line))]
    found = "\n".join(kept).replace("x86_amx", "i64")
    names = {"tilezero", *_INTRINSIC.findall(found)}
    found = _FUNCTION.sub(_with_slots, _INTRINSIC.sub(r"@tile.\1", found))
    return "\n".join([_FRAME, found, *map(_definition, sorted(names)), *_helpers(found)]) + "\n"


def _with_slots(function: re.Match[str]) -> str:
    """A function with room for its tiles, which whatever makes or takes one is given."""
    head, body = function.groups()
    if "@tile." not in body:
        return function[0]
    calls = _CALL.sub(r"@tile.\1(ptr %tile.frame, ", body)
    return f"{head}{_SLOTS_OF_FUNCTION}\n{calls}"


def _helpers(text: str) -> list[str]:
    """What the functions call; declarations that the text has already stay out."""
    lines = _HELPERS.replace("SLOTS", str(_SLOTS)).splitlines()
    return [line for line in lines if not (line.startswith("declare") and line in text)]


def _definition(name: str) -> str:
    match name:
        case "tilezero":
            return _ZERO
        case "tileloadd64" | "tileloaddt164":
            return _LOAD.replace("@load", f"@tile.{name}")
        case "tilestored64":
            return _STORE
        case "tdpbf16ps":
            return _dot(name, "float", _PAIRS)
        case _:
            left, right = (_EXTENSIONS[sign] for sign in name[len("tdpb") : -1])
            return _dot(name, "i32", _BYTES.replace("EXTEND_A", left).replace("EXTEND_B", right))


def _dot(name: str, type_: str, body: str) -> str:
    return _DOT.replace("@dot", f"@tile.{name}").replace("BODY", body).replace("SUM", type_)


_HELPERS = """
declare void @llvm.trap()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
define internal void @tile.check(i16 %rows, i16 %bytes) {
  %rows.1 = sub i16 %rows, 1
  %bytes.1 = sub i16 %bytes, 1
  %part = and i16 %bytes, 3
  %few = icmp ult i16 %rows.1, 16
  %short = icmp ult i16 %bytes.1, 64
  %words = icmp eq i16 %part, 0
  %fits = and i1 %few, %short
  %good = and i1 %fits, %words
  br i1 %good, label %leave, label %bad
bad:
  call void @llvm.trap()
  unreachable
leave:
  ret void
}
define internal ptr @tile.slot(ptr %frame, i64 %number) {
  %k = urem i64 %number, SLOTS
  %p = getelementptr %tile.frame.type, ptr %frame, i64 0, i32 2, i64 %k
  ret ptr %p
}
define internal i64 @tile.new(ptr %frame) {
  %made.p = getelementptr %tile.frame.type, ptr %frame, i64 0, i32 0
  %number = load i64, ptr %made.p
  %next = add i64 %number, 1
  store i64 %next, ptr %made.p
  %k = urem i64 %number, SLOTS
  %p = getelementptr %tile.frame.type, ptr %frame, i64 0, i32 1, i64 %k
  store i64 %number, ptr %p
  ret i64 %number
}
define internal ptr @tile.held(ptr %frame, i64 %number) {
  %k = urem i64 %number, SLOTS
  %p = getelementptr %tile.frame.type, ptr %frame, i64 0, i32 1, i64 %k
  %there = load i64, ptr %p
  %good = icmp eq i64 %there, %number
  br i1 %good, label %leave, label %bad
bad:
  call void @llvm.trap()
  unreachable
leave:
  %slot = call ptr @tile.slot(ptr %frame, i64 %number)
  ret ptr %slot
}
define internal float @tile.flush(float %x) {
  %bits = bitcast float %x to i32
  %exponent = and i32 %bits, 2139095040
  %sign = and i32 %bits, -2147483648
  %small = icmp eq i32 %exponent, 0
  %kept = select i1 %small, i32 %sign, i32 %bits
  %y = bitcast i32 %kept to float
  ret float %y
}
define internal float @tile.number(i16 %bits) {
  %wide = zext i16 %bits to i32
  %high = shl i32 %wide, 16
  %x = bitcast i32 %high to float
  %y = call float @tile.flush(float %x)
  ret float %y
}
define internal float @tile.plus(float %x, float %y) {
  %sum = fadd float %x, %y
  %z = call float @tile.flush(float %sum)
  ret float %z
}
define internal float @tile.times(float %x, float %y, float %sum) {
  %next = call float @llvm.fma.f32(float %x, float %y, float %sum)
  %z = call float @tile.flush(float %next)
  ret float %z
}"""

_ZERO = """
define internal i64 @tile.tilezero(ptr %frame, i16 %rows, i16 %bytes) {
  call void @tile.check(i16 %rows, i16 %bytes)
  %t = call i64 @tile.new(ptr %frame)
  %tile = call ptr @tile.slot(ptr %frame, i64 %t)
  call void @llvm.memset.p0.i64(ptr %tile, i8 0, i64 1024, i1 false)
  ret i64 %t
}"""

_MOVE = """
  %count = zext i16 %rows to i64
  %length = zext i16 %bytes to i64
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row ]
  %inside = mul i64 %i, 64
  %row.p = getelementptr i8, ptr %tile, i64 %inside
  %outside = mul i64 %i, %pitch
  %place = getelementptr i8, ptr %p, i64 %outside
  call void @llvm.memcpy.p0.p0.i64(MOVED, i64 %length, i1 false)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %row, label %leave
leave:"""

_LOAD = f"""
define internal i64 @load(ptr %frame, i16 %rows, i16 %bytes, ptr %p, i64 %pitch) {{
entry:
  %t = call i64 @tile.tilezero(ptr %frame, i16 %rows, i16 %bytes)
  %tile = call ptr @tile.slot(ptr %frame, i64 %t)
{_MOVE.replace("MOVED", "ptr %row.p, ptr %place")}
  ret i64 %t
}}"""

_STORE = f"""
define internal void @tile.tilestored64(ptr %frame, i16 %rows, i16 %bytes, ptr %p, i64 %pitch, i64 %t) {{
entry:
  call void @tile.check(i16 %rows, i16 %bytes)
  %tile = call ptr @tile.held(ptr %frame, i64 %t)
{_MOVE.replace("MOVED", "ptr %place, ptr %row.p")}
  ret void
}}"""

_DOT = """
define internal i64 @dot(ptr %frame, i16 %rows, i16 %bytes, i16 %deep, i64 %c, i64 %a, i64 %b) {
entry:
  call void @tile.check(i16 %rows, i16 %bytes)
  call void @tile.check(i16 %rows, i16 %deep)
  %ta = call ptr @tile.held(ptr %frame, i64 %a)
  %tb = call ptr @tile.held(ptr %frame, i64 %b)
  %before.p = call ptr @tile.held(ptr %frame, i64 %c)
  %t = call i64 @tile.new(ptr %frame)
  %tc = call ptr @tile.slot(ptr %frame, i64 %t)
  call void @llvm.memcpy.p0.p0.i64(ptr %tc, ptr %before.p, i64 1024, i1 false)
  %m.end = zext i16 %rows to i64
  %n.bytes = zext i16 %bytes to i64
  %n.end = lshr i64 %n.bytes, 2
  %k.bytes = zext i16 %deep to i64
  %k.end = lshr i64 %k.bytes, 2
  br label %row
row:
  %m = phi i64 [ 0, %entry ], [ %m.next, %row.end ]
  br label %column
column:
  %n = phi i64 [ 0, %row ], [ %n.next, %column.end ]
  %sum.p = getelementptr [16 x [16 x i32]], ptr %tc, i64 0, i64 %m, i64 %n
  %before = load SUM, ptr %sum.p
  br label %word
word:
  %k = phi i64 [ 0, %column ], [ %k.next, %word ]
BODY
  store SUM %after, ptr %sum.p
  %n.next = add i64 %n, 1
  %n.more = icmp ult i64 %n.next, %n.end
  br i1 %n.more, label %column, label %row.end
row.end:
  %m.next = add i64 %m, 1
  %m.more = icmp ult i64 %m.next, %m.end
  br i1 %m.more, label %row, label %leave
leave:
  ret i64 %t
}"""

_NEXT_WORD = """
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %k.end
  br i1 %k.more, label %word, label %column.end
column.end:"""

_WORDS = """
  %x.p = getelementptr [16 x [16 x i32]], ptr %ta, i64 0, i64 %m, i64 %k
  %y.p = getelementptr [16 x [16 x i32]], ptr %tb, i64 0, i64 %k, i64 %n"""

_BYTES = f"""
  %sum = phi i32 [ %before, %column ], [ %after, %word ]
{_WORDS}
  %x.4 = load <4 x i8>, ptr %x.p
  %y.4 = load <4 x i8>, ptr %y.p
  %x = EXTEND_A <4 x i8> %x.4 to <4 x i32>
  %y = EXTEND_B <4 x i8> %y.4 to <4 x i32>
  %products = mul <4 x i32> %x, %y
  %more = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %products)
  %after = add i32 %sum, %more
{_NEXT_WORD}"""

_PAIRS = f"""
  %even = phi float [ 0.0, %column ], [ %even.next, %word ]
  %odd = phi float [ 0.0, %column ], [ %odd.next, %word ]
{_WORDS}
  %x.2 = load <2 x i16>, ptr %x.p
  %y.2 = load <2 x i16>, ptr %y.p
  %x0.b = extractelement <2 x i16> %x.2, i64 0
  %x1.b = extractelement <2 x i16> %x.2, i64 1
  %y0.b = extractelement <2 x i16> %y.2, i64 0
  %y1.b = extractelement <2 x i16> %y.2, i64 1
  %x0 = call float @tile.number(i16 %x0.b)
  %x1 = call float @tile.number(i16 %x1.b)
  %y0 = call float @tile.number(i16 %y0.b)
  %y1 = call float @tile.number(i16 %y1.b)
  %even.next = call float @tile.times(float %x0, float %y0, float %even)
  %odd.next = call float @tile.times(float %x1, float %y1, float %odd)
{_NEXT_WORD}
  %start = call float @tile.flush(float %before)
  %both = call float @tile.plus(float %even.next, float %odd.next)
  %after = call float @tile.plus(float %start, float %both)"""
