"""The text, in MLIR, of the program for a class of contractions: all extents and strides but 1 are open.

    func.func @matmul(%a: memref<?x?xf16, strided<[?, 1]>>, .., %out: ..) {
      scf.parallel (%p0) = .. { fill, product of matrices, what follows it element by element }
    }

Sums that something follows lie in an allocation as large as any result, of which a view is used. No code has it: what
follows a product is computed while its sums are in registers (`fuse-epilogues`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators import epilogues
from tilewright.operators.contractions import COLUMNS, PARTIAL, PARTS, ROWS, TERMS, Arranged, Arrangement
from tilewright.operators.epilogues import Body, new_body

LARGEST: Final = 1 << 28
"""The longest rows and columns of a result whose sums something follows: the allocation has 2^59 bytes at most."""

NAME: Final = "matmul"

_RUN: Final = 256
"""Elements of a row whose parts are added at a time."""


class Parameter(Struct, frozen=True):
    """An array of a program: its modes from the one with the largest stride on, extents and strides, None if open."""

    name: str
    dtype: str
    modes: tuple[str, ...]
    extents: tuple[int | None, ...]
    strides: tuple[int | None, ...]

    @property
    def type(self) -> str:
        """Its memref type."""
        layout = f", strided<[{_numbers(self.strides)}]>" if self.modes else ""
        return f"memref<{_shape(self.extents)}{self.dtype}{layout}>"

    @property
    def matrix_modes(self) -> tuple[str, ...]:
        """Those that are no loops."""
        return tuple(mode for mode in self.modes if mode in _OF_MATRICES)

    @property
    def matrix_type(self) -> str:
        """What is left of it in the loops."""
        if self.matrix_modes == self.modes:
            return self.type
        kept = [k for k, mode in enumerate(self.modes) if mode in _OF_MATRICES]
        strides = _numbers([self.strides[k] for k in kept])
        return f"memref<{_shape([self.extents[k] for k in kept])}{self.dtype}, strided<[{strides}], offset: ?>>"


_OF_MATRICES: Final = (ROWS, COLUMNS, TERMS)


def _numbers(values: Sequence[int | None]) -> str:
    return ", ".join("?" if value is None else str(value) for value in values)


def _shape(extents: Sequence[int | None]) -> str:
    return "".join("?x" if extent is None else f"{extent}x" for extent in extents)


class ProgramClass(Struct, frozen=True):
    """What a program is made for: the rest only its launches know.

    `parameters` are factors, or the sums of the parts of a product, further arrays in the order of `steps`, and the
    result; `accumulate` is the type of sums,
    `compute` that of the epilogue. `steps` are those of an epilogue; `scaled` says whether sums are multiplied by
    `alpha`, `added` whether `beta` times the array `c` (or, without it, the result) is added, `rounded` whether the
    product itself cannot be rounded to the type of the result. There is `room` for so many rows and columns of sums.
    Modes that are `fixed` have the same extent in all launches.
    """

    loops: int
    parameters: tuple[Parameter, ...]
    accumulate: str
    compute: str
    steps: tuple[str, ...] = ()
    scaled: bool = False
    added: bool = False
    rounded: bool = False
    room: int = LARGEST
    fixed: tuple[tuple[str, int], ...] = ()

    @property
    def out(self) -> Parameter:
        """The result."""
        return self.parameters[-1]

    @property
    def partial(self) -> Parameter | None:
        """Sums of some of the terms each, which are there."""
        return self.parameters[0] if self.parameters[0].name == PARTIAL else None

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """The arrays of the epilogue."""
        return self.parameters[2 if self.partial is None else 1 : -1]

    def size(self, mode: str) -> str:
        """The extent of a mode, as an index."""
        known = dict(self.fixed).get(mode)
        return f"%{mode}s" if known is None else str(known)

    @property
    def matrix_modes(self) -> tuple[str, ...]:
        """Those of a product of matrices, or of a vector and a matrix."""
        return tuple(mode for mode in _OF_MATRICES if any(mode in one.modes for one in self.parameters))

    @property
    def loop_modes(self) -> list[str]:
        """Those around a product of matrices."""
        return [f"p{k}" for k in range(self.loops)]

    @property
    def is_plain(self) -> bool:
        """Whether sums are stored as they are."""
        return not (self.steps or self.scaled or self.added or self.rounded)

    @property
    def reads_result(self) -> bool:
        """Whether `beta` is multiplied with what the result holds."""
        return self.added and all(one.name != "c" for one in self.parameters)

    @property
    def scalars(self) -> tuple[str, ...]:
        """Numbers that a launch passes in front of the arrays."""
        return ("alpha",) * self.scaled + ("beta",) * self.added


def parameters_of(arrangement: Arrangement, fixed: Sequence[str]) -> tuple[Parameter, ...]:
    """The arrays of a program for an arrangement, whose extents are constant along modes that are fixed, and so are
    strides along those of matrices, but for rows that are as far apart as an open mode is long."""

    def stride(one: Arranged, k: int) -> int | None:
        inner = [mode for mode in one.modes[k + 1 :] if mode in _OF_MATRICES and mode not in fixed]
        is_known = one.modes[k] in fixed and one.modes[k] in _OF_MATRICES and not inner
        return one.strides[k] if is_known or (one.unit and k == len(one.modes) - 1) else None

    return tuple(
        Parameter(
            one.name,
            one.dtype,
            one.modes,
            tuple(extent if mode in fixed else None for mode, extent in zip(one.modes, one.shape, strict=True)),
            tuple(stride(one, k) for k in range(len(one.modes))),
        )
        for one in arrangement.operands
    )


def program_text(wanted: ProgramClass) -> str:
    """The program of a class."""
    scalars = [f"%{name}: {wanted.compute}" for name in wanted.scalars]
    arrays = [f"%{one.name}: {one.type}" for one in wanted.parameters]
    lines = [*_extents(wanted)]
    partial = wanted.partial
    if partial is None:
        lines += _loops(wanted.loop_modes, _product(wanted))
    else:
        lines += _added(wanted, partial)
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @{NAME}({', '.join([*scalars, *arrays])}) {{\n{body}\n  return\n}}\n"


def _loops(modes: Sequence[str], body: Iterable[str]) -> Iterator[str]:
    """A body for each position along some modes, `%p0` and so on, in no order."""
    if not modes:
        yield from body
        return
    names, zeros, uppers, ones = (
        ", ".join(form.format(mode) for mode in modes) for form in ("%{}", "%c0", "%{}s", "%c1")
    )
    yield f"scf.parallel ({names}) = ({zeros}) to ({uppers}) step ({ones}) {{"
    yield from (f"  {line}" for line in body)
    yield "}"


def _extents(wanted: ProgramClass) -> Iterator[str]:
    """Constants, and the extents of all modes: `%p0s`, `%ms` and so on."""
    zero = "0" if wanted.accumulate.startswith("i") else "0.0"
    yield f"%zero = arith.constant {zero} : {_sum_type(wanted)}"
    for k in range(max(len(one.modes) for one in wanted.parameters) + 1):
        yield f"%c{k} = arith.constant {k} : index"
    told: set[str] = set()
    for one in (wanted.out, *wanted.parameters):
        for k, mode in enumerate(one.modes):
            if mode not in told:
                told.add(mode)
                yield f"%{mode}s = memref.dim %{one.name}, %c{k} : {one.type}"


def _sum_type(wanted: ProgramClass) -> str:
    """What a product is rounded to before anything follows it."""
    return wanted.out.dtype if wanted.is_plain and wanted.partial is None else wanted.accumulate


def _product(wanted: ProgramClass) -> Iterator[str]:
    for one in wanted.parameters:
        yield from _matrix(wanted, one)
    if wanted.is_plain:
        sums, type_ = _seen(wanted.out), wanted.out.matrix_type
    else:
        modes = wanted.matrix_modes[:-1]
        known = dict(wanted.fixed)
        extents = tuple(known.get(mode) for mode in modes)
        room = [extent or wanted.room for extent in extents]
        sums = Parameter("sums", wanted.accumulate, modes, extents, (room[-1], 1)[-len(modes) :])
        type_ = sums.type
        zeros, sizes, ones = (
            ", ".join(what) for what in (["0"] * len(modes), map(wanted.size, modes), ["1"] * len(modes))
        )
        whole = f"memref<{_shape(room)}{wanted.accumulate}>"
        yield f"%all = memref.alloc() : {whole}"
        yield f"%sums = memref.subview %all[{zeros}] [{sizes}] [{ones}] : {whole} to {type_}"
    yield f"linalg.fill ins(%zero : {sums.dtype}) outs(%{sums.name} : {type_})"
    yield from _contraction(wanted, sums, type_)
    if not wanted.is_plain:
        yield from _epilogue(wanted, sums, type_)


def _added(wanted: ProgramClass, partial: Parameter) -> Iterator[str]:
    """Elements of the result, some of a row at a time: sums of those of all parts, in their order, and what follows."""
    out = wanted.out
    modes = [*wanted.loop_modes, ROWS, COLUMNS]
    names, zeros, uppers = (", ".join(form.format(mode) for mode in modes) for form in ("%{}", "%c0", "%{}s"))
    steps = ", ".join([*("%c1" for _ in modes[1:]), "%run"])
    yield f"%run = arith.constant {_RUN} : index"
    yield f"scf.parallel ({names}) = ({zeros}) to ({uppers}) step ({steps}) {{"
    yield f"  %rest = arith.subi %{COLUMNS}s, %{COLUMNS} : index"
    yield "  %width = arith.minsi %rest, %run : index"
    yield from (f"  {line}" for line in _added_run(wanted, partial, out))
    yield "}"


def _added_run(wanted: ProgramClass, partial: Parameter, out: Parameter) -> Iterator[str]:
    count, element = dict(wanted.fixed)[PARTS], partial.dtype
    views = [(f"{PARTS}{k}", partial, str(k)) for k in range(count)]
    views += [(one.name, one, "") for one in (*wanted.inputs, out)]
    for name, one, part in views:
        offsets = ", ".join(part if mode == PARTS else f"%{mode}" for mode in one.modes)
        sizes = ", ".join("%width" if mode == COLUMNS else "1" for mode in one.modes)
        ones = ", ".join("1" for _ in one.modes)
        yield f"%{name}r = memref.subview %{one.name}[{offsets}] [{sizes}] [{ones}] : {one.type} to {_run_type(one)}"
    body = new_body(element)
    total = f"%e_{PARTS}0"
    for k in range(1, count):
        total = body.add(total, f"%e_{PARTS}{k}")
    total = body.converted(total, element, wanted.compute)
    body.element = wanted.compute
    total = _steps(wanted, body, {one.name: one.dtype for one in (*wanted.inputs, out)}, total)
    total = body.converted(total, wanted.compute, out.dtype)
    maps = ", ".join(f"affine_map<(n) -> ({'n' if COLUMNS in one.modes else ''})>" for _, one, _ in views)
    given, types = (
        ", ".join(what) for what in zip(*((f"%{name}r", _run_type(one)) for name, one, _ in views[:-1]), strict=True)
    )
    arguments = ", ".join(f"%e_{name}: {one.dtype}" for name, one, _ in views)
    into = f"%{out.name}r : {_run_type(out)}"
    yield from _generic(maps, '"parallel"', f"{given} : {types}", into, arguments, body, f"{total} : {out.dtype}")


def _generic(maps: str, kinds: str, given: str, into: str, arguments: str, body: Body, result: str) -> Iterator[str]:
    """One operation; operands and the result of its body stand with their types."""
    yield f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
    yield f"    ins({given}) outs({into}) {{"
    yield f"  ^bb0({arguments}):"
    yield from (f"    {statement.text}" for statement in body.statements)
    yield f"    linalg.yield {result}"
    yield "}"


def _run_type(one: Parameter) -> str:
    """Of some elements of a row."""
    if COLUMNS not in one.modes:
        return f"memref<{one.dtype}, strided<[], offset: ?>>"
    return f"memref<?x{one.dtype}, strided<[{_numbers([one.strides[one.modes.index(COLUMNS)]])}], offset: ?>>"


def _seen(one: Parameter) -> Parameter:
    """An array under the name that it has in loops."""
    return replace(one, name=_matrix_name(one))


def _matrix_name(one: Parameter) -> str:
    return one.name if one.matrix_modes == one.modes else f"{one.name}m"


def _matrix(wanted: ProgramClass, one: Parameter) -> Iterator[str]:
    """What a loop sees of an array."""
    if one.matrix_modes == one.modes:
        return
    offsets = ", ".join("0" if mode in one.matrix_modes else f"%{mode}" for mode in one.modes)
    sizes = ", ".join(wanted.size(mode) if mode in one.matrix_modes else "1" for mode in one.modes)
    ones = ", ".join("1" for _ in one.modes)
    yield (
        f"%{_matrix_name(one)} = memref.subview %{one.name}[{offsets}] [{sizes}] [{ones}] : {one.type} to "
        f"{one.matrix_type}"
    )


def _maps(domain: Sequence[str], operands: Sequence[Parameter]) -> str:
    """Which elements operands have at a point of loops."""
    loops = ", ".join(domain)
    return ", ".join(f"affine_map<({loops}) -> ({', '.join(one.matrix_modes)})>" for one in operands)


def _contraction(wanted: ProgramClass, sums: Parameter, sums_type: str) -> Iterator[str]:
    factors = wanted.parameters[:2]
    maps = _maps(wanted.matrix_modes, (*factors, sums))
    names, types = (
        ", ".join(what) for what in ([f"%{_matrix_name(one)}" for one in factors], [one.matrix_type for one in factors])
    )
    kinds = ", ".join(['"parallel"'] * (len(wanted.matrix_modes) - 1) + ['"reduction"'])
    body = new_body(sums.dtype)
    x, y = (body.converted(f"%x{k}", one.dtype, sums.dtype) for k, one in enumerate(factors))
    total = body.add("%so_far", body.multiply(x, y))
    arguments = ", ".join([*(f"%x{k}: {one.dtype}" for k, one in enumerate(factors)), f"%so_far: {sums.dtype}"])
    into = f"%{sums.name} : {sums_type}"
    yield from _generic(maps, kinds, f"{names} : {types}", into, arguments, body, f"{total} : {sums.dtype}")


def _epilogue(wanted: ProgramClass, sums: Parameter, sums_type: str) -> Iterator[str]:
    inputs, out = wanted.inputs, wanted.out
    maps, kinds = _maps(sums.modes, (sums, *inputs, out)), ", ".join(['"parallel"'] * len(sums.modes))
    names = ", ".join([f"%{sums.name}", *(f"%{_matrix_name(one)}" for one in inputs)])
    types = ", ".join([sums_type, *(one.matrix_type for one in inputs)])
    elements = {one.name: one.dtype for one in (*inputs, out)}
    arguments = ", ".join([f"%x: {sums.dtype}", *(f"%e_{name}: {dtype}" for name, dtype in elements.items())])
    body = new_body(wanted.compute)
    total = _steps(wanted, body, elements, body.converted("%x", wanted.accumulate, wanted.compute))
    total = body.converted(total, wanted.compute, out.dtype)
    into = f"%{_matrix_name(out)} : {out.matrix_type}"
    yield from _generic(maps, kinds, f"{names} : {types}", into, arguments, body, f"{total} : {out.dtype}")


def _steps(wanted: ProgramClass, body: Body, elements: dict[str, str], x: str) -> str:
    """What a sum becomes, which has the type of the epilogue."""

    def element(name: str) -> str:
        return body.converted(f"%e_{name}", elements[name], wanted.compute)

    if wanted.scaled:
        x = body.multiply(x, "%alpha")
    if wanted.added:
        x = body.add(x, body.multiply(element(wanted.out.name if wanted.reads_result else "c"), "%beta"))
    for number, step in enumerate(wanted.steps, 1):
        body.rounded = wanted.out.dtype if number == len(wanted.steps) else ""
        x = epilogues.apply(body, step, x, element(step) if step in epilogues.OPERAND_STEPS else None)
    return x
