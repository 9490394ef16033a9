"""Large products on vectors: runs of terms, panels of both factors, and which thread computes what.

For each run of terms a factor that stays in the second cache is packed once for all. If both do, threads share the
register blocks, however few panels there are. If only the one that becomes vectors does, they share the panels of
scalars: who needs one packs it into the first cache, and it meets all vectors before the next one. Else all scalars are
packed, and threads share the panels of vectors, which they pack some at a time: these stay in the second cache while
the scalars pass by, which come from a cache that all threads share. A panel of each factor stays in the first cache.
Accumulators of unfinished register blocks are kept in memory between the runs.
"""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.evaluation.evaluate import Evaluator
from tilewright.targets.cpu.large_products.corrections import sum_words
from tilewright.targets.cpu.large_products.macro_kernel import MacroKernel, Stream
from tilewright.targets.cpu.large_products.panels import Corner, pack, pack_panels
from tilewright.targets.cpu.large_products.sources import Share, Source
from tilewright.targets.cpu.large_products.vector_form import Form
from tilewright.targets.cpu.large_products.work import Work, blocks, worth
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.buffers import borrowed
from tilewright.targets.cpu.outlining.outline import Outlined
from tilewright.targets.llvm.emitter import Builder, Value, i64, zero

_PANELS_AT_ONCE = 8
_SHARE_OF_CACHE = 4
"""Panels of vectors that fill no more of the second cache than one part in so many are packed together."""


def multiply_vectors(ctx: KernelContext, machine: Machine, form: Form, whole: Work) -> None:
    """One run of terms after the other: pack, and multiply."""
    b, shape, depth = ctx.b, whole.product.type.shape, whole.depth
    single = whole.product.lhs.type.shape[1] <= form.terms
    rows, columns = (-(-shape[f.line] // f.height) for f in (form.long, form.short))
    size = rows * form.long.stride(form.terms, machine)
    scalars = columns * form.short.stride(form.terms, machine)
    half = machine.l2_bytes // 2
    passing = not form.in_place and size * form.long.word.bytes <= half < scalars * form.short.word.bytes
    together = not (passing or form.in_place) and size * form.long.word.bytes <= machine.l2_bytes // _SHARE_OF_CACHE
    vectors = borrowed(ctx, machine, form.long.word, size) if passing or together or form.in_place else None
    panels = zero("ptr") if passing or form.in_place else borrowed(ctx, machine, form.short.word, scalars)
    accumulators = None
    if not single:
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
            vectors=vectors,
            accumulators=accumulators,
        )
        shared = worth(b, work)
        if form.in_place:
            _pack_vectors(ctx, machine, form, work, shared)
            _multiply_in_place(ctx, machine, form, work, shared)
        elif passing:
            _pack_vectors(ctx, machine, form, work, shared)
            _multiply_passing(ctx, machine, form, work, shared)
        elif together:
            _pack_both(ctx, machine, form, work, shared)
            _multiply_blocks(ctx, machine, form, work, shared)
        else:
            _pack_short(ctx, machine, form, work, shared)
            _multiply_panels(ctx, machine, form, work, shared)


def _pack_both(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """All panels of both factors for a run of terms, evenly mixed, since those of vectors take longer."""
    longs = blocks(ctx.b, work.lines, form.long.height)
    both = ctx.b.add(longs, blocks(ctx.b, work.columns, form.short.height))
    part = Outlined(ctx, machine, "pack")
    inner, inside = part.inner, work.inside(part)
    b, vectors = inner.b, inside.vectors
    assert vectors is not None
    each, all_ = part.value(longs), part.value(both)
    with b.loop(part.begin, part.end, hint="panel") as loop:
        number, following = (b.udiv(b.mul(at, each), all_) for at in (loop.index, b.add(loop.index, i64(1))))
        with b.if_else(b.icmp("slt", number, following)) as branch:
            with branch.then():
                _pack_long(inner, machine, form, inside, number, form.panel(b, machine, vectors, form.long, number))
            with branch.otherwise():
                column = b.sub(loop.index, number)
                to = form.panel(b, machine, inside.panels, form.short, column)
                _pack_scalars(inner, machine, form, inside, column, to)
    part.call(both, shared)


def _multiply_blocks(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """Register blocks one by one, panel of vectors by panel of vectors."""
    columns = blocks(ctx.b, work.columns, form.short.height)
    count = ctx.b.mul(blocks(ctx.b, work.lines, form.long.height), columns)
    part = Outlined(ctx, machine, "multiply")
    inner, inside = part.inner, work.inside(part)
    b, vectors, across = inner.b, inside.vectors, part.value(columns)
    assert vectors is not None
    with b.loop(part.begin, part.end, hint="block") as loop:
        number = b.udiv(loop.index, across)
        panel = form.panel(b, machine, vectors, form.long, number)
        column = b.sub(loop.index, b.mul(number, across))
        short = form.panel(b, machine, inside.panels, form.short, column)
        MacroKernel(inner, machine, form, inside, number, panel).block(column, short)
    part.call(count, shared)


def _pack_vectors(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """All panels of vectors for a run of terms."""
    part = Outlined(ctx, machine, "pack_vectors")
    inner, inside = part.inner, work.inside(part)
    vectors = inside.vectors
    assert vectors is not None
    with inner.b.loop(part.begin, part.end, hint="panel") as loop:
        number = loop.index
        _pack_long(inner, machine, form, inside, number, form.panel(inner.b, machine, vectors, form.long, number))
    part.call(blocks(ctx.b, work.lines, form.long.height), shared)


def _multiply_passing(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """Panels of scalars, one at a time: pack it, then multiply all panels of vectors by it.

    Meanwhile what the next one is packed from is prefetched, a share for each panel of vectors.
    """
    part = Outlined(ctx, machine, "multiply")
    inner, inside = part.inner, work.inside(part)
    b, vectors = inner.b, inside.vectors
    assert vectors is not None
    packed = borrowed(inner, machine, form.short.word, form.short.stride(form.terms, machine))
    count = blocks(b, inside.lines, form.long.height)
    with b.loop(part.begin, part.end, hint="column") as column:
        _pack_scalars(inner, machine, form, inside, column.index, packed)
        corner = Corner(b.mul(b.add(column.index, i64(1)), i64(form.short.height)), inside.term)
        following = Source.of(b, inside.short, form.short, corner, i64(form.short.height), inside.depth, count)
        with b.loop(i64(0), count, hint="panel") as loop:
            panel = form.panel(b, machine, vectors, form.long, loop.index)
            share = None if following is None else Share(following, loop.index)
            MacroKernel(inner, machine, form, inside, loop.index, panel).block(column.index, packed, share=share)
    part.call(blocks(ctx.b, work.columns, form.short.height), shared)


def _multiply_in_place(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """The panel of vectors with some lines of scalars after the other; they are packed only if some do not exist."""
    part = Outlined(ctx, machine, "multiply")
    inner, inside = part.inner, work.inside(part)
    b, short = inner.b, inside.short
    assert inside.vectors is not None
    room = None if _all_exist(form, inside) else form.short.stride(form.terms, machine)
    packed = None if room is None else borrowed(inner, machine, form.short.word, room)
    with b.loop(part.begin, part.end, hint="column") as loop:
        first, apart = b.mul(loop.index, i64(form.short.height)), short.strides[form.short.line]
        at = (first, inside.term) if form.short.line == 0 else (inside.term, first)
        place = Evaluator(b, inner.arith, machine).address(short, at)
        if packed is not None:
            with b.if_else(_exist(b, form, inside, first), likely=True) as branch:
                with branch.then():
                    branch.yield_(place, apart)
                with branch.otherwise():
                    _pack_scalars(inner, machine, form, inside, loop.index, packed)
                    branch.yield_(packed, i64(form.short.row))
            place, apart = branch.results
        kernel = MacroKernel(inner, machine, form, inside, i64(0), inside.vectors)
        kernel.block(loop.index, place, apart=apart)
    part.call(blocks(ctx.b, work.columns, form.short.height), shared)


def _all_exist(form: Form, work: Work) -> bool:
    """Whether all lines of scalars that blocks have are known to exist."""
    lines, terms = (work.short.bounds[dim] for dim in (form.short.line, 1 - form.short.line))
    assert lines is not None
    assert terms is not None
    columns, high = work.columns.integer, lines.high.integer
    begin = lines.low.integer == terms.low.integer == 0
    return begin and columns is not None and high is not None and columns % form.short.height == 0 and columns <= high


def _exist(b: Builder, form: Form, work: Work, first: Value) -> Value:
    """Whether all lines of scalars of a block do."""
    lines, terms = (work.short.bounds[dim] for dim in (form.short.line, 1 - form.short.line))
    assert lines is not None
    assert terms is not None
    end = b.add(first, i64(form.short.height))
    lines_exist = b.and_(b.icmp("sle", lines.low, first), b.icmp("sle", end, lines.high))
    return b.and_(lines_exist, b.icmp("sle", terms.low, work.term))


def _pack_short(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """All panels of scalars for a run of terms."""
    part = Outlined(ctx, machine, "pack_scalars")
    inner, inside = part.inner, work.inside(part)
    with inner.b.loop(part.begin, part.end, hint="panel") as loop:
        to = form.panel(inner.b, machine, inside.panels, form.short, loop.index)
        _pack_scalars(inner, machine, form, inside, loop.index, to)
    part.call(blocks(ctx.b, work.columns, form.short.height), shared)


def _multiply_panels(ctx: KernelContext, machine: Machine, form: Form, work: Work, shared: Value) -> None:
    """Panels of vectors, some at a time: pack them, then multiply each by all panels of scalars."""
    part = Outlined(ctx, machine, "multiply")
    inner, inside = part.inner, work.inside(part)
    b = inner.b
    packed = borrowed(inner, machine, form.long.word, _PANELS_AT_ONCE * form.long.stride(form.terms, machine))
    with b.loop(part.begin, part.end, _PANELS_AT_ONCE, hint="group") as group:
        count = b.smin(b.sub(part.end, group.index), i64(_PANELS_AT_ONCE))
        _pack_longs(inner, machine, form, inside, group.index, count, packed)
        columns = blocks(b, inside.columns, form.short.height)
        with b.loop(i64(0), columns, hint="column") as column:
            short = form.panel(b, machine, inside.panels, form.short, column.index)
            with b.loop(i64(0), count, hint="panel") as loop:
                panel = form.panel(b, machine, packed, form.long, loop.index)
                kernel = MacroKernel(inner, machine, form, inside, b.add(group.index, loop.index), panel)
                ahead = _next_scalars(b, machine, form, inside, column.index, loop.index, count)
                kernel.block(column.index, short, ahead)
    part.call(blocks(ctx.b, work.lines, form.long.height), shared)


def _next_scalars(
    b: Builder, machine: Machine, form: Form, work: Work, column: Value, number: Value, count: Value
) -> Stream:
    """What a panel of vectors, one of `count`, prefetches of the panel of scalars that comes next."""
    following = b.add(column, i64(1))
    last = b.icmp("sge", b.mul(following, i64(form.short.height)), work.columns)
    panel = form.panel(b, machine, work.panels, form.short, b.select(last, i64(0), following))
    step = b.udiv(i64(form.short.height * form.short.word.bytes), count)
    return Stream(b.gep("i8", panel, b.mul(b.mul(number, step), form.steps(b, work.depth))), step)


def _pack_scalars(ctx: KernelContext, machine: Machine, form: Form, work: Work, number: Value, to: Value) -> None:
    """One panel of scalars."""
    corner = Corner(ctx.b.mul(number, i64(form.short.height)), work.term)
    pack(ctx, machine, work.short, form.short, corner, work.depth, to)


def _pack_longs(
    ctx: KernelContext, machine: Machine, form: Form, work: Work, first: Value, count: Value, to: Value
) -> None:
    """Panels of vectors from a number on."""
    b, long = ctx.b, form.long
    step = long.stride(form.terms, machine) * long.word.bytes
    corner = Corner(b.mul(first, i64(long.height)), work.term)
    pack_panels(ctx, machine, work.long, long, corner, work.depth, to, count, step)
    if long.summed:
        with b.loop(i64(0), count, hint="panel") as loop:
            panel = form.panel(b, machine, to, long, loop.index)
            sum_words(ctx, machine, form, panel, form.steps(b, work.depth))


def _pack_long(ctx: KernelContext, machine: Machine, form: Form, work: Work, number: Value, to: Value) -> None:
    """One panel of vectors, and what its accumulators begin with."""
    corner = Corner(ctx.b.mul(number, i64(form.long.height)), work.term)
    pack(ctx, machine, work.long, form.long, corner, work.depth, to)
    if form.long.summed:
        sum_words(ctx, machine, form, to, form.steps(ctx.b, work.depth))
