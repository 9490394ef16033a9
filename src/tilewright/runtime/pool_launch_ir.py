"""Launching a kernel on the pool, as LLVM IR text: one call from Python for the whole launch.

`tw_launch` takes the pool for the duration, decides whether the work-groups are shared out or run one after another
with the team inside, and tells Python if it could do neither: the pool is busy, or has to be prepared first. It is
called with the GIL and lets go of it while there is work; where it returns that it was interrupted, an exception is
pending (see `pool_pieces_ir`).
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
    INTERRUPTED_STATUS,
    LINE,
    LINE_SCRATCH,
    LINES,
    LOCK,
    PREPARE_STATUS,
    SCRATCH_BYTES,
    STOP,
    TEAM,
    THREADS,
    WATCH,
    WATCH_DUE,
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

define internal void @kernel_with_team(ptr %context, i64 %begin, i64 %end, ptr %scratch, i64 %thread) {{
  %frame = load ptr, ptr %context
{field("team.p", "%context", 8)}
  %team = load ptr, ptr %team.p
  %kernel = load ptr, ptr %frame
{field("grid", "%frame", FRAME_GRID)}
{field("slots", "%frame", FRAME_SLOTS)}
  call void %kernel(ptr %slots, ptr %grid, i64 %begin, i64 %end, ptr %scratch, ptr %team)
  ret void
}}

define i32 @tw_launch_alone(ptr %frame, ptr %scratch) {{
  %stop = alloca i32
  %watch = alloca [2 x i64]
  %pace = alloca [2 x i64]
  store i32 0, ptr %stop
  store i64 0, ptr %pace
{field("total.p", "%frame", FRAME_TOTAL)}
  %total = load i64, ptr %total.p
  %thread = call ptr @PyEval_SaveThread()
  call void @begin_watch(ptr %watch, ptr %thread)
  call void @in_pieces(ptr %stop, ptr %watch, ptr %pace, ptr @kernel_range, ptr %frame, i64 0, i64 %total, ptr %scratch,
                       i64 0)
  call void @PyEval_RestoreThread(ptr %thread)
  %status = call i32 @outcome(ptr %stop)
  ret i32 %status
}}

define internal void @begin_watch(ptr %watch, ptr %thread) {{
  store ptr %thread, ptr %watch
{field("due.p", "%watch", WATCH_DUE)}
  store i64 0, ptr %due.p
  ret void
}}

define internal i32 @outcome(ptr %stop) {{
  %stopped = load atomic i32, ptr %stop acquire, align 4
  %fine = icmp eq i32 %stopped, 0
  %status = select i1 %fine, i32 {DONE_STATUS}, i32 {INTERRUPTED_STATUS}
  ret i32 %status
}}

define i32 @tw_launch(ptr %control, ptr %frame) {{
entry:
  %pace = alloca [2 x i64]
  %context = alloca [2 x ptr]
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
  br i1 %enough, label %begin, label %small

small:
  call void @tw_unlock(ptr %control)
  ret i32 {PREPARE_STATUS}

begin:
{field("stop", "%control", STOP)}
{field("watch", "%control", WATCH)}
  %thread = call ptr @PyEval_SaveThread()
  call void @begin_watch(ptr %watch, ptr %thread)
  %stopped = load i32, ptr %stop
  %clean = icmp eq i32 %stopped, 0
  br i1 %clean, label %choose, label %clear

clear:
  ; only if need be: the workers have this line in their caches
  store atomic i32 0, ptr %stop monotonic, align 4
  br label %choose

choose:
{field("threads.p", "%control", THREADS)}
  %threads = load i64, ptr %threads.p
  %single = icmp eq i64 %threads, 1
  %few = icmp ult i64 %total, %threads
  %serial = or i1 %single, %few
  br i1 %serial, label %inside, label %across

inside:
  ; too few work-groups to go round: one after another, each with all threads at its disposal. Also the one thread of a
  ; pool without workers runs what is for the team as such, in pieces
  %second = mul i64 %threads, {LINE}
{field("scratches", "%control", LINES + LINE_SCRATCH)}
  %scratch.p = getelementptr i8, ptr %scratches, i64 %second
  %scratch = load ptr, ptr %scratch.p
{field("team", "%control", TEAM)}
  store ptr %frame, ptr %context
{field("team.p", "%context", 8)}
  store ptr %team, ptr %team.p
  %one = icmp eq i64 %total, 1
  br i1 %one, label %whole, label %pieces

whole:
  call void @kernel_with_team(ptr %context, i64 0, i64 1, ptr %scratch, i64 0)
  br label %unlock

pieces:
  store i64 0, ptr %pace
  call void @in_pieces(ptr %stop, ptr %watch, ptr %pace, ptr @kernel_with_team, ptr %context, i64 0, i64 %total,
                       ptr %scratch, i64 0)
  br label %unlock

across:
  call void @dispatch(ptr %control, ptr @kernel_range, ptr %frame, i64 %total, i64 {_GROUP_GRAIN})
  br label %unlock

unlock:
  %status = call i32 @outcome(ptr %stop)
  store ptr null, ptr %watch
  call void @tw_unlock(ptr %control)
  call void @PyEval_RestoreThread(ptr %thread)
  ret i32 %status
}}
"""
