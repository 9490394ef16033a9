"""Branches between blocks become structured: shapes by hand, and random graphs against a walk through them."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from effort import Ran, count
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import CompileError, Report
from tilewright.dialects.builtin import Module
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.passes import PassContext
from tilewright.ir.printer import print_op
from tilewright.program import Program, load_artifact
from tilewright.targets import find_target
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.lift_control_flow import LiftControlFlow
from transforms.graphs import Graph, random_graph
from transforms.support import filecheck, kernel, names, run

GRAPHS: Final = count("RANDOM_GRAPHS", 50, 3000)
_HEAD = "%n: i32, %A: memref<f32x8>, %c: bool, %x: f32, %z: index"
_ONE = "subgroup_size = 1, work_group_size = [1, 1]"


def lifted(body: str, *more: LiftControlFlow | Canonicalize, parameters: str = _HEAD) -> str:
    return run(kernel(parameters, body, _ONE), LiftControlFlow(), *more)


def test_a_diamond_becomes_a_condition() -> None:
    text = lifted("""
        cf.cond_br %c [^a, ^b] {operand_segments = [1, 0, 0]}
      ^a:
        %p = arith.add %x, %x -> f32
        cf.br %p [^end]
      ^b:
        %q = arith.mul %x, %x -> f32
        cf.br %q [^end]
      ^end (%r: f32):
        memref.store %r, %A, %z
    """)
    filecheck(
        text, "%r = scf.if %c -> f32 {\narith.add\nscf.yield\n} {\narith.mul\nscf.yield\n}\nmemref.store %r\n!cf."
    )


def test_values_that_need_no_code_are_selected() -> None:
    text = lifted("""
        cf.cond_br %c, %x [^end, ^other] {operand_segments = [1, 1, 0]}
      ^other:
        %q = arith.mul %x, %x -> f32
        cf.br %q [^end]
      ^end (%r: f32):
        cf.cond_br %c, %r, %x [^last, ^last] {operand_segments = [1, 1, 1]}
      ^last (%s: f32):
        memref.store %s, %A, %z
    """)
    filecheck(text, "scf.if %c\nscf.yield %x\narith.mul\narith.select %c, %r, %x\nmemref.store\n!scf.if")


def test_a_counted_loop_carries_its_values() -> None:
    text = lifted(
        """
        %zero = arith.constant {value = 0} -> i32
        %one = arith.constant {value = 1} -> i32
        cf.br %zero, %x [^head]
      ^head (%i: i32, %s: f32):
        %go = arith.cmp %i, %n {predicate = "lt"} -> bool
        cf.cond_br %go [^body, ^end] {operand_segments = [1, 0, 0]}
      ^body:
        %t = arith.add %s, %x -> f32
        %j = arith.add %i, %one -> i32
        cf.br %j, %t [^head]
      ^end:
        memref.store %s, %A, %z
        """,
        Canonicalize(),
    )
    filecheck(text, "scf.while\narith.cmp\nscf.if\narith.add\narith.add\nscf.yield\nmemref.store\n!scf.while")


def test_a_loop_without_end_is_refused() -> None:
    message = refusal("cf.br [^a]\n^a:\nmemref.store %x, %A, %z\ncf.br [^a]")
    assert message == "this loop never ends"


def test_different_ends_are_refused() -> None:
    body = "cf.cond_br %c [^a, ^b] {operand_segments = [1, 0, 0]}\n^a:\nscf.yield\n^b:\nmemref.store %x, %A, %z"
    assert refusal(body) == "this path ends in another way than the others do"


def test_memrefs_are_not_carried() -> None:
    body = """
        cf.cond_br %c, %A, %B [^end, ^end] {operand_segments = [1, 1, 1]}
      ^end (%M: memref<f32x8>):
        memref.store %x, %M, %z
    """
    assert "would have to carry a memref<f32x8>" in refusal(body, f"{_HEAD}, %B: memref<f32x8>")


def refusal(body: str, parameters: str = _HEAD) -> str:
    report = Report()
    LiftControlFlow().run(kernel(parameters, body, _ONE), PassContext(report))
    with pytest.raises(CompileError) as caught:
        report.raise_if_errors()
    (found,) = caught.value.diagnostics
    assert found.code == "T008"
    return found.message


def module_of(graph: Graph) -> Module:
    starts = ", ".join(f"%start{k}: i32" for k in range(len(graph.nodes[0].arguments)))
    return kernel(f"{starts}, %fuel: memref<i32x1>, %out: memref<i32x1>", graph.text(), _ONE)


def runs_like_a_walk(graph: Graph, program: Program, rng: np.random.Generator) -> None:
    for fuel in (0, 1, 2, 5, 30):
        start = [int(x) for x in rng.integers(-(1 << 31), 1 << 31, len(graph.nodes[0].arguments))]
        out = np.full(1, 123456789, np.int32)
        program.f[1](*start, np.array([fuel], np.int32), out)
        assert out[0] == graph.walk(start, fuel), graph.text()


def test_random_graphs_compute_what_a_walk_computes(rng: np.random.Generator, ran: Ran) -> None:
    loops = 0
    for _ in range(GRAPHS):
        graph = random_graph(rng)
        module = module_of(graph)
        run(module, LiftControlFlow())
        loops += names(module)["scf.while"]
        assert not [name for name in names(module) if name.startswith("cf.")]
        runs_like_a_walk(graph, interpreted_module(module, print_op(module), False), rng)
    assert loops > GRAPHS // 3
    ran(GRAPHS, "graphs of blocks, lifted and walked through")


def test_lifted_graphs_compile(rng: np.random.Generator) -> None:
    for _ in range(6):
        graph = random_graph(rng)
        module = module_of(graph)
        run(module, LiftControlFlow())
        artifact = compile_module(module, find_target("cpu:generic"), CompileOptions(), Report())
        runs_like_a_walk(graph, load_artifact(artifact), rng)


def test_a_long_chain_of_diamonds_takes_no_recursion() -> None:
    parts = ["cf.br %x [^a0]"]
    for k in range(1500):
        parts.append(
            f"^a{k} (%v{k}: f32): cf.cond_br %c [^b{k}, ^c{k}] {{operand_segments = [1, 0, 0]}}\n"
            f"^b{k}: %p{k} = arith.add %v{k}, %x -> f32 cf.br %p{k} [^a{k + 1}]\n"
            f"^c{k}: %q{k} = arith.mul %v{k}, %x -> f32 cf.br %q{k} [^a{k + 1}]"
        )
    parts.append("^a1500 (%r: f32): memref.store %r, %A, %z")
    module = kernel(_HEAD, "\n".join(parts), _ONE)
    run(module, LiftControlFlow())
    assert names(module)["scf.if"] == 1500
