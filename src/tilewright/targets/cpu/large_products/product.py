"""Large products: packed factors, register blocks over panels, whatever surrounds the product as its epilogue.

Computed as GotoBLAS does (Goto, van de Geijn: Anatomy of High-Performance Matrix Multiplication), on vectors
(`vector_product.py`) or tiles (`tile_product.py`). After the last run of terms the epilogue, what the program does with
the product (scaling, the old target, conversions), happens in registers.
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
    unconverted,
)
from tilewright.targets.cpu.large_products.epilogue import elementwise_parts, is_plain, is_short, may_be_streamed
from tilewright.targets.cpu.large_products.matrices import matrix_of, source_of
from tilewright.targets.cpu.large_products.panels import bounded
from tilewright.targets.cpu.large_products.tile_form import TileForm
from tilewright.targets.cpu.large_products.tile_product import TileProduct
from tilewright.targets.cpu.large_products.vector_form import Form
from tilewright.targets.cpu.large_products.vector_product import multiply_vectors
from tilewright.targets.cpu.large_products.work import Work, worth
from tilewright.targets.cpu.machine import Machine
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
_SHARE_OF_CACHE = 4
"""Of the second cache, what a result fills from which on tiles that are stored where they belong wait for its lines."""
_KNOWN = (Elementwise, Converted, Memory, Reshaped, Splat, Broadcast, Iota, Product)


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
    inner = unconverted(factor)
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
        packed = "one factor packed, one read in place" if isinstance(form, Form) and form.in_place else "packed"
        how = f"{packed}, blocks of {form.long.height}x{form.short.height}, runs of {form.terms} terms"
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
        streamed = may_be_streamed(machine, value, product, target, vector)
        plain = not streamed and is_plain(value, target, vector)
        late = plain and target.type.size * target.type.element.bytes > machine.l2_bytes // _SHARE_OF_CACHE
        form = replace(
            form,
            streamed=streamed,
            overlapped=late or (streamed and is_short(value) and is_short(product.acc)),
            plain=plain and not late and form.unit.factor == 1.0,
        )
        TileProduct(machine, form, product.type.shape).emit(ctx, work, worth(b, work))
    else:
        multiply_vectors(ctx, machine, form, work)


def _memory(factor: Expression) -> Memory:
    found = _source(factor)
    assert isinstance(found, Memory)
    return found


def kind_of(factor: Expression) -> Factor:
    """What the elements of a factor are where they are read from."""
    return Factor(unconverted(factor).type.element, not isinstance(factor, Converted) or factor.signed)


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
