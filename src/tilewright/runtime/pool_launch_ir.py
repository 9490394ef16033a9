"""Launching a kernel on the pool, as LLVM IR text: one call from Python for the whole launch.

`tw_launch` takes the pool for the duration, decides whether the work-groups are shared out or run one after another
with the team inside, and tells Python if it could do neither: the pool is busy, or has to be prepared first.
"""

from __future__ import annotations

from typing import Final

from tilewright.runtime.pool_layout import (
    BUSY_STATUS,
    DONE_STATUS,
    FRAME_GRID,
    FRAME_LOCAL_BYTES,
    FRAME_SLOTS,
    FRAME_TOTAL,
    LINE,
    LINE_SCRATCH,
    LINES,
    LOCK,
    PREPARE_STATUS,
    SCRATCH_BYTES,
    TEAM,
    THREADS,
    field,
)

_GROUP_GRAIN: Final = 4

LAUNCH_TEXT: Final = f"""
define internal void @kernel_range(ptr %frame, i64 %begin, i64 %end, ptr %scratch, i64 %thread) {{
  %kernel = load ptr, ptr %frame
{field("grid", "%frame", FRAME_GRID)}
{field("slots", "%frame", FRAME_SLOTS)}
  call void %kernel(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr null)
  ret void
}}

define i32 @tw_lock(ptr %control) {{
{field("lock.p", "%control", LOCK)}
  %swap = cmpxchg ptr %lock.p, i32 0, i32 1 acquire monotonic, align 4
  %won = extractvalue {{ i32, i1 }} %swap, 1
  %status = select i1 %won, i32 {DONE_STATUS}, i32 {BUSY_STATUS}
  ret i32 %status
}}

define void @tw_unlock(ptr %control) {{
{field("lock.p", "%control", LOCK)}
  store atomic i32 0, ptr %lock.p release, align 4
  ret void
}}

define void @tw_launch_alone(ptr %frame, ptr %scratch) {{
{field("total.p", "%frame", FRAME_TOTAL)}
  %total = load i64, ptr %total.p
  call void @kernel_range(ptr %frame, i64 0, i64 %total, ptr %scratch, i64 0)
  ret void
}}

define i32 @tw_launch(ptr %control, ptr %frame) {{
entry:
{field("total.p", "%frame", FRAME_TOTAL)}
  %total = load i64, ptr %total.p
  %none = icmp sle i64 %total, 0
  br i1 %none, label %nothing, label %lock

nothing:
  ret i32 {DONE_STATUS}

lock:
  %busy = call i32 @tw_lock(ptr %control)
  %free = icmp eq i32 %busy, {DONE_STATUS}
  br i1 %free, label %measure, label %refuse

refuse:
  ret i32 {BUSY_STATUS}

measure:
{field("need.p", "%frame", FRAME_LOCAL_BYTES)}
  %need = load i64, ptr %need.p
{field("have.p", "%control", SCRATCH_BYTES)}
  %have = load i64, ptr %have.p
  %enough = icmp sle i64 %need, %have
  br i1 %enough, label %choose, label %small

small:
  call void @tw_unlock(ptr %control)
  ret i32 {PREPARE_STATUS}

choose:
{field("threads.p", "%control", THREADS)}
  %threads = load i64, ptr %threads.p
  %single = icmp eq i64 %threads, 1
  %few = icmp ult i64 %total, %threads
  %serial = or i1 %single, %few
  br i1 %serial, label %inside, label %across

inside:
  ; too few work-groups to go round: one after another, each with all threads at its disposal
  %second = mul i64 %threads, {LINE}
{field("scratches", "%control", LINES + LINE_SCRATCH)}
  %scratch.p = getelementptr i8, ptr %scratches, i64 %second
  %scratch = load ptr, ptr %scratch.p
{field("team.p", "%control", TEAM)}
  %team = select i1 %single, ptr null, ptr %team.p
  %kernel = load ptr, ptr %frame
{field("grid", "%frame", FRAME_GRID)}
{field("slots", "%frame", FRAME_SLOTS)}
  call void %kernel(ptr %slots, ptr %grid, i64 0, i64 %total, ptr %scratch, ptr %team)
  br label %unlock

across:
  call void @dispatch(ptr %control, ptr @kernel_range, ptr %frame, i64 %total, i64 {_GROUP_GRAIN})
  br label %unlock

unlock:
  call void @tw_unlock(ptr %control)
  ret i32 {DONE_STATUS}
}}
"""
