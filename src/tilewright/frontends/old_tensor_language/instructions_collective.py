"""Collective instructions and foreach."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NoReturn

from tilewright.dialects import arith, tl
from tilewright.frontends.old_tensor_language.operands import (
    Operand,
    article,
    comma_value,
    constant,
    fixed,
    is_exact,
    number,
    operand,
    written_types,
)
from tilewright.frontends.old_tensor_language.types import spelled
from tilewright.frontends.tensor_language.instruction import Handler, Instruction, plain
from tilewright.frontends.tensor_language.regions import RegionReader
from tilewright.frontends.tensor_language.vocabulary import ATOMIC, TRANSPOSE, Modifier
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import MemrefType, ScalarType, Type, promotable, promote

Build = Callable[[list[Value]], Operation]


def _modifiers(p: RegionReader, word: str, transposes: int) -> list[Modifier | None]:
    """`.n` or `.t` for each operand that may be transposed, then `.atomic`."""
    found = p.modifiers([TRANSPOSE] * transposes + [ATOMIC])
    if None in found[:transposes]:
        count = "`.n` or `.t`" if transposes == 1 else "two of `.n` and `.t`, for A and for B"
        p.error("V1", p.range(p.mnemonic, p.i - 1), f"`{word}` needs {count}").hint("`.n` means: not transposed")
    return found


def _collective(p: RegionReader, build: Build, inputs: int, flags: Mapping[str, Modifier | None]) -> None:
    """Read `alpha, A, .., beta, C : types` and finish the operation."""
    held = [operand(p)]
    for _ in range(inputs):
        held.append(_memref(p))
    p.expect(",")
    held += [operand(p), _memref(p)]
    types = written_types(p, held)
    if p.poisoned:
        p.abandon()
    values = _values(p, held, types)
    if flags.get("atomic"):
        _check_atomic(p, values[-2], len(held) - 2)
    op = build(values)
    for name, flag in flags.items():
        if flag:
            op.attributes[name] = True
    p.finish(op)


def _memref(p: RegionReader) -> Operand:
    index = p.i + 1
    return Operand(comma_value(p), index)


def _element(p: RegionReader, held: Operand, index: int) -> ScalarType:
    """Element type of a memref operand."""
    type_ = None if held.value is None else held.value.type
    if isinstance(type_, MemrefType):
        return type_.element
    p.error(
        "V39", p.range(held.token), f"operand {index} must be a memref, not {spelled(type_) if type_ else 'a literal'}"
    )
    return p.abandon()


def _values(p: RegionReader, held: Sequence[Operand], types: Sequence[Type]) -> list[Value]:
    """The operands as values. The old compiler compared no element types: a literal takes the type that it must have,
    anything else has to fit."""
    last = len(held) - 1
    target = _element(p, held[last], last)
    product = _element(p, held[1], 1)
    for index in range(2, last - 1):
        other = _element(p, held[index], index)
        common = promote(product, other)
        if common is None:
            _refuse(p, held[index], f"{product} and {other} have no common type to multiply in")
        product = common
    alpha = _scalar(p, held[0], types[0], product, "alpha", "the operands")
    for index in range(1, last - 1):
        element = _element(p, held[index], index)
        if not promotable(element, target):
            _refuse(p, held[index], f"{element} is not promotable to {target}, the type of the result")
    beta = _scalar(p, held[last - 1], types[last - 1], target, "beta", "the result")
    inputs = [one.value for one in (*held[1 : last - 1], held[last]) if one.value is not None]
    return [alpha, *inputs[:-1], beta, inputs[-1]]


def _refuse(p: RegionReader, held: Operand, message: str, hint: str = "") -> NoReturn:
    finding = p.error("U5", p.range(held.token), message)
    if held.value is not None:
        finding.label(held.value.location, f"this is {spelled(held.value.type)}")
    finding.hint(hint or "the old compiler compared no element types; all of them have to fit now")
    p.abandon()


def _scalar(p: RegionReader, held: Operand, written: Type, needed: ScalarType, role: str, where: str) -> Value:
    """alpha or beta, in a type that can be promoted to the one needed."""
    if not isinstance(written, ScalarType) or not written.is_number:
        p.error("V39", p.range(held.token), f"{role} must be a number, not {spelled(written)}")
        p.abandon()
    if promotable(written, needed):
        return constant(p, held.token, written) if held.value is None else held.value
    if held.value is None:
        value = number(p, held.token, written)
        if value is None:
            return constant(p, held.token, written)
        if is_exact(value, needed):
            return fixed(p, float(value) if needed.is_float else int(value), needed, held.token)
    message = f"{written} is not promotable to {needed}, the type of {where}; cast {role} first"
    name = p.texts[held.token]
    hint = (
        f"write `cast {name} : {written} -> {needed}` and use its result"
        if held.value
        else f"write {article(str(needed))}"
    )
    _refuse(p, held, message, hint)


def _check_atomic(p: RegionReader, beta: Value, index: int) -> None:
    op = beta.defining_op
    if isinstance(op, arith.Constant) and op.value in (0, 1):
        return
    where = p.places["operand", index].primary
    assert where is not None
    finding = p.error("U1", where, "an atomic update needs beta 0 or 1")
    finding.hint("scale C first in a separate kernel, or drop .atomic")
    p.abandon()


def _one_transpose(build: Build, inputs: int) -> Handler:
    def read(p: RegionReader, word: str) -> None:
        transpose, atomic = _modifiers(p, word, 1)
        _collective(p, build, inputs, {"transpose": transpose, "atomic": atomic})

    return read


def _no_transpose(build: Build) -> Handler:
    def read(p: RegionReader, word: str) -> None:
        (atomic,) = p.modifiers((ATOMIC,))
        _collective(p, build, 2, {"atomic": atomic})

    return read


def _gemm(p: RegionReader, word: str) -> None:
    transpose_a, transpose_b, atomic = _modifiers(p, word, 2)
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b, "atomic": atomic}
    _collective(p, lambda v: tl.Gemm(v[0], v[1], v[2], v[3], v[4]), 2, flags)


_HADAMARD: Final = plain(_no_transpose(lambda v: tl.Hadamard(v[0], v[1], v[2], v[3], v[4])))

INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "axpby": plain(_one_transpose(lambda v: tl.Axpby(v[0], v[1], v[2], v[3]), 1)),
    "sum": plain(_one_transpose(lambda v: tl.Sum(v[0], v[1], v[2], v[3]), 1)),
    "gemm": plain(_gemm),
    "gemv": plain(_one_transpose(lambda v: tl.Gemv(v[0], v[1], v[2], v[3], v[4]), 2)),
    "ger": plain(_no_transpose(lambda v: tl.Ger(v[0], v[1], v[2], v[3], v[4]))),
    "hadamard": _HADAMARD,
    "hadamard_product": _HADAMARD,
}
