"""Prints one kernel: its blocks, phis for arguments, and what every operation is called with."""

from __future__ import annotations

from typing import Final

from tilewright.dialects import cf
from tilewright.dialects.addresses import AddressOf
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.frontends.tlx import plain_printer, target_printer, tensor_printer
from tilewright.frontends.tlx.llvm.tokens import spelled
from tilewright.frontends.tlx.printing import Printing, TensorForm
from tilewright.frontends.tlx.spelling import constant_text, type_text
from tilewright.ir.core import Block, BlockArgument, Operation
from tilewright.ir.types import PointerType

_TENSORS: Final = {
    TensorForm.TOKENS: tensor_printer.print_operation,
    TensorForm.TARGET_TYPES: target_printer.print_operation,
}


class FunctionPrinter(Printing):
    """Prints a whole function."""

    def text(self) -> str:
        """The whole function."""
        parameters = [self._parameter(argument) for argument in self.kernel.parameters]
        head = f"define void {spelled('@', self.kernel.sym_name)}({', '.join(parameters)}) {{"
        self.lines.append(head)
        for number, block in enumerate(self.kernel.body.blocks):
            if number or len(self.kernel.body.blocks) > 1:
                self.lines.append(f"{self.label(block)[1:]}:")
            self._block(block)
        return "\n".join([*self.lines, "}", ""])

    def _parameter(self, argument: BlockArgument) -> str:
        promised = " noalias" if "noalias" in self.kernel.attributes_of(argument) else ""
        kind = f"ptr{promised}" if isinstance(argument.type, PointerType) else type_text(argument.type)
        return f"{kind} {self.names.name(argument)}"

    def _block(self, block: Block) -> None:
        is_entry = block is self.kernel.body.entry
        if not is_entry:
            for argument in block.arguments:
                self._phi(block, argument)
        for argument in block.arguments:
            if not isinstance(argument.type, PointerType):
                self.add_form(argument)
        for op in block:
            self._operation(op)
        if not isinstance(block.last, cf.BranchOperation):
            self.line("ret void")

    def _phi(self, block: Block, argument: BlockArgument) -> None:
        incoming: list[str] = []
        is_pointer = argument in self.pointers
        for source in self.kernel.body.blocks:
            last = source.last
            if isinstance(last, cf.BranchOperation):
                for dest, values in last.edges():
                    if dest is block:
                        value = values[argument.index]
                        text = self.pointer(value) if is_pointer else self.value(value)
                        incoming.append(f"[ {text}, {self.label(source)} ]")
        kind = "ptr" if is_pointer else type_text(argument.type)
        self.line(f"{self.names.name(argument)} = phi {kind} {', '.join(incoming)}")

    def _operation(self, op: Operation) -> None:
        if op in self.absorbed or self.is_alias(op):
            return
        if isinstance(op, cf.BranchOperation):
            self._branch(op)
        elif isinstance(op, AddressOf):
            self.add_form(op.out)
        elif isinstance(op, TlxOperation):
            _TENSORS[self.form](self, op)
        elif constant_text(op) is None:
            plain_printer.print_operation(self, op)

    def _branch(self, op: cf.BranchOperation) -> None:
        labels = [f"label {self.label(block)}" for block, _ in op.edges()]
        match op:
            case cf.ConditionalBranch(condition=condition):
                self.line(f"br i1 {self.value(condition)}, {labels[0]}, {labels[1]}")
            case cf.Switch(value=value, cases=cases):
                kind = type_text(value.type)
                inner = " ".join(f"{kind} {case}, {label}" for case, label in zip(cases, labels[:-1], strict=True))
                self.line(f"switch {self.operand(value)}, {labels[-1]} [ {inner} ]")
            case _:
                self.line(f"br {labels[0]}")
