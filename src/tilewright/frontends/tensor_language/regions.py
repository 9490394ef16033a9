"""Regions without recursion: a stack of frames, so that depth of nesting costs memory only and has a limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.frontends.tensor_language.cursor import GiveUp, SyntaxFailure, quoted
from tilewright.frontends.tensor_language.lexer import END
from tilewright.frontends.tensor_language.limits import NESTING
from tilewright.frontends.tensor_language.parser_base import Frame, OperationReader
from tilewright.ir.core import Block, BlockArgument, Operation, Region, Value
from tilewright.ir.types import Type


class RegionReader(OperationReader):
    """Opens and closes the regions of instructions."""

    def open_region(
        self, op: Operation | None, block: Block, names: Sequence[int], close: Callable[[Frame], None]
    ) -> None:
        """Read `{`, enter `block` and name its arguments; `close` is called behind the `}`."""
        last = self.i - 1
        brace = self.i
        assumed = self.assume_brace()
        if len(self.frames) >= self.limits.nesting:
            self.error(NESTING, self.range(brace), f"regions nested more than {self.limits.nesting} deep")
            raise GiveUp
        if op is not None:
            op.location = self.range(self.first, last)
            self.places["mnemonic"] = self.range(self.mnemonic)
        frame = Frame(block, op, brace, close, self.results, self.places, self.poisoned or assumed)
        self.push(frame)
        for name, argument in zip(names, block.arguments, strict=False):
            if self.poisoned:
                self.poison(name)
            else:
                self.name_value(name, argument)
        for name in names[len(block.arguments) :]:
            self.poison(name)

    def assume_brace(self) -> bool:
        """Read `{`; where a line ends instead, report it and go on as if it were there."""
        if self.accept("{"):
            return False
        where = self.here()
        if where.start == where.end and self.texts[self.i] is not END:
            finding = self.error("V1", where, f"expected `{{`, found {quoted(self.texts[self.i])}")
            finding.fix(where, " {", "open the region")
            return True
        return self.fail("`{`")

    def push(self, frame: Frame) -> None:
        """Make a frame the innermost one."""
        self.frames.append(frame)
        self.definitions.open()
        self.block = frame.block

    def pop(self) -> Frame:
        """Leave the innermost region; its names are over."""
        frame = self.frames.pop()
        self.names.end(frame.names)
        self.definitions.close()
        if self.frames:
            self.block = self.frames[-1].block
        return frame

    def close_region(self) -> None:
        """Read `}` and what follows it in the instruction."""
        self.i += 1
        frame = self.pop()
        try:
            frame.close(frame)
        except SyntaxFailure:
            self.abandon_region(frame)
            raise

    def abandon_region(self, frame: Frame) -> None:
        """Drop the operation of a frame; its results become broken."""
        if frame.op is not None:
            frame.op.drop_all()
        for token in frame.results:
            self.poison(token)

    def finish_region(self, frame: Frame) -> None:
        """Put the complete operation of a frame into the block and name its results."""
        op = frame.op
        if op is None or frame.broken:
            self.abandon_region(frame)
            return
        op.places = frame.places
        self.block.append(op)
        if frame.results:
            self._check_result_count(op, frame.results)
            self.name_results(op, frame.results)

    def _check_result_count(self, op: Operation, tokens: Sequence[int]) -> None:
        if len(tokens) != len(op.results):
            where = self.range(tokens[0], tokens[-1])
            message = f"{_count(len(tokens), 'name')} for {_count(len(op.results), 'result')}"
            finding = self.error("V7", where, message).label(op.location, "the results are declared here")
            finding.hint("give every result a name, or none of them")

    def orphan(self, brace: int) -> None:
        """Enter the region of an instruction that could not be read, to find errors in it."""
        self.i = brace + 1
        if len(self.frames) >= self.limits.nesting:
            self.error(NESTING, self.range(brace), f"regions nested more than {self.limits.nesting} deep")
            raise GiveUp
        self.push(Frame(Block(), None, brace, self._close_orphan, broken=True))

    def _close_orphan(self, frame: Frame) -> None:
        if self.texts[self.i] == "else" and self.texts[self.i + 1] == "{":
            self.orphan(self.i + 1)
        elif self.accept("attributes"):
            self.dictionary({})

    def arguments(self, block: Block, names: Sequence[int], types: Sequence[Type]) -> list[BlockArgument]:
        """Add block arguments that are defined where their names stand."""
        return [block.add_argument(t, None, self.range(n)) for n, t in zip(names, types, strict=False)]


def region_of(block: Block) -> Region:
    """A region of one block."""
    return Region(block)


def types_of(values: Sequence[Value]) -> list[Type]:
    """Types of values."""
    return [v.type for v in values]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
