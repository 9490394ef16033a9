"""Variables become values: what merges where paths meet, and how much may."""

from __future__ import annotations

from frontends.tlx.kernels import findings
from tilewright.frontends.tlx.llvm.limits import Limits

LADDER = 24


def ladder(count: int, reads: bool) -> str:
    """Each of `count` variables is written in a block of its own, which the next one may be reached without."""
    lines = ["define void @k(i1 %c, ptr %p) {", "entry:"]
    lines += [f"  %x{i} = alloca i32\n  store i32 {i}, ptr %x{i}" for i in range(count)]
    lines.append("  br label %b0")
    for i in range(count):
        lines += [f"b{i}:", f"  store i32 1, ptr %x{i}", f"  br i1 %c, label %b{i + 1}, label %b{min(i + 2, count)}"]
    lines.append(f"b{count}:")
    for i in range(count if reads else 0):
        lines += [f"  %v{i} = load i32, ptr %x{i}", f"  store i32 %v{i}, ptr %p"]
    return "\n".join([*lines, "  ret void", "}\n"])


def test_what_is_never_read_merges_nowhere() -> None:
    assert findings(ladder(LADDER, reads=False), limits=Limits(instructions=LADDER * 4 + 10)) == []


def test_merges_have_the_limit_of_instructions() -> None:
    text = ladder(LADDER, reads=True)
    instructions = text.count("\n") - 2
    least = next(n for n in range(instructions, instructions**2) if not findings(text, limits=Limits(instructions=n)))
    (line,) = findings(text, limits=Limits(instructions=least - 1))
    assert least > instructions, "the merges are more than the instructions"
    assert line.startswith("TLX502 1: variables of this function change on so many paths")
