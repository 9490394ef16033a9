"""Random TLX programs: interpreter = CPU = NumPy on logical tensors; what is printed of them means the same."""

from __future__ import annotations

import random
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from differential.compare_tlx import check
from effort import SEED, Ran, count
from frontends.tlx.kernels import renamed
from frontends.tlx.test_printing import OPT, optimised
from generators.tlx import DTYPES, EXACT, generate
from tilewright.diagnostics import Report, Source
from tilewright.dialects.tlx import OPERATIONS
from tilewright.dialects.tlx.elementwise import TensorUnary
from tilewright.frontends.tlx.printer import print_module
from tilewright.frontends.tlx.printing import TensorForm
from tilewright.frontends.tlx.reading import read_tlx
from tilewright.ir.specs import ELEMENTARY

PROGRAMS: Final = count("RANDOM_TLX_PROGRAMS", 75, 2000)
COMPILED: Final = count("RANDOM_TLX_COMPILED", 12, 2000)
PRINTED: Final = count("RANDOM_TLX_PRINTED", 25, 2000)
OPTIMISED: Final = count("RANDOM_TLX_OPTIMISED", 5, 400)
FORMS: Final = list(TensorForm)


def test_programs_in_the_interpreter(ran: Ran) -> None:
    for seed in range(SEED, SEED + PROGRAMS):
        program = generate(random.Random(seed))
        check(seed, program, program.text, "interpreter")
    ran(PROGRAMS, "TLX programs in the interpreter")


def test_programs_on_the_cpu(ran: Ran) -> None:
    for seed in range(SEED, SEED + COMPILED):
        program = generate(random.Random(seed))
        check(seed, program, program.text, "cpu", (2, 2, 0, 1)[seed % 4])
    ran(COMPILED, "TLX programs on the CPU")


def test_printed_programs(ran: Ran) -> None:
    for seed in range(SEED, SEED + PRINTED):
        program = generate(random.Random(seed))
        module, form = read_tlx(Source("k.ll", program.text), Report()), FORMS[seed % 2]
        text = print_module(module, form)
        again = read_tlx(Source("again.ll", text), Report())
        assert print_module(again, form) == text, f"seed {seed}\n{program.text}"
        assert renamed(print_module(again)) == renamed(print_module(module)), f"seed {seed}\n{program.text}"
        check(seed, program, text, "interpreter")
    ran(PRINTED, "TLX programs printed and read again")


@pytest.mark.skipif(OPT is None, reason="no opt of LLVM 16 or later")
def test_programs_that_llvm_has_optimised(ran: Ran) -> None:
    """What `opt -O2` leaves of dead, common and invariant calls.

    Tokens only where nothing branches: of those that LLVM itself moves out of branches it makes phis, and gives up.
    """
    for seed in range(SEED, SEED + OPTIMISED):
        program = generate(random.Random(seed))
        form = TensorForm.TARGET_TYPES if seed % 2 or " br " in program.text else TensorForm.TOKENS
        text = print_module(read_tlx(Source("k.ll", program.text), Report()), form)
        check(seed, program, optimised(text), "interpreter")
    ran(OPTIMISED, "TLX programs that LLVM has optimised")


def test_what_is_rare_is_still_drawn() -> None:
    """Every intrinsic but functions that round; every rank; vectors in memory; strides that the launch gives.

    The rarest are in one of fifty programs.
    """
    missing = {f"<{rank} x i64> <i64 0" for rank in range(1, 7)} | {
        '"tlx.strides"="dim"',
        "insertelement",
        "phi <",
        "<5",
        "@llvm.tensor.mma(",
        "@llvm.vector.totensor(",
        "x bfloat>",
    }
    for cls in OPERATIONS:
        if not issubclass(cls, TensorUnary) or ELEMENTARY not in cls.definition.traits:
            missing.add(f"@{cls.spec.intrinsic}(")
    for seed in range(SEED, SEED + 5000):
        text = generate(random.Random(seed)).text
        missing = {words for words in missing if words not in text}
        if not missing:
            break
    assert not missing


@pytest.mark.parametrize("element", sorted(EXACT))
def test_sums_of_floats_are_exact(element: str) -> None:
    """What the programs compute stays within the integers of the type, so that no order of sums matters."""
    for seed in range(SEED, SEED + 60):
        arrays: list[NDArray[Any]] = [e for e in generate(random.Random(seed)).expected if isinstance(e, np.ndarray)]
        for expected in arrays:
            if expected.dtype == DTYPES[element]:
                wide: NDArray[np.float64] = np.asarray(expected, np.float64)
                assert (wide == np.rint(wide)).all(), seed
                assert float(np.abs(wide).max()) <= EXACT[element], seed
