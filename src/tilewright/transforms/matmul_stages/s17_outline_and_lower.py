"""Stage 17, outline_and_lower: the launch becomes a kernel of its own, in the dialects that all targets know.

before:  func.func @f(%A, %B, %C) { gpu.launch blocks(%bx, %by) in (64, 64) threads(%tx) in (256) { .. } }
after:   builtin.kernel @f(%A, %B, %C) {work_group_size = [256, 1], subgroup_size = 32} { team.spmd { .. } }

Blocks are work-groups of the grid, warps are subgroups, matrices tiles of a subgroup, barriers those of the team. From
here on targets compile it as any other kernel. It is launched on a grid of as many work-groups as there are blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.mlir import affine, arith, func, gpu
from tilewright.dialects.mlir import memref as foreign
from tilewright.dialects.mlir.base import MlirOperation, shape_of
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.layouts import Owner
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms.lower_mlir import Promises, SameLength, TilesOf, TimesOf, outlined
from tilewright.transforms.lower_mlir.context import Unsupported
from tilewright.transforms.matmul_stages import block_order, ring, ring_check, swizzled
from tilewright.transforms.matmul_stages.layouts import origin_of, pitch_of
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.open_extents import limit_of
from tilewright.transforms.matmul_stages.s06_wmma_generate import instruction_of
from tilewright.transforms.matmul_stages.s13_vectorise_copies import ALIGNMENT
from tilewright.transforms.matmul_stages.s15_map_to_gpu import WARP

NAME = "outline_and_lower"
REGISTERS: Final = 255
"""Registers that a thread has at most, of 4 bytes."""
_NEIGHBOURS: Final = 2
_BESIDE: Final = (
    arith.Constant,
    affine.AffineValue,
    foreign.Dim,
    foreign.Subview,
    foreign.Cast,
    foreign.ReinterpretCast,
    func.Return,
)
"""What may stand beside the launch: it reads and writes nothing."""


def apply(matmul: Matmul) -> str:
    """Lower the launch to a kernel."""
    launch = matmul.nest(NAME)
    assert isinstance(launch, gpu.Launch)
    _check_alone(matmul, launch)
    taken = sum(_shared_bytes(matmul))
    room = matmul.schedule.shared
    if taken > room:
        hint = f'give a smaller block in the schedule, "block=64x64x64" for example, or more room: "shared={taken}"'
        raise NotApplicable(launch, f"the buffers take {taken} bytes of shared memory; blocks have {room}", hint)
    needed = registers(matmul)
    if needed > REGISTERS:
        hint = 'give smaller tiles of warps in the schedule, "warp=64x32x32" for example'
        raise NotApplicable(launch, f"a thread needs {needed} registers at least; there are {REGISTERS}", hint)
    if matmul.schedule.buffers > 1:
        ring.apply(matmul, NAME)
    if matmul.schedule.order > 1:
        block_order.apply(matmul, launch)
    unit = next(iter(reversed(list(matmul.function.ancestors()))))
    placed = swizzled.swizzles(matmul, launch)
    try:
        grid = (_extent(matmul, "j"), _extent(matmul, "i"), _entries(matmul))
        promised = Promises(_alike(matmul), _aligned(matmul))
        matmul.made.module = outlined(unit, matmul.function, grid, promised, placed)
    except Unsupported as problem:
        raise NotApplicable(launch, str(problem)) from problem
    threads = matmul.schedule.warps * WARP
    said = f"kernel @{matmul.function.sym_name} for a grid of {matmul.grid} work-groups of {threads} threads"
    return f"{said}, {taken} bytes of shared memory"


def _extent(matmul: Matmul, letter: str) -> int | TilesOf:
    """That of the grid along i or j."""
    size = limit_of(matmul.sizes[letter])
    known = matmul.blocks["ij".index(letter)]
    if isinstance(size, int):
        return known or 1
    return TilesOf(size, matmul.block[letter])


def _entries(matmul: Matmul) -> int | TimesOf:
    """That of the grid along the batch."""
    first, rest = matmul.entries
    if isinstance(first, int):
        return first
    length = limit_of(first)
    assert isinstance(length, Value)
    return TimesOf(length, rest)


def _alike(matmul: Matmul) -> list[SameLength]:
    """What has to be of one length in a launch."""
    found: list[SameLength] = []
    for matrix in (matmul.a, matmul.b, matmul.c):
        home = matrix.memref.defining_op
        memory = home.source if matmul.batch and isinstance(home, foreign.Subview) else matrix.memref
        sizes = [*matmul.batch, *(matmul.sizes[letter] for letter in matrix.letters)]
        for dimension, size in enumerate(map(limit_of, sizes)):
            if isinstance(size, Value) and shape_of(memory)[dimension] is None:
                found.append(SameLength(memory, dimension, size))
    return found


def _aligned(matmul: Matmul) -> dict[Value, int]:
    """The arguments of which threads move rows of elements, each with one access, and the bytes of that.

    A lane has two neighbours of each row of C, as instructions of tensor cores have them.
    """
    found: dict[Value, int] = {}
    if matmul.schedule.vector == 1:
        return found
    pitch = pitch_of(matmul.c.memref)
    pairs = [(matmul.c, _NEIGHBOURS)] if pitch is not None and pitch % _NEIGHBOURS == 0 else []
    for matrix, count in ((matmul.a, matmul.schedule.vector), (matmul.b, matmul.schedule.vector), *pairs):
        memory, bytes_ = origin_of(matrix.memref), count * matrix.element.bits // 8
        if isinstance(memory, BlockArgument):
            found[memory] = max(bytes_, found.get(memory, 0))
    return found


def _check_alone(matmul: Matmul, launch: gpu.Launch) -> None:
    """The function does nothing but launch, with extents and views for that. Raises `NotApplicable` if it does."""
    for op in matmul.function.body.entry:
        if op is not launch and not isinstance(op, _BESIDE):
            hint = "put it into a function of its own, which is a kernel then, and launch that in front or behind"
            raise NotApplicable(op, f"{op.name} stands beside the launch in @{matmul.function.sym_name}", hint)


def _shared_bytes(matmul: Matmul) -> list[int]:
    """Bytes of the buffer of A, of that of B and of that of a tile of C, if there is one."""
    found: list[int] = []
    for matrix in (matmul.a, matmul.b):
        rows, columns = matrix.of(matmul.block)
        rows *= matmul.schedule.buffers
        found.append(rows * (columns + matmul.schedule.pad) * matrix.element.bits // 8)
    if matmul.made.staged:
        found.append(math.prod(matmul.c.of(matmul.block)) * matmul.c.element.bits // 8)
    return found


def registers(matmul: Matmul) -> int:
    """Registers of a thread for its part of the sums, of a step's matrices and of what it fetches."""
    schedule = matmul.schedule
    m, n, _ = schedule.fragments
    rows, columns, depth = schedule.matrix
    sums = m * n * rows * columns * matmul.c.element.bits
    fetched = [
        matrix
        for matrix in (matmul.a, matmul.b)
        if schedule.buffers == 1 or not ring.goes_on(matrix.element, schedule.vector)
    ]
    tiles = sum(math.prod(matrix.of(matmul.block)) * matrix.element.bits for matrix in fetched)
    factors = _factor_registers(matmul, m * rows, n * columns, (1 + schedule.ahead) * depth)
    return math.ceil(sums / (WARP * 32)) + factors + math.ceil(tiles / (schedule.warps * WARP * 32))


def _factor_registers(matmul: Matmul, rows: int, columns: int, depth: int) -> int:
    """Those of so many rows of A and columns of B, of which lanes may have copies."""
    found = instruction_of(matmul)
    assert found is not None, "stage 6 has asked"
    words = max(found.factor.bytes, 4) // 4
    m, n, k = found.shape
    a, b = (layout.count(Owner.REG) // found.word_elements * words for layout in (found.rows, found.columns))
    parts = (
        ((a, rows // m), (b, columns // n))
        if rows % m == 0 and columns % n == 0
        else ((a, columns // m), (b, rows // n))
    )
    return sum(each * count for each, count in parts) * (depth // k)


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """One kernel of the shared dialects, of the launch's blocks, within what every device has, with aligned rows."""
    module = matmul.made.module
    if module is None or len(module.kernels) != 1:
        raise Broken(NAME, matmul.function, "there is not one kernel")
    (kernel,) = module.kernels
    foreign = next((op for op in module.walk() if isinstance(op, MlirOperation)), None)
    if foreign is not None:
        raise Broken("legality", foreign, f"{foreign.name} is left")
    threads = matmul.schedule.warps * WARP
    if (kernel.work_group_size, kernel.subgroup_size) != ((threads, 1), WARP):
        raise Broken(
            NAME, kernel, f"a work-group is {kernel.work_group_size}, not {threads} threads in warps of {WARP}"
        )
    for argument, bytes_ in _aligned(matmul).items():
        assert isinstance(argument, BlockArgument)
        if kernel.attributes_of(kernel.parameters[argument.index]).get(ALIGNMENT) != bytes_:
            raise Broken(ALIGNMENT, kernel, f"%{argument.name} is not known to begin at a multiple of {bytes_} bytes")
    if matmul.schedule.buffers > 1:
        ring_check.check(matmul)
    launch = matmul.nest(NAME)
    assert isinstance(launch, gpu.Launch)
    if matmul.schedule.order > 1:
        block_order.check(matmul, launch)
    if matmul.schedule.swizzle:
        swizzled.check(kernel, launch, matmul.sums)
    taken = sum(_bytes(op) for op in kernel.walk() if isinstance(op, memref.Alloca))
    room = matmul.schedule.shared
    if taken > room:
        raise Broken("legality", kernel, f"{taken} bytes of shared memory, where blocks have {room}")
    _check_products(matmul, kernel)


def _bytes(op: memref.Alloca) -> int:
    type_ = op.out.type
    assert isinstance(type_, MemrefType)
    return type_.element.bits // 8 * (type_.span or 0)


def _check_products(matmul: Matmul, kernel: Kernel) -> None:
    """As many products, barriers and carried sums as the launch had."""
    m, n, k = matmul.schedule.fragments
    if matmul.schedule.buffers > 1:
        k = matmul.block["k"] // matmul.schedule.matrix[2]
    products = _count(kernel, tile.Mma)
    if products != 2 * m * n * k:
        raise Broken("number of products", kernel, f"{products} products of tiles, not 2 * {m} * {n} * {k}")
    wanted = _count(matmul.nest(NAME), gpu.Barrier)
    if _count(kernel, team.Barrier) != wanted:
        raise Broken("barriers", kernel, f"{_count(kernel, team.Barrier)} barriers, not {wanted}")
    outside = next((op for op in kernel.walk() if isinstance(op, tile.Mma) and not _is_spmd(op)), None)
    if outside is not None:
        raise Broken("teams", outside, "a product is not one of a subgroup")
    ahead = matmul.schedule.ahead
    for op in kernel.walk():
        carried = [v for v in op.operands if isinstance(v.type, TileType)] if isinstance(op, scf.For) else []
        if carried and len(carried) != m * n + ahead * (m + n):
            said = (
                f"a loop carries {len(carried)} matrices, not {m} * {n}{f' + {ahead} * ({m} + {n})' if ahead else ''}"
            )
            raise Broken("carried count", op, said)


def _count(root: Operation, cls: type[Operation]) -> int:
    return sum(isinstance(op, cls) for op in root.walk())


def _is_spmd(op: Operation) -> bool:
    return any(isinstance(outer, team.Spmd) for outer in op.ancestors())
