"""Reading operands, results and modifiers, and putting operations into blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NoReturn, TypeVar

from msgspec import Struct, field

from tilewright.diagnostics import UNKNOWN, Diagnostic, Location, Report, SourceRange
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.frontends.tensor_language.attribute_reader import AttributeReader, Places
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.lexer import Tokens, is_integer
from tilewright.frontends.tensor_language.limits import OPERAND_COUNT, Limits
from tilewright.frontends.tensor_language.scopes import Names, canonical, with_blank
from tilewright.frontends.tensor_language.vocabulary import ALL_MODIFIERS, Modifier, Slot
from tilewright.ir.core import Block, Operation, Place, Value
from tilewright.ir.types import TOKEN, Type

_T = TypeVar("_T")

_OPERAND: Final = [("operand", k) for k in range(64)]
_NAMES: Final = "names are numbers, or a letter and then letters, digits and underscores"


class _Broken(Value):
    """Stands for a value whose definition could not be read; operations that use it are dropped."""

    __slots__ = ()

    @property
    def location(self) -> Location:
        return UNKNOWN


class Frame(Struct):
    """An open region. `close` continues behind its `}`; `broken` drops the operation without another word."""

    block: Block
    op: Operation | None
    brace: int
    close: Callable[[Frame], None]
    results: list[int] = field(default_factory=list[int])
    places: Places = field(default_factory=dict[Place, Location])
    broken: bool = False
    names: list[str] = field(default_factory=list[str])


class OperationReader(AttributeReader):
    """State of the instruction being read, and the parts that instructions share.

    `results` are the tokens of its result names, `places` the ranges of its parts so far,
    `poisoned` whether an operand is broken.
    """

    def __init__(self, tokens: Tokens, report: Report, limits: Limits) -> None:
        super().__init__(tokens, report, limits)
        self.names = Names()
        self.broken_value = _Broken(TOKEN)
        self.frames: list[Frame] = []
        self.block = Block()
        self.mnemonic = 0
        self.results: list[int] = []
        self.places: Places = {}
        self.operand_count = 0
        self.poisoned = False

    def key(self, text: str) -> str:
        """What distinguishes names."""
        return canonical(text)

    # Operands

    def value(self) -> Value:
        """The value that the next token names."""
        i = self.i
        text = self.texts[i]
        found = self.names.visible.get(text)
        if found is None:
            found = self._missing_value(i)
        self.i = i + 1
        start = self.starts[i]
        count = self.operand_count
        self.operand_count = count + 1
        self.places[_OPERAND[count] if count < 64 else ("operand", count)] = SourceRange(
            self.source, start, start + len(text)
        )
        return found

    def _missing_value(self, index: int) -> Value:
        text = self.texts[index]
        if text[0] != "%" or len(text) < 2:
            self._no_value(index)
        name = self.key(text)
        names = self.names
        found = names.visible.get(name)
        if found is not None:
            return found
        self.poisoned = True
        if name in names.broken:
            return self.broken_value
        names.broken.add(name)
        finding = self.error("V6", self.range(index), f"`{text}` is not defined")
        names.undefined[name] = finding
        ended = names.ended.get(name)
        if ended is not None:
            finding.label(ended.location, "defined here, in a region that has ended")
            finding.hint("a value is visible in its region and those nested in it; yield it to use it outside")
            return self.broken_value
        blank = with_blank(text, names.visible)
        if blank is not None and self.texts[self.mnemonic] == "expand":
            finding.hint(f"a name takes the `x` behind it along: write `{blank}`")
            finding.fix(self.range(index), blank, "put a blank there")
            self.abandon()
        guesses = nearest(name, names.visible)
        if guesses:
            finding.hint(did_you_mean(guesses, "`"))
        return self.broken_value

    def _no_value(self, index: int) -> NoReturn:
        """Report that no value stands where one is needed, and leave the instruction."""
        text = self.texts[index]
        if self.at_number() or text in ("true", "false"):
            type_ = "bool" if text in ("true", "false") else "index" if is_integer(text) else "f32"
            finding = self.error("V2", self.range(index), f"expected a value, found the literal {quoted(text)}")
            finding.hint("literals as operands belong to the old language; the new one names them first:")
            finding.hint(f"%c = constant {text} : {type_}")
            self.i = index
            self.abandon()
        self.fail("a value such as `%x`", _NAMES if text == "%" else None)

    def values(self, count: int) -> list[Value]:
        """Exactly `count` values, separated by commas."""
        found = [self.value()]
        for _ in range(count - 1):
            if self.texts[self.i] != ",":
                self.fail("`,`")
            self.i += 1
            found.append(self.value())
        return found

    def value_list(self, closing: str) -> list[Value]:
        """Any number of values, and `closing`."""
        return self.list_of(self.value, closing)

    def list_of(self, read: Callable[[], _T], closing: str) -> list[_T]:
        """Any number of what `read` reads, and `closing`."""
        found: list[_T] = []
        if self.texts[self.i] == closing:
            self.i += 1
            return found
        first = self.i
        while True:
            found.append(read())
            text = self.texts[self.i]
            if text == ",":
                self.i += 1
            elif text == closing:
                break
            else:
                self.fail(f"`,` or `{closing}`")
        self.check_count(len(found), first)
        self.i += 1
        return found

    def check_count(self, count: int, first: int) -> None:
        """Hold lists of operands to the limit."""
        if count > self.limits.operands:
            message = f"a list of {count:,} operands; the limit is {self.limits.operands:,}"
            self.error(OPERAND_COUNT, self.since(first), message)
            self.abandon()

    # Names that the instruction introduces

    def new_name(self) -> int:
        """Token of a name that the instruction defines."""
        i = self.i
        text = self.texts[i]
        if text[0] != "%" or len(text) < 2:
            self.fail("a new name such as `%x`", _NAMES if text == "%" else None)
        self.i = i + 1
        return i

    def new_names(self) -> list[int]:
        """`(%a, ..)`: tokens of names that the instruction defines."""
        self.expect("(")
        found = [self.new_name()]
        while self.accept(","):
            found.append(self.new_name())
        if not self.accept(")"):
            self.fail("`,` or `)`")
        self.check_count(len(found), found[0])
        return found

    def name_value(self, token: int, value: Value) -> None:
        """Give `value` the name at a token, in the innermost region."""
        name = self.key(self.texts[token])
        where = self.range(token)
        taken = self.names.define(name, value, where)
        if taken is None:
            self.frames[-1].names.append(name)
            return
        finding = self.error("V6", where, f"`{self.texts[token]}` is defined already")
        finding.label(taken.location, "first defined here")
        finding.hint("names are unique in a region and those around it; side by side regions may share them")

    def poison(self, token: int) -> None:
        """Make uses of the name at a token silent."""
        self.names.broken.add(self.key(self.texts[token]))

    # Types, modifiers, attributes

    def result_type(self) -> Type:
        """`: type` behind an instruction with a result."""
        if self.texts[self.i] != ":":
            self.fail("`:` and the type of the result")
        first = self.i = self.i + 1
        found = self.read_type()
        self.places["type"] = self.range(first, self.i - 1)
        return found

    def integer_attribute(self, name: str, what: str) -> int:
        """An integer that becomes attribute `name`."""
        first = self.i
        found = self.integer(what)
        self.places[name] = self.range(first)
        return found

    def modifiers(self, slots: Sequence[Slot]) -> list[Modifier | None]:
        """One entry a slot: the value of the modifier given for it, or None."""
        text = self.texts[self.i]
        found: list[Modifier | None] = [None] * len(slots)
        if text[0] != "." or text[1:2].isdigit():
            return found
        first = self.i
        for index, slot in enumerate(slots):
            value = slot.get(self.texts[self.i])
            if value is not None:
                found[index] = value
                self.i += 1
        if self.texts[self.i][0] == "." and not self.at_number():
            return self._wrong_modifiers(slots, first)
        return found

    def _wrong_modifiers(self, slots: Sequence[Slot], first: int) -> list[Modifier | None]:
        """Explain modifiers that are unknown, out of place or in the wrong order; what they most likely mean."""
        found: list[Modifier | None] = [None] * len(slots)
        spelt: list[str] = [""] * len(slots)
        self.i = first
        misplaced = False
        while self.texts[self.i][0] == "." and not self.at_number():
            text = self.texts[self.i]
            free = [k for k, slot in enumerate(slots) if text in slot and found[k] is None]
            if free:
                found[free[0]], spelt[free[0]] = slots[free[0]][text], text
            else:
                self._unknown_modifier(slots, text)
                misplaced = True
            self.i += 1
        if not misplaced:
            order = "".join(spelt)
            finding = self.error("V1", self.since(first), f"the modifiers stand in the wrong order; write `{order}`")
            finding.fix(self.since(first), order, "put them in order")
        return found

    def _unknown_modifier(self, slots: Sequence[Slot], text: str) -> None:
        mnemonic = quoted(self.texts[self.mnemonic])
        allowed = [word for slot in slots for word in slot]
        if any(text in slot for slot in slots):
            self.error("V1", self.range(self.i), f"a second `{text}`; {mnemonic} does not take it twice")
            return
        known = text in ALL_MODIFIERS
        what = f"{mnemonic} does not take `{text}`" if known else f"{quoted(text)} is not a modifier of {mnemonic}"
        finding = self.error("V2", self.range(self.i), what)
        guesses = () if known else nearest(text, allowed)
        finding.suggest(self.range(self.i), guesses, "`")
        if allowed and not guesses:
            finding.hint("it takes " + ", ".join(f"`{word}`" for word in dict.fromkeys(allowed)))

    # Finishing

    def finish(self, op: Operation) -> None:
        """Locate a complete operation, put it into the block and name its result."""
        last = self.i - 1
        op.location = SourceRange(self.source, self.starts[self.first], self.starts[last] + len(self.texts[last]))
        if self.poisoned:
            self.drop(op)
            return
        places = self.places
        mnemonic = self.mnemonic
        start = self.starts[mnemonic]
        places["mnemonic"] = SourceRange(self.source, start, start + len(self.texts[mnemonic]))
        op.places = places
        self.block.append(op)
        if self.results:
            self.name_results(op, self.results)

    def name_results(self, op: Operation, tokens: list[int]) -> None:
        """Give the results of `op` their names."""
        places = op.places
        assert places is not None
        for index, (token, result) in enumerate(zip(tokens, op.results, strict=False)):
            places["result", index] = self.range(token)
            self.name_value(token, result)
        for token in tokens[len(op.results) :]:
            self.poison(token)

    def drop(self, op: Operation) -> None:
        """Forget an operation that uses something broken; its results become broken too."""
        op.drop_all()
        for token in self.results:
            self.poison(token)
        if op.name == "scf.yield":
            self.frames[-1].broken = True

    def warn(self, code: str, where: SourceRange, message: str) -> Diagnostic:
        """A warning; the report bounds how many are kept."""
        return self.report.warning(code, where, message)
