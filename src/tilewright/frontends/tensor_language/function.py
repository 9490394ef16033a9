"""Reading function headers, and where a function ends if its last `}` is missing."""

from __future__ import annotations

from tilewright.diagnostics import Location, Report
from tilewright.dialects.builtin import Kernel
from tilewright.frontends.tensor_language.attribute_reader import Places
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.lexer import Tokens
from tilewright.frontends.tensor_language.limits import Limits
from tilewright.frontends.tensor_language.parser_base import Frame
from tilewright.frontends.tensor_language.regions import RegionReader, region_of
from tilewright.frontends.tensor_language.scopes import Names
from tilewright.frontends.tensor_language.vocabulary import (
    FUNCTION_ATTRIBUTES,
    PARAMETER_ATTRIBUTES,
    PARAMETER_PROMISES,
)
from tilewright.ir.core import Attribute, Block, BlockArgument
from tilewright.ir.types import GroupType, MemrefType, Type


class FunctionReader(RegionReader):
    """Reads `func @name(..) attributes{..} {`."""

    def __init__(self, tokens: Tokens, report: Report, limits: Limits) -> None:
        super().__init__(tokens, report, limits)
        self.module_block = Block()
        self.functions: dict[str, Location] = {}
        self.last_brace: Location | None = None
        self.unclosed = False

    def function(self) -> None:
        """The header of a function, up to and with its `{`."""
        self.mnemonic = self.i
        self.results, self.places, self.poisoned = [], {}, False
        self.names = Names()
        self.i += 1
        name = self._name()
        block = Block()
        self.expect("(")
        names, given = self._parameters(block)
        op = Kernel(name, region_of(block))
        while given and not given[-1]:
            given.pop()
        if given:
            op.attributes["parameter_attributes"] = tuple(given)
        self._function_attributes(op)
        self.open_region(op, block, (), self._close)
        for token, argument in zip(names, block.arguments, strict=True):
            self._define_parameter(token, argument)

    def _name(self) -> str:
        index = self.i
        text = self.texts[index]
        if text[0] != "@" or len(text) < 2:
            self.fail("the name of the function, such as `@f`")
        self.i += 1
        where = self.range(index)
        self.places["sym_name"] = where
        earlier = self.functions.setdefault(text, where)
        if earlier is not where:
            finding = self.error("V5", where, f"function `{text}` is defined twice")
            finding.label(earlier, "first defined here")
        return text[1:]

    def _parameters(self, block: Block) -> tuple[list[int], list[dict[str, Attribute]]]:
        """The parameters behind `(`: tokens of their names and their attributes."""
        names: list[int] = []
        given: list[dict[str, Attribute]] = []
        if self.accept(")"):
            return names, given
        while True:
            first = self.i
            names.append(self.new_name())
            self.expect(":")
            type_at = self.i
            type_ = self.read_type()
            self.places["type", len(given)] = self.since(type_at)
            block.add_argument(type_, None, self.since(first))
            given.append(self._parameter_attributes(len(given), type_))
            if not self.accept(","):
                break
        if not self.accept(")"):
            self.fail("`,` or `)`")
        self.check_count(len(names), names[0])
        return names, given

    def _parameter_attributes(self, index: int, type_: Type) -> dict[str, Attribute]:
        text = self.texts[self.i]
        if text != "{" and text[0] != "$":
            return {}
        places: Places = {}
        found = self.dictionary(places)
        if isinstance(type_, MemrefType | GroupType):
            self.refuse_others("a parameter", found, PARAMETER_ATTRIBUTES, places)
        self.places.update({f"{index}.{name}": where for name, where in places.items()})
        return self.kept_apart(found, PARAMETER_ATTRIBUTES | PARAMETER_PROMISES)

    def _define_parameter(self, token: int, argument: BlockArgument) -> None:
        taken = self.names.visible.get(self.key(self.texts[token]))
        if taken is None:
            self.name_value(token, argument)
            return
        finding = self.error("V5", self.range(token), f"two parameters are named `{self.texts[token]}`")
        finding.label(taken.location, "the first is here")

    def _function_attributes(self, op: Kernel) -> None:
        """What stands between the parameters and the body."""
        if self.texts[self.i] in FUNCTION_ATTRIBUTES:
            self._old_attributes()
        elif self.accept("attributes"):
            self._attributes(op, self.dictionary(self.places))

    def _attributes(self, op: Kernel, given: dict[str, Attribute]) -> None:
        self.refuse_others("a function", given, FUNCTION_ATTRIBUTES, self.places)
        op.attributes.update(self.kept_apart(given, FUNCTION_ATTRIBUTES))

    def _old_attributes(self) -> None:
        """Report `work_group_size(m, n)` and `subgroup_size(s)` behind the parameters, and skip them."""
        first = self.i
        new: list[str] = []
        while self.texts[self.i] in FUNCTION_ATTRIBUTES:
            name = self.texts[self.i]
            self.i += 1
            self.expect("(")
            numbers = [str(self.integer())]
            while self.accept(","):
                numbers.append(str(self.integer()))
            self.expect(")")
            new.append(f"{name}=[{','.join(numbers)}]" if name == "work_group_size" else f"{name}={numbers[0]}")
        text = "attributes{" + ", ".join(new) + "}"
        finding = self.error("V2", self.since(first), f"`{self.texts[first]}(..)` belongs to the old language")
        finding.hint(f"the new one writes `{text}`").fix(self.since(first), text, "rewrite it")

    # The end of a function

    def _close(self, frame: Frame) -> None:
        self.last_brace = self.range(self.i - 1)
        assert frame.op is not None
        frame.op.places = frame.places
        self.module_block.append(frame.op)

    def missing_brace(self) -> None:
        """Report that the file or the next function begins with regions open, and leave them."""
        self.unclosed = True
        finding = self.error("V1", self.here(), f"expected `}}`, found {quoted(self.texts[self.i])}")
        finding.label(self.range(self.frames[-1].brace), "this region is still open")
        self.leave_function()

    def leave_function(self) -> None:
        """Forget the function that is being read."""
        while self.frames:
            frame = self.pop()
            if frame.op is not None:
                frame.op.drop_all()
