"""The forms in which stock `mlir-opt` prints the programs: passes and ways of printing, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.mlir"))
PRINTED = sorted((Path(__file__).parent / "printed").glob("*.mlir"))
WRITTEN_PROGRAMS = sorted((Path(__file__).parent / "written").glob("*.mlir"))
"""By hand, as people do who use the tool, and what versions 14 to 22 print of some: NAME.VERSION.mlir."""

_LOOPS = ("--convert-linalg-to-affine-loops",)
PASSES: Mapping[str, Sequence[str]] = {
    "pretty": (),
    "generic": ("--mlir-print-op-generic",),
    "located": ("--mlir-print-debuginfo",),
    "canonical": ("--canonicalize", "--cse"),
    "generalised": ("--linalg-generalize-named-ops",),
    "affine": _LOOPS,
    "loops": ("--convert-linalg-to-loops", "--mlir-print-op-generic"),
    "parallel": ("--convert-linalg-to-parallel-loops",),
    "tiled": (*_LOOPS, "--affine-loop-tile=tile-size=4"),
    "normalised": (*_LOOPS, "--affine-loop-tile=tile-size=4", "--affine-loop-normalize"),
    "jammed": (*_LOOPS, "--affine-loop-unroll-jam=unroll-jam-factor=2"),
    "unrolled": (*_LOOPS, "--affine-loop-unroll=unroll-factor=3"),
    "parallelised": (*_LOOPS, "--affine-parallelize=parallel-reductions"),
    "replaced": (*_LOOPS, "--affine-loop-unroll=unroll-factor=4", "--affine-scalrep"),
    "coalesced": (*_LOOPS, "--affine-loop-coalescing"),
    "fused": (*_LOOPS, "--affine-loop-fusion"),
    "lowered": (*_LOOPS, "--affine-loop-tile=tile-size=5", "--lower-affine", "--canonicalize"),
    "blocks": (*_LOOPS, "--lower-affine", "--convert-scf-to-cf"),
}
"""Options of the tool; a form that is no other than that without passes is not kept."""


def options(form: str) -> Sequence[str]:
    """How the tool is called."""
    return PASSES[form]


def parts_of(path: Path) -> tuple[str, str]:
    """Name of the program and form of a printed file."""
    name, _, form = path.stem.partition(".")
    return name, form
