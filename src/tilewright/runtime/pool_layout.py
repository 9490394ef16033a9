"""Where things lie in the memory that Python and the pool's IR share.

Control block, in lines of 128 bytes (two cache lines, because processors fetch them in pairs):

    0     epoch i64 | function ptr | context ptr | quotient i64 | remainder i64 | chunk i64
    128   done i64 (low half is a futex) | caller asleep i32
    256   lock i32
    384   team: parallel_for ptr | threads i64 | control ptr
    512   sleeping workers i32
    640   threads i64 | scratch bytes i64 (-1: no workers yet) | spins i64 | leave i32 | stop i32
    768   watch of the launch under way (see `pool_pieces_ir`)
    1024  per thread: claim word i64 (epoch << 16 | next chunk) | scratch ptr; one line more for the caller's

A launch frame is the kernel's entry, the number of work-groups, the bytes of local memory, the grid's three sizes, and
behind them the parameter block.
"""

from __future__ import annotations

import platform
import sys
from typing import Final

EPOCH: Final = 0
DONE: Final = 128
CALLER_ASLEEP: Final = 136
LOCK: Final = 256
TEAM: Final = 384
TEAM_THREADS: Final = TEAM + 8
TEAM_CONTROL: Final = TEAM + 16
SLEEPERS: Final = 512
THREADS: Final = 640
SCRATCH_BYTES: Final = 648
SPINS: Final = 656
LEAVE: Final = 664
STOP: Final = 668
WATCH: Final = 768
WATCH_DUE: Final = 8
PACE_LAST: Final = 8
LINES: Final = 1024
LINE: Final = 128
LINE_SCRATCH: Final = 8

FRAME_ENTRY: Final = 0
FRAME_TOTAL: Final = 8
FRAME_LOCAL_BYTES: Final = 16
FRAME_GRID: Final = 24
FRAME_SLOTS: Final = 48

DONE_STATUS: Final = 0
BUSY_STATUS: Final = 1
PREPARE_STATUS: Final = 2
INTERRUPTED_STATUS: Final = 3

FUTEX_CALL: Final = {"x86_64": 202, "AMD64": 202, "aarch64": 98, "riscv64": 98}


def uses_futex() -> bool:
    """Whether threads wait in the kernel on a word of memory; elsewhere they nap."""
    return sys.platform == "linux" and platform.machine() in FUTEX_CALL


def control_size(threads: int) -> int:
    """Bytes of a control block."""
    return LINES + (threads + 1) * LINE


def field(name: str, base: str, offset: int) -> str:
    """IR for the address of a field."""
    return f"  %{name} = getelementptr i8, ptr {base}, i64 {offset}"
