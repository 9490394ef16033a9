"""Random Tile IR kernels: interpreter = CPU without optimisation = CPU with all of it; text and bytecode round trips.

Kernels meet one of these in turn, and two of them in thorough runs.

The seed of a failing kernel and its text are in the message.
"""

from __future__ import annotations

import random
import re

import pytest

from effort import SEED, Ran, count
from generators.tile_ir import TileKernel, generate, module_of
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.dialects.cuda_tile import BY_MNEMONIC
from tilewright.frontends.tile_ir import print_module, read_tile_ir
from tilewright.frontends.tile_ir.bytecode import lowest_version, write

from .compare_tile_ir import failures
from .variants import taken

KERNELS = count("RANDOM_TILE_KERNELS", 400, 5000)
CHUNK = 25
RACING = 0.03
WORD = re.compile(r"[a-z]\w+")


def kernels(first: int, count: int) -> list[TileKernel]:
    """Kernels named after their seeds."""
    return [
        generate(random.Random(seed), f"seed_{seed}", host=0.3, racing=RACING) for seed in range(first, first + count)
    ]


@pytest.mark.parametrize("chunk", range(-(-KERNELS // CHUNK)))
def test_the_cpu_agrees_with_the_interpreter(chunk: int, ran: Ran) -> None:
    made = kernels(SEED + chunk * CHUNK, min(CHUNK, KERNELS - chunk * CHUNK))
    found = failures(made, taken(chunk))
    assert not found, "\n\n".join(f"{kernel.name}: {message}\n{kernel.text}" for kernel, message in found)
    racing = sum(kernel.races for kernel in made)
    ran(len(made) - racing, "kernels of Tile IR")
    ran(racing, "kernels of Tile IR that race")


def test_every_operation_is_generated() -> None:
    """The rarest are in one of a hundred large kernels."""
    missing = set(BY_MNEMONIC) - {"module"}
    for seed in range(SEED, SEED + 5000):
        missing -= set(WORD.findall(generate(random.Random(seed), large=1.0, host=1.0).text))
        if not missing:
            break
    assert not missing


@pytest.mark.parametrize("chunk", range(4))
def test_round_trips(chunk: int) -> None:
    """Text is a fixpoint of printing, and survives bytecode."""
    text = module_of(kernels(SEED + (1 << 20) + 5 * chunk, 5))
    printed = print_module(read_tile_ir(Source("first", text), Report()))
    module = read_tile_ir(Source("second", printed), Report())
    assert print_module(module) == printed, text
    version = lowest_version(module)
    data = write(module, version)
    # Bytecode has no names of values, so its text is another one, which says the same.
    again = print_module(read_tile_ir(Binary("bytes", data), Report()))
    assert write(read_tile_ir(Source("third", again), Report()), version) == data, text
