"""Who uses what in a function, and what that settles: layouts of results, elements in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from tilewright.frontends.tlx.ir_types import element_in_memory
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.folding import Constants
from tilewright.frontends.tlx.llvm.result_types import operands_of
from tilewright.frontends.tlx.names import STORE, TOTENSOR, TYPEINFO, Intrinsic, Unknown, recognise
from tilewright.frontends.tlx.target_types import is_tensor_type, tensor_of_type
from tilewright.ir.types import ScalarType

_TYPING = (TYPEINFO, TOTENSOR, "llvm.tensor.totensor")


class Use(Struct, frozen=True, gc=False):
    """An operand of an instruction."""

    user: syntax.Instruction
    operand: syntax.Operand


class WantedLayout(Struct, frozen=True):
    """A layout that a user of a result says, or the identity (None) that a plain use means."""

    layout: tuple[int, ...] | None
    place: syntax.Node


def is_typing(name: str) -> bool:
    """Whether an operation only says the type of its operand."""
    return name in _TYPING


class Uses:
    """Uses of each value of a function."""

    def __init__(self, function: syntax.Function) -> None:
        self.of: dict[str, list[Use]] = defaultdict(list)
        self.definitions: dict[str, syntax.Instruction] = {}
        self._meanings: dict[str, Intrinsic | Unknown | None] = {}
        for block in function.blocks:
            for instruction in block.instructions:
                if instruction.result is not None:
                    self.definitions[instruction.result] = instruction
                operands = operands_of(instruction)
                if isinstance(instruction, syntax.Phi):
                    operands = [operand for operand, _ in instruction.incoming]
                for operand in operands:
                    if isinstance(operand.value, syntax.Local):
                        self.of[operand.value.name].append(Use(instruction, operand))

    def intrinsic(self, instruction: syntax.Instruction) -> Intrinsic | None:
        """The operation of TLX that an instruction is."""
        found = self.meaning(instruction.callee) if isinstance(instruction, syntax.Call) else None
        return found if isinstance(found, Intrinsic) else None

    def meaning(self, callee: str) -> Intrinsic | Unknown | None:
        """What a called function is, looked up once."""
        if callee not in self._meanings:
            self._meanings[callee] = recognise(callee)
        return self._meanings[callee]

    def through_merges(self, name: str) -> Iterator[Use]:
        """Uses of a value, also behind phi, select and freeze."""
        work, seen = [name], {name}
        while work:
            for use in self.of.get(work.pop(), ()):
                user = use.user
                if isinstance(user, syntax.Phi | syntax.Freeze) or (
                    isinstance(user, syntax.Select) and use.operand is not user.condition
                ):
                    if user.result is not None and user.result not in seen:
                        seen.add(user.result)
                        work.append(user.result)
                else:
                    yield use

    def layouts(self, name: str, constants: Constants, rank: int, is_reversed: bool) -> Sequence[WantedLayout]:
        """The layouts that users of a result give it (decision 9), one place each; reversed ones begin innermost."""
        found: dict[tuple[int, ...] | None, WantedLayout] = {}
        identity = tuple(range(rank))
        for use in self.through_merges(name):
            intrinsic = self.intrinsic(use.user)
            layout: tuple[int, ...] | None = None
            if intrinsic is not None and is_typing(intrinsic.name) and isinstance(use.user, syntax.Call):
                typed = tensor_of_type(use.user.type) if is_tensor_type(use.user.type) else None
                if typed is not None and typed.rank == rank:
                    layout = typed.layout
                said = constants.value_of(use.user.arguments[2].operand) if len(use.user.arguments) > 2 else None
                if isinstance(said, tuple) and sorted(said) == list(identity):
                    layout = said[::-1] if is_reversed else said
            layout = None if layout == identity else layout
            found.setdefault(layout, WantedLayout(layout, use.user))
        return list(found.values())

    # Elements in memory

    def consumed_as(self, token: str) -> list[tuple[ScalarType, syntax.Node]]:
        """Element types that the consumers of a loaded tensor force, each with a place (decision 14)."""
        found: dict[ScalarType, syntax.Node] = {}
        for use in self.of.get(token, ()):
            intrinsic = self.intrinsic(use.user)
            if intrinsic is None or not isinstance(use.user, syntax.Call) or intrinsic.name == STORE:
                continue
            accumulates = intrinsic.name.endswith("mma") and use.operand is not use.user.arguments[0].operand
            element = None if accumulates else element_in_memory(use.user.type)
            if element is not None:
                found.setdefault(element, use.user)
        return list(found.items())
