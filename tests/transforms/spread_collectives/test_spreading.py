"""spread-collectives: the same answers in any number of blocks, each tile once, nothing divided that may not be."""

from __future__ import annotations

import re
from itertools import product
from random import Random

import numpy as np
import pytest

from differential.compare import difference
from effort import Ran, count
from tilewright.diagnostics import Report
from tilewright.interpreter import interpret
from tilewright.ir.printer import print_op
from tilewright.transforms.policy import SpreadPolicy
from tilewright.transforms.schedule.request import parse_request
from tilewright.transforms.spread_collectives.spreading import SpreadCollectives
from transforms.spread_collectives.programs import arrays, divided, passed, program, read

RANDOM = count("RANDOM_SPREADINGS", 12, 2000)
WHOLE_SUMS = SpreadCollectives(SpreadPolicy(fewest=2, step_tiles=2, sum_blocks=1))


def test_any_number_of_blocks_gives_the_same_answers(rng: np.random.Generator, ran: Ran) -> None:
    """Races between blocks are found by the checked interpreter: what was divided runs in it."""
    found = 0
    for seed in rng.integers(1 << 40, size=RANDOM):
        rnd = Random(int(seed))
        generated = program(rnd)
        apart, level = rnd.random() < 0.8, rnd.choice((1, 2, 2))
        expected = passed(generated)
        interpret(read(generated.text).kernels[0], expected, generated.grid)
        module = divided(read(generated.text, apart), level)
        kernel = module.kernels[0]
        steps = module.steps_of(kernel)
        found += kernel.parts is not None or bool(steps)
        # a kernel that is divided itself has no steps but those with larger tiles
        ways = [bool(steps)] if kernel.parts is None or not steps else [False, True]
        for parts, in_steps in product((1, rnd.randint(2, 40)), ways):
            got = passed(generated)
            try:
                interpret(kernel, got, generated.grid, checked=True, parts=parts, in_steps=in_steps)
            except Exception as error:
                raise AssertionError(f"seed {seed}, {parts} blocks: {error}\n{print_op(module)}") from error
            for want, have in zip(arrays(expected), arrays(got), strict=True):
                fault = difference(want, have, generated.exact, generated.signs)
                assert not fault, f"seed {seed}, {parts} blocks: {fault}\n{generated.text}\n{print_op(module)}"
    ran(found, "programs divided among blocks")


def test_what_hangs_together_is_one_block_s(rng: np.random.Generator) -> None:
    """The sum of a vector that is not split is loops that read and a store of what they have found."""
    text = """func @k(%x: memref<f64x31>, %s: memref<f64>, %A: memref<f64x31x2>) {
        %one = constant 1.0 : f64
        sum %one, %x, %one, %s
        axpby %one, %A, %one, %A
    }"""
    module = divided(read(text, apart=True), passes=WHOLE_SUMS)
    assert module.kernels[0].parts is not None
    x, total, matrix = (np.array(rng.integers(-9, 9, shape), np.float64, order="F") for shape in ((31,), (), (31, 2)))
    wanted = [x.copy(), total + x.sum(), 2 * matrix]
    interpret(module.kernels[0], [x, total, matrix], checked=True, parts=5)
    assert all(np.array_equal(have, want) for have, want in zip([x, total, matrix], wanted, strict=True))


@pytest.mark.parametrize("alone", [True, False])
def test_bands_are_as_wide_as_is_asked(alone: bool) -> None:
    """Of a work-group that is alone; of several, an order is that of these."""
    number = "%x = constant 0 : index" if alone else "%x = group_id.x : index"
    text = f"""func @k(%A: memref<f64x21x8>, %B: memref<f64x8x24>, %C: memref<f64x21x24x2>) {{
        {number}
        %one = constant 1.0 : f64
        %D = subview %C[0:21, 0:24, %x] : memref<f64x21x24>
        gemm.n.n %one, %A, %B, %one, %D
    }}"""
    texts: list[str] = []
    for band, asked in ((2, "order=3"), (3, "")):
        policy = SpreadPolicy(fewest=2, step_tiles=2, band=band)
        module = divided(read(text, apart=True), passes=SpreadCollectives(policy, parse_request(asked, Report())))
        assert module.kernels[0].parts is not None
        texts.append(re.sub(r'schedule = "[^"]*", ', "", print_op(module)))
    assert (texts[0] == texts[1]) == alone


def test_a_number_that_is_written_is_not_loaded_again(rng: np.random.Generator) -> None:
    """A later launch would find the sum in the place of the factor: the tiles stay in one block."""
    text = """func @k(%s: memref<f64>, %x: memref<f64x31>, %y: memref<f64x31>, %z: memref<f64x31>) {
        %one = constant 1.0 : f64
        %zero = constant 0.0 : f64
        %factor = load %s[] : f64
        sum %one, %x, %zero, %s
        axpby %one, %x, %zero, %y
        axpby %factor, %y, %zero, %z
    }"""
    module = divided(read(text, apart=True), passes=WHOLE_SUMS)
    (kernel,) = module.kernels
    x = rng.integers(-9, 10, 31).astype(np.float64)
    given = [np.array(3.0), x, np.full_like(x, np.nan), np.full_like(x, np.nan)]
    interpret(kernel, given, checked=True, parts=5, in_steps=bool(module.steps_of(kernel)))
    wanted = [x.sum(), x, x, 3 * x]
    assert all(np.array_equal(have, want) for have, want in zip(given, wanted, strict=True))
    assert kernel.parts is None
    assert not module.steps_of(kernel)
