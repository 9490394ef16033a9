"""The verifier finds broken links, dominance, types, terminators, and all of them in one run."""

from __future__ import annotations

from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.arith import Add, Constant, Neg
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Module
from tilewright.dialects.scf import Yield
from tilewright.ir.core import Operation
from tilewright.ir.parser import parse_ir
from tilewright.ir.types import BOOL, F32, F64, INDEX
from tilewright.ir.verifier import verify


def codes(module: Operation) -> list[str]:
    report = Report()
    verify(module, report)
    return [d.code for d in report.diagnostics]


def parsed(text: str) -> Operation:
    report = Report()
    module = parse_ir(Source("t", text), report, operation_classes())
    assert module is not None, report.diagnostics
    return module


def test_use_before_definition() -> None:
    region, block = new_region()
    late = Constant(1.0, result_types=[F32])
    Builder(block)(Neg(late.out))
    block.append(late)
    assert codes(Module(region)) == ["IR005"]


def test_value_of_an_inner_region_used_outside() -> None:
    module = parsed(
        "builtin.module { %c = arith.constant {value = true} -> bool "
        "scf.if %c { %x = arith.constant {value = 1.0} -> f32 } }"
    )
    branch = module.regions[0].entry.last
    assert branch is not None
    inner = branch.regions[0].entry.first
    assert inner is not None
    module.regions[0].entry.append(Neg(inner.results[0]))
    assert codes(module) == ["IR005"]


def test_all_errors_are_reported() -> None:
    region, block = new_region([F32, F64, BOOL])
    f32, f64, flag = block.arguments
    build = Builder(block)
    build(Add(f32, f64))
    build(Neg(flag))
    build(Yield([f32]))
    build(Neg(f32))
    assert codes(Module(region)) == ["V34", "V34", "IR004"]


def test_dominance_over_a_control_flow_graph() -> None:
    good = parsed("builtin.module { %a = arith.constant {value = 1.0} -> f32 cf.br [^x] ^x: %b = arith.neg %a -> f32 }")
    assert codes(good) == []
    region = good.regions[0]
    first, second = region.blocks
    value = second.first
    assert value is not None
    first.insert(Neg(value.results[0]), first.last)
    assert codes(good) == ["IR005"]


def test_values_of_blocks_are_hidden_behind_their_region() -> None:
    """The first one, which dominates the others, too."""
    module = parsed(
        "builtin.module { %c = arith.constant {value = true} -> bool "
        "scf.if %c { %x = arith.constant {value = 1.0} -> f32 cf.br [^y] ^y: %z = arith.neg %x -> f32 } }"
    )
    before = codes(module)
    branch = module.regions[0].entry.last
    assert branch is not None
    for block in branch.regions[0].blocks:
        assert block.first is not None
        module.regions[0].entry.append(Neg(block.first.results[0]))
    assert codes(module) == [*before, "IR005", "IR005"]


def test_values_of_a_branch_are_hidden_beside_it() -> None:
    """What a block defines that dominates others, in a block that none of these dominates."""
    module = parsed(
        "builtin.module { %c = arith.constant {value = true} -> bool "
        "cf.cond_br %c [^x, ^y] {operand_segments = [1, 0, 0]} "
        "^x: %v = arith.constant {value = 1.0} -> f32 cf.br [^z] ^z: %w = arith.neg %v -> f32 cf.br [^end] "
        "^y: %u = arith.constant {value = 2.0} -> f32 cf.br [^end] ^end: %e = arith.constant {value = 3.0} -> f32 }"
    )
    before = codes(module)
    _, first, _, beside, _ = module.regions[0].blocks
    assert first.first is not None
    beside.insert(Neg(first.first.results[0]), beside.last)
    assert codes(module) == [*before, "IR005"]


def test_missing_attribute_is_named() -> None:
    region, block = new_region()
    op = Builder(block)(Constant(1, result_types=[INDEX]))
    del op.attributes["value"]
    report = Report()
    verify(Module(region), report)
    assert "value is missing" in report.diagnostics[0].message
