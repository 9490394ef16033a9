"""Reads the custom forms of operations that declarations spell word by word."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from typing import Final, NoReturn, cast

from tilewright.diagnostics import Location, SourceRange
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.dialects.mlir import arith, mma
from tilewright.dialects.mlir.base import BOOLEAN_TYPE, INDEX_TYPE, UNSUPPORTED, MlirOperation
from tilewright.frontends.mlir.draft import Draft
from tilewright.frontends.mlir.exact import exact_operation
from tilewright.frontends.mlir.other_names import FORMER, SHORT
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.mlir.attributes import (
    DenseArray,
    FloatAttribute,
    IntegerAttribute,
    OpaqueAttribute,
    SymbolReference,
)
from tilewright.ir.mlir.codes import COUNTS, WORDS
from tilewright.ir.mlir.cursor import Abort
from tilewright.ir.mlir.dense import DenseElements
from tilewright.ir.mlir.operation_text import OperationText
from tilewright.ir.mlir.reader import FileReader
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.mlir.value_text import Use
from tilewright.ir.types import BOOL, I32, I64, INDEX, Type

_LINE: Final = re.compile(
    r'[ \t]*+(?:%[\w$.:#, \t%-]*+=(?!=)|"(?=[^"\n]*"\()|\^|\{-#|[!#][\w$-]++[ \t]*+=(?!=)'
    r"|(?:func|affine|scf|memref|arith|math|linalg|cf|gpu|vector|tensor|llvm|std)\.[a-z]"
    rf"|(?:{'|'.join(SHORT)})\b)"
)
_PROPERTY: Final = re.compile(r"<([a-z_, ]*)>")


@cache
def words_of(assembly: str) -> tuple[str, ...]:
    """The words of a form; those in quotes lose them."""
    return tuple(word.strip("'") if len(word) > 2 and word[0] == "'" else word for word in assembly.split())


class FormReader(FileReader):
    """Reads operations whose forms are words; parts with code of their own are methods here and in classes derived."""

    def begins(self, text: str, line: int) -> bool:
        return _LINE.match(text, line) is not None

    def named(self, draft: OperationText, name: str, place: SourceRange) -> None:
        super().named(draft, FORMER.get(name, name), place)

    def operation(self, draft: OperationText, block: Block) -> Steps[None]:
        if self.at('"'):
            yield super().operation(draft, block)
            return
        start = self.position
        written = self.word("an operation")
        place = self.range_from(start)
        self.named(draft, SHORT.get(written, written), place)
        name = draft.name
        if name == "builtin.module":
            yield self.module(draft, block)
            return
        found = self.dialects.get(name)
        if found is None or not issubclass(found, MlirOperation):
            self._refuse(name, draft)
        custom = Draft(draft.start, draft.names, name, place, cls=found)
        yield self.form(custom)
        self.end_of(custom, block)

    def _refuse(self, name: str, draft: OperationText) -> NoReturn:
        assert draft.name_place is not None
        finding = self.error(UNSUPPORTED, draft.name_place, f"the custom form of {name[:80]} is not read here")
        dialect, _, own = name.rpartition(".")
        siblings = {known[len(dialect) + 1 :]: known for known in self.dialects if known.startswith(f"{dialect}.")}
        meant = [siblings[one] for one in nearest(own, siblings)] if siblings else nearest(name, self.dialects)
        if meant:
            finding.hint(did_you_mean(meant))
        elif siblings:
            finding.hint(f"`tilewright explain {UNSUPPORTED}` says where the operations of {dialect} are that are read")
        elif dialect:
            finding.hint("`mlir-opt --mlir-print-op-generic` prints operations in the form that all have in common")
        raise Abort

    def module(self, draft: OperationText, block: Block) -> Steps[None]:
        """`module @name attributes {..} { .. }`. Readers of regions give it."""
        raise NotImplementedError

    # Words

    def form(self, draft: Draft) -> Steps[None]:
        """All words of the form."""
        words = words_of(draft.cls.form.words)
        yield self._words(draft, words)

    def _words(self, draft: Draft, words: Sequence[str]) -> Steps[None]:
        position = 0
        while position < len(words):
            word = words[position]
            position += 1
            if word == "[?":
                end = words.index("]?", position)
                if self.at("%"):
                    yield self._words(draft, words[position:end])
                position = end + 1
            elif word[0] == "<":
                step = self.part(draft, word[1:-1])
                if step is not None:
                    yield step
            elif word[0] == "$":
                self._read_operand(draft, word[1:])
            elif word[0] == "@":
                self._read_type(draft, word[1:])
            elif word[0].isalpha():
                self.expect_word(word)
            else:
                self.expect(word)

    def part(self, draft: Draft, name: str) -> Generator[object, object, None] | None:
        """A part with code of its own: read at once, or steps that read it."""
        _PARTS[name](self, draft)
        return None

    def _read_operand(self, draft: Draft, key: str) -> None:
        if draft.cls.definition.operands[key].variadic:
            draft.add(key, self.uses())
        else:
            draft.add(key, [self.use()])

    def uses(self) -> list[Use]:
        """Values with commas between them, maybe none."""
        found: list[Use] = []
        while self.at("%"):
            found.append(self.use())
            if not self.accept(","):
                break
        return found

    def _read_type(self, draft: Draft, key: str) -> None:
        definition = draft.cls.definition
        if key in definition.results:
            draft.results = [self.type()]
            return
        start = self.position
        found = self.types_with_commas() if definition.operands[key].variadic else [self.type()]
        if len(found) != len(draft.operands[key]):
            said = f"{len(found)} types for {len(draft.operands[key])} operands"
            self.fail(said, COUNTS, self.range_from(start))
        draft.types[key] = found

    def types_with_commas(self) -> list[Type]:
        """`T, ..`, at least one."""
        found = [self.type()]
        while self.accept(","):
            found.append(self.type())
        return found

    # Parts of one word

    def attributes(self, draft: Draft) -> None:
        """`{name = value, ..}`, if it is there."""
        if self.at("{"):
            draft.attributes.update(self.dictionary())

    def _flags(self, draft: Draft, word: str, key: str, prefix: str) -> None:
        if self.peek_word() != word:
            return
        self.expect_word(word)
        start = self.position
        found = _PROPERTY.match(self.text, start)
        if found is None:
            self.fail(f"expected the flags of {word}, such as <none>")
        self.position = self.end = found.end()
        self.skip()
        draft.attributes[key] = OpaqueAttribute((f"{prefix}<{found[1]}>",))

    def fastmath(self, draft: Draft) -> None:
        """`fastmath<flags>`."""
        if draft.cls is arith.TruncF and self.peek_word() in ROUNDINGS:
            number = ROUNDINGS.index(self.word("a rounding mode"))
            draft.attributes["roundingmode"] = IntegerAttribute(number, I64)
        self._flags(draft, "fastmath", "fastmath", "#arith.fastmath")

    def overflow(self, draft: Draft) -> None:
        """`overflow<flags>`."""
        self._flags(draft, "overflow", "overflowFlags", "#arith.overflow")

    def predicate(self, draft: Draft) -> None:
        """The relation of a comparison."""
        known = arith.INTEGER_PREDICATES if draft.cls is arith.CmpI else arith.FLOAT_PREDICATES
        start = self.position
        word = self.word("a predicate")
        if word not in known:
            place = self.range_from(start)
            self.fail(f"there is no predicate {word[:80]!r}; there are {', '.join(known)}", WORDS, place)
        draft.attributes["predicate"] = IntegerAttribute(known.index(word), I64)

    def constant(self, draft: Draft) -> None:
        """`value : type`."""
        self.attributes(draft)
        start = self.position
        value = self.attribute()
        draft.attributes["value"] = value
        draft.results = [self._type_of(value, start)]

    def _type_of(self, value: Attribute, start: int) -> Type:
        match value:
            case bool():
                return BOOL
            case IntegerAttribute() | FloatAttribute() | DenseElements():
                return value.type
            case _:
                return self.fail("a constant is a number with its type", WORDS, self.range_from(start))

    def select(self, draft: Draft) -> None:
        """`%c, %x, %y : T`; the type of the condition stands in front where it is no i1."""
        for key in ("condition", "true_value", "false_value"):
            if key != "condition":
                self.expect(",")
            draft.add(key, [self.use()])
        self.attributes(draft)
        self.expect(":")
        found = self.types_with_commas()
        draft.types["condition"] = [found[0] if len(found) == 2 else BOOL]
        draft.types["true_value"] = draft.types["false_value"] = [found[-1]]

    def callee(self, draft: Draft) -> None:
        """`@name`."""
        draft.attributes["callee"] = self.symbol_reference()

    def symbol_reference(self) -> SymbolReference:
        """`@name::@nested`."""
        start = self.position
        found = self.attribute()
        if not isinstance(found, SymbolReference):
            self.fail("expected a symbol, such as @name", WORDS, self.range_from(start))
        return found

    def signature(self, draft: Draft) -> None:
        """`(T, ..) -> T`."""
        start = self.position
        types = self.type_list()
        if len(types) != len(draft.operands["values"]):
            said = f"{len(types)} types for {len(draft.operands['values'])} operands"
            self.fail(said, COUNTS, self.range_from(start))
        draft.types["values"] = types
        self.expect("->")
        draft.results = self.result_types()

    def dim(self, draft: Draft) -> None:
        """The number of a loop."""
        draft.attributes["dim"] = IntegerAttribute(self.integer("the number of a loop"), I64)

    # The whole

    def end_of(self, draft: Draft, block: Block) -> Operation:
        """Location and operands; then the operation is built."""
        location = self.trailing_location(self.range_of(draft.start, draft.header or self.end))
        for key in draft.cls.definition.operands:
            draft.uses += draft.operands.get(key, [])
        if draft.cls.definition.segmented:
            sizes = tuple(len(draft.operands.get(key, [])) for key in draft.cls.definition.operands)
            draft.attributes["operandSegmentSizes"] = DenseArray(I32, sizes)
        return self.finish(draft, self._input_types(draft), draft.results or [], location, block)

    def _input_types(self, draft: Draft) -> list[Type]:
        specs = draft.cls.definition.operands
        by_variable = {
            spec.var: draft.types[key][0] for key, spec in specs.items() if spec.var and draft.types.get(key)
        }
        for spec, type_ in zip(draft.cls.definition.results.values(), draft.results or [], strict=False):
            if spec.var:
                by_variable.setdefault(spec.var, type_)
        found: list[Type] = []
        for key, spec in specs.items():
            uses = draft.operands.get(key, [])
            types = draft.types.get(key)
            if types is None or len(types) != len(uses):
                found += [self._implied(draft, key, by_variable.get(spec.var or "")) for _ in uses]
            else:
                found += types
        return found

    def _implied(self, draft: Draft, key: str, of_variable: Type | None) -> Type:
        """The type of an operand that the form does not say."""
        if of_variable is not None:
            return of_variable
        holder = draft.cls.form.element_of.get(key, "")
        memory = draft.results if holder in draft.cls.definition.results else draft.types.get(holder)
        if memory and isinstance(memory[0], MemrefType | TensorType):
            return memory[0].element
        if memory and isinstance(memory[0], mma.MatrixType):
            return memory[0].stored
        constraint = draft.cls.definition.operands[key].constraint
        return (
            BOOL
            if constraint is BOOLEAN_TYPE
            else INDEX
            if constraint is INDEX_TYPE
            else memory[0]
            if memory
            else INDEX
        )

    def built(self, draft: OperationText, operands: list[Value], results: list[Type], location: Location) -> Operation:
        cls = self.dialects.get(draft.name)
        if cls is None or not issubclass(cls, MlirOperation):
            return super().built(draft, operands, results, location)
        properties = draft.properties if isinstance(draft.properties, dict) else {}
        merged = {**draft.attributes, **cast("dict[str, Attribute]", properties)}
        parts = (operands, results, merged, draft.regions, draft.successors, location)
        op, problem = exact_operation(cls, *parts)
        if problem:
            assert draft.name_place is not None
            self.fail(problem, COUNTS, draft.name_place)
        if isinstance(draft, Draft) and draft.results is None:
            _infer_results(op)
        elif not _has_all_results(op):
            assert draft.name_place is not None
            self.fail(
                f"{cls.name} has {len(cls.definition.results)} results, not {len(results)}", COUNTS, draft.name_place
            )
        op.places = {"mnemonic": draft.name_place} if draft.name_place is not None else None
        return op


def _has_all_results(op: MlirOperation) -> bool:
    specs = op.definition.results.values()
    return any(s.variadic for s in specs) or len(specs) == len(op.results)


def _infer_results(op: MlirOperation) -> None:
    """Results of the types that the declaration says."""
    for spec in op.definition.results.values():
        if spec.variadic:
            continue
        if spec.infer is not None:
            op.add_result(spec.infer(op))
            continue
        variables = [key for key, operand in op.definition.operands.items() if operand.var == spec.var]
        index = list(op.definition.operands).index(variables[0])
        op.add_result(op.operands[index].type)


ROUNDINGS: Final = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
_PARTS: Final[Mapping[str, Callable[[FormReader, Draft], None]]] = {
    "attributes": FormReader.attributes,
    "fastmath": FormReader.fastmath,
    "overflow": FormReader.overflow,
    "predicate": FormReader.predicate,
    "constant": FormReader.constant,
    "select": FormReader.select,
    "callee": FormReader.callee,
    "signature": FormReader.signature,
    "dim": FormReader.dim,
}
