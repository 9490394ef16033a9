"""A product of some extents, made of one whose extents only a launch knows: what holds of it is looked at there.

Loops count to numbers then, and whatever is computed of extents is one. What holds for extents of one tile, of more and
of a remainder, and of less than a tile holds for others, as bounds and subscripts are the same sums of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeVar, cast

from msgspec import structs

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, func, memref
from tilewright.dialects.mlir.base import memref_of
from tilewright.ir.affine import NotAffine
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import DenseArray, StridedLayout
from tilewright.ir.types import I64
from tilewright.transforms.matmul_stages.index_values import with_numbers
from tilewright.transforms.matmul_stages.matmul import Made, Matmul, Matrix
from tilewright.transforms.matmul_stages.meanings import with_values
from tilewright.transforms.matmul_stages.nests import constant, form_of

_ENTRIES: Final = 3
"""Of a batch, where it is one of any size."""
_Values = Mapping[Value, Value]
_Nest = TypeVar("_Nest", bound=Operation)


def known_programs(matmul: Matmul) -> Iterator[Matmul]:
    """A product itself if all of its extents are known, else what it is for some of them."""
    if not matmul.is_open and isinstance(matmul.entries[0], int):
        yield matmul
        return
    for extents in _examples(matmul):
        yield specialised(matmul, extents)


def _examples(matmul: Matmul) -> list[dict[str, int]]:
    """Extents of one tile, of several and a part of one, of less than one, and of no step along k."""
    block = matmul.block
    several = {"i": 2, "j": 3, "k": 3}
    found = [
        block,
        {letter: several[letter] * size + max(size // 2, 1) for letter, size in block.items()},
        {letter: max(size - 1, 1) for letter, size in block.items()},
        {letter: 2 * size - (letter == "k") * (size + 1) for letter, size in block.items()},
    ]
    examples = [
        {letter: size if isinstance(size, int) else max(one[letter], 1) for letter, size in matmul.sizes.items()}
        for one in found
    ]
    return [one for number, one in enumerate(examples) if one not in examples[:number]]


def specialised(matmul: Matmul, extents: Mapping[str, int]) -> Matmul:
    """A copy of a product in which the extents are known."""
    values: dict[Value, Value] = {}
    function = matmul.function.clone(values)
    assert isinstance(function, func.Func)
    ops = dict(zip(matmul.function.walk(), function.walk(), strict=True))
    batch = tuple(size if isinstance(size, int) else _ENTRIES for size in matmul.batch)
    known = [(size, extents[letter]) for letter, size in matmul.sizes.items()]
    for size, extent in (*known, *zip(matmul.batch, batch, strict=True)):
        if isinstance(size, Value):
            home = values[size].defining_op
            build = Builder(function.body.entry, function.body.entry.first, function.location)
            build = build if home is None else Builder.before_op(home)
            number = constant(build, extent)
            values[size].replace_all_uses_with(number)
            values[size] = number
    for matrix in (matmul.a, matmul.b, matmul.c):
        memory = values[matrix.memref]
        if matmul.batch:
            _give_slice(memory, batch, matrix.of(extents))
        _give_shape(memory, (), matrix.of(extents))
    _fold(function, values)
    return structs.replace(_copied(matmul, function, extents, values, ops), batch=batch)


def _give_slice(memory: Value, batch: Sequence[int], extents: Sequence[int]) -> None:
    """Let what an entry of a batch is a slice of have matrices of these extents, and as many."""
    home = memory.defining_op
    assert isinstance(home, memref.Subview)
    _give_shape(home.source, batch, extents)
    home.attributes["static_sizes"] = DenseArray(I64, (*(1 for _ in home.offsets), *extents))
    home.attributes["operand_segments"] = (1, len(home.offsets), 0, 0)
    home.operands = [home.source, *home.offsets]


def _give_shape(memory: Value, batch: Sequence[int], extents: Sequence[int]) -> None:
    """Let a matrix, or a batch of them, have these extents."""
    type_ = memref_of(memory)
    layout = type_.layout
    if isinstance(layout, StridedLayout) and layout.strides[-2] is None:
        layout = StridedLayout((*layout.strides[:-2], extents[1], 1), layout.offset)
    memory.type = structs.replace(type_, shape=(*batch, *extents), layout=layout)


def _fold(function: func.Func, values: dict[Value, Value]) -> None:
    """Put numbers in the place of what is computed of numbers."""
    copies = {value: key for key, value in values.items()}
    for op in list(function.walk()):
        if not isinstance(op, affine.AffineValue):
            continue
        if not any(form_of(value).terms for value in op.values):
            number = constant(Builder.before_op(op), form_of(op.out).constant)
            op.out.replace_all_uses_with(number)
            values[copies[op.out]] = number
            op.erase()
        elif op.map.symbols:
            _put_numbers(op)


def _put_numbers(op: affine.AffineValue) -> None:
    """Let a map have numbers in the place of operands that are such.

    It stays as it is where it would divide by zero: that is in the body of a loop over the elements of no columns.
    """
    numbers = {value: form_of(value).constant for value in op.values if not form_of(value).terms}
    try:
        op.attributes["map"], op.operands = with_numbers(op.map, op.values, numbers)
    except NotAffine:
        return


def _copied(
    matmul: Matmul,
    function: func.Func,
    extents: Mapping[str, int],
    values: _Values,
    ops: Mapping[Operation, Operation],
) -> Matmul:
    """The product with copies in the place of all that it knows of the program."""

    def nests(some: Sequence[_Nest]) -> list[_Nest]:
        return [cast("_Nest", ops[one]) for one in some if one in ops]

    old = matmul.made
    made = Made(
        variables={name: values.get(value, value) for name, value in old.variables.items()},
        before=nests(old.before),
        behind=nests(old.behind),
        rest=nests(old.rest),
        beside=frozenset(ops[op] for op in old.beside if op in ops),
        cut=old.cut,
        sums=None if old.sums is None else values[old.sums],
        staged=nests(old.staged),
        module=old.module,
    )
    a, b, c = (Matrix(values[one.memref], one.letters) for one in (matmul.a, matmul.b, matmul.c))
    before, behind = (
        tuple(with_values(meaning, values) for meaning in meanings) for meanings in (matmul.before, matmul.behind)
    )
    alpha = None if matmul.alpha is None else values[matmul.alpha]
    known = structs.replace(matmul, function=function, a=a, b=b, c=c, sizes=dict(extents), made=made)
    return structs.replace(known, alpha=alpha, before=before, behind=behind)
