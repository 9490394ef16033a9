"""Schedules that a caller asks for: one line for all kernels of a program, or lines for some of them by name.

    lanes threads=256                   add: lanes threads=128; norm: lanes threads=512

A line of a name is that of the kernel alone; it stands before semicolons or on lines of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.diagnostics import Diagnostic, Report, Source, SourceRange
from tilewright.dialects import tile
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.gpu_clusters import MOST_BLOCKS
from tilewright.dialects.matrix_instructions import instruction_of
from tilewright.ir.schedules import (
    Copies,
    Maps,
    ProductChoice,
    Schedule,
    ScheduleError,
    Slices,
    Tile,
    Tiles,
    Way,
    parse_line,
    spelled,
)
from tilewright.transforms.schedule.products.factors import SLAB
from tilewright.transforms.schedule.said import schedule_of

CODE: Final = "T009"
_PART: Final = re.compile(r"[^;\n]+")
_NAMED: Final = re.compile(r"\s*([^\s=#:]+):(?=\s|$)")
_NOTHING: Final = Schedule()
_MOST_RESIDENT: Final = 2048
"""Threads of a multiprocessor."""
_REGISTERS: Final = 255
_MOST_SUMS: Final = 192
"""Of a thread, and the accumulators that it has room for beside all else."""


class _Need(Struct, frozen=True):
    """An option of schedules that some kernels cannot have, and what such a kernel lacks.

    Values in `unasked` ask for nothing; a schedule without the option has the `default`. What the schedule that was
    taken gives as its reason stands for what is lacking, unless the lack is `certain`.
    """

    option: str
    lack: str
    unasked: tuple[object, ...] = (None, False)
    default: object = None
    certain: bool = False

    def missed(self, wanted: Schedule, taken: Schedule) -> str | None:
        """The option as it is asked for, if the schedule that was taken has it otherwise."""
        asked: object = getattr(wanted, self.option)
        found: object = getattr(taken, self.option) or self.default
        return None if asked in self.unasked or asked == found else str(replace(_NOTHING, **{self.option: asked}))

    def reason(self, taken: Schedule) -> str:
        """Why it is not as asked."""
        return self.lack if self.certain else taken.reason or self.lack


_NEEDS: Final = (
    # what says nothing of copies has threads copy
    _Need("copies", "it has no products whose factors a loop loads ahead", (None,), default=Copies.THREADS),
    _Need("stores", "it has no products", (None,), default=Copies.THREADS),
    _Need("persistent", "it has no loop over tiles whose factors the machine copies by itself"),
    _Need(
        "pairs",
        "it has no packed items of which a warp treats two at a time, by an even number of threads each",
        certain=True,
    ),
    _Need("turns", "it has no loop in which several groups of warps compute what they multiply next"),
    _Need("reuse", "it has no loop in which products multiply the same tile, with memory for three of it"),
    _Need("overlap", "it has no loop with several products whose factors the machine copies by itself"),
    _Need("held", "it has no loop with several products of which one may have rows in registers"),
    _Need("roles", "it has no loop with products of two or three groups of warps, whose readers say so"),
    _Need(
        "pingpong",
        "it has no loop over tiles of one group of warps (threads=128) for which a producer warp copies (roles=yes)",
    ),
    _Need("swizzle", "no shorter slabs divide the rows of its factors that groups of warps read", (None, SLAB)),
    _Need("stream", "no product of it has several tiles that blocks take"),
    _Need("order", "no product has one factor of a column and one of a row of the grid", (None, 1), certain=True),
    _Need("dependent", "the machine begins no launch before the one in front of it is over", certain=True),
    _Need("divide", "it is no grid of work-groups whose tiles are divided", (None, Slices((1, 1)))),
    _Need("joined", "it is no grid of work-groups whose tiles, two at a time, make one for a whole block"),
    _Need("maps", "it has no products whose factors the machine copies by itself", (None, Maps.TESTED)),
)
"""In the order in which they are reported."""


class Wanted(Struct, frozen=True):
    """What is asked for a kernel, for all if it has no name, and where that is written."""

    kernel: str | None
    schedule: Schedule
    place: SourceRange


class ScheduleRequest(Struct, frozen=True):
    """What is asked for a program."""

    parts: tuple[Wanted, ...] = ()

    def of(self, kernel: Kernel) -> Schedule:
        """What is asked for a kernel, maybe nothing: of what takes its place with other tiles the model chooses all."""
        found = None if is_of_own(kernel) else self._part(kernel)
        return _NOTHING if found is None else found.schedule

    @property
    def tile(self) -> Tile | None:
        """Tiles of products, which all kernels share."""
        return next((part.schedule.tile for part in self.parts if part.schedule.tile is not None), None)

    @property
    def tiles(self) -> Tiles | None:
        """Among which tiles of products are chosen, which all kernels share."""
        return next((part.schedule.tiles for part in self.parts if part.schedule.tiles is not None), None)

    @property
    def leaves_sharing(self) -> bool:
        """Whether nobody asks for what blocks share of products, so that a model chooses."""
        return all(part.schedule.cluster is None and part.schedule.stream is None for part in self.parts)

    def check_only_tiles(self, report: Report, whose: str) -> None:
        """Report all that is asked for but tiles."""
        for part in self.parts:
            if part.schedule != Schedule(tile=part.schedule.tile, reason=part.schedule.reason):
                said = f"{part.schedule} says more than {whose} lets choose"
                report.error(CODE, part.place, said).hint("tile=MxNxK, the tiles of products whose extents are chosen")

    def check_products_there(self, module: Module, report: Report) -> None:
        """Report tiles that are asked for where nothing is multiplied."""
        if not any(isinstance(op, tile.Mma) for op in module.walk()):
            for part in self.parts:
                report.error(CODE, part.place, f"{part.schedule} does not fit: the program has no products")

    def check_names(self, module: Module, report: Report) -> None:
        """Report kernels that there are not."""
        names = [kernel.sym_name for kernel in module.kernels if kernel.is_head]
        for part in self.parts:
            if part.kernel is not None and part.kernel not in names:
                said = f"the program has no kernel {part.kernel[:80]!r}; it has {', '.join(names)}"
                report.error(CODE, part.place, said)

    def check(self, kernel: Kernel, taken: Schedule, report: Report, why: str, tiles: Sequence[Tile]) -> None:
        """Report what is asked of way, threads and tiles of a kernel, and is not so; `tiles` are what products have.

        Which kernels are packed is decided later. Steps of a kernel are as the request has it where that fits, and so
        is a kernel in whose place another one runs where arrays do not overlap.
        """
        if _is_free(kernel):
            return
        wanted = self.of(kernel)
        if wanted.way is Way.PACKED:
            taken = replace(taken, way=wanted.way, threads=wanted.threads)
        if wanted.way not in (None, taken.way):
            self._misfit(kernel, wanted.way.value, taken.reason, report)
        if wanted.threads not in (None, taken.threads):
            self._misfit(kernel, f"threads={wanted.threads}", f"its blocks have {taken.threads}", report).hint(why)
        if wanted.spread is True and not taken.spread:
            few = "it has no instruction with so many tiles that several blocks would share them"
            self._misfit(kernel, "spread=yes", few if taken.spread is None else taken.reason, report)
        if wanted.tile is not None and wanted.tile not in tiles:
            said = f"its products have tiles of {', '.join(map(spelled, tiles))}" if tiles else "it has no products"
            finding = self._misfit(kernel, f"tile={spelled(wanted.tile)}", said, report)
            if tiles and (crowded := _crowded(wanted.tile, wanted.threads or taken.threads)):
                finding.hint(crowded)

    def check_groups(self, kernel: Kernel, taken: int, report: Report, why: str) -> None:
        """Report how many work-groups are asked for a block that has others; `why` says what is in the way."""
        if _is_free(kernel):
            return
        wanted = self.of(kernel).groups
        if wanted not in (None, taken):
            finding = self._misfit(kernel, f"groups={wanted}", f"each of its blocks runs {taken}", report)
            if why:
                finding.hint(why)

    def check_products(self, kernel: Kernel, taken: Schedule, why: str, report: Report) -> None:
        """Report what is asked of products, and what way, once all is decided; `why` says why they have no others."""
        if _is_free(kernel):
            return
        wanted = self.of(kernel)
        if wanted.way not in (None, taken.way):
            taken_way = "another way" if taken.way is None else f"the way of {taken.way.value}"
            self._misfit(kernel, wanted.way.value, taken.reason or f"it takes {taken_way}", report)
        elif wanted.way is Way.PACKED and wanted.threads not in (None, taken.threads):
            self._misfit(kernel, f"threads={wanted.threads}", f"its blocks have {taken.threads}", report)
        elif wanted.chunk not in (None, taken.chunk):
            said = "its items are not packed" if taken.chunk is None else f"its chunks are {taken.chunk}"
            self._misfit(kernel, f"chunk={wanted.chunk}", said, report)
        for need in _NEEDS:
            if (missed := need.missed(wanted, taken)) is not None:
                self._misfit(kernel, missed, need.reason(taken), report)
        if wanted.cluster not in (None, (1, 1), taken.cluster):
            said = self._no_cluster(kernel, wanted.cluster, taken)
            self._misfit(kernel, f"cluster={spelled(wanted.cluster)}", said, report)
        if wanted.resident is not None and wanted.resident * (taken.threads or 1) > _MOST_RESIDENT:
            said = f"a multiprocessor has {_MOST_RESIDENT:,} threads at most"
            self._misfit(kernel, f"resident={wanted.resident}", said, report)
        self._check_each(kernel, wanted, taken, why, report)

    def _check_each(self, kernel: Kernel, wanted: Schedule, taken: Schedule, why: str, report: Report) -> None:
        """Report what is asked of products of some extents."""
        for product in wanted.products:
            found = taken.product(product.tile)
            if found is None or not product.allows(found):
                others = ", ".join(map(str, taken.products))
                said = f"its products are {others}" if others else "it has no products with a choice"
                finding = self._misfit(kernel, f"product={product}", said, report)
                for hint in (_too_deep(product, found), why):
                    if hint:
                        finding.hint(hint)

    @staticmethod
    def _no_cluster(kernel: Kernel, cluster: tuple[int, int], taken: Schedule) -> str:
        """Why blocks run in no clusters."""
        if prod(cluster) > MOST_BLOCKS:
            return f"a cluster has {MOST_BLOCKS} blocks at most"
        if kernel.parts is None:
            return "it has no tiles of products that several blocks share"
        return taken.reason or "it has no products that groups of warps multiply in a loop"

    def _misfit(self, kernel: Kernel, wanted: str, said: str, report: Report) -> Diagnostic:
        part = self._part(kernel)
        assert part is not None, "nothing is asked for"
        return report.error(CODE, part.place, f"{wanted} does not fit kernel {kernel.launched_as}: {said}")

    def _part(self, kernel: Kernel) -> Wanted | None:
        named = [part for part in self.parts if part.kernel == kernel.launched_as]
        return next(iter(named or [part for part in self.parts if part.kernel is None]), None)

    def __str__(self) -> str:
        return "; ".join(
            f"{part.kernel}: {part.schedule}" if part.kernel else str(part.schedule) for part in self.parts
        )


def _crowded(tile: Tile, threads: int | None) -> str:
    """What keeps accumulators of a tile out of the registers of a block; nothing if they are few."""
    rows, columns, _ = tile
    each = rows * columns // threads if threads else 0
    if each <= _MOST_SUMS:
        return ""
    return (
        f"{rows} x {columns} accumulators are {each} for each of {threads} threads, which have {_REGISTERS} registers"
    )


def _too_deep(asked: ProductChoice, taken: ProductChoice | None) -> str:
    """What keeps the stages of a product out of shared memory; nothing if it differs in something else."""
    instruction = instruction_of(asked.instruction)
    if taken is None or instruction is None or not replace(asked, stages=None).allows(taken):
        return ""
    if asked.stages is None or taken.stages is None or asked.stages < taken.stages:
        return ""
    m, n, k = asked.tile
    stage = (m + n) * k * instruction.factor.bytes
    whole = f"{asked.stages} stages of {stage:,} bytes are {asked.stages * stage:,}"
    return f"{whole}; beside what else a block keeps in shared memory there is room for {taken.stages}"


def is_of_own(kernel: Kernel) -> bool:
    """Whether a kernel takes the place of another one, and divides its tiles, or joins some."""
    said = Schedule() if kernel.step_of is None else schedule_of(kernel)
    return said.joined is True or (said.divide is not None and said.divide.are_all)


def _is_free(kernel: Kernel) -> bool:
    """Whether a kernel takes of what is asked only what fits: another one has to be as it is asked for."""
    module = kernel.parent_op
    return kernel.step_of is not None or (isinstance(module, Module) and module.apart_from(kernel) is not None)


def parse_request(text: str, report: Report) -> ScheduleRequest:
    """What a text asks for. What is wrong is in `report`, with its place in the text."""
    source = Source("schedule", text)
    parts: list[Wanted] = []
    for match in _PART.finditer(text):
        name = _NAMED.match(match[0])
        said = match[0][name.end() if name is not None else 0 :]
        start = match.end() - len(said.lstrip())
        place = SourceRange(source, start, start + len(said.strip()))
        if not match[0].strip():
            continue
        kernel = name[1] if name is not None else None
        if any(part.kernel == kernel for part in parts):
            whose = "all kernels" if kernel is None else f"kernel {kernel[:80]}"
            report.error(CODE, place, f"there are two schedules for {whose}")
        try:
            schedule = parse_line(said.strip())
        except ScheduleError as error:
            finding = report.error(CODE, SourceRange(source, start + error.start, start + error.end), str(error))
            if error.hint:
                finding.hint(error.hint)
            continue
        if kernel is not None and schedule.tile is not None:
            said = f"tile={spelled(schedule.tile)} is for all kernels of a program, not for {kernel[:80]}"
            report.error(CODE, place, said)
        parts.append(Wanted(kernel, schedule, place))
    return ScheduleRequest(tuple(parts))
