"""One case of a benchmark: ours against others in the same rounds; tables of cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from spread import Overall, Spread
from timing import Timings

OURS = "tilewright"


class Comparison(Struct, frozen=True):
    """Seconds of every contestant, and how many times as long each takes as ours, round by round.

    `ours` is the contestant that the others are compared with; `peer` the fastest of those that do the same work (what
    does a part of it only, to show what could be had, is no peer). `error` is relative.
    """

    name: str
    seconds: dict[str, Spread]
    ratios: dict[str, Spread]
    peer: str
    ours: str = OURS
    threads: int = 1
    error: float = 0.0
    wrong: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        timings: Timings,
        peers: Iterable[str] = (),
        *,
        ours: str = OURS,
        threads: int = 1,
        error: float = 0.0,
        allowed: float = 0.0,
    ) -> Comparison:
        """`peers`: who does the same work, all others if none is named; `allowed`: the largest error that is right."""
        others = [other for other in timings.rounds if other != ours]
        ratios = {other: timings.ratios(other, ours) for other in others}
        peer = timings.fastest(tuple(peers) or others)
        return cls(name, timings.seconds(), ratios, peer, ours, threads, error, not error <= allowed)

    @property
    def ratio(self) -> Spread:
        """How many times as fast ours is as the fastest peer."""
        return self.ratios[self.peer]

    def share(self, of: Iterable[str]) -> Spread:
        """What part of our time the slowest of these takes, each of which does a part of the work only."""
        return max((self.ratios[name] for name in of), key=lambda ratio: ratio.median)

    @property
    def label(self) -> str:
        """The name, with the number of threads if it is not one."""
        return self.name if self.threads == 1 else f"{self.name}, {self.threads}T"


def overall(cases: Sequence[Comparison], of: str = "") -> Overall:
    """The ratios over the contestant named `of` of all cases, over the fastest peer of each if none is named."""
    return Overall.of({case.label: case.ratios[of] if of else case.ratio for case in cases})


def line(case: Comparison, unit: str = "ms", width: int = 34) -> str:
    """A row of a table: medians of all in `ms` or `us`, the ratio to the fastest peer with its quartiles."""
    factor = {"ms": 1e3, "us": 1e6}[unit]
    times = "  ".join(f"{name} {spread.median * factor:.2f}" for name, spread in case.seconds.items())
    wrong = f"  WRONG: relative error {case.error:.1e}" if case.wrong else ""
    return f"{case.label:{width}} x{case.ratio} {case.peer}{wrong}   {unit}: {times}"
