"""Large products on vectors: runs of terms, panels of both factors, and which thread computes what.

For each run of terms the factor that becomes scalars is packed once for all, the other one some panels at a time by the
thread that needs them; a panel of it stays in the first cache while all panels of scalars pass by. Accumulators of
unfinished register blocks are kept in memory between the runs. Panels are shared by the threads of the team.
"""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.large_products.corrections import sum_words
from tilewright.targets.cpu.large_products.macro_kernel import Form, MacroKernel
from tilewright.targets.cpu.large_products.panels import Corner, pack
from tilewright.targets.cpu.large_products.work import Work, blocks, worth
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.buffers import borrowed
from tilewright.targets.cpu.outlining.outline import Outlined
from tilewright.targets.llvm.emitter import Value, i64

_PANELS_AT_ONCE = 8


def multiply_vectors(ctx: KernelContext, machine: Machine, form: Form, whole: Work) -> None:
    """One run of terms after the other: pack scalars, then vectors panel by panel, and multiply."""
    b, shape, depth = ctx.b, whole.product.type.shape, whole.depth
    single = whole.product.lhs.type.shape[1] <= form.terms
    columns = -(-shape[1 - form.vector] // form.short.height)
    panels = borrowed(ctx, machine, form.short.word, columns * form.short.stride(form.terms, machine))
    accumulators = None
    if not single:
        rows = -(-shape[form.vector] // form.long.height)
        accumulators = borrowed(ctx, machine, form.element, rows * columns * form.long.height * form.short.height)
    with b.loop(i64(0), b.smax(depth, i64(1)), form.terms, runs_at_least_once=True, hint="term") as loop:
        term = i64(0) if single else loop.index
        work = replace(
            whole,
            term=term,
            depth=b.smin(b.sub(depth, term), i64(form.terms)),
            first=b.icmp("eq", term, i64(0)),
            last=b.icmp("sge", b.add(term, i64(form.terms)), depth),
            panels=panels,
            accumulators=accumulators,
        )
        shared = worth(b, work)
        _pack_short(ctx, machine, form, work, shared)
        _multiply(ctx, machine, form, work, shared)


def _pack_short(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """All panels of scalars for a run of terms."""
    part = Outlined(ctx, machine, "pack_scalars")
    inner, inside = part.inner, work.inside(part)
    with inner.b.loop(part.begin, part.end, hint="panel") as loop:
        corner = Corner(inner.b.mul(loop.index, i64(form.short.height)), inside.term)
        to = form.panel(inner.b, machine, inside.panels, form.short, loop.index)
        pack(inner, machine, inside.short, form.short, corner, inside.depth, to)
    part.call(blocks(ctx.b, work.columns, form.short.height), shared)


def _multiply(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """Panels of vectors, some at a time: pack them, then multiply each by all panels of scalars."""
    part = Outlined(ctx, machine, "multiply")
    inner, inside = part.inner, work.inside(part)
    b, height = inner.b, form.long.height
    packed = borrowed(inner, machine, form.long.word, _PANELS_AT_ONCE * form.long.stride(form.terms, machine))
    with b.loop(part.begin, part.end, _PANELS_AT_ONCE, hint="group") as group:
        count = b.smin(b.sub(part.end, group.index), i64(_PANELS_AT_ONCE))
        with b.loop(i64(0), count, hint="panel") as loop:
            corner = Corner(b.mul(b.add(group.index, loop.index), i64(height)), inside.term)
            to = form.panel(b, machine, packed, form.long, loop.index)
            pack(inner, machine, inside.long, form.long, corner, inside.depth, to)
            if form.long.summed:
                sum_words(inner, machine, form, to, form.steps(b, inside.depth))
        with b.loop(i64(0), count, hint="panel") as loop:
            panel = form.panel(b, machine, packed, form.long, loop.index)
            MacroKernel(inner, machine, form, inside, b.add(group.index, loop.index), panel).emit()
    part.call(blocks(ctx.b, work.lines, height), shared)
