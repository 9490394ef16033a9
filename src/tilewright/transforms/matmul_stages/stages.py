"""The seventeen stages in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Final

from msgspec import Struct

from tilewright.transforms.matmul_stages import (
    s01_start,
    s02_tile_block,
    s03_tile_warp,
    s04_create_shared_buffers,
    s05_pad_shared,
    s06_wmma_generate,
    s07_permute_outer,
    s08_permute_inner,
    s09_unroll_inner,
    s10_cse_hoist_c,
    s11_shift_peel_k,
    s12_insert_barriers,
    s13_vectorise_copies,
    s14_parallelise,
    s15_map_to_gpu,
    s16_complete_latency_hiding,
    s17_outline_and_lower,
)
from tilewright.transforms.matmul_stages.batch import check_batch
from tilewright.transforms.matmul_stages.matmul import Matmul
from tilewright.transforms.matmul_stages.neighbours import check_neighbours
from tilewright.transforms.matmul_stages.specialised import known_programs


class Stage(Struct, frozen=True):
    """A pass over a product, which says what it changed, and the check of what holds behind it.

    `check` takes the names of the operations before the stage.
    """

    name: str
    apply: Callable[[Matmul], str]
    check: Callable[[Matmul, Sequence[str]], None]

    @property
    def number(self) -> int:
        """Where it stands, from 1."""
        return NAMES.index(self.name) + 1


_Check = Callable[[Matmul, Sequence[str]], None]


def _with_what_is_around(check: _Check) -> _Check:
    """The check of a stage, and that of what is around the product: the batch, and what is done with elements of C.

    Where extents are open it is made of programs of some extents (`specialised`).
    """

    @wraps(check)
    def whole(matmul: Matmul, before: Sequence[str]) -> None:
        for known in known_programs(matmul):
            check(known, before)
            check_batch(known)
            check_neighbours(known)

    return whole


START: Final = Stage(s01_start.NAME, lambda _: "", _with_what_is_around(s01_start.check))
"""The first, which makes the product that the others transform; it has nothing to apply."""

STAGES: Final = tuple(
    Stage(module.NAME, module.apply, _with_what_is_around(module.check))
    for module in (
        s02_tile_block,
        s03_tile_warp,
        s04_create_shared_buffers,
        s05_pad_shared,
        s06_wmma_generate,
        s07_permute_outer,
        s08_permute_inner,
        s09_unroll_inner,
        s10_cse_hoist_c,
        s11_shift_peel_k,
        s12_insert_barriers,
        s13_vectorise_copies,
        s14_parallelise,
        s15_map_to_gpu,
        s16_complete_latency_hiding,
        s17_outline_and_lower,
    )
)
"""Those behind the first."""

NAMES: Final = (START.name, *(stage.name for stage in STAGES))
"""All stages; the first makes the product that the others transform."""
