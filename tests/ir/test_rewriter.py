"""Patterns by operation, worklist, passes, reproducers."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.dialects import operation_classes
from tilewright.dialects.arith import Add, Constant
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.scf import Yield
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import InternalError, Pass, PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.rewriter import PatternSet, Rewriter, apply_patterns, pattern
from tilewright.ir.types import I32


@pattern(Add)
def fold_constants(op: Add, rewriter: Rewriter) -> bool:
    left, right = op.lhs.defining_op, op.rhs.defining_op
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return False
    a, b = left.value, right.value
    assert isinstance(a, int)
    assert isinstance(b, int)
    total = rewriter.insert(Constant(a + b, result_types=[I32]))
    rewriter.replace(op, [total.out])
    return True


def chain(length: int) -> Module:
    region, block = new_region()
    build = Builder(block)
    value = build.int32(1)
    for _ in range(length):
        value = build(Add(value, build.int32(1))).out
    build(Yield([value]))
    return Module(region)


def test_folds_to_a_fixpoint_and_drops_dead_operations() -> None:
    module = chain(50)
    assert apply_patterns(module, PatternSet([fold_constants]))
    ops = list(module.body.entry)
    assert [op.name for op in ops] == ["arith.constant", "scf.yield"]
    assert ops[0].attributes["value"] == 51


def test_new_operations_inherit_the_location() -> None:
    module = chain(1)
    source = Source("k.tl", "1 + 1")
    place = SourceRange(source, 0, 5)
    for op in module.body.entry:
        op.location = place
    apply_patterns(module, PatternSet([fold_constants]))
    assert all(op.location == place for op in module.body.entry)


def test_users_of_a_replaced_value_are_visited_again() -> None:
    module = chain(2)
    first, second = (op for op in module.body.entry if isinstance(op, Add))
    rewriter = Rewriter()
    rewriter.replace(first, [first.lhs])
    visited = list(iter(rewriter.pop, None))
    assert second in visited
    assert first not in visited


class Break(Pass, frozen=True):
    """Leaves a use without definition."""

    name: ClassVar[str] = "break"

    def run(self, module: Module, context: PassContext) -> None:
        first = module.body.entry.first
        assert first is not None
        first.detach()


class Fail(Pass, frozen=True):
    """Raises."""

    name: ClassVar[str] = "fail"

    def run(self, module: Module, context: PassContext) -> None:
        raise ZeroDivisionError("oops")


class Nothing(Pass, frozen=True):
    """Changes nothing."""

    name: ClassVar[str] = "nothing"

    def run(self, module: Module, context: PassContext) -> None:
        return


class Promise(Nothing, frozen=True):
    """Promises what it does not do."""

    name: ClassVar[str] = "promise"

    def broken(self, module: Module) -> list[str]:
        return ["something is left"]


def test_passes_are_held_to_their_promises_where_all_is_verified() -> None:
    PassManager([Promise()]).run(chain(1), PassContext())
    with pytest.raises(InternalError, match="pass promise broke its promise: something is left"):
        PassManager([Promise()], verify_each=True).run(chain(1), PassContext())


@pytest.mark.parametrize("broken", [Break(), Fail(), Promise()], ids=["breaks-ir", "raises", "promises"])
def test_a_failing_pass_leaves_a_reproducer_that_parses(broken: Pass, tmp_path: Path) -> None:
    module = chain(1)
    before = print_op(module)
    manager = PassManager(
        [Nothing(), broken, Nothing()], verify_each=True, remake=lambda: chain(1), reproducer_folder=tmp_path
    )
    with pytest.raises(InternalError, match=broken.name) as caught:
        manager.run(module, PassContext())
    path = caught.value.reproducer
    assert path is not None
    text = path.read_text()
    assert f"passes: {broken.name},nothing" in text
    again = parse_ir(Source(str(path), text), Report(), operation_classes())
    assert again is not None
    assert print_op(again) == before


def test_printing_only_changes_and_timing() -> None:
    seen: list[str] = []
    manager = PassManager([Nothing(), Nothing()], print_after=lambda name, text: seen.append(name), only_changes=True)
    manager.run(chain(1), PassContext())
    assert seen == []
    assert [t.name for t in manager.timings] == ["nothing", "nothing"]
