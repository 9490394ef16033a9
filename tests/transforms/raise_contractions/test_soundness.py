"""Whatever is raised, memory holds the same afterwards: random programs, and contractions with a mistake in them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from effort import Ran, count, falls_short
from tilewright.dialects.builtin import Module
from tilewright.interpreter import KernelError, interpret
from tilewright.transforms.raise_contractions import RaiseContractions
from transforms.raise_contractions.loops import Spec, Writer
from transforms.raise_contractions.programs import ORDERS, ROOM, Programs
from transforms.raise_contractions.test_delinearisation import lowered
from transforms.raise_contractions.test_empty_sums import nest
from transforms.support import ATTRIBUTES, kernel, names, run

PROGRAMS = count("RANDOM_RAISED_PROGRAMS", 25, 5000)
MISTAKES = count("RANDOM_RAISED_MISTAKES", 25, 5000)

NOALIAS = "parameter_attributes = [{noalias = true}, {noalias = true}, {}]"
Array = NDArray[Any]


def result(module: Module, arrays: list[Array]) -> list[Array]:
    """What is in memory when the kernel has run; large numbers wrap in no way that hides a difference."""
    found = [a.copy(order="K") for a in arrays]
    interpret(module.kernels[0], found, (1, 1, 1))
    return found


def integers(rng: np.random.Generator, *shape: int) -> Array:
    return np.asfortranarray(rng.integers(-2, 3, shape).astype(np.float64))


def test_random_programs_mean_the_same(rng: np.random.Generator, ran: Ran) -> None:
    raised = 0
    for _ in range(PROGRAMS):
        text = Programs(rng).program()
        parameters = ", ".join(f"%{name}: memref<f64{f'x{ROOM}' * order}>" for name, order in ORDERS.items())
        module = kernel(parameters, text, f"{NOALIAS}, {ATTRIBUTES}")
        arrays = [integers(rng, *[ROOM] * order) for order in ORDERS.values()]
        want = result(module, arrays)
        after = run(module, RaiseContractions())
        raised += any(name.startswith("tl.") for name in names(module))
        if all(np.abs(x).max() < 2**50 for x in want):
            for x, y in zip(result(module, arrays), want, strict=True):
                np.testing.assert_array_equal(x, y, err_msg=f"{text}\n\n{after}")
    assert not falls_short(raised, PROGRAMS, 0.4), raised
    ran(PROGRAMS, "programs with loops")


def mistaken(text: str, rng: np.random.Generator) -> str:
    """The nest with a number, an index or an operation changed."""
    lines = text.split("\n")
    numbers = [k for k, line in enumerate(lines) if "arith.constant" in line]
    accesses = [k for k, line in enumerate(lines) if "memref." in line]
    choice = rng.random()
    if choice < 0.5 and numbers:
        k = int(rng.choice(numbers))
        by = int(rng.choice([-2, -1, 1, 2]))
        lines[k] = re.sub(r"value = (\d+)", lambda m: f"value = {max(0, int(m[1]) + by)}", lines[k])
    elif choice < 0.8:
        k = int(rng.choice(accesses))
        found = re.findall(r", (%v\w+)", lines[k])
        if len(found) > 1:
            one, other = rng.choice(found, 2, replace=False)
            lines[k] = re.sub(rf", {one}\b", f", {other}", lines[k], count=1)
    elif choice < 0.9:
        pair = ("arith.add", "arith.sub") if rng.random() < 0.5 else ("arith.mul", "arith.max")
        return text.replace(*pair)
    else:
        lines[int(rng.choice(accesses))] += " "
        k = int(rng.choice([k for k, line in enumerate(lines) if "memref.store" in line]))
        lines[k] = f"{lines[k]}\n{lines[k]}" if rng.random() < 0.5 else ""
    return "\n".join(lines)


def test_contractions_with_a_mistake_mean_what_they_say(rng: np.random.Generator, ran: Ran) -> None:
    tried = raised = 0
    # Three of five are raised all the same, but not of each few that are drawn.
    while tried < MISTAKES or not 0 < raised < tried:
        assert tried < MISTAKES + 100, raised
        letters = [("mn", "mk", "kn"), ("mn", "km", "nk"), ("m", "mk", "k"), ("mn", "m", "n")][int(rng.integers(4))]
        extents = {k: int(rng.integers(2, 9)) for k in dict.fromkeys("".join(letters))}
        text = mistaken(Writer(Spec(*letters, extents), rng).nest(), rng)
        room = Spec(*letters, dict.fromkeys(extents, ROOM))
        try:
            module = kernel(room.parameters, text, room.attributes)
        except AssertionError:
            continue
        arrays = [integers(rng, *[ROOM] * len(one)) for one in letters]
        try:
            want = result(module, arrays)
        except KernelError:
            continue
        after = run(module, RaiseContractions())
        for x, y in zip(result(module, arrays), want, strict=True):
            np.testing.assert_array_equal(x, y, err_msg=f"{text}\n\n{after}")
        tried += 1
        raised += not names(module)["memref.store"]
    ran(tried, "contractions with a mistake")


def test_a_last_tile_that_reaches_beyond_the_bound_is_whole(rng: np.random.Generator) -> None:
    """Tiles of 4 that begin below 10 end at 12."""
    tiles, tile = "%t = 0 to 10 step 4", "%q = affine_map<(d0) -> (d0)>(%t) to affine_map<(d0) -> (d0 + 4)>(%t)"
    module = lowered(nest([tiles, "%i = 0 to 3", "%j = 0 to 5", tile], "%i, %q", "%q, %j", "%i, %j"))
    run(module, RaiseContractions())
    assert names(module)["tl.gemm"] == 1
    # lowered memrefs have their modes from the innermost on
    a, b, c = (integers(rng, *shape).astype(np.float32) for shape in ((12, 3), (5, 12), (5, 3)))
    want = c + b @ a
    interpret(module.kernels[0], [a, b, c, 3, 5, 10])
    np.testing.assert_array_equal(c, want)
