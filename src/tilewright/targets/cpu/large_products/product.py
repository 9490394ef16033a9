"""Large products: packed factors, register blocks over panels, whatever surrounds the product as its epilogue.

Computed as GotoBLAS does (Goto, van de Geijn: Anatomy of High-Performance Matrix Multiplication): for each run of terms
the factor that becomes scalars is packed once for all, the other one some panels at a time by the thread that needs
them; a panel of it stays in the first cache while all panels of scalars pass by. Accumulators of unfinished register
blocks are kept in memory between the runs. After the last run the epilogue, what the program does with the product
(scaling, the old target, conversions), happens in registers. Panels are shared by the threads of the team.
"""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.dialects import tile
from tilewright.targets.cpu.context import KernelContext
from tilewright.targets.cpu.expressions.nodes import (
    Broadcast,
    Converted,
    Elementwise,
    Expression,
    Iota,
    Memory,
    Product,
    Reshaped,
    Splat,
    Substitution,
    natural_dim,
    subexpressions,
)
from tilewright.targets.cpu.large_products.corrections import sum_words
from tilewright.targets.cpu.large_products.epilogue import elementwise_parts, may_be_streamed
from tilewright.targets.cpu.large_products.macro_kernel import Form, MacroKernel
from tilewright.targets.cpu.large_products.matrices import matrix_of, source_of
from tilewright.targets.cpu.large_products.panels import Corner, bounded, pack
from tilewright.targets.cpu.large_products.tile_form import TileForm
from tilewright.targets.cpu.large_products.tile_product import TileProduct
from tilewright.targets.cpu.large_products.work import Work, blocks
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.memory.buffers import borrowed
from tilewright.targets.cpu.outlining.outline import Outlined
from tilewright.targets.cpu.units.amx import AmxUnit
from tilewright.targets.cpu.units.choice import choose
from tilewright.targets.cpu.units.schedule import described
from tilewright.targets.cpu.units.unit import Factor
from tilewright.targets.llvm.emitter import Builder, Value, boolean, i64, zero

MANY_MULTIPLIES = 72 * 72 * 72
"""From here on packing the factors pays where they are multiplied as vectors."""
_MANY_FOR_UNITS = 32 * 32 * 32
"""From here on for other units (`benchmarks/units.py`, batches of small products)."""
_NARROWEST = 16
_KNOWN = (Elementwise, Converted, Memory, Reshaped, Splat, Broadcast, Iota, Product)
_PANELS_AT_ONCE = 8
_SHARED_FROM = 1 << 17


def large_product(machine: Machine, value: Expression) -> Product | None:
    """The product inside a value, if it is large and all around it works element by element."""
    parts = list(elementwise_parts(value))
    products = [part for part in parts if isinstance(part, Product)]
    if len(products) != 1 or not is_large(machine, products[0]):
        return None
    product = products[0]
    around = [*parts, *elementwise_parts(product.acc)]
    known = all(isinstance(p, _KNOWN) for p in around)
    once = sum(isinstance(part, Product) for part in around) == 1
    return product if known and once else None


def is_large(machine: Machine, product: Product) -> bool:
    """Whether packing the factors pays, and they are in memory."""
    if not (_source(product.lhs) and _source(product.rhs)):
        return False
    shape = _shape(product)
    choice = choose(machine, kind_of(product.lhs), kind_of(product.rhs), product.type.element, shape)
    return is_large_shape(*shape, _MANY_FOR_UNITS if choice.better else MANY_MULTIPLIES)


def _shape(product: Product) -> tuple[int, int, int]:
    """Rows, columns, terms."""
    m, n = product.type.shape
    return m, n, product.lhs.type.shape[1]


def is_large_shape(m: int, n: int, depth: int, many: int = MANY_MULTIPLIES) -> bool:
    """Whether a product of such tiles is large."""
    return m * n * depth >= many and min(m, n, depth) >= _NARROWEST


def _source(factor: Expression) -> Memory | Reshaped | None:
    """The memory that a factor is read from, converted or not."""
    inner = factor.source if isinstance(factor, Converted) else factor
    return inner if isinstance(inner, Memory | Reshaped) else None


def store_large(
    ctx: KernelContext, machine: Machine, value: Expression, product: Product, target: Memory | Reshaped
) -> None:
    """Compute `value`, which contains `product`, into `target`."""
    with ctx.layout.passing():
        reshaped = [part for part in subexpressions(value) if isinstance(part, Reshaped)]
        known: dict[Expression, Expression] = {
            part: matrix_of(ctx, machine, part.type, source_of(part)) for part in reshaped
        }
        same = Substitution(_unchanged, known)
        whole, inner = same.tile(value), same.tile(product)
        assert isinstance(inner, Product)
        if isinstance(target, Reshaped):
            target = matrix_of(ctx, machine, target.type, source_of(target))
        _store_large(ctx, machine, whole, inner, target)


def _unchanged(value: Value) -> Value:
    return value


def _store_large(ctx: KernelContext, machine: Machine, value: Expression, product: Product, target: Memory) -> None:
    b = ctx.b
    vector = natural_dim(target) or 0
    factors = (product.lhs, product.rhs) if vector == 0 else (product.rhs, product.lhs)
    choice = choose(machine, kind_of(factors[0]), kind_of(factors[1]), product.type.element, _shape(product))
    unit = choice.unit
    form = TileForm.of(unit, product, vector) if isinstance(unit, AmxUnit) else Form.of(machine, unit, product, vector)
    if isinstance(product.op, tile.Mma):
        how = f"packed, blocks of {form.long.height}x{form.short.height}, runs of {form.terms} terms"
        ctx.schedule[product.op] = described(product.op, kind_of(product.lhs), kind_of(product.rhs), choice, how)
    long, short = (bounded(b, _memory(factor)) for factor in factors)
    edge, product = bounded(b, target), replace(product, acc=_bounded(b, product.acc))
    work = Work(
        long=long,
        short=short,
        value=_bounded(b, value, product),
        product=product,
        target=edge,
        lines=b.smax(_end(edge, vector), i64(0)),
        columns=b.smax(_end(edge, 1 - vector), i64(0)),
        term=i64(0),
        depth=b.smax(b.smin(_end(long, 1 - vector), _end(short, vector)), i64(0)),
        first=boolean(True),
        last=boolean(True),
        panels=zero("ptr"),
        accumulators=None,
    )
    if isinstance(form, TileForm):
        form = replace(form, streamed=may_be_streamed(machine, value, product, target, vector))
        TileProduct(machine, form, product.type.shape).emit(ctx, work, _worth(b, work))
    else:
        _multiply_vectors(ctx, machine, form, work)


def _worth(b: Builder, work: Work) -> Value:
    """Whether a product of so many terms is worth the threads of the team."""
    return b.icmp("sge", b.mul(b.mul(work.lines, work.columns), work.depth), i64(_SHARED_FROM))


def _multiply_vectors(ctx: KernelContext, machine: Machine, form: Form, whole: Work) -> None:
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
        worth = _worth(b, work)
        _pack_short(ctx, machine, form, work, worth)
        _multiply(ctx, machine, form, work, worth)


def _pack_short(ctx: KernelContext, machine: Machine, form: Form, work: Work, worth: Value) -> None:
    """All panels of scalars for a run of terms."""
    part = Outlined(ctx, machine, "pack_scalars")
    inner, inside = part.inner, work.inside(part)
    with inner.b.loop(part.begin, part.end, hint="panel") as loop:
        corner = Corner(inner.b.mul(loop.index, i64(form.short.height)), inside.term)
        to = form.panel(inner.b, machine, inside.panels, form.short, loop.index)
        pack(inner, machine, inside.short, form.short, corner, inside.depth, to)
    part.call(blocks(ctx.b, work.columns, form.short.height), worth)


def _multiply(ctx: KernelContext, machine: Machine, form: Form, work: Work, worth: Value) -> None:
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
    part.call(blocks(ctx.b, work.lines, height), worth)


def _memory(factor: Expression) -> Memory:
    found = _source(factor)
    assert isinstance(found, Memory)
    return found


def kind_of(factor: Expression) -> Factor:
    """What the elements of a factor are where they are read from."""
    inner = factor.source if isinstance(factor, Converted) else factor
    return Factor(inner.type.element, not isinstance(factor, Converted) or factor.signed)


def _end(tile: Memory, dim: int) -> Value:
    bound = tile.bounds[dim]
    assert bound is not None
    return bound.high


def _bounded(b: Builder, value: Expression, product: Product | None = None) -> Expression:
    """The expression with all memory in it checked; `product` takes the place of the product in it."""
    known: dict[Expression, Expression] = {}

    def checked(part: Expression) -> Expression:
        if part not in known:
            known[part] = rebuilt(part)
        return known[part]

    def rebuilt(part: Expression) -> Expression:
        match part:
            case Elementwise():
                return replace(part, operands=tuple(map(checked, part.operands)))
            case Converted() | Broadcast():
                return replace(part, source=checked(part.source))
            case Product():
                assert product is not None
                return product
            case Memory():
                return bounded(b, part)
            case _:
                return part

    return checked(value)
