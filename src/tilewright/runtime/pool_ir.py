"""The thread pool's inner loop as LLVM IR text: publish a job, share it out, wait for it, sleep when there is none.

A job is a range `[0, total)` and a function on subranges. It is cut into one contiguous share for each thread, each
share into chunks. A thread takes chunks of its own share first and then of the others', so a thread that the
operating system has put aside, or that is still asleep, never holds up a job it has not begun.

The epoch of a job guards everything. Chunks are claimed by compare-and-swap on a word that holds the epoch beside the
number of the next chunk: whoever still looks at an older job cannot claim anything of a newer one. All claim words get
the new epoch before the description of the job changes, so a claim that succeeds proves that the description read
before it was of the same job: otherwise a worker that is late could measure the words of the old job, all of whose
chunks are done, by the sizes of the new one, and find some left.
"""

from __future__ import annotations

from tilewright.runtime.pool_launch_ir import LAUNCH_TEXT
from tilewright.runtime.pool_layout import (
    CALLER_ASLEEP,
    DONE,
    LEAVE,
    LINE,
    LINE_SCRATCH,
    LINES,
    SLEEPERS,
    SPINS,
    STOP,
    THREADS,
    WATCH,
    field,
)
from tilewright.runtime.pool_pieces_ir import pieces_text
from tilewright.runtime.pool_waiting_ir import waiting_text

_LOOP_GRAIN = 2


def pool_text() -> str:
    """Defines `tw_worker`, `tw_launch`, `tw_launch_alone`, `tw_parallel_for`, `tw_lock`, `tw_unlock`, `tw_leave`."""
    return "\n".join([waiting_text(), pieces_text(), _SHARE, _DISPATCH, _WORKER, LAUNCH_TEXT, _LEAVE])


# Work on a job: own share first, then the others' in turn. Returns how many chunks were done in the last share looked
# at and not yet reported; a worker (report = 1) adds what it did to `done` share by share, the caller only keeps
# count.
_SHARE = f"""
define internal i64 @work(ptr %control, i64 %epoch, i64 %me, i1 %report) {{
entry:
  %pace = alloca [2 x i64]
  store i64 0, ptr %pace
{field("stop", "%control", STOP)}
{field("own.watch", "%control", WATCH)}
  ; only the thread that launched may ask Python
  %watch = select i1 %report, ptr null, ptr %own.watch
{field("threads.p", "%control", THREADS)}
  %threads = load i64, ptr %threads.p
{field("fn.p", "%control", 8)}
  %fn = load atomic ptr, ptr %fn.p acquire, align 8
{field("context.p", "%control", 16)}
  %context = load atomic ptr, ptr %context.p acquire, align 8
{field("quotient.p", "%control", 24)}
  %quotient = load atomic i64, ptr %quotient.p acquire, align 8
{field("remainder.p", "%control", 32)}
  %remainder = load atomic i64, ptr %remainder.p acquire, align 8
{field("chunk.p", "%control", 40)}
  %chunk = load atomic i64, ptr %chunk.p acquire, align 8
  %my.offset = mul i64 %me, {LINE}
{field("lines", "%control", LINES)}
  %my.line = getelementptr i8, ptr %lines, i64 %my.offset
  %scratch.p = getelementptr i8, ptr %my.line, i64 {LINE_SCRATCH}
  %scratch = load ptr, ptr %scratch.p
  %tag = shl i64 %epoch, 16
  br label %share

share:
  %step = phi i64 [ 0, %entry ], [ %step.next, %next ]
  %total = phi i64 [ 0, %entry ], [ %total.done, %next ]
  %v.raw = add i64 %me, %step
  %v.over = icmp uge i64 %v.raw, %threads
  %v.wrap = sub i64 %v.raw, %threads
  %victim = select i1 %v.over, i64 %v.wrap, i64 %v.raw
  %longer = icmp ult i64 %victim, %remainder
  %extra = zext i1 %longer to i64
  %length = add i64 %quotient, %extra
  %shift = select i1 %longer, i64 %victim, i64 %remainder
  %base = mul i64 %victim, %quotient
  %begin = add i64 %base, %shift
  %end = add i64 %begin, %length
  %offset = mul i64 %victim, {LINE}
  %claim.p = getelementptr i8, ptr %lines, i64 %offset
  br label %claim

claim:
  %done.here = phi i64 [ 0, %share ], [ %done.more, %run ], [ %done.here, %retry ]
  %word = load atomic i64, ptr %claim.p monotonic, align 8
  %index = sub i64 %word, %tag
  %current = icmp ult i64 %index, 65536
  %from.rel = mul i64 %index, %chunk
  %left = icmp ult i64 %from.rel, %length
  %may = and i1 %current, %left
  br i1 %may, label %retry, label %finish

retry:
  %word.next = add i64 %word, 1
  %swap = cmpxchg weak ptr %claim.p, i64 %word, i64 %word.next acquire monotonic, align 8
  %won = extractvalue {{ i64, i1 }} %swap, 1
  br i1 %won, label %run, label %claim

run:
  %from = add i64 %begin, %from.rel
  %to.raw = add i64 %from, %chunk
  %to.over = icmp ugt i64 %to.raw, %end
  %to = select i1 %to.over, i64 %end, i64 %to.raw
  call void @in_pieces(ptr %stop, ptr %watch, ptr %pace, ptr %fn, ptr %context, i64 %from, i64 %to, ptr %scratch,
                       i64 %me)
  %done.more = add i64 %done.here, 1
  br label %claim

finish:
  %total.done = add i64 %total, %done.here
  %some = icmp ne i64 %done.here, 0
  %tell = and i1 %some, %report
  br i1 %tell, label %publish, label %next

publish:
{field("done.p", "%control", DONE)}
  ; a locked operation also drains the write-combining buffers, so non-temporal stores of the chunk are visible before
  ; it
  %before = atomicrmw add ptr %done.p, i64 %done.here seq_cst, align 8
{field("asleep.p", "%control", CALLER_ASLEEP)}
  %asleep = load atomic i32, ptr %asleep.p seq_cst, align 4
  %call = icmp ne i32 %asleep, 0
  br i1 %call, label %rouse, label %next

rouse:
  call void @wake(ptr %done.p)
  br label %next

next:
  %step.next = add i64 %step, 1
  %more = icmp ult i64 %step.next, %threads
  br i1 %more, label %share, label %leave

leave:
  ret i64 %total.done
}}
"""

# Publish a job, take part in it, wait until the chunks that others claimed are done, asking Python meanwhile. At most
# 2^16 chunks a share, eight where these have 2^grain positions at least: work-groups may be a few instructions each,
# the positions of a parallel loop are not.
_DISPATCH = f"""
define internal void @dispatch(ptr %control, ptr %fn, ptr %context, i64 %total, i64 %grain) {{
entry:
{field("stop", "%control", STOP)}
{field("watch", "%control", WATCH)}
{field("threads.p", "%control", THREADS)}
  %threads = load i64, ptr %threads.p
  %quotient = udiv i64 %total, %threads
  %remainder = urem i64 %total, %threads
  %ragged = icmp ne i64 %remainder, 0
  %extra = zext i1 %ragged to i64
  %longest = add i64 %quotient, %extra
  %pieces.raw = lshr i64 %longest, %grain
  %pieces.big = call i64 @llvm.umin.i64(i64 %pieces.raw, i64 8)
  %pieces = call i64 @llvm.umax.i64(i64 %pieces.big, i64 1)
  %pieces.1 = sub i64 %pieces, 1
  %chunk.up = add i64 %longest, %pieces.1
  %chunk = udiv i64 %chunk.up, %pieces
  %old = load i64, ptr %control
  %epoch = add i64 %old, 1
  %tag = shl i64 %epoch, 16
{field("done.p", "%control", DONE)}
  store atomic i64 0, ptr %done.p monotonic, align 8
{field("lines", "%control", LINES)}
  br label %arm

arm:
  %t = phi i64 [ 0, %entry ], [ %t.next, %arm ]
  %chunks = phi i64 [ 0, %entry ], [ %chunks.next, %arm ]
  %longer = icmp ult i64 %t, %remainder
  %one = zext i1 %longer to i64
  %length = add i64 %quotient, %one
  %chunk.1 = sub i64 %chunk, 1
  %length.up = add i64 %length, %chunk.1
  %count = udiv i64 %length.up, %chunk
  %chunks.next = add i64 %chunks, %count
  %offset = mul i64 %t, {LINE}
  %claim.p = getelementptr i8, ptr %lines, i64 %offset
  store atomic i64 %tag, ptr %claim.p release, align 8
  %t.next = add i64 %t, 1
  %again = icmp ult i64 %t.next, %threads
  br i1 %again, label %arm, label %publish

publish:
  ; only now: a worker that is late for the job before and finds this description instead finds no claim word to go
  ; with it
{field("fn.p", "%control", 8)}
  store atomic ptr %fn, ptr %fn.p release, align 8
{field("context.p", "%control", 16)}
  store atomic ptr %context, ptr %context.p release, align 8
{field("quotient.p", "%control", 24)}
  store atomic i64 %quotient, ptr %quotient.p release, align 8
{field("remainder.p", "%control", 32)}
  store atomic i64 %remainder, ptr %remainder.p release, align 8
{field("chunk.p", "%control", 40)}
  store atomic i64 %chunk, ptr %chunk.p release, align 8
  ; sequentially consistent against the sleepers' count: a worker either sees the new epoch or is seen asleep
  store atomic i64 %epoch, ptr %control seq_cst, align 8
{field("sleepers.p", "%control", SLEEPERS)}
  %sleepers = load atomic i32, ptr %sleepers.p seq_cst, align 4
  %anyone = icmp ne i32 %sleepers, 0
  br i1 %anyone, label %rouse, label %work

rouse:
  call void @wake(ptr %control)
  br label %work

work:
  %mine = call i64 @work(ptr %control, i64 %epoch, i64 0, i1 false)
  %theirs = sub i64 %chunks.next, %mine
{field("spins.p", "%control", SPINS)}
  %spins = load i64, ptr %spins.p
  br label %spin

spin:
  %round = phi i64 [ 0, %work ], [ %round.next, %pause ]
  %done = load atomic i64, ptr %done.p acquire, align 8
  %complete = icmp eq i64 %done, %theirs
  br i1 %complete, label %leave, label %pause

pause:
  call void @relax()
  %round.next = add i64 %round, 1
  %patient = icmp ult i64 %round.next, %spins
  br i1 %patient, label %spin, label %doze

doze:
{field("asleep.p", "%control", CALLER_ASLEEP)}
  store atomic i32 1, ptr %asleep.p seq_cst, align 4
  br label %dream

dream:
  %seen = load atomic i64, ptr %done.p seq_cst, align 8
  %over = icmp eq i64 %seen, %theirs
  br i1 %over, label %awake, label %sleep

sleep:
  %seen.low = trunc i64 %seen to i32
  call void @sleep_while(ptr %done.p, i32 %seen.low, ptr @patience)
  %woken = call i64 @now()
  call void @ask(ptr %watch, ptr %stop, i64 %woken)
  br label %dream

awake:
  store atomic i32 0, ptr %asleep.p monotonic, align 4
  br label %leave

leave:
  ret void
}}

; nonzero: interrupted, the caller must leave since not all of the job is done
define i32 @tw_parallel_for(ptr %team, ptr %fn, ptr %context, i64 %total) {{
entry:
  %pace = alloca [2 x i64]
{field("control.p", "%team", 16)}
  %control = load ptr, ptr %control.p
{field("stop", "%control", STOP)}
  %none = icmp sle i64 %total, 0
  br i1 %none, label %leave, label %some

some:
{field("threads.p", "%control", THREADS)}
  %threads = load i64, ptr %threads.p
{field("scratch.p", "%control", LINES + LINE_SCRATCH)}
  %scratch = load ptr, ptr %scratch.p
  %single = icmp eq i64 %total, 1
  br i1 %single, label %direct, label %several

direct:
  call void %fn(ptr %context, i64 0, i64 1, ptr %scratch, i64 0)
  br label %leave

several:
  %alone = icmp eq i64 %threads, 1
  br i1 %alone, label %serial, label %parallel

serial:
{field("watch", "%control", WATCH)}
  store i64 0, ptr %pace
  call void @in_pieces(ptr %stop, ptr %watch, ptr %pace, ptr %fn, ptr %context, i64 0, i64 %total, ptr %scratch, i64 0)
  br label %leave

parallel:
  call void @dispatch(ptr %control, ptr %fn, ptr %context, i64 %total, i64 {_LOOP_GRAIN})
  br label %leave

leave:
  %stopped = load atomic i32, ptr %stop acquire, align 4
  ret i32 %stopped
}}
"""

_WORKER = f"""
define void @tw_worker(ptr %control, i64 %me) {{
entry:
{field("sleepers.p", "%control", SLEEPERS)}
{field("leave.p", "%control", LEAVE)}
{field("spins.p", "%control", SPINS)}
  br label %watch

watch:
  ; epoch 0 is the state before the first job: a worker that starts late takes part in the job that is on
  %known = phi i64 [ 0, %entry ], [ %epoch, %go ]
  %spins = load i64, ptr %spins.p
  br label %spin

spin:
  %round = phi i64 [ 0, %watch ], [ %round.next, %pause ]
  %seen = load atomic i64, ptr %control acquire, align 8
  %new = icmp ne i64 %seen, %known
  br i1 %new, label %start, label %pause

pause:
  call void @relax()
  %round.next = add i64 %round, 1
  %patient = icmp ult i64 %round.next, %spins
  br i1 %patient, label %spin, label %doze

doze:
  %count = atomicrmw add ptr %sleepers.p, i32 1 seq_cst, align 4
  br label %dream

dream:
  %now = load atomic i64, ptr %control seq_cst, align 8
  %changed = icmp ne i64 %now, %known
  br i1 %changed, label %awake, label %sleep

sleep:
  %known.low = trunc i64 %known to i32
  call void @sleep_while(ptr %control, i32 %known.low, ptr null)
  br label %dream

awake:
  %less = atomicrmw sub ptr %sleepers.p, i32 1 seq_cst, align 4
  br label %start

start:
  %epoch = phi i64 [ %seen, %spin ], [ %now, %awake ]
  %leave = load atomic i32, ptr %leave.p acquire, align 4
  %stay = icmp eq i32 %leave, 0
  br i1 %stay, label %go, label %exit

go:
  %ignored = call i64 @work(ptr %control, i64 %epoch, i64 %me, i1 true)
  br label %watch

exit:
  ret void
}}
"""

# Send the workers home. The lock stays taken for good: whoever still holds this control block runs its launches alone.
_LEAVE = f"""
define void @tw_leave(ptr %control) {{
{field("leave.p", "%control", LEAVE)}
  store atomic i32 1, ptr %leave.p seq_cst, align 4
  %old = atomicrmw add ptr %control, i64 1 seq_cst, align 8
  call void @wake(ptr %control)
  ret void
}}
"""
