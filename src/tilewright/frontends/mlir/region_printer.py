"""Prints custom forms with regions: functions, loops and branches, bodies of linalg; and whole files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, cast

from tilewright.dialects.mlir import affine, func, linalg, linalg_dimensions, scf
from tilewright.dialects.mlir.base import MlirOperation, integer_of, integers_of
from tilewright.frontends.mlir.bodies import is_implied
from tilewright.frontends.mlir.memory_printer import MemoryPrinter
from tilewright.ir.affine import AffineConstant, AffineMap, AffineSymbol
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Region, Value
from tilewright.ir.mlir.attributes import OpaqueAttribute
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.spelling import spell, spell_key
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.types import INDEX

_NO_OVERFLOW: Final = OpaqueAttribute(("#arith.overflow<none>",))
"""What the tool writes of integers that may overflow."""


def print_custom(file: MlirFile) -> str:
    """The text of a file, in custom forms as far as there are any."""
    return RegionPrinter(file, file.locations, lambda op: op.name).text()


class RegionPrinter(MemoryPrinter):
    """Prints forms that have regions."""

    def has_form(self, op: MlirOperation) -> bool:
        return not isinstance(op, linalg.Structured) or is_implied(op)

    def with_regions(self, op: MlirOperation, part: str, indent: str) -> Steps[None]:
        match op:
            case func.Func():
                return self._function(op, indent)
            case scf.For():
                return self._loop(op, indent)
            case scf.If():
                condition = f"{self.names.of(op.condition)}{self.arrow(op.outs, parentheses=True)}"
                return self._branches(op, condition, indent)
            case affine.If():
                condition = f"{self.applied(op.condition, op.values)}{self.arrow(op.outs)}"
                return self._branches(op, condition, indent, ("condition",))
            case scf.While():
                return self._while(op, indent)
            case scf.Parallel():
                return self._parallel(op, indent)
            case scf.Reduce():
                return self._reduce(op, indent)
            case affine.For():
                return self._affine_loop(op, indent)
            case affine.Parallel():
                return self._affine_parallel(op, indent)
            case linalg.Generic():
                return self._generic(op, indent)
            case linalg.Named():
                return _nothing()
            case linalg_dimensions.Mapper():
                return self._mapper(op, indent)
            case linalg_dimensions.Moved():
                return self._moved(op)
            case _:
                raise AssertionError(f"no custom form of {op.name} has regions")

    # Functions

    def _function(self, op: func.Func, indent: str) -> Steps[None]:
        visibility = f"{op.sym_visibility} " if op.sym_visibility else ""
        self.write(f" {visibility}@{spell_key(op.sym_name)}({', '.join(self._parameters(op))}){self._returned(op)}")
        others = self.dictionary(op, ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"))
        self.write(f" attributes{others}" if others else "")
        if not op.is_declaration:
            yield self.braced(op.body, indent, named=False)

    def _parameters(self, op: func.Func) -> list[str]:
        arguments = [] if op.is_declaration else op.body.entry.arguments
        found: list[str] = []
        for number, type_ in enumerate(op.function_type.inputs):
            name = f"{self.names.of(arguments[number])}: " if arguments else ""
            location = self.location(arguments[number]) if arguments else ""
            found.append(f"{name}{self.type(type_)}{self._spelled(op.attributes_of(number))}{location}")
        return found

    def _returned(self, op: func.Func) -> str:
        types = op.function_type.results
        attributes = [cast("dict[str, Attribute]", a) if isinstance(a, dict) else {} for a in op.res_attrs]
        parts = [f"{self.type(t)}{self._spelled(a or {})}" for t, a in zip_longest(types, attributes)]
        if not parts:
            return ""
        alone = len(parts) == 1 and not any(attributes) and not parts[0].startswith("(")
        return f" -> {parts[0]}" if alone else f" -> ({', '.join(parts)})"

    def _spelled(self, attributes: dict[str, Attribute]) -> str:
        return f" {spell(attributes, self.aliases)}" if attributes else ""

    # Loops and branches of scf

    def carried(self, region: Region, inits: Sequence[Value], skipped: int) -> str:
        """`(%a = %x, ..)`."""
        arguments = region.entry.arguments[skipped:]
        pairs = zip(map(self.names.of, arguments), map(self.names.of, inits), strict=True)
        return f"({', '.join(f'{name} = {init}' for name, init in pairs)})"

    def _iterated(self, region: Region, inits: Sequence[Value], *, parentheses: bool) -> str:
        """` iter_args(..) -> (T, ..)`."""
        if not inits:
            return ""
        return f" iter_args{self.carried(region, inits, 1)}{self.arrow(inits, parentheses=parentheses)}"

    def _loop(self, op: scf.For, indent: str) -> Steps[None]:
        index = op.body.entry.arguments[0]
        unsigned = " unsigned" if op.attributes.get("unsignedCmp") is not None else ""
        lower, upper, step = map(self.names.of, (op.lowerBound, op.upperBound, op.step))
        self.write(f"{unsigned} {self.names.of(index)} = {lower} to {upper} step {step}")
        self.write(self._iterated(op.body, op.initArgs, parentheses=True))
        self.write("" if index.type is INDEX else f"  : {self.type(index.type)}")
        yield self.braced(op.body, indent, named=False, ends=bool(op.initArgs))
        self.write(self.dictionary(op, ("unsignedCmp",)))

    def _branches(self, op: scf.If | affine.If, condition: str, indent: str, said: tuple[str, ...] = ()) -> Steps[None]:
        self.write(f" {condition}")
        yield self.braced(op.thenRegion, indent, ends=bool(op.outs))
        if op.elseRegion.blocks:
            self.write(" else")
            yield self.braced(op.elseRegion, indent, ends=bool(op.outs))
        self.write(self.dictionary(op, said))

    def _while(self, op: scf.While, indent: str) -> Steps[None]:
        carried = f" {self.carried(op.before, op.inits, 0)}" if op.inits else ""
        self.write(f"{carried} : ({self.types_of(op.inits)}){self.arrow(op.outs) or ' -> ()'}")
        yield self.braced(op.before, indent, named=False)
        self.write(" do")
        yield self.braced(op.after, indent)
        self.write(self.dictionary(op, ()))

    def _parallel(self, op: scf.Parallel, indent: str) -> Steps[None]:
        parts = [f"({self.values(values)})" for values in (op.body.entry.arguments, op.lowerBound, op.upperBound)]
        inits = f" init ({self.values(op.initVals)})" if op.initVals else ""
        self.write(f" {parts[0]} = {parts[1]} to {parts[2]} step ({self.values(op.step)}){inits}{self.arrow(op.outs)}")
        yield self.braced(op.body, indent, named=False)
        self.write(self.dictionary(op, ()))

    def _reduce(self, op: scf.Reduce, indent: str) -> Steps[None]:
        for number, region in enumerate(op.regions):
            self.write("," if number else f"({self.typed(op.operands)})")
            yield self.braced(region, indent)
        self.write(self.dictionary(op, ()))

    # Loops of affine

    def _bound(self, map_: AffineMap, values: list[Value], word: str) -> str:
        match map_.results:
            case (AffineConstant(number),) if not values:
                return str(number)
            case (AffineSymbol(0),) if (map_.dimensions, map_.symbols) == (0, 1):
                return self.names.of(values[0])
            case results:
                prefix = f"{word} " if len(results) > 1 else ""
                return prefix + self.applied(map_, values)

    def _affine_loop(self, op: affine.For, indent: str) -> Steps[None]:
        lower = self._bound(op.lowerBoundMap, op.lowerBoundOperands, "max")
        upper = self._bound(op.upperBoundMap, op.upperBoundOperands, "min")
        index = op.body.entry.arguments[0]
        self.write(f" {self.names.of(index)}{self.location(index)} = {lower} to {upper}")
        self.write("" if op.stride == 1 else f" step {op.stride}")
        self.write(self._iterated(op.body, op.inits, parentheses=True))
        yield self.braced(op.body, indent, named=False, ends=bool(op.inits))
        self.write(self.dictionary(op, ("lowerBoundMap", "upperBoundMap", "step")))

    def _affine_parallel(self, op: affine.Parallel, indent: str) -> Steps[None]:
        lower = self._grouped(op.lowerBoundsMap, op.lower_operands, op.lowerBoundsGroups, "max")
        upper = self._grouped(op.upperBoundsMap, op.upper_operands, op.upperBoundsGroups, "min")
        self.write(f" ({self.values(op.body.entry.arguments)}) = ({lower}) to ({upper})")
        steps = integers_of(op.steps)
        self.write("" if set(steps) <= {1} else f" step ({', '.join(map(str, steps))})")
        if op.reductions:
            names = {number: name for name, number in affine.REDUCTIONS.items()}
            kinds = ", ".join(f'"{names[integer_of(r)]}"' for r in op.reductions)
            self.write(f" reduce ({kinds}){self.arrow(op.outs, parentheses=True)}")
        yield self.braced(op.body, indent, named=False, ends=bool(op.outs))
        said = ("lowerBoundsMap", "upperBoundsMap", "lowerBoundsGroups", "upperBoundsGroups", "steps", "reductions")
        self.write(self.dictionary(op, said))

    def _grouped(self, map_: AffineMap, values: list[Value], groups: Attribute, word: str) -> str:
        """`e, max(e, e), ..`."""
        results = iter(self.results_of_map(map_, values))
        parts: list[str] = []
        for size in integers_of(groups):
            some = [next(results) for _ in range(size)]
            parts.append(some[0] if size == 1 else f"{word}({', '.join(some)})")
        return ", ".join(parts)

    # linalg

    def _generic(self, op: linalg.Generic, indent: str) -> Steps[None]:
        kinds = tuple(linalg.iterator_name(kind) for kind in op.iterator_types)
        said: dict[str, Attribute] = {"indexing_maps": op.indexing_maps, "iterator_types": kinds}
        said |= {key: op.attributes[key] for key in ("doc", "library_call") if op.attributes.get(key) is not None}
        self.write(f" {spell(dict(sorted(said.items())), self.aliases)}{self.groups(op)}")
        others = self.dictionary(op, said)
        self.write(f" attrs = {others}" if others else "")
        yield self.braced(op.body, indent)
        self.write(self.arrow(op.results))

    def _moved(self, op: linalg_dimensions.OfDimensions) -> Steps[None]:
        said = f" {op.says} = {list(op.numbers)} " if op.says else ""
        self.write(self.groups(op) + said + self.dictionary(op, (op.says,)))
        yield from ()

    def _mapper(self, op: linalg_dimensions.Mapper, indent: str) -> Steps[None]:
        """The tool puts the names of a region on a line of their own."""
        payload = op.payload
        if isinstance(payload, MlirOperation):
            self.write(f" {{ {payload.name}{self._of_payload(payload)} }}")
            yield self._moved(op)
            return
        yield self._moved(op)
        names = [f"{self.names.of(a)}: {self.type(a.type)}{self.location(a)}" for a in op.body.entry.arguments]
        self.lines.append(f"{indent}  ({', '.join(names)})")
        yield self.braced(op.body, indent + "  ", named=False)

    def _of_payload(self, op: MlirOperation) -> str:
        """All attributes but the flags that say nothing of floats."""
        shown = {name.removesuffix("_"): value for name, value in op.attributes.items() if value is not None}
        if "overflowFlags" in op.definition.attributes:
            shown.setdefault("overflowFlags", _NO_OVERFLOW)
        if spell(shown.get("fastmath", ()), self.aliases).endswith("<none>"):
            shown.pop("fastmath")
        return self._spelled(dict(sorted(shown.items())))


def _nothing() -> Steps[None]:
    """No regions are printed: they follow from the name."""
    yield from ()
