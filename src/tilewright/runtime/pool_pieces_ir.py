"""How a job stays interruptible, as LLVM IR text: it is done in pieces, and between them somebody looks around.

A piece is as many positions as took some milliseconds before; the first is a single one. After each piece a thread
looks at the launch's *stop* word. The thread that launched, which holds a Python thread state without the GIL, also
lets Python run the handlers of signals that have arrived, every now and then. If one raises, KeyboardInterrupt for
instance, the stop word is set: all threads leave what they have not begun, and the launch returns with the exception
pending.

A *watch* belongs to the launching thread:

    0     Python thread state ptr (null: nobody is to be asked) | when to ask next i64 (nanoseconds; 0: not yet known)

A *pace* belongs to one thread and one job: positions of the next piece i64 (0: not begun) | end of the last piece i64.
"""

from __future__ import annotations

import sys
import time
from typing import Final

from tilewright.runtime.pool_layout import PACE_LAST, WATCH_DUE, field

PYTHON_IMPORTS: Final = ("PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals")
"""Functions of CPython that the text refers to."""

ASK_NANOSECONDS: Final = 50_000_000
_QUICK_NANOSECONDS: Final = 4_000_000
_SLOW_NANOSECONDS: Final = 20_000_000
_LARGEST_PIECE: Final = 1 << 40
# Linux has a clock that counts the kernel's ticks, of 10 ms at most, and costs a fifth of the exact one
_LINUX_COARSE_CLOCK: Final = 6


def _clock() -> int:
    return _LINUX_COARSE_CLOCK if sys.platform == "linux" else time.CLOCK_MONOTONIC


def pieces_text() -> str:
    """Defines `now`, `ask` and `in_pieces`."""
    return _now_text() + _ask_text() + _in_pieces_text()


def _now_text() -> str:
    """Declarations, and the time in nanoseconds."""
    return f"""
declare i32 @clock_gettime(i32, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyErr_CheckSignals()

define internal i64 @now() {{
  %time = alloca [2 x i64]
  %ignored = call i32 @clock_gettime(i32 {_clock()}, ptr %time)
  %seconds = load i64, ptr %time
{field("rest.p", "%time", 8)}
  %rest = load i64, ptr %rest.p
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}}
"""


def _ask_text() -> str:
    """To let Python run handlers of signals if that is due; `stop` is set if one raises."""
    return f"""
define internal void @ask(ptr %watch, ptr %stop, i64 %now) {{
entry:
  %nobody = icmp eq ptr %watch, null
  br i1 %nobody, label %leave, label %whom

whom:
  %thread = load ptr, ptr %watch
  %deaf = icmp eq ptr %thread, null
  br i1 %deaf, label %leave, label %when

when:
{field("due.p", "%watch", WATCH_DUE)}
  %due = load i64, ptr %due.p
  %first = icmp eq i64 %due, 0
  br i1 %first, label %later, label %compare

compare:
  %early = icmp slt i64 %now, %due
  br i1 %early, label %leave, label %python

python:
  call void @PyEval_RestoreThread(ptr %thread)
  %raised = call i32 @PyErr_CheckSignals()
  %ignored = call ptr @PyEval_SaveThread()
  %after = call i64 @now()
  %fine = icmp eq i32 %raised, 0
  br i1 %fine, label %later, label %give.up

give.up:
  ; no more questions while an exception is pending
  store ptr null, ptr %watch
  store atomic i32 1, ptr %stop release, align 4
  br label %leave

later:
  %from = phi i64 [ %now, %when ], [ %after, %python ]
  %next = add i64 %from, {ASK_NANOSECONDS}
  store i64 %next, ptr %due.p
  br label %leave

leave:
  ret void
}}
"""


def _in_pieces_text() -> str:
    """To run a job from one position to another, piece by piece, until it is done or `stop` is set."""
    return f"""
define internal void @in_pieces(ptr %stop, ptr %watch, ptr %pace, ptr %fn, ptr %context, i64 %from, i64 %to,
                                ptr %scratch, i64 %me) {{
entry:
{field("last.p", "%pace", PACE_LAST)}
  %known = load i64, ptr %pace
  %fresh = icmp eq i64 %known, 0
  br i1 %fresh, label %start, label %loop

start:
  %begun = call i64 @now()
  store i64 %begun, ptr %last.p
  store i64 1, ptr %pace
  call void @ask(ptr %watch, ptr %stop, i64 %begun)
  br label %loop

loop:
  %at = phi i64 [ %from, %entry ], [ %from, %start ], [ %next, %piece ]
  %more = icmp slt i64 %at, %to
  br i1 %more, label %look, label %leave

look:
  %stopped = load atomic i32, ptr %stop monotonic, align 4
  %go = icmp eq i32 %stopped, 0
  br i1 %go, label %piece, label %leave

piece:
  %size = load i64, ptr %pace
  %left = sub i64 %to, %at
  %length = call i64 @llvm.umin.i64(i64 %size, i64 %left)
  %next = add i64 %at, %length
  call void %fn(ptr %context, i64 %at, i64 %next, ptr %scratch, i64 %me)
  %now = call i64 @now()
  %last = load i64, ptr %last.p
  store i64 %now, ptr %last.p
  %took = sub i64 %now, %last
  %quick = icmp slt i64 %took, {_QUICK_NANOSECONDS}
  %slow = icmp sgt i64 %took, {_SLOW_NANOSECONDS}
  %whole = icmp eq i64 %length, %size
  %grows = and i1 %quick, %whole
  %larger.raw = shl i64 %size, 2
  %larger = call i64 @llvm.umin.i64(i64 %larger.raw, i64 {_LARGEST_PIECE})
  %smaller.raw = lshr i64 %size, 1
  %smaller = call i64 @llvm.umax.i64(i64 %smaller.raw, i64 1)
  %unless.slow = select i1 %slow, i64 %smaller, i64 %size
  %size.next = select i1 %grows, i64 %larger, i64 %unless.slow
  store i64 %size.next, ptr %pace
  call void @ask(ptr %watch, ptr %stop, i64 %now)
  br label %loop

leave:
  ret void
}}
"""
