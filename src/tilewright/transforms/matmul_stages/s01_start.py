"""Stage 1, start: a product of matrices becomes three loops.

before:  linalg.matmul ins(%A, %B) outs(%C), another contraction of two matrices, or three affine loops
after:   for %i, %j, %k: C[i, j] := C[i, j] + extended A[i, k] * extended B[k, j]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, func, linalg, memref
from tilewright.dialects.mlir.base import shape_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.types import MemrefType, is_identity_layout
from tilewright.ir.types import ScalarType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.lower_mlir.contractions import contraction_of
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Access,
    applied,
    bounds,
    inside,
    loops_around,
    make_loop,
    map_of,
    name_of,
    nested,
    numbers,
    perfect_nest,
    subscripts,
    variable,
)
from tilewright.transforms.matmul_stages.schedule import Schedule
from tilewright.transforms.matmul_stages.visits import check_visits, product_of

NAME = "start"


class _Found(Struct, frozen=True):
    """A product in a function: `letters` are anything that stands for its three loops."""

    op: Operation
    a: Value
    b: Value
    c: Value
    letters: tuple[tuple[object, ...], tuple[object, ...], tuple[object, ...]]


def start(unit: Operation, schedule: Schedule) -> Matmul:
    """The product of a module, which becomes three loops. Raises `NotApplicable` if there is not exactly one."""
    found = [(function, one) for function in _functions(unit) for one in _products(function)]
    if not found:
        raise _nothing(unit)
    if len(found) > 1:
        said = f"there are {len(found)} products of matrices in the module; the stages take one"
        raise NotApplicable(found[1][1].op, said, "put each into a module of its own")
    function, one = found[0]
    matmul = _matmul(function, one, schedule)
    for op in function.walk():
        if isinstance(op, affine.For):
            variable(op).name = None
    _emit(matmul, Builder.before_op(one.op))
    one.op.erase()
    return matmul


def _nothing(unit: Operation) -> NotApplicable:
    """Why there is no product: at an operation that is nearly one, if there is any."""
    for op in unit.walk():
        if not isinstance(op, linalg.Structured):
            continue
        found = contraction_of(op)
        if found is not None and found.batch:
            hint = "take a function of one product and call it for each entry: targets compile batches without stages"
            return NotApplicable(op, f"{op.name} has a batch; the stages take one product of two matrices", hint)
        if found is not None:
            hint = "targets compile it without stages"
            return NotApplicable(op, f"{op.name} has no rows, columns and summed elements of its own", hint)
        if any("reduction" in str(one) for one in op.iterators):
            hint = "let it do nothing but multiply and add, and scale or finish in operations in front or behind"
            return NotApplicable(op, f"{op.name} does more than add products of two matrices", hint)
    return NotApplicable(unit, "there is no product of matrices in the module; the stages take one")


def _functions(unit: Operation) -> list[func.Func]:
    return [op for op in unit.walk() if isinstance(op, func.Func) and not op.is_declaration]


def _products(function: func.Func) -> list[_Found]:
    found: list[_Found] = []
    for op in function.walk():
        one = None
        if isinstance(op, linalg.Structured):
            one = _structured(op)
        elif isinstance(op, affine.For) and not loops_around(op):
            one = _nest(op)
        if one is not None:
            found.append(one)
    return found


def _structured(op: linalg.Structured) -> _Found | None:
    found = contraction_of(op)
    if found is None or None in (found.rows, found.columns, found.summed) or found.batch:
        return None
    return _Found(op, found.x, found.y, found.out, found.letters)


def _nest(outermost: affine.For) -> _Found | None:
    """Three loops over all elements around nothing but a product."""
    loops = perfect_nest(outermost)
    stores = [op for op in inside(loops[-1]) if isinstance(op, affine.Store)]
    if len(loops) != 3 or len(stores) != 1 or any(loop.inits for loop in loops):
        return None
    try:
        one = product_of(stores[0])
    except Broken:
        return None
    if any(op.effects() != () and op not in (one.a, one.b, one.c, one.stored) for op in inside(loops[-1])):
        return None
    letters = [_letters(op) for op in (one.a, one.b, one.c, one.stored)]
    a, b, c, stored = letters
    variables = {variable(loop) for loop in loops}
    if None in letters or c != stored or one.c.memref is not one.stored.memref:
        return None
    assert a is not None
    assert b is not None
    assert c is not None
    if {*a, *b, *c} != variables or not _is_whole(loops, ((one.a, a), (one.b, b), (one.c, c))):
        return None
    if (set(a) & set(b)) & set(c) or len(set(a) & set(b)) != 1:
        return None
    return _Found(outermost, one.a.memref, one.b.memref, one.c.memref, (a, b, c))


def _letters(op: Access) -> tuple[Value, ...] | None:
    """The loop variable that each subscript is, all different."""
    forms = subscripts(op)
    if forms is None or any(form.constant or len(form.terms) != 1 or form.terms[0][1] != 1 for form in forms):
        return None
    found = tuple(form.terms[0][0] for form in forms)
    return found if len(set(found)) == len(found) == 2 else None


def _is_whole(loops: Sequence[affine.For], accesses: Sequence[tuple[Access, tuple[Value, ...]]]) -> bool:
    """Whether loops run over the extents of what is accessed, as far as they are known."""
    ranges = {variable(loop): (numbers(loop), loop) for loop in loops}
    for op, letters in accesses:
        for extent, letter in zip(shape_of(op.memref), letters, strict=True):
            found, loop = ranges[letter]
            lower = _lower(loop)
            if extent is not None and (found != range(extent) or lower != 0):
                return False
    return True


def _lower(loop: affine.For) -> int | None:
    """Where a loop begins, if that is a number."""
    found = bounds(loop)
    return None if found is None or found[0].terms else found[0].constant


def _matmul(function: func.Func, one: _Found, schedule: Schedule) -> Matmul:
    """The product with the matrix that has the rows of C in front."""
    a, b, c = ((value, letters) for value, letters in zip((one.a, one.b, one.c), one.letters, strict=True))
    if c[1][0] not in a[1]:
        a, b = b, a
    if one.c in (one.a, one.b):
        raise NotApplicable(one.op, f"%{one.c.name} is a factor of the product and its result")
    names = {c[1][0]: "i", c[1][1]: "j"}
    matrices: list[Matrix] = []
    for value, letters in (a, b, c):
        _check_memory(one.op, value)
        first, second = (names.get(letter, "k") for letter in letters)
        matrices.append(Matrix(value, (first, second)))
    first, second, result = matrices
    return Matmul(function, first, second, result, schedule)


def _check_memory(op: Operation, value: Value) -> None:
    type_ = value.type
    assert isinstance(type_, MemrefType)
    if None in shape_of(value):
        hint = "write the extents into the types, one function for each size"
        raise NotApplicable(op, f"%{value.name} is a {type_}; the stages take extents that are known", hint)
    if type_.layout is not None and not is_identity_layout(type_.layout):
        hint = "a matrix in column-major order is its transpose in row-major order: linalg.matmul_transpose_a or _b"
        raise NotApplicable(op, f"%{value.name} is a {type_}; the stages take packed matrices in row-major order", hint)
    if type_.space is not None:
        raise NotApplicable(op, f"%{value.name} is a {type_}; the stages take matrices in global memory")
    if 0 in shape_of(value):
        raise NotApplicable(op, f"%{value.name} is a {type_}, which has no elements")


def _emit(matmul: Matmul, build: Builder) -> None:
    extents = matmul.extents
    loops = [make_loop(letter, Linear(), Linear(extents[letter]), 1) for letter in "ijk"]
    for letter, loop in zip("ijk", loops, strict=True):
        matmul.mark(letter, loop)
    inner = nested(build, loops)
    at = {name_of(loop): Linear(0, ((variable(loop), 1),)) for loop in loops}
    emit_update(matmul, inner, at)


def emit_update(matmul: Matmul, build: Builder, at: Mapping[str, Linear], *, by_index: bool = False) -> None:
    """`C[i, j] := C[i, j] + A[i, k] B[k, j]` at some i, j and k.

    With `by_index` their places are computed beforehand, as is needed where they depend on threads.
    """
    loads: list[Value] = []
    for name, matrix in (("a", matmul.a), ("b", matmul.b), ("c", matmul.c)):
        map_, values = map_of([at[letter] for letter in matrix.letters])
        if by_index:
            op = memref.Load(matrix.memref, [applied(build, at[letter]) for letter in matrix.letters])
        else:
            op = affine.Load(matrix.memref, values, map_)
        loads.append(build(op).out)
        loads[-1].name = name
    element = matmul.c.element
    a, b = (_extended(build, value, element) for value in loads[:2])
    floats = element.is_float
    product = build(arith.MulF(a, b) if floats else arith.MulI(a, b)).out
    total = build(arith.AddF(loads[2], product) if floats else arith.AddI(loads[2], product)).out
    if by_index:
        build(memref.Store(total, matmul.c.memref, [applied(build, at[letter]) for letter in matmul.c.letters]))
        return
    map_, values = map_of([at[letter] for letter in matmul.c.letters])
    build(affine.Store(total, matmul.c.memref, values, map_))


def _extended(build: Builder, value: Value, element: ScalarType) -> Value:
    if value.type is element:
        return value
    cls = arith.ExtF if element.is_float else arith.ExtSI
    return build(cls(value, result_types=[element])).out


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """A perfect nest of i, j and k with three loads, a product, a sum and one store; nothing else has effects."""
    what = "perfect nest"
    loops = matmul.chain("ijk", what)
    nest = perfect_nest(loops[0])
    if nest != loops:
        raise Broken(what, loops[0], "the loops over i, j and k are not the whole body of one another")
    names = [op.name for op in inside(loops[-1])]
    multiplied = "f" if matmul.c.element.is_float else "i"
    wide = sum(m.element is not matmul.c.element for m in (matmul.a, matmul.b))
    extension = "arith.extf" if multiplied == "f" else "arith.extsi"
    wanted = ["affine.load"] * 3 + [extension] * wide
    wanted += [f"arith.mul{multiplied}", f"arith.add{multiplied}", "affine.store"]
    if sorted(names) != sorted(wanted):
        raise Broken(what, loops[-1], f"the body is {', '.join(names)}, not {', '.join(wanted)}")
    for loop, letter in zip(loops, "ijk", strict=True):
        if numbers(loop) != range(matmul.extents[letter]):
            raise Broken(what, loop, f"%{letter} does not count the {matmul.extents[letter]} of its extent")
    check_visits(matmul, loops[0], extents=matmul.extents)
