"""Checks a module: links, terminators, dominance, declared constraints, own rules. Reports all errors at once."""

from __future__ import annotations

from tilewright.diagnostics import Report
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
        if regions or d.regions:
            self._count(op, regions)
            scope = {} if d.isolated else visible
            # few calls of Python a level: regions are nested to 256
            for region in regions:
                if len(region.blocks) == 1:
                    self.block(region.blocks[0], scope)
                else:
                    self.graph(region, scope)

    def _count(self, op: Operation, regions: list[Region]) -> None:
        specs = op.definition.regions
        if not sum(not s.optional for s in specs.values()) <= len(regions) <= len(specs):
            self.report.error("IR003", op.location, f"{op.name} takes {len(specs)} regions, not {len(regions)}")
        for region in regions:
            if region.parent is not op:
                self.report.error("IR002", op.location, f"a region of {op.name} is linked to another operation")

    def graph(self, region: Region, visible: dict[Value, None]) -> None:
        """Check the blocks of a region that has none or several."""
        dominators = _immediate_dominators(region)
        for block in region.blocks:
            scope = dict(visible)
            for other in _dominator_chain(block, dominators):
                scope.update(dict.fromkeys(other.arguments))
                scope.update((r, None) for inner in other for r in inner.results)
            self.block(block, scope)

    def block(self, block: Block, visible: dict[Value, None]) -> None:
        """Check a block; values defined in it are visible only while doing so."""
        defined: list[Value] = list(block.arguments)
        visible.update(dict.fromkeys(defined))
        last = block.last
        for op in block:
            if op is not last and op.definition.terminator:
                self.report.error("IR004", op.location, f"{op.name} must be the last operation of its region")
            self.operation(op, visible, block)
            for result in op.results:
                visible[result] = None
                defined.append(result)
        for value in defined:
            del visible[value]

    def _undominated(self, op: Operation, index: int, operand: Value) -> None:
        place = op.place(("operand", index))
        name = f"%{operand.name}" if operand.name else f"operand {index}"
        finding = self.report.error("IR005", place, f"{name} of {op.name} is not defined on every path to this use")
        finding.label(operand.location, "defined here")


def _predecessors(region: Region) -> dict[Block, list[Block]]:
    found: dict[Block, list[Block]] = {block: [] for block in region.blocks}
    for block in region.blocks:
        if block.last is not None:
            for successor in block.last.successors:
                if successor in found:
                    found[successor].append(block)
    return found


def _postorder(region: Region) -> list[Block]:
    order: list[Block] = []
    seen = {region.entry}
    stack: list[tuple[Block, int]] = [(region.entry, 0)]
    while stack:
        block, index = stack.pop()
        successors = block.last.successors if block.last is not None else []
        if index < len(successors):
            stack.append((block, index + 1))
            following = successors[index]
            if following not in seen:
                seen.add(following)
                stack.append((following, 0))
        else:
            order.append(block)
    return order


def _immediate_dominators(region: Region) -> dict[Block, Block]:
    """Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm. Unreachable blocks are absent."""
    if not region.blocks:
        return {}
    order = _postorder(region)
    number = {block: i for i, block in enumerate(order)}
    predecessors = _predecessors(region)
    found: dict[Block, Block] = {region.entry: region.entry}
    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            known = [p for p in predecessors[block] if p in found]
            new = known[0]
            for other in known[1:]:
                new = _intersect(new, other, found, number)
            if found.get(block) is not new:
                found[block] = new
                changed = True
    return found


def _intersect(a: Block, b: Block, found: dict[Block, Block], number: dict[Block, int]) -> Block:
    while a is not b:
        while number[a] < number[b]:
            a = found[a]
        while number[b] < number[a]:
            b = found[b]
    return a


def _dominator_chain(block: Block, dominators: dict[Block, Block]) -> list[Block]:
    """Strict dominators of a block."""
    chain: list[Block] = []
    while block in dominators and dominators[block] is not block:
        block = dominators[block]
        chain.append(block)
    return chain
