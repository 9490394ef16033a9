"""More steps for random kernels of tiles: scans and reductions by regions, parts and joins, bits, maps, atomics.

Regions are associative but not commutative, so that the order of elements shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from generators.tiles import LARGEST, Step, Tile, TileKernel, another, load, store, tile_type

_MOST: Final = 4096
_ATOMIC: Final = ("i32", "i64", "f32", "f64")
_WIDTHS: Final = (8, 16, 32, 64)


def _scanned(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    if not tile.shape:
        return None
    dim = kernel.rnd.randrange(len(tile.shape))
    kind = "add" if tile.element[0] == "c" else kernel.rnd.choice(("add", "max", "min"))
    bound = tile.bound * max(tile.shape[dim], 1) if kind == "add" else tile.bound
    if bound > LARGEST:
        return None
    return kernel.op(f'tile.scan {tile.name} {{kind = "{kind}", dim = {dim}}}', tile.shape, tile.element, bound)


def _by_region(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """A scan or reduction of one to three tiles; one of the results."""
    if not tile.shape or not prod(tile.shape):
        return None
    dim = kernel.rnd.randrange(len(tile.shape))
    if tile.element[0] == "i" and kernel.chance(0.6):
        operands = [tile, another(kernel, tile, tiles)]
        body = _functions
        if kernel.chance(0.5):
            here = kernel.op(f"tile.iota {{dim = {kernel.rnd.randrange(len(tile.shape))}}}", tile.shape, "i32", 70)
            operands, body = [tile, here], _largest
    else:
        operands = [tile, *([another(kernel, tile, tiles)] if kernel.chance(0.3) else [])]
        body = _last
    return _emitted(kernel, operands, dim, body(kernel, [operand.element for operand in operands]))


def _emitted(kernel: TileKernel, operands: list[Tile], dim: int, region: str) -> Tile:
    names = ", ".join(tile.name for tile in operands)
    results, shape = [kernel.name() for _ in operands], operands[0].shape
    if kernel.chance(0.4):
        shape, word, options = (*shape[:dim], *shape[dim + 1 :]), "reduce_by", f"dim = {dim}"
    else:
        word, reverse = "scan_by", str(kernel.chance(0.5)).lower()
        starts = [_scalar(kernel, tile.element) for tile in operands] if kernel.chance(0.5) else []
        names = ", ".join([names, *starts])
        options = f"dim = {dim}, reverse = {reverse}, operand_segments = [{len(operands)}, {len(starts)}]"
    types = ", ".join(tile_type(shape, tile.element) for tile in operands)
    kernel.lines.append(f"{', '.join(results)} = tile.{word} {names} {{{options}}} -> {types} {region}")
    which = kernel.rnd.randrange(len(operands))
    element = operands[which].element
    return Tile(results[which], shape, element, LARGEST if element[0] == "i" else operands[which].bound)


def _scalar(kernel: TileKernel, element: str) -> str:
    name, number = kernel.name(), kernel.rnd.randint(-4, 4)
    value = str(number) if element[0] == "i" else f"({number}.0, 0.0)" if element[0] == "c" else f"{number}.0"
    kernel.lines.append(f"{name} = arith.constant {{value = {value}}} -> {element}")
    return name


def _functions(kernel: TileKernel, elements: Sequence[str]) -> str:
    """x -> a x + b, the first element's first."""
    e = elements[0]
    a1, a0, b1, b0, a, t, b = (kernel.name() for _ in range(7))
    return (
        f"({a1}: {e}, {a0}: {e}, {b1}: {e}, {b0}: {e}) {{ {a} = arith.mul {a0}, {a1} -> {e} "
        f"{t} = arith.mul {b0}, {a1} -> {e} {b} = arith.add {t}, {b1} -> {e} scf.yield {a}, {b} }}"
    )


def _largest(kernel: TileKernel, elements: Sequence[str]) -> str:
    """The largest number and what stands beside the first such."""
    e, n = elements
    v1, v0, i1, i0, first, v, i = (kernel.name() for _ in range(7))
    return (
        f"({v1}: {e}, {v0}: {e}, {i1}: {n}, {i0}: {n}) {{ "
        f'{first} = arith.cmp {v0}, {v1} {{predicate = "ge"}} -> bool '
        f"{v} = arith.select {first}, {v0}, {v1} -> {e} {i} = arith.select {first}, {i0}, {i1} -> {n} "
        f"scf.yield {v}, {i} }}"
    )


def _last(kernel: TileKernel, elements: Sequence[str]) -> str:
    """The last one that is not zero."""
    names = [(kernel.name(), kernel.name()) for _ in elements]
    arguments = ", ".join(f"{x1}: {e}, {x0}: {e}" for (x1, x0), e in zip(names, elements, strict=True))
    lines, found = list[str](), list[str]()
    for (x1, x0), e in zip(names, elements, strict=True):
        if e[0] == "c":
            found.append(x1)
            continue
        zero, test, x = (kernel.name() for _ in range(3))
        lines.append(f"{zero} = arith.constant {{value = {'0' if e[0] == 'i' else '0.0'}}} -> {e}")
        lines.append(f'{test} = arith.cmp {x1}, {zero} {{predicate = "ne"}} -> bool')
        lines.append(f"{x} = arith.select {test}, {x1}, {x0} -> {e}")
        found.append(x)
    return f"({arguments}) {{ {' '.join(lines)} scf.yield {', '.join(found)} }}"


def _cut(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    if not prod(tile.shape):
        return None
    shape = [kernel.rnd.randint(1, n) if kernel.chance(0.7) else n for n in tile.shape]
    offsets = [kernel.rnd.randint(0, n - part) for n, part in zip(tile.shape, shape, strict=True)]
    return kernel.op(f"tile.extract {tile.name} {{offsets = {offsets}}}", shape, tile.element, tile.bound)


def _joined(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """Two or three side by side, not all of the same size."""
    if not tile.shape or prod(tile.shape) * 3 > _MOST:
        return None
    dim = kernel.rnd.randrange(len(tile.shape))
    parts = [tile, another(kernel, tile, tiles)]
    if kernel.chance(0.5):
        shape = tuple(kernel.rnd.randint(1, n + 1) if k == dim else n for k, n in enumerate(tile.shape))
        parts.insert(kernel.rnd.randrange(3), load(kernel, shape, tile.element))
    whole = [sum(p.shape[k] for p in parts) if k == dim else n for k, n in enumerate(tile.shape)]
    names = ", ".join(part.name for part in parts)
    bound = max(part.bound for part in parts)
    return kernel.op(f"tile.cat {names} {{dim = {dim}}}", whole, tile.element, bound)


def _reinterpreted(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    size, have = prod(tile.shape), int(tile.element[1:]) if tile.element[0] == "i" else 0
    widths = [width for width in _WIDTHS if size * have % width == 0]
    if not have or not size or not widths:
        return None
    want = kernel.rnd.choice(widths)
    row = kernel.op(f"tile.reshape {tile.name}", (size,), tile.element, tile.bound)
    return kernel.op(f"tile.reinterpret {row.name}", (size * have // want,), f"i{want}", LARGEST)


def _mapped(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    if tile.element[0] == "c" or not tile.shape or tile.bound + 70 > LARGEST:
        return None
    positions, x, far, found = [kernel.name() for _ in tile.shape], kernel.name(), kernel.name(), kernel.name()
    result, position = kernel.name(), kernel.rnd.choice(positions)
    cast = f"{far} = arith.cast {position} -> {tile.element} " if tile.element != "i32" else ""
    arguments = ", ".join([*(f"{p}: i32" for p in positions), f"{x}: {tile.element}"])
    kernel.lines.append(
        f"{result} = tile.map {tile.name} -> {tile.type} ({arguments}) {{ {cast}"
        f"{found} = arith.add {x}, {far if cast else position} -> {tile.element} scf.yield {found} }}"
    )
    return Tile(result, tile.shape, tile.element, tile.bound + 70)


def _atomically(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """Read, written or updated; what an update found is stored."""
    if tile.element not in _ATOMIC:
        return None
    word = kernel.rnd.choice(("load", "store", "rmw"))
    name, rest = kernel.memory(tile.shape, tile.element, word != "load")
    if word == "load":
        return kernel.op(f"tile.atomic_load {name}{rest}", tile.shape, tile.element, 4)
    if word == "store":
        kernel.lines.append(f"tile.atomic_store {tile.name}, {name}{rest}")
        return None
    indices, _, options = rest.partition(" {")
    kind = kernel.rnd.choice(("add", "max", "min"))
    options = f'{{kind = "{kind}", {options}' if options else f'{{kind = "{kind}"}}'
    old = kernel.op(f"tile.atomic_rmw {tile.name}, {name}{indices} {options}", tile.shape, tile.element, LARGEST)
    if kernel.chance(0.7):
        store(kernel, old)
    return None


LINES: Final[Sequence[Step]] = (
    _scanned,
    _by_region,
    _by_region,
    _by_region,
    _cut,
    _cut,
    _joined,
    _joined,
    _reinterpreted,
    _mapped,
    _atomically,
)
