"""insert-barriers against an oracle of its own: work-items that run freely (`free_running.py`).

Behind the pass no launch of a random program has a race, and in whatever order work-items take turns, memory ends up as
the program before the pass leaves it. Without any one of the fences that the pass has placed some launch has a race.

The programs (`generators/steps.py`) are such that the pass can know what happens. Where it cannot, it places barriers
that no launch needs; the last tests name these places.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from effort import SEED, Ran, count
from generators.steps import SIZE, TRIPS, Steps, generate, program
from tilewright.dialects import team
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter import interpret
from tilewright.interpreter.engine import Argument
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.types import AddressSpace
from tilewright.transforms.generic_policies import GenericTeamPolicy, GenericTilePolicy
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.pipeline import lowering, optimisation, synchronisation
from tilewright.transforms.policy import TilePolicy

from .free_running import Diverged, FreeRun
from .test_semantics import read

Array = NDArray[Any]
PROGRAMS = count("RANDOM_STEPS", 6, 2000)
CORPUS = (*range(count("RANDOM_STEPS_CORPUS", 20, 3000)), 5163)
CHUNKS = 4
LAUNCHES = 6
ORDERS = 2
_SHIFTS, _DATA = range(-SIZE, SIZE + 1), range(3)
_SMALL = GenericTilePolicy(whole=2, block=2, depth=2, run=4)


@dataclass(frozen=True, slots=True)
class Launch:
    """What the parameters of a program are, `%B` so many elements behind `%A`."""

    ways: tuple[int, ...]
    trips: tuple[int, ...]
    shift: int
    data: int

    def memory(self) -> NDArray[np.int32]:
        """Small numbers of both signs."""
        return np.random.default_rng(self.data).integers(-3, 4, 5 * SIZE).astype(np.int32)

    def arguments(self, memory: NDArray[np.int32]) -> list[Argument]:
        """The arguments, in that memory."""
        starts = (SIZE, SIZE + self.shift, 3 * SIZE, 4 * SIZE)
        memrefs = [memory[start : start + SIZE] for start in starts]
        return [*memrefs, *map(np.int64, (*self.ways, *self.trips))]


@dataclass(frozen=True, slots=True)
class Launches:
    """All launches of a program, as if shuffled: every path with every way in which `%A` and `%B` lie on each other."""

    steps: Steps
    stride: int

    def __iter__(self) -> Iterator[Launch]:
        axes = [*map(range, self.steps.ways), *[range(TRIPS + 1)] * self.steps.counts, _SHIFTS, _DATA]
        total = math.prod(map(len, axes))
        stride = next(n for n in itertools.count(self.stride % total + 1) if math.gcd(n, total) == 1)
        for number in range(total):
            rest, chosen = number * stride % total, list[int]()
            for axis in axes:
                rest, at = divmod(rest, len(axis))
                chosen.append(axis[at])
            ways = len(self.steps.ways)
            yield Launch(tuple(chosen[:ways]), tuple(chosen[ways:-2]), chosen[-2], chosen[-1])


def with_barriers(text: str, policy: TilePolicy = _SMALL, level: int = 0) -> Module:
    """A program behind the pass."""
    module = read(text)
    steps = lowering(GenericTeamPolicy(), policy) + optimisation(level) + synchronisation()
    PassManager(steps, verify_each=True).run(module, PassContext())
    return module


def races(kernel: Kernel, launch: Launch) -> str:
    memory = launch.memory()
    return FreeRun(kernel, memory.view(np.uint8), launch.arguments(memory)).races()


def in_order(text: str, launch: Launch) -> Array:
    """Memory after the program before all passes, one step after another."""
    module, memory = read(text), launch.memory()
    PassManager([InferWorkGroup()]).run(module, PassContext())
    interpret(module.kernels[0], launch.arguments(memory))
    return memory


def placed(module: Module) -> list[tuple[team.Barrier, AddressSpace]]:
    """The fences of all barriers that no user has written: none stands inside of a region of work-items."""
    return [
        (op, space)
        for op in module.walk()
        if isinstance(op, team.Barrier) and not any(isinstance(a, team.Spmd) for a in op.ancestors())
        for space in AddressSpace
        if _fence(op, space)
    ]


def _fence(op: team.Barrier, space: AddressSpace) -> bool:
    return op.fence_global if space is AddressSpace.GLOBAL else op.fence_local


def _set_fence(op: team.Barrier, space: AddressSpace, on: bool) -> None:
    if space is AddressSpace.GLOBAL:
        op.fence_global = on
    else:
        op.fence_local = on


def needless(module: Module, every: Launches) -> list[str]:
    """Fences without which no launch has a race."""
    found: list[str] = []
    for barrier, space in placed(module):
        _set_fence(barrier, space, False)
        if not any(races(module.kernels[0], launch) for launch in every):
            found.append(f"the {space.name.lower()} fence of barrier {barrier.location}")
        _set_fence(barrier, space, True)
    return found


def _in_random_order(kernel: Kernel, launch: Launch, rnd: random.Random) -> Array:
    """Memory after work-items have taken turns."""
    memory = launch.memory()
    FreeRun(kernel, memory.view(np.uint8), launch.arguments(memory)).in_random_order(rnd)
    return memory


def _made(seed: int) -> tuple[random.Random, Steps, Module, Launches]:
    """The program of a seed with its barriers, and how it is launched."""
    rnd = random.Random(seed)
    steps = generate(rnd)
    module = with_barriers(steps.text, rnd.choice((_SMALL, GenericTilePolicy())), rnd.choice((0, 2)))
    return rnd, steps, module, Launches(steps, rnd.getrandbits(30))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_barriers_are_enough(chunk: int, ran: Ran) -> None:
    numbers = range(chunk, PROGRAMS, CHUNKS)
    for number in numbers:
        print(f"seed {SEED + number}")
        rnd, steps, module, every = _made(SEED + number)
        for launch in itertools.islice(every, LAUNCHES):
            found = races(module.kernels[0], launch)
            assert not found, f"{launch}: {found}\n{print_op(module)}"
            want = in_order(steps.text, launch)
            for _ in range(ORDERS):
                have = _in_random_order(module.kernels[0], launch, rnd)
                assert np.array_equal(want, have), f"{launch}:\n{want}\n{have}\n{print_op(module)}"
    ran(len(numbers), "programs of steps under the race detector and in random orders")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_each_barrier_of_a_corpus_is_needed(chunk: int, ran: Ran) -> None:
    """Of programs that are always the same, for to look at every launch of a random one may take minutes.

    In 5163 what an iteration makes the next one wait for serves another step of a loop without branches.
    """
    fences, corpus = 0, CORPUS[chunk::CHUNKS]
    for seed in corpus:
        _, _, module, every = _made(seed)
        superfluous = needless(module, every)
        assert not superfluous, f"seed {seed}: {superfluous}\n{print_op(module)}"
        fences += len(placed(module))
    assert fences > len(corpus), "next to nothing needed a barrier"
    ran(fences, "fences of barriers, each removed")


BOUNDS = {
    "positions that differ by iteration": program(["for %i = %k0, %n0 { store %one, %C[%i] }"], (), 1, 4, 1),
    "branches that exclude each other": program(
        [
            "%b = equal %p0, %k1 : bool",
            "if %b { store %one, %C[%k0] }",
            "if %b { store %one, %D[%k0] } else { store %one, %C[%k0] }",
        ],
        (2,),
        0,
        4,
        1,
    ),
}
"""What the pass does not know, and so waits for what never happens."""


@pytest.mark.parametrize("what", list(BOUNDS))
def test_fences_that_no_launch_needs(what: str) -> None:
    steps = BOUNDS[what]
    module = with_barriers(steps.text)
    assert len(needless(module, Launches(steps, 0))) == len(placed(module)) == 1


MIRROR = "foreach (%i)=(%k0),(%size) {{ %j = sub %k15, %i : index %v = load %{}[%j] : i32 store %v, %{}[%i] }}"


def test_a_race_changes_results(seed: int) -> None:
    steps = program([MIRROR.format("C", "D"), MIRROR.format("D", "C")], (), 0, 4, 1)
    rnd = random.Random(seed)
    module = with_barriers(steps.text)
    launch = Launch((), (), 0, 0)
    want = in_order(steps.text, launch)
    ((barrier, space),) = placed(module)
    _set_fence(barrier, space, False)
    assert "race" in races(module.kernels[0], launch)
    barrier.erase()
    assert any(not np.array_equal(want, _in_random_order(module.kernels[0], launch, rnd)) for _ in range(100))


def test_barriers_that_not_all_reach_are_noticed(seed: int) -> None:
    lines = ["parallel {", "%s = subgroup_linear_id : i32", "%z = constant 0 : i32", "%b = equal %s, %z : bool"]
    steps = program([*lines, "if %b { barrier.global }", "}"], (), 0, 4, 1)
    module = with_barriers(steps.text)
    with pytest.raises(Diverged):
        _in_random_order(module.kernels[0], Launch((), (), 0, 0), random.Random(seed))
