"""Stage 1, start: a product of matrices becomes three loops.

before:  linalg.matmul ins(%A, %B) outs(%C), another contraction of two matrices, or three affine loops
after:   for %i, %j, %k: C[i, j] := C[i, j] + extended A[i, k] * extended B[k, j] (* alpha)

A batch has loops around that (`batch`). What is done with each element of C in front and behind becomes nests over i
and j (`neighbours`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, func, linalg
from tilewright.dialects.mlir.base import shape_of
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.mlir.attributes import StridedLayout
from tilewright.ir.mlir.types import MemrefType, is_identity_layout
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.lower_mlir.contractions import scaled_contraction_of
from tilewright.transforms.matmul_stages.batch import batch_loops, slice_of
from tilewright.transforms.matmul_stages.found_products import FoundProduct, is_leading, products_in
from tilewright.transforms.matmul_stages.layouts import may_share, pitch_of
from tilewright.transforms.matmul_stages.matmul import Broken, Made, Matmul, Matrix, NotApplicable, common_type
from tilewright.transforms.matmul_stages.meanings import meaning_of
from tilewright.transforms.matmul_stages.neighbours import Around, emit_neighbour, neighbours_around
from tilewright.transforms.matmul_stages.nests import (
    inside,
    make_loop,
    name_of,
    nested,
    numbers,
    perfect_nest,
    variable,
)
from tilewright.transforms.matmul_stages.open_extents import counted, dims_behind, extent_of, is_of_function, limit_of
from tilewright.transforms.matmul_stages.schedule import Schedule, spelled
from tilewright.transforms.matmul_stages.updates import emit_update
from tilewright.transforms.matmul_stages.visits import check_visits

NAME = "start"


def start(unit: Operation, schedule: Schedule) -> Matmul:
    """The product of a module, which becomes three loops. Raises `NotApplicable` if there is not exactly one."""
    found = [(function, one) for function in _functions(unit) for one in products_in(function)]
    if not found:
        raise _nothing(unit)
    if len(found) > 1:
        said = f"there are {len(found)} products of matrices in the module; the stages take one"
        raise NotApplicable(found[1][1].op, said, "put each into a module of its own")
    function, one = found[0]
    _close(function, one, schedule)
    _check(one)
    sizes = _sizes(function, one)
    for op in function.walk():
        if isinstance(op, affine.For):
            variable(op).name = None
    limits = [limit_of(sizes[letter]) for letter in one.letters[2]]
    around = neighbours_around(one.op, (one.a, one.b), one.c, limits)
    last = around.behind[-1].op if around.behind else one.op
    assert last.block is not None
    matmul = _emit(function, one, sizes, schedule, around, Builder(last.block, last.next, one.op.location))
    for op in (one.op, *(neighbour.op for neighbour in (*around.before, *around.behind))):
        op.erase()
    return matmul


def _nothing(unit: Operation) -> NotApplicable:
    """Why there is no product: at an operation that is nearly one, if there is any."""
    for op in unit.walk():
        if not isinstance(op, linalg.Structured):
            continue
        found = scaled_contraction_of(op)
        if found is not None and found.batch and not is_leading(found.letters, found.batch):
            hint = "transpose the memory, or let targets compile it without stages"
            return NotApplicable(op, f"{op.name} has a batch that is not the first dimension of each matrix", hint)
        if found is not None:
            hint = "targets compile it without stages"
            return NotApplicable(op, f"{op.name} has no rows, columns and summed elements of its own", hint)
        if any("reduction" in str(one) for one in op.iterators):
            hint = "let it multiply, scale by one number and add, and begin and finish in operations of their own"
            return NotApplicable(op, f"{op.name} does more than add products of two matrices", hint)
    return NotApplicable(unit, "there is no product of matrices in the module; the stages take one")


def _functions(unit: Operation) -> list[func.Func]:
    return [op for op in unit.walk() if isinstance(op, func.Func) and not op.is_declaration]


def _close(function: func.Func, one: FoundProduct, schedule: Schedule) -> None:
    """Let arguments with open extents have those that the schedule says. Raises `NotApplicable` if they cannot be."""
    if schedule.size is None:
        return
    if not isinstance(one.op, linalg.Structured):
        raise NotApplicable(one.op, "size= is for operations of linalg; loops say how many iterations they have")
    (*_, row, column), batch = one.letters[2], one.batch
    extents = dict(zip((row, column), schedule.size[:2], strict=True))
    for value, letters in zip((one.a, one.b, one.c), one.letters, strict=True):
        type_ = value.type
        assert isinstance(type_, MemrefType)
        assert type_.shape is not None
        wanted = tuple(
            known if letter in batch else extents.get(letter, schedule.size[2])
            for known, letter in zip(type_.shape, letters, strict=True)
        )
        if any(known not in (None, extent) for known, extent in zip(type_.shape, wanted, strict=True)):
            said = f"%{value.name} is a {type_}, which is of another size than size={spelled(schedule.size)}"
            raise NotApplicable(one.op, said, "leave size= away, or give the extents of the types")
        if wanted != type_.shape and not (isinstance(value, BlockArgument) and value.block is function.body.entry):
            said = f"%{value.name} is a {type_} that is made in the function; size= is for arguments"
            raise NotApplicable(one.op, said, "write the extents into the types")
        value.type = structs.replace(type_, shape=wanted)
    inputs = tuple(argument.type for argument in function.body.entry.arguments)
    function.attributes["function_type"] = structs.replace(function.function_type, inputs=inputs)


def _check(one: FoundProduct) -> None:
    """Raises `NotApplicable` for memory that the stages do not take."""
    for value in (one.a, one.b):
        if one.c is value:
            raise NotApplicable(one.op, f"%{one.c.name} is a factor of the product and its result")
        if may_share(one.c, value):
            said = f"%{one.c.name} and the factor %{value.name} may be views of the same memory"
            raise NotApplicable(one.op, said, "write the product to memory of its own, and copy it where it belongs")
    for value in (one.a, one.b, one.c):
        _check_memory(one.op, value)
        batch = shape_of(value)[: len(one.batch)]
        if None in batch[1:]:
            hint = "write all extents of the batch but the first into the types"
            said = f"%{value.name} is a {value.type}, a batch of which more than the first dimension is not known"
            raise NotApplicable(one.op, said, hint)


def _check_memory(op: Operation, value: Value) -> None:
    type_ = value.type
    assert isinstance(type_, MemrefType)
    layout = type_.layout
    known = None if layout is None or is_identity_layout(layout) else layout
    if known is not None and not (isinstance(known, StridedLayout) and known.strides[-1] == 1):
        hint = "a matrix in column-major order is its transpose in row-major order: linalg.matmul_transpose_a or _b"
        raise NotApplicable(op, f"%{value.name} is a {type_}; the stages take matrices in row-major order", hint)
    pitch, columns = pitch_of(value), shape_of(value)[-1]
    if pitch is not None and columns is not None and pitch < columns:
        raise NotApplicable(op, f"%{value.name} is a {type_}, whose rows overlap")
    if type_.space is not None:
        raise NotApplicable(op, f"%{value.name} is a {type_}; the stages take matrices in global memory")
    if 0 in shape_of(value):
        raise NotApplicable(op, f"%{value.name} is a {type_}, which has no elements")


def _sizes(function: func.Func, one: FoundProduct) -> dict[object, int | Value]:
    """The extents of all letters: numbers where a type or a loop says them.

    Raises `NotApplicable` where only a launch knows one and the product is not in the body of the function.
    """
    found: dict[object, int | Value] = {}
    places = [
        (value, dimension, letter)
        for value, letters in zip((one.a, one.b, one.c), one.letters, strict=True)
        for dimension, letter in enumerate(letters)
    ]
    found |= {letter: length.constant for letter, length in one.lengths.items() if not length.terms}
    for value, dimension, letter in places:
        known = shape_of(value)[dimension]
        if known is not None:
            found.setdefault(letter, known)
    if all(letter in found for _, _, letter in places):
        return found
    if not is_of_function(function, one.op):
        hint = "write the extents into the types, or put the product into a function of its own"
        raise NotApplicable(one.op, "the product is in a loop or branch, and has extents that are not known", hint)
    names = {letter: {"i": "m", "j": "n", "k": "k"}[name] for letter, name in _names(one).items()}
    for letter, length in one.lengths.items():
        if letter not in found:
            found[letter] = counted(Builder.before_op(one.op), length)
    for value, dimension, letter in places:
        if letter not in found:
            found[letter] = extent_of(function, value, dimension, names.get(letter, "entries"))
        size = found[letter]
        if isinstance(size, Value) and size.defining_op is not None and letter not in one.lengths:
            for op in dims_behind(function, size.defining_op, value, dimension):
                op.out.replace_all_uses_with(size)
    return found


def _emit(
    function: func.Func,
    one: FoundProduct,
    sizes: Mapping[object, int | Value],
    schedule: Schedule,
    around: Around,
    build: Builder,
) -> Matmul:
    """The loops, with those of a batch around them, and the nests in front and behind."""
    extents = [sizes[letter] for letter in one.letters[2][: len(one.batch)]]
    made = Made(beside=frozenset(build.block))
    known = {name: sizes[letter] for letter, name in _names(one).items()}
    matmul = Matmul(function, *_matrices(one, {}), known, schedule, one.alpha, tuple(extents), made=made)
    loops, inner = batch_loops(build, matmul.batch_names, extents)
    for name, loop in zip(matmul.batch_names, loops, strict=True):
        matmul.mark(name, loop)
    own = {value: letters[len(one.batch) :] for value, letters in zip((one.a, one.b, one.c), one.letters, strict=True)}
    slices = {
        value: slice_of(inner, value, matmul.batch_variables, [sizes[letter] for letter in letters])
        for value, letters in own.items()
    }
    a, b, c = _matrices(one, slices)
    factors = (a.element, b.element)
    suited = schedule.suited(factors, common_type(*factors), c.element)
    matmul = structs.replace(matmul, a=a, b=b, c=c, schedule=suited)
    made.before = [emit_neighbour(matmul, inner, neighbour, one.c) for neighbour in around.before]
    _emit_product(matmul, inner)
    made.behind = [emit_neighbour(matmul, inner, neighbour, one.c) for neighbour in around.behind]
    means = (tuple(meaning_of(matmul, nest) for nest in nests) for nests in (made.before, made.behind))
    before, behind = means
    return structs.replace(matmul, before=before, behind=behind)


def _matrices(one: FoundProduct, slices: Mapping[Value, Value]) -> tuple[Matrix, Matrix, Matrix]:
    """Those of the product, the one that has the rows of C in front; slices stand for memory."""
    count = len(one.batch)
    a, b, c = ((v, letters[count:]) for v, letters in zip((one.a, one.b, one.c), one.letters, strict=True))
    if c[1][0] not in a[1]:
        a, b = b, a
    names = _names(one)
    found: list[Matrix] = []
    for value, letters in (a, b, c):
        first, second = (names[letter] for letter in letters)
        found.append(Matrix(slices.get(value, value), (first, second)))
    return found[0], found[1], found[2]


def _names(one: FoundProduct) -> dict[object, str]:
    """What the loops of the product are called."""
    *_, row, column = one.letters[2]
    summed = next(letter for letter in one.letters[0] if letter not in one.letters[2])
    return {row: "i", column: "j", summed: "k"}


def _emit_product(matmul: Matmul, build: Builder) -> None:
    loops = [make_loop(letter, Linear(), matmul.lengths[letter], 1) for letter in "ijk"]
    for letter, loop in zip("ijk", loops, strict=True):
        matmul.mark(letter, loop)
    inner = nested(build, loops)
    at = {name_of(loop): Linear(0, ((variable(loop), 1),)) for loop in loops}
    emit_update(matmul, inner, at)


def said(matmul: Matmul) -> str:
    """What the stage has made, in words."""
    m, n, k = matmul.said
    parts = [f"three loops over {m} rows, {n} columns and {k} summed elements"]
    if matmul.batch:
        extents = (str(extent) if isinstance(extent, int) else "?" for extent in matmul.batch)
        parts.append(f"for each of {' x '.join(extents)} entries of a batch")
    if matmul.alpha is not None:
        parts.append("scaled")
    for nests, where in ((matmul.before, "in front"), (matmul.behind, "behind")):
        if nests:
            parts.append(f"{len(nests)} nests over the elements of C {where}")
    return ", ".join(parts)


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
    scaled = matmul.alpha is not None
    wanted += [*[f"arith.mul{multiplied}"] * (1 + scaled), f"arith.add{multiplied}", "affine.store"]
    if sorted(names) != sorted(wanted):
        raise Broken(what, loops[-1], f"the body is {', '.join(names)}, not {', '.join(wanted)}")
    for loop, letter in zip(loops, "ijk", strict=True):
        if numbers(loop) != range(matmul.extents[letter]):
            raise Broken(what, loop, f"%{letter} does not count the {matmul.extents[letter]} of its extent")
    check_visits(matmul, loops[0], extents=matmul.extents)
