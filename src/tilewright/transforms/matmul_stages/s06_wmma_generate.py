"""Stage 6, wmma_generate: elements become matrices that a warp holds, multiplied by its tensor cores.

Matrices are those of MLIR's gpu where it has them of these types, and means the same by them; else they are those of
`mma`. Where a machine has no tensor cores for a type, as for exact products of f32, the lanes of a warp have
parts of the matrix in their registers, and multiply and add them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.dialects.builder import Builder
from tilewright.dialects.matrix_instructions import MatrixInstruction, instructions_of
from tilewright.dialects.mlir import affine, arith, mma
from tilewright.dialects.mlir.base import FLOAT_LIKE, integer_of, memref_of
from tilewright.dialects.mlir.mma import OWN, STOCK, MatrixOperations
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import FloatAttribute, IntegerAttribute
from tilewright.ir.mlir.spelling import UNIT
from tilewright.ir.mlir.types import Signedness, integer_type
from tilewright.ir.types import F16, F32, I8, I32, INDEX, TF32, ScalarType, Type
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.matmul_stages.layouts import pitch_of
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix, NotApplicable, common_type
from tilewright.transforms.matmul_stages.nests import (
    Access,
    applied,
    inside,
    move_access,
    name_of,
)
from tilewright.transforms.matmul_stages.s04_create_shared_buffers import check_copies
from tilewright.transforms.matmul_stages.schedule import divides, spelled
from tilewright.transforms.matmul_stages.staged_sums import check_sums, stage_sums
from tilewright.transforms.matmul_stages.visits import check_visits, known_subscripts, products

NAME = "wmma_generate"
_LOOPS: Final = ("iii", "jjj", "kkk")
_STOCK: Final = frozenset({(F16, F16), (F16, F32), (I8, I32)})
"""Types of factors and of sums that MLIR's gpu takes to mean exact products."""
_NATURAL: Final = {"AOp": ("i", "k"), "BOp": ("k", "j"), "COp": ("i", "j")}


def apply(matmul: Matmul) -> str:
    """The innermost loops count by matrices; a product of elements becomes one of matrices."""
    loops = matmul.chain(_LOOPS, NAME)
    schedule = matmul.schedule
    (product,) = products(matmul, loops[0])
    _check_types(matmul, product.op)
    _check_instructions(matmul, product.op)
    stage_sums(matmul)
    for loop, size, whole in zip(loops, schedule.matrix, schedule.warp, strict=True):
        if whole % size:
            said = f"the {whole} iterations over %{name_of(loop)} are no multiple of the {size} of matrix"
            fitting = spelled(tuple(-(-w // s) * s for w, s in zip(schedule.warp, schedule.matrix, strict=True)))
            hint = f'give tiles of warps that matrices fill in the schedule, "warp={fitting}" for example'
            raise NotApplicable(loop, f"{said}={spelled(schedule.matrix)}", hint)
    scalars = list(inside(loops[-1]))
    build = Builder(loops[-1].body.entry, loops[-1].body.entry.last, product.op.location)
    a = _load(matmul, build, "AOp", matmul.a, product.a)
    b = _load(matmul, build, "BOp", matmul.b, product.b)
    _use_sums(matmul, product.c)
    c = _load(matmul, build, "COp", matmul.c, product.c)
    total = _total(matmul, build, (a.out, b.out, c.out))
    total.name = "res"
    build(operations_of(matmul).store(total, matmul.sums, c.indices, c.leadDimension))
    for op in reversed(scalars):
        op.erase()
    for loop, size in zip(loops, schedule.matrix, strict=True):
        loop.attributes["step"] = IntegerAttribute(size, INDEX)
    said = f"matrices of {spelled(schedule.matrix)}, lead dimensions {_lead(a.memref)} and {_lead(b.memref)}"
    staged = f"; %{matmul.sums.name} {matmul.sums.type} stands for the tile of C, whose rows are of open length"
    return said + staged * bool(matmul.made.staged)


def _use_sums(matmul: Matmul, scalar: Access) -> None:
    """Let C be read where it is summed, which begins where the tile does if that is a buffer."""
    if matmul.sums is not matmul.c.memref:
        assert isinstance(scalar, affine.Load)
        forms = known_subscripts(scalar)
        starts = (matmul.start(letter) for letter in matmul.c.letters)
        scalar.set_operand(0, matmul.sums)
        move_access(scalar, [form.plus(start, -1) for form, start in zip(forms, starts, strict=True)])


def _total(matmul: Matmul, build: Builder, matrices: tuple[Value, Value, Value]) -> Value:
    """`A B + C`, or `C + alpha (A B)`."""
    a, b, c = matrices
    compute = operations_of(matmul).compute
    if matmul.alpha is None:
        return build(compute(a, b, c)).out
    product = build(compute(a, b, zeros(matmul, build, c.type))).out
    return scaled(matmul, build, product, c)


def zeros(matmul: Matmul, build: Builder, type_: Type) -> Value:
    """A matrix of zeros."""
    element = matmul.c.element
    zero = FloatAttribute(0, element) if element.is_float else IntegerAttribute(0, element)
    number = build(arith.Constant(zero, result_types=[element])).out
    return build(operations_of(matmul).constant(number, result_types=[type_])).out


def scaled(matmul: Matmul, build: Builder, total: Value, summand: Value) -> Value:
    """`summand + alpha total`, element by element."""
    assert matmul.alpha is not None
    kind = "f" if matmul.c.element.is_float else "i"
    operations = operations_of(matmul)
    alpha = build(operations.constant(matmul.alpha, result_types=[total.type])).out
    multiplied, added = (mma.elementwise(f"{name}{kind}") for name in ("mul", "add"))
    product = build(operations.elementwise([total, alpha], multiplied, result_types=[total.type])).out
    return build(operations.elementwise([summand, product], added, result_types=[total.type])).out


def operations_of(matmul: Matmul) -> MatrixOperations:
    """The operations on matrices of the product's types."""
    alike = matmul.a.element is matmul.b.element
    return STOCK if alike and (matmul.a.element, matmul.c.element) in _STOCK else OWN


def _check_types(matmul: Matmul, op: Operation) -> None:
    """Raises `NotApplicable` where precision= is for other types."""
    a, b, c = (matrix.element for matrix in (matmul.a, matmul.b, matmul.c))
    precision = matmul.schedule.precision
    if precision is not None and (a, b, c) != (F32, F32, F32):
        hint = "leave precision= away; products of other types are exact"
        said = f"precision={precision} is for products of f32 summed in f32, not {a} and {b} in {c}"
        raise NotApplicable(op, said, hint)


def _check_instructions(matmul: Matmul, op: Operation) -> None:
    """Raises `NotApplicable` where a matrix does not consist of whole ones of an instruction."""
    if instruction_of(matmul) is None:
        known = dict.fromkeys(spelled(each.shape) for each in _instructions(matmul))
        factor, said = factor_type(matmul), spelled(matmul.schedule.matrix)
        hint = f"give a multiple of {' or '.join(known)}, or of that with rows and columns exchanged, as matrix="
        raise NotApplicable(op, f"matrices of {said} are no whole ones of an instruction for {factor}", hint)


def instruction_of(matmul: Matmul) -> MatrixInstruction | None:
    """What multiplies parts of a matrix on a machine with tensor cores; None if they do not divide it."""
    return next((each for each in _instructions(matmul) if divides(each, matmul.schedule.matrix)), None)


def _instructions(matmul: Matmul) -> list[MatrixInstruction]:
    """Those that take the factors as they are; if there are none, those for which they are converted."""
    factor, total = factor_type(matmul), matmul.c.element
    found = instructions_of(factor, factor, total.accumulator, Architecture.SM_80)
    return [each for each in found if each.factor is factor] or found


def factor_type(matmul: Matmul) -> ScalarType:
    """The type that factors have in registers: that of the wider one."""
    return TF32 if matmul.schedule.precision == "tf32" else common_type(matmul.a.element, matmul.b.element)


def _load(matmul: Matmul, build: Builder, role: str, matrix: Matrix, scalar: Access) -> mma.LoadMatrix:
    indices = [applied(build, form) for form in known_subscripts(scalar)]
    transpose = None if matrix.letters == _NATURAL[role] else UNIT
    lead = IntegerAttribute(_lead(scalar.memref), INDEX)
    type_ = fragment_type(matmul, role, matrix)
    found = build(operations_of(matmul).load(scalar.memref, indices, lead, transpose, result_types=[type_]))
    found.out.name = role[0].lower()
    return found


def fragment_type(matmul: Matmul, role: str, matrix: Matrix) -> mma.MatrixType:
    """The matrix of a role."""
    sizes = dict(zip("ijk", matmul.schedule.matrix, strict=True))
    rows, columns = (sizes[letter] for letter in _NATURAL[role])
    operations = operations_of(matmul)
    element: Type = matrix.element if role == "COp" else factor_type(matmul)
    if operations is STOCK and element is I8:
        element = integer_type(8, Signedness.SIGNED)  # as which gpu knows those that are multiplied with a sign
    return mma.MatrixType(rows, columns, element, role, operations.dialect)


def _lead(memref: Value) -> int:
    """How many elements rows are apart."""
    pitch = pitch_of(memref)
    assert pitch is not None, "what has rows of open length is staged"
    return pitch


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Innermost loops count by matrices; no numbers are computed one by one; lead dimensions are those of the types."""
    loops = matmul.chain(_LOOPS, NAME)
    for loop, size in zip(loops, matmul.schedule.matrix, strict=True):
        if loop.stride != size:
            raise Broken("fragment shape", loop, f"%{name_of(loop)} counts by {loop.stride}, matrices by {size}")
    check_matrices(matmul)
    check_copies(matmul)
    check_visits(matmul, matmul.loop("i", NAME))


def check_matrices(matmul: Matmul) -> None:
    """Types, shapes and lead dimensions of matrices, that nothing else computes, and where they are summed."""
    check_sums(matmul)
    nest = matmul.nest(NAME)
    rest = {*matmul.made.rest, *matmul.made.staged}
    moved = {op for staged in matmul.made.staged for op in staged.walk()}
    for op in nest.walk():
        if rest and not rest.isdisjoint(op.ancestors()):
            continue
        computes = op.name.startswith("arith.") and not isinstance(op, arith.Constant)
        if computes and any(FLOAT_LIKE.accepts(r.type) for r in op.results):
            raise Broken("fragments only", op, f"{op.name} computes numbers one by one")
        if isinstance(op, mma.LoadMatrix | mma.StoreMatrix):
            lead = integer_of(op.leadDimension)
            if lead != _lead(op.memref):
                said = f"%{op.memref.name} is a {op.memref.type}, whose rows are {_lead(op.memref)} apart, not {lead}"
                raise Broken("lead dimension", op, said)
        if isinstance(op, affine.Store) and op.memref is matmul.c.memref and op not in moved:
            raise Broken("fragments only", op, "C is written element by element")
    for one in products(matmul, nest):
        for role, matrix, op in (("AOp", matmul.a, one.a), ("BOp", matmul.b, one.b), ("COp", matmul.c, one.c)):
            assert isinstance(op, mma.LoadMatrix)
            wanted = fragment_type(matmul, role, matrix)
            if op.matrix != wanted or memref_of(op.memref).element != matrix.element:
                raise Broken("fragment types", op, f"the matrix is a {op.matrix}, not a {wanted}")
