"""Rules of branches: one program that breaks each."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.ir.parser import parse_ir
from tilewright.ir.verifier import verify

BROKEN = [
    ("cf.br [^a, ^b]", "goes on in 1 blocks, not 2"),
    ("cf.br", "goes on in 1 blocks, not 0"),
    ("cf.br %x [^a]", "takes (), not (f32)"),
    ("cf.cond_br %c, %x [^a, ^b] {operand_segments = [1, 0, 1]}", "takes (i32), not (f32)"),
    ("cf.cond_br %n, %n [^a, ^b] {operand_segments = [1, 0, 1]}", "must be bool"),
    ("cf.switch %n, %n [^a, ^b] {cases = [1, 2], counts = [0, 1]}", "2 cases and the default take 3"),
    ("cf.switch %n, %n [^a, ^b] {cases = [1], counts = [0, 2]}", "add up to 2, but there are 1"),
    ("cf.switch %n, %n [^a, ^b] {cases = [1], counts = [2, -1]}", "not negative"),
    ("cf.switch %n, %n, %n [^b, ^b, ^a] {cases = [1, 1], counts = [1, 1, 0]}", "stands there twice"),
    ("scf.yield [^a]", "goes on in no other block"),
]


def findings(line: str) -> list[str]:
    text = f"""
        builtin.module {{ builtin.kernel {{sym_name = "f"}} (%x: f32, %n: i32, %c: bool) {{
          {line}
        ^a:
          scf.yield
        ^b (%m: i32):
          scf.yield
        }} }}
    """
    report = Report()
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert module is not None, [str(d) for d in report.diagnostics]
    verify(module, report)
    return [d.message for d in report.diagnostics]


@pytest.mark.parametrize(("line", "words"), BROKEN, ids=[f"{k}" for k in range(len(BROKEN))])
def test_broken_rules_are_reported(line: str, words: str) -> None:
    messages = findings(line)
    assert any(words in m for m in messages), messages


def test_valid_branches() -> None:
    for line in (
        "cf.br [^a]",
        "cf.cond_br %c, %n [^a, ^b] {operand_segments = [1, 0, 1]}",
        "cf.switch %n, %n [^a, ^b] {cases = [-7], counts = [0, 1]}",
    ):
        assert findings(line) == []


def test_a_block_of_another_region() -> None:
    text = """
        builtin.module { builtin.kernel {sym_name = "f"} () { cf.br [^a] ^a: }
                         builtin.kernel {sym_name = "g"} () { cf.br [^b] ^b: } }
    """
    module = parse_ir(Source("test.twir", text), Report(), operation_classes())
    assert module is not None
    first, second = (kernel.regions[0].blocks for kernel in module.regions[0].entry)
    branch = first[0].last
    assert branch is not None
    branch.successors = (second[1],)
    report = Report()
    assert not verify(module, report)
    assert [d.message for d in report.diagnostics] == ["cf.br goes on in a block of another region"]
