"""Checks a module: links, terminators, dominance, declared constraints, own rules. Reports all errors at once."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.ir.control_flow import immediate_dominators
from tilewright.ir.core import Block, Operation, Region, Value


def verify(root: Operation, report: Report) -> bool:
    """Report every violation in `root` and what it contains; True if there was none."""
    before = report.errors
    _Verifier(report).operation(root, {}, None)
    return report.errors == before


def verify_alone(op: Operation, report: Report) -> None:
    """Report what an operation violates by itself: declared constraints; where they hold, its own rules."""
    errors = report.errors
    op.definition.check(op, report)
    if report.errors == errors:
        op.verify(report)


def verified(root: Operation) -> None:
    """Raise `CompileError` unless `root` is valid."""
    report = Report()
    verify(root, report)
    report.raise_if_errors()


def _defined(block: Block) -> list[Value]:
    return [*block.arguments, *(result for op in block for result in op.results)]


class _Dominating:
    """Keeps `visible` what the strict dominators of one block after another define.

    From block to block little of that changes where each stands behind its dominator: a set for each by itself would
    take time and memory that grow with the square of their number.
    """

    def __init__(self, visible: dict[Value, None], dominators: dict[Block, Block]) -> None:
        self._visible = visible
        self._dominators = dominators
        self._path: dict[Block, list[Value]] = {}
        """The strict dominators, outermost first, and what each defines."""

    def reaches(self, block: Block) -> bool:
        """Whether the entry leads to a block."""
        return block in self._dominators

    def go_to(self, block: Block) -> None:
        """Make visible what dominates a block."""
        new: list[Block] = []
        dominator = self._above(block)
        while dominator is not None and dominator not in self._path:
            new.append(dominator)
            dominator = self._above(dominator)
        self.leave(dominator)
        for each in reversed(new):
            values = self._path[each] = _defined(each)
            self._visible.update(dict.fromkeys(values))

    def leave(self, last: Block | None) -> None:
        """Hide what dominators behind `last` define; all if that is None."""
        while self._path and next(reversed(self._path)) is not last:
            _, values = self._path.popitem()
            for value in values:
                del self._visible[value]

    def _above(self, block: Block) -> Block | None:
        found = self._dominators.get(block)
        return None if found is block else found


class _Verifier:
    def __init__(self, report: Report) -> None:
        self.report = report

    def operation(self, op: Operation, visible: dict[Value, None], block: Block | None) -> None:
        """Check an operation and what it contains. Runs for all operations after every pass: one dictionary look-up an
        operand and one call of the compiled check are most of it."""
        report, d = self.report, op.definition
        if op.block is not block:
            report.error("IR002", op.location, f"{op.name} is linked to another block than the one holding it")
        for index, operand in enumerate(op.operands):
            if operand not in visible:
                self._undominated(op, index, operand)
            if op not in operand.uses:
                report.error("IR002", op.location, f"{op.name} is missing among the users of operand {index}")
        verify_alone(op, report)
        regions = op.regions
        if op.successors:
            self._successors(op)
        if regions or d.regions:
            self._count(op, regions)
            scope = {} if d.isolated else visible
            # few calls of Python a level: regions are nested to 256
            for region in regions:
                if len(region.blocks) == 1:
                    self.block(region.blocks[0], scope, d.opaque)
                else:
                    self.graph(region, scope, d.opaque)

    def _count(self, op: Operation, regions: Sequence[Region]) -> None:
        specs = op.definition.regions
        most = len(regions) if any(s.variadic for s in specs.values()) else len(specs)
        if not op.definition.opaque and not sum(not s.optional for s in specs.values()) <= len(regions) <= most:
            self.report.error("IR003", op.location, f"{op.name} takes {len(specs)} regions, not {len(regions)}")
        for region in regions:
            if region.parent is not op:
                self.report.error("IR002", op.location, f"a region of {op.name} is linked to another operation")

    def _successors(self, op: Operation) -> None:
        if not op.definition.successors and not op.definition.opaque:
            self.report.error("IR006", op.location, f"{op.name} goes on in no other block")
        if any(block.region is not op.parent_region for block in op.successors):
            self.report.error("IR006", op.location, f"{op.name} goes on in a block of another region")

    def graph(self, region: Region, visible: dict[Value, None], opaque: bool) -> None:
        """Check the blocks of a region that has none or several.

        In those of an `opaque` operation that nothing leads to, everything is visible: nobody runs them.
        """
        dominating = _Dominating(visible, immediate_dominators(region.blocks))
        for block in region.blocks:
            if opaque and not dominating.reaches(block):
                everything = (value for other in region.blocks for value in _defined(other))
                self.block(block, visible | dict.fromkeys(everything), unordered=True)
            else:
                dominating.go_to(block)
                self.block(block, visible)
        dominating.leave(None)

    def block(self, block: Block, visible: dict[Value, None], unordered: bool = False) -> None:
        """Check a block; values defined in it are visible only while doing so, everywhere if it is `unordered`."""
        defined: list[Value] = list(block.arguments)
        if unordered:
            defined += [result for op in block for result in op.results]
        visible.update(dict.fromkeys(defined))
        last = block.last
        for op in block:
            if op is not last and op.definition.terminator:
                self.report.error("IR004", op.location, f"{op.name} must be the last operation of its region")
            self.operation(op, visible, block)
            if not unordered:
                visible.update(dict.fromkeys(op.results))
                defined += op.results
        for value in defined:
            del visible[value]

    def _undominated(self, op: Operation, index: int, operand: Value) -> None:
        place = op.place(("operand", index))
        name = f"%{operand.name}" if operand.name else f"operand {index}"
        finding = self.report.error("IR005", place, f"{name} of {op.name} is not defined on every path to this use")
        finding.label(operand.location, "defined here")
