"""How many random cases a run takes: those of a few minutes, or with `--thorough` many more.

Each number can be given by an environment variable, `TILEWRIGHT_RANDOM_KERNELS` for example, and the seed of all by
`TILEWRIGHT_RANDOM_SEED`.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable
from typing import Final, TypeAlias

THOROUGH: Final = "TILEWRIGHT_RANDOM_THOROUGH"
"""Set by `--thorough`, for the processes among which a run is distributed too."""

Ran: TypeAlias = Callable[[int, str], None]
"""The fixture `ran`: so many cases of a kind have passed, which the end of the run tells."""

GIVEN_SEED: Final = int(os.environ.get("TILEWRIGHT_RANDOM_SEED", "0"))
"""0 if none is given."""

SEED: Final = GIVEN_SEED or random.SystemRandom().randrange(1 << 40)
"""A new one in each process; what fails says with which it does."""


def thorough() -> bool:
    """Whether this run takes many cases."""
    return bool(os.environ.get(THOROUGH))


def count(name: str, usual: int, many: int) -> int:
    """The number of cases that `TILEWRIGHT_<name>` gives, else the usual one, else that of a thorough run.

    Names start with `RANDOM_` or `GPU_`: the settings of tilewright refuse others that they do not know.
    """
    assert name.startswith(("RANDOM_", "GPU_"))
    given = os.environ.get(f"TILEWRIGHT_{name}")
    return int(given) if given else many if thorough() else usual


def parts(many: int, usual: int = 1) -> range:
    """The numbers of the tests that share out the cases of one: more in a thorough run, so that none takes minutes."""
    return range(many if thorough() else usual)


def falls_short(found: int, tried: int, share: float) -> bool:
    """Whether so few of the random cases would be found in one of a thousand million runs, if that share of all were.

    What is promised of a share of cases is asserted with this: a share of what happened to be drawn is another number,
    and a limit close to the true one fails in some runs without a fault.
    """
    whole, found_one, missed_one = math.lgamma(tried + 1), math.log(share), math.log1p(-share)
    chances = (
        math.exp(whole - math.lgamma(k + 1) - math.lgamma(tried - k + 1) + k * found_one + (tried - k) * missed_one)
        for k in range(found + 1)
    )
    return math.fsum(chances) < 1e-9
