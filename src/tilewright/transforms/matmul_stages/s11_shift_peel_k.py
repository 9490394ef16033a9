"""Stage 11, shift_peel_k: the tiles of the next step are fetched while those of this one are multiplied.

before:  for %k { copy(k); compute(k) }
after:   copy(0); for %k but the last { fetch(k + step); compute(k); commit }; compute(last)

A fetch goes to private memory, and is committed to the shared buffer when the step has read that: so this stage alone
keeps the meaning, and delayed stores are no repair of a later one.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, memref, vector
from tilewright.dialects.mlir.base import memref_of
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import I64
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.copies import (
    Copy,
    copy_of,
    emit_copy,
    factor_copies,
    is_shared,
    offsets,
    written_box,
)
from tilewright.transforms.matmul_stages.dependences import accesses, writes
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Access,
    form_of,
    inside,
    key_of,
    move_bounds,
    name_of,
    numbers,
    stands_before,
    variable,
)
from tilewright.transforms.matmul_stages.s06_wmma_generate import check_matrices
from tilewright.transforms.matmul_stages.s10_cse_hoist_c import check_carried
from tilewright.transforms.matmul_stages.tiling import substitute
from tilewright.transforms.matmul_stages.visits import Source, check_visits

NAME = "shift_peel_k"
WHAT = "pipeline"
PRIVATE: Attribute = IntegerAttribute(5, I64)
"""The memory space of one thread."""


def apply(matmul: Matmul) -> str:
    """Copy the first tiles in front of the loop, fetch the next ones in it, and compute the last behind it."""
    k, kk = matmul.loop("k", NAME), matmul.loop("kk", NAME)
    copies = factor_copies(matmul, k)
    if [op for op in inside(k) if op not in {copy.nest for copy in copies}] != [kk]:
        raise NotApplicable(k, "a step along k is not two copies and a loop over kk")
    size, last = matmul.block["k"], matmul.whole["k"].plus(Linear(-matmul.block["k"]))
    for copy in copies:
        _shift(matmul, k, copy, size)
        copy.nest.erase()
    matmul.mark("last", _peel(k, kk, last))
    move_bounds(k, Linear(), last)
    steps = "all but one of the steps" if last.terms else f"{last.constant // size} steps"
    return f"{steps} of the loop over k, one behind it"


def _starts(matmul: Matmul, matrix: Matrix, along_k: Linear) -> list[Linear]:
    """Where a tile of a matrix begins."""
    return [along_k if letter == "k" else matmul.start(letter) for letter in matrix.letters]


def _shift(matmul: Matmul, k: affine.For, copy: Copy, size: int) -> None:
    """Put the copy of the first step in front of the loop, a fetch at its head and a commit at its end."""
    matrix = matmul.a if copy.load.memref is matmul.a.memref else matmul.b
    buffer, body = copy.buffer, k.body.entry
    emit_copy(matmul, Builder.before_op(k), matrix, _starts(matmul, matrix, Linear()), matrix.memref, buffer)
    head = Builder.before_op(copy.nest)
    type_ = structs.replace(memref_of(buffer), shape=matrix.of(matmul.block), space=PRIVATE)
    private = head(memref.Alloc([], [], result_types=[type_])).memref
    private.name = (buffer.name or "").replace("_smem", "_fetched")
    following = Linear(size, ((variable(k), 1),))
    emit_copy(matmul, head, matrix, _starts(matmul, matrix, following), matrix.memref, private)
    end = Builder(body, body.last, k.location)
    emit_copy(matmul, end, matrix, [Linear(), Linear()], private, buffer)
    end(memref.Dealloc(private))


def _peel(k: affine.For, kk: affine.For, last: Linear) -> affine.For:
    """Compute the last step behind the loop, with the sums that it carries."""
    mapping: dict[Value, Value] = dict(zip(k.body.entry.arguments[1:], k.outs, strict=True))
    peeled = kk.clone(mapping)
    assert isinstance(peeled, affine.For)
    assert k.block is not None
    k.block.insert(peeled, k.next)
    substitute([peeled], {variable(k): last})
    for before, after in zip(k.outs, peeled.results, strict=True):
        for user in list(before.uses):
            if user is not peeled:
                user.replace_operand(before, after)
    return peeled


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """The loop has one trip less; tiles are fetched a step ahead, and committed behind the products that read them."""
    check_steps(matmul)
    k, kk, peeled = matmul.loop("k", WHAT), matmul.loop("kk", WHAT), peeled_of(matmul)
    for buffer in {copy.buffer for copy in factor_copies(matmul, matmul.function)}:
        _check_buffer(matmul, buffer, (k, kk, peeled))
    check_carried(matmul)
    check_matrices(matmul)
    check_visits(matmul, matmul.nest(WHAT), _held(matmul))


def check_steps(matmul: Matmul) -> None:
    """The loop over k counts all steps but the last. Raises `Broken` if not."""
    k = matmul.loop("k", WHAT)
    size, extent = matmul.block["k"], matmul.tiled["k"]
    if numbers(k) != range(0, extent - size, size):
        raise Broken(WHAT, k, f"%{name_of(k)} does not count from 0 to {extent - size} by {size}: one step is peeled")


def peeled_of(matmul: Matmul) -> affine.For:
    """The loop over kk behind that over k."""
    k, last = matmul.loop("k", WHAT), matmul.loops.get("last")
    if last is None or not stands_before(k, last):
        raise Broken(WHAT, k, "no step is computed behind the loop over k")
    return last


def _check_buffer(matmul: Matmul, buffer: Value, loops: tuple[affine.For, affine.For, affine.For]) -> None:
    """A buffer is filled in front of the loop and at the end of its body, from what was fetched at its head."""
    k, kk, peeled = loops
    copies = [copy for copy in factor_copies(matmul, matmul.function) if copy.buffer is buffer]
    first = [copy for copy in copies if copy.nest.block is k.block and stands_before(copy.nest, k)]
    commits = [copy for copy in copies if copy.nest.block is k.body.entry]
    if len(first) != 1 or len(commits) != 1 or len(copies) != 2:
        raise Broken(WHAT, k, f"%{buffer.name} is not filled once in front of the loop and once in each step")
    (commit,) = commits
    if not stands_before(kk, commit.nest):
        raise Broken(WHAT, commit.nest, f"%{buffer.name} is written before the step has read it")
    fetch = _fetch_of(commit, k)
    if not stands_before(fetch.nest, kk):
        raise Broken(WHAT, fetch.nest, "a tile is fetched behind the products that should hide it")
    matrix = matmul.a if fetch.load.memref is matmul.a.memref else matmul.b
    whole = [(0, extent) for extent in matrix.of(matmul.block)]
    if any(written_box(copy) != whole for copy in (first[0], fetch, commit)):
        raise Broken(WHAT, commit.nest, f"not all of the tile in %{buffer.name} is copied")
    wanted = (
        _starts(matmul, matrix, Linear()),
        _starts(matmul, matrix, Linear(matmul.block["k"], ((variable(k), 1),))),
    )
    found = (offsets(first[0]), offsets(fetch))
    if any(list(map(key_of, f)) != list(map(key_of, w)) for f, w in zip(found, wanted, strict=True)):
        raise Broken(WHAT, fetch.nest, f"the tile in %{buffer.name} is not that of the step that reads it")
    if any(form.constant or form.terms for form in offsets(commit)) or first[0].load.memref is not matrix.memref:
        raise Broken(WHAT, commit.nest, f"%{buffer.name} is not filled with what was fetched")
    for op in accesses(matmul.function):
        inner = kk.is_ancestor_of(op) or peeled.is_ancestor_of(op)
        if op.memref is buffer and not inner and not (writes(op) and op in (first[0].store, commit.store)):
            raise Broken(WHAT, op, f"%{buffer.name} is accessed beside copies and products")


def _fetch_of(commit: Copy, k: affine.For) -> Copy:
    """What filled the private memory that a commit reads."""
    private = commit.load.memref
    stores = [op for op in accesses(k) if writes(op) and op.memref is private]
    if is_shared(private) or len(stores) != 1 or not isinstance(stores[0], affine.Store | vector.Store):
        raise Broken(WHAT, commit.nest, f"%{private.name} does not hold what was fetched in the same step")
    return copy_of(stores[0])


def _held(matmul: Matmul) -> Source:
    """The subscripts of the matrix that a read of its buffer stands for: of step k in the loop, of the last behind."""
    k = matmul.loop("k", WHAT)
    filled = {copy.buffer: copy.load.memref for copy in reversed(factor_copies(matmul, matmul.function))}
    last = Linear(matmul.tiled["k"] - matmul.block["k"])

    def source(op: Access, matrix: Matrix, forms: Sequence[Linear]) -> tuple[Linear, ...]:
        if filled.get(op.memref) is not matrix.memref:
            raise Broken(WHAT, op, f"reads %{op.memref.name}, which is no tile of %{matrix.memref.name}")
        starts = _starts(matmul, matrix, form_of(variable(k)) if k.is_ancestor_of(op) else last)
        return tuple(form.plus(start) for form, start in zip(forms, starts, strict=True))

    return source
