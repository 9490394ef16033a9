"""The emulator: what it computes by hand-made text; it notices what a device would punish or leave to chance."""

from __future__ import annotations

import random
from fractions import Fraction

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from .emulator import directed, frame
from .emulator.lanes import shuffle_source
from .emulator.machine import DeadlockError, Device, Program
from .emulator.memory import MemoryFault
from .emulator.numbers import UndefinedError, extremum, fma, narrowed, saturated, sdiv, srem
from .emulator.races import RaceError
from .emulator.text import EmulatorError

TID = "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %t = zext i32 %tid to i64"
BLOCK = "  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()"
BARRIER = "  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)"


def kernel(body: str, threads: int, more: str = "") -> str:
    """A kernel with the parameter `%out`, a pointer; `%p` is that of the thread's own i32."""
    return f"""@shared = external addrspace(3) global [0 x i8], align 128
@table = internal addrspace(4) constant [4 x i8] [i8 3, i8 -1, i8 4, i8 1]
define ptx_kernel void @k(ptr byval([16 x i8]) align 16 %slots.p0) nounwind "nvvm.reqntid"="{threads},1,1" {{
entry:
  %out = load ptr, ptr %slots.p0, align 8
{TID}
  %p = getelementptr i32, ptr %out, i64 %t
  %s = getelementptr i32, ptr addrspace(3) @shared, i64 %t
{body}
}}
{more}"""


def run(
    body: str,
    threads: int = 64,
    blocks: int = 1,
    more: str = "",
    start: int = 0,
    schedule: random.Random | None = None,
    size: int = 0,
) -> list[int]:
    """Launch with an array of one i32 a thread (or of `size`) filled with `start`; its contents afterwards."""
    device, count = Device(schedule), size or threads
    out = device.memory.allocate(4 * count)
    out.write(np.full(count, start, np.int32).tobytes())
    slots = np.array([out.address, 0], np.int64).tobytes()
    device.launch(Program(kernel(body, threads, more)), "k", (blocks, 1, 1), slots, 4 * threads)
    return np.frombuffer(out.read(), np.int32).tolist()


def test_divergence_phis_and_calls() -> None:
    """Collatz steps: each thread leaves the loop when it is done; two phis change places."""
    body = """  %start = add i32 %tid, 1
  %steps = call i32 @steps(i32 %start)
  store i32 %steps, ptr %p, align 4
  ret void"""
    more = """define internal i32 @steps(i32 %n.p0) nounwind memory(none) {
entry:
  br label %loop
loop:
  %n = phi i32 [ %n.p0, %entry ], [ %next, %again ]
  %a = phi i32 [ 0, %entry ], [ %b, %again ]
  %b = phi i32 [ 1, %entry ], [ %more, %again ]
  %one = icmp eq i32 %n, 1
  br i1 %one, label %done, label %odd
odd:
  %bit = and i32 %n, 1
  %is = trunc i32 %bit to i1
  br i1 %is, label %up, label %down
up:
  %three = mul nsw i32 %n, 3
  %u = add i32 %three, 1
  br label %again
down:
  %d = lshr i32 %n, 1
  br label %again
again:
  %next = phi i32 [ %u, %up ], [ %d, %down ]
  %more = add i32 %b, 1
  br label %loop, !llvm.loop !3
done:
  ret i32 %a
}"""

    def steps(n: int) -> int:
        return 0 if n == 1 else 1 + steps(3 * n + 1 if n % 2 else n // 2)

    expected = [steps(n) for n in range(1, 65)]
    assert run(body, more=more) == expected
    for seed in range(5):
        assert run(body, more=more, schedule=random.Random(seed)) == expected


def test_struct_results_and_constants() -> None:
    body = """  %low = and i64 %t, 3
  %at = getelementptr i8, ptr addrspace(4) @table, i64 %low
  %byte = load i8, ptr addrspace(4) %at, align 1
  %pair = call { i32, i8 } @both(i8 %byte)
  %wide = extractvalue { i32, i8 } %pair, 0
  store i32 %wide, ptr %p, align 4
  ret void"""
    more = """define internal { i32, i8 } @both(i8 %x.p0) nounwind {
entry:
  %w = sext i8 %x.p0 to i32
  %one = insertvalue { i32, i8 } poison, i32 %w, 0
  %two = insertvalue { i32, i8 } %one, i8 %x.p0, 1
  ret { i32, i8 } %two
}"""
    assert run(body, 8, more=more) == [3, -1, 4, 1, 3, -1, 4, 1]


def test_high_words_of_products() -> None:
    body = """  %n = sub nsw i64 0, %t
  %a = zext i64 %n to i128
  %product = mul i128 %a, %a
  %high = lshr i128 %product, 64
  %word = trunc i128 %high to i64
  %part = trunc i64 %word to i32
  store i32 %part, ptr %p, align 4
  ret void"""
    assert run(body, 4) == [0, -2, -4, -6], "(2^64 - n)^2 is 2^64 (2^64 - 2 n) and a little"


EXCHANGE = f"""  store i32 %tid, ptr addrspace(3) %s, align 4
{BARRIER}
  %other = xor i64 %t, 33
  %o = getelementptr i32, ptr addrspace(3) @shared, i64 %other
  %found = load i32, ptr addrspace(3) %o, align 4
  store i32 %found, ptr %p, align 4
  ret void"""


def test_barriers_order_and_their_absence_is_a_race() -> None:
    for seed in range(4):
        assert run(EXCHANGE, schedule=random.Random(seed)) == [t ^ 33 for t in range(64)]
    with pytest.raises(RaceError, match="race at byte"):
        run(EXCHANGE.replace(BARRIER + "\n", ""))


def test_a_second_pass_needs_a_second_barrier() -> None:
    again = EXCHANGE.replace("  ret void", "  store i32 %found, ptr addrspace(3) %s, align 4\n  ret void")
    with pytest.raises(RaceError):
        run(again)
    run(again.replace("  store i32 %found, ptr add", f"{BARRIER}\n  store i32 %found, ptr add"))


def warp_exchange(mask: str, flip: int) -> str:
    """An exchange in shared memory behind a barrier of the warp."""
    return EXCHANGE.replace(BARRIER, f"{mask}\n  call void @llvm.nvvm.bar.warp.sync(i32 %mask)").replace(
        "xor i64 %t, 33", f"xor i64 %t, {flip}"
    )


WHOLE = "  %mask = sub i32 0, 1"
HALVES = "  %half = and i32 %tid, 16\n  %mask = shl i32 65535, %half"


def test_barriers_of_warps_order_the_lanes_that_they_name() -> None:
    assert run(warp_exchange(WHOLE, 17)) == [t ^ 17 for t in range(64)]
    assert run(warp_exchange(HALVES, 15)) == [t ^ 15 for t in range(64)]
    with pytest.raises(RaceError):
        run(warp_exchange(WHOLE, 32))
    with pytest.raises(RaceError):
        run(warp_exchange(HALVES, 16))
    with pytest.raises(EmulatorError, match="not among the lanes"):
        run(warp_exchange("  %mask = or i32 1, 2", 1))


def test_waiting_for_ever_is_noticed() -> None:
    some = """  %c = icmp slt i64 %t, 40
  br i1 %c, label %yes, label %end
yes:
{}
  br label %end
end:
  ret void"""
    with pytest.raises(DeadlockError, match="returned"):
        run(some.format(BARRIER))
    with pytest.raises(DeadlockError, match=r"bar\.warp\.sync"):
        run(some.format("  call void @llvm.nvvm.bar.warp.sync(i32 -1)"))
    two = f"""  %c = icmp slt i64 %t, 40
  br i1 %c, label %yes, label %no
yes:
{BARRIER}
  br label %end
no:
{BARRIER}
  br label %end
end:
  store i32 1, ptr %p, align 4
  ret void"""
    assert run(two) == [1] * 64, "barriers without `.aligned` meet each other"


def test_a_loop_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "MOST_SEGMENTS", 1000)
    with pytest.raises(EmulatorError, match="come to an end"):
        run("  br label %loop\nloop:\n  br label %loop", 1)


def shuffled(mode: str, mask: str, position: str, bounds: int) -> list[int]:
    """What each lane gets of ten times the lanes' numbers."""
    body = f"""{mask}
  %ten = mul i32 %tid, 10
  %got = call i32 @llvm.nvvm.shfl.sync.{mode}.i32(i32 %mask, i32 %ten, i32 {position}, i32 {bounds})
  store i32 %got, ptr %p, align 4
  ret void"""
    return run(body)


def test_shuffles() -> None:
    """The table of PTX: the last operand holds the lanes' bits that stay, and a bound."""
    warp, half = 31, (16 << 8) | 31
    assert shuffled("idx", WHOLE, "3", warp) == [30] * 32 + [350] * 32
    assert shuffled("idx", WHOLE, "3", half) == [10 * (t // 16 * 16 + 3) for t in range(64)]
    assert shuffled("idx", WHOLE, "19", half) == [10 * (t // 16 * 16 + 3) for t in range(64)]
    assert shuffled("bfly", WHOLE, "5", warp) == [10 * (t ^ 5) for t in range(64)]
    assert shuffled("bfly", WHOLE, "16", half) == [10 * (t if t & 16 == 0 else t ^ 16) for t in range(64)]
    assert shuffled("up", WHOLE, "2", 0) == [10 * (t if t % 32 < 2 else t - 2) for t in range(64)]
    assert shuffled("up", WHOLE, "2", 16 << 8) == [10 * (t if t % 16 < 2 else t - 2) for t in range(64)]
    assert shuffled("down", WHOLE, "2", half) == [10 * (t if t % 16 > 13 else t + 2) for t in range(64)]
    with pytest.raises(EmulatorError, match="does not take part"):
        shuffled("idx", HALVES, "3", warp)
    with pytest.raises(EmulatorError, match="unknown shuffle"):
        shuffle_source("left", np.arange(2), np.zeros(2, np.int64), np.zeros(2, np.int64))


def test_lanes_on_other_paths_are_waited_for() -> None:
    body = """  %c = icmp slt i64 %t, 16
  br i1 %c, label %yes, label %no
yes:
  %a = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 65535, i32 %tid, i32 7, i32 4127)
  store i32 %a, ptr %p, align 4
  br label %end
no:
  br label %end
end:
  ret void"""
    assert run(body, 32) == [7] * 16 + [0] * 16
    with pytest.raises(DeadlockError):
        run(body.replace("i32 65535", "i32 131071"), 32)


COUNT = """  br label %loop
loop:
  %old = phi i32 [ 0, %entry ], [ %seen, %loop ]
  %new = add i32 %old, 1
  %pair = cmpxchg ptr %out, i32 %old, i32 %new syncscope("device") monotonic monotonic
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void"""


def test_contended_compare_and_swap() -> None:
    assert run(COUNT)[0] == 64
    assert run(COUNT, schedule=random.Random(3))[0] == 64
    assert run(COUNT, 32, blocks=3)[0] == 96


def test_atomics_and_scopes() -> None:
    add = '  %old = atomicrmw {} ptr %out, i32 %tid syncscope("{}") monotonic, align 4\n  ret void'
    assert run(add.format("add", "device"), blocks=2)[0] == 2 * sum(range(64))
    assert run(add.format("add", "block"))[0] == sum(range(64))
    assert run(add.format("umax", "device"), start=-5)[0] == -5
    assert run(add.format("max", "device"), start=-5)[0] == 63
    with pytest.raises(RaceError, match="blocks 0 and 1"):
        run(add.format("add", "block"), blocks=2)
    with pytest.raises(RaceError, match="threads"):
        run(add.format("add", "device").replace("  ret", "  %now = load i32, ptr %out, align 4\n  ret"))
    with pytest.raises(RaceError, match="blocks"):
        run(f"{BLOCK}\n  store i32 %block, ptr %p, align 4\n  ret void", blocks=2)


def test_swapping_a_word_leaves_its_other_bytes_alone() -> None:
    """Neighbours in a word change their own bytes by compare-and-swap of the word, or read theirs plainly."""
    body = """  %base = and i64 %t, -4
  %word = getelementptr i8, ptr %out, i64 %base
  %inner = and i32 %tid, 3
  %by = shl i32 %inner, 3
  %bit = shl i32 1, %by
  br label %loop
loop:
  %old = phi i32 [ 0, %entry ], [ %seen, %loop ]
  %new = or i32 %old, %bit
  %pair = cmpxchg ptr %word, i32 %old, i32 %new syncscope("device") monotonic monotonic
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  %mine = getelementptr i8, ptr %out, i64 %t
  %byte = load i8, ptr %mine, align 1
  ret void"""
    assert run(body, 8) == [0x01010101] * 2 + [0] * 6
    with pytest.raises(RaceError):
        run(body.replace("i64 %t\n  %byte", "i64 %base\n  %byte"), 8)


def test_memory_that_is_not_there() -> None:
    for place, fault in (
        ("%beyond = getelementptr i32, ptr %p, i64 1\n  store i32 1, ptr %beyond, align 4", "outside"),
        ("%odd = getelementptr i8, ptr %p, i64 2\n  store i32 1, ptr %odd, align 4", "aligned"),
        ("store i32 1, ptr null, align 4", "outside"),
        ("store i8 1, ptr addrspace(4) @table, align 1", "outside"),
        (
            "%far = getelementptr i32, ptr addrspace(3) %s, i64 1\n  store i32 1, ptr addrspace(3) %far, align 4",
            "outside",
        ),
        ("%x = load i64, ptr %p, align 4", "aligned"),
    ):
        with pytest.raises(MemoryFault, match=fault):
            run(f"  {place}\n  ret void")


def test_shared_memory_is_fresh_and_generic() -> None:
    body = """  %g = addrspacecast ptr addrspace(3) %s to ptr
  store i32 9, ptr addrspace(3) %s, align 4
  %x = load i32, ptr %g, align 4
  store i32 %x, ptr %p, align 4
  ret void"""
    assert run(body) == [9] * 64
    assert 9 not in run(body.replace("  store i32 9, ptr addrspace(3) %s, align 4\n", ""))


def test_what_is_not_known_is_refused() -> None:
    for line in ("%x = alloca i32", "%x = call i32 @llvm.ctpop.i32(i32 %tid)", "%x = bswap i32 %tid to i32"):
        with pytest.raises((EmulatorError, KeyError)):
            run(f"  {line}\n  ret void")
    with pytest.raises(UndefinedError, match="zero"):
        run("  %x = udiv i32 1, %tid\n  ret void")


def wide(*numbers: int) -> npt.NDArray[np.int32]:
    return np.array(numbers, np.int32)


def test_integer_division() -> None:
    x, y = wide(7, -7, 7, -7, 6), wide(2, 2, -2, -2, 3)
    assert sdiv(x, y).tolist() == [3, -3, -3, 3, 2]
    assert srem(x, y).tolist() == [1, -1, 1, -1, 0]
    with pytest.raises(UndefinedError, match="overflows"):
        sdiv(wide(-(1 << 31)), wide(-1))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_fma_rounds_once(
    dtype: type[np.float16] | type[np.float32] | type[np.float64], rng: np.random.Generator
) -> None:
    """Sums that nearly cancel, and ones half way between two numbers, against exact arithmetic."""
    x, y = (rng.standard_normal(300).astype(dtype) for _ in range(2))
    z = np.where(rng.integers(0, 2, 300), -(x * y), rng.standard_normal(300) * 1e-3).astype(dtype)
    for a, b, c, found in zip(x, y, z, fma(x, y, z), strict=True):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        distance = abs(Fraction(float(found)) - exact)
        for neighbour in (np.nextafter(found, dtype(np.inf)), np.nextafter(found, dtype(-np.inf))):
            assert distance <= abs(Fraction(float(neighbour)) - exact)


def test_fma_of_bf16_rounds_once() -> None:
    """Just above and below the middle of two numbers, nearer to it than f32 can tell; and what f32 cannot hold."""
    x, y, z = (
        np.array(numbers, ml_dtypes.bfloat16)
        for numbers in ([16128, 16128, 1e-30, -1e-30], [-448, -448, 1e-20, 1e-20], [-1e-3, 1e-3, 0, 0])
    )
    assert fma(x, y, z).astype(np.float64).tolist() == [-7241728, -7208960, 0, 0]


def test_rounding_in_a_direction() -> None:
    one, tiny = np.array([1.0], np.float32), np.array([2.0**-30], np.float32)
    up, down = np.nextafter(one, np.float32(2)), np.nextafter(one, np.float32(0))
    assert directed.operation("add", "rp")(one, tiny) == up
    assert directed.operation("add", "rm")(one, tiny) == one
    assert directed.operation("add", "rz")(one, -tiny) == down
    assert directed.operation("add", "rz")(-one, tiny) == -down
    below, above = (float(directed.operation("div", mode)(one, 3 * one)[0]) for mode in ("rm", "rp"))
    assert Fraction(below) < Fraction(1, 3) < Fraction(above) < Fraction(below) + Fraction(1, 1 << 24)
    below, above = (float(directed.operation("sqrt", mode)(2 * one)[0]) for mode in ("rm", "rp"))
    assert below**2 < 2 < above**2
    assert np.signbit(directed.operation("add", "rm")(one, -one)[0])
    assert not np.signbit(directed.operation("add", "rp")(one, -one)[0])
    least = np.array([np.nextafter(np.float32(0), np.float32(1))])
    for factor, down, up in ((0.75, 0, 1), (0.25, 0, 1), (-0.75, -1, 0)):
        part = least.dtype.type(factor) * np.ones(1, least.dtype)
        found = [directed.operation("mul", mode)(least, part)[0] / least[0] for mode in ("rz", "rm", "rp")]
        assert found == [0, down, up]
    huge = np.array([3e38], np.float32)
    assert directed.operation("mul", "rz")(huge, huge)[0] == np.finfo(np.float32).max
    assert directed.operation("mul", "rp")(huge, huge)[0] == np.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_signs_of_zeros(dtype: type[np.float32] | type[np.float64]) -> None:
    x, y = np.array([0.0, -0.0, 0.0, -0.0], dtype), np.array([0.0, 0.0, -0.0, -0.0], dtype)
    assert np.signbit(extremum(np.fmax, largest=True)(x, y)).tolist() == [False, False, False, True]
    assert np.signbit(extremum(np.fmin, largest=False)(x, y)).tolist() == [False, True, True, True]
    assert np.signbit(fma(x, np.ones(4, dtype), y)).tolist() == [False, False, False, True]
    assert extremum(np.fmax, largest=True)(np.array([1.0, np.nan]), np.array([2.0, -3.0])).tolist() == [2, -3]


def test_conversions() -> None:
    halfway = np.array([1 + 2.0**-8 + 2.0**-40, -(1 + 2.0**-8) - 2.0**-40])
    from_double = narrowed(halfway, np.dtype("bfloat16")).astype(np.float64)
    assert from_double.tolist() == [1 + 2.0**-7, -(1 + 2.0**-7)]
    numbers = np.array([np.nan, np.inf, -np.inf, 300.7, -300.7, -1.5])
    assert saturated(numbers, np.dtype(np.int8), True).tolist() == [0, 127, -128, 127, -128, -1]
    assert saturated(numbers, np.dtype(np.int8), False).view(np.uint8).tolist() == [0, 255, 0, 255, 0, 0]


EXITS = """  %mine = icmp ult i64 %t, 5
  br i1 %mine, label %away, label %stay
away:
  store i32 7, ptr %p, align 4
  call void asm sideeffect "exit;", ""()
  unreachable
stay:"""


def test_nobody_waits_for_threads_that_exit() -> None:
    """Neither at barriers nor in shuffles; what has returned is waited for in vain."""
    body = f"""{EXITS}
{BARRIER}
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %x = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %tid, i32 8, i32 31)
  store i32 %x, ptr %p, align 4
  ret void"""
    found = run(body)
    assert found[:5] == [7] * 5
    assert found[16:] == [k ^ 8 for k in range(16, 64)]
    assert found[13:16] == [5, 6, 7]
    assert not set(found[8:13]) & set(range(5)), "what threads that have exited would give is anything"
    with pytest.raises(DeadlockError, match="a barrier waits for threads that have returned"):
        run(body.replace('call void asm sideeffect "exit;", ""()', "ret void").replace("  unreachable\n", ""))


def test_products_of_a_warp_want_all_its_lanes() -> None:
    with pytest.raises(DeadlockError, match="ldmatrix"):
        run(f"""{EXITS}
  %m = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16(ptr addrspace(3) @shared)
  ret void""")
