"""lower-tile-ir: from CUDA Tile IR to the tile level.

before:  cuda_tile.entry @f { %p = cuda_tile.offset .. %x, %t = cuda_tile.load_ptr_tko weak %p .. }
after:   builtin.kernel @f  { %a = arith.add .. %x = tile.gather %a .. }

One tile block is one work-group of one work-item. A rank-0 tile is a scalar, a pointer an `i64` that counts bytes, a
tensor view a memref. Dimensions change their order: dimension k of a Tile IR tile of rank r is dimension r-1-k here, so
that row-major becomes column-major and the dimension that Tile IR holds contiguous is the first one; a product becomes
that of the transposed factors in the other order. Tokens vanish: operations keep their order.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.cuda_tile.core import Entry, TileModule
from tilewright.dialects.cuda_tile.types import MAX_TILE_BLOCKS
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TF32
from tilewright.transforms.lower_tile_ir.context import Lowering
from tilewright.transforms.lower_tile_ir.control import lower_entry_body
from tilewright.transforms.lower_tile_ir.facts import promised, reached_by_all
from tilewright.transforms.lower_tile_ir.memory import from_memory
from tilewright.transforms.lower_tile_ir.statics import Statics, lower_global
from tilewright.transforms.lower_tile_ir.types import parameter_type

__all__ = ["LowerTileIR"]


class LowerTileIR(Pass, frozen=True):
    """Replaces every compilation unit of a program, which is verified, by its globals and kernels."""

    name: ClassVar[str] = "lower-tile-ir"

    def run(self, module: Module, context: PassContext) -> bool:
        units = [op for op in module.body.entry if isinstance(op, TileModule)]
        for unit in units:
            _lower(module, unit)
            unit.erase()
        return bool(units)


def _lower(module: Module, unit: TileModule) -> None:
    block = module.body.entry
    statics = Statics(Builder(block, location=unit.location))
    for item in unit.globals:
        lower_global(statics.b, item)
    for entry in unit.entries:
        Builder(block)(_kernel(entry, statics))


def _kernel(entry: Entry, statics: Statics) -> Kernel:
    body, block = new_region()
    kernel = Kernel(
        entry.sym_name,
        body,
        subgroup_size=1,
        work_group_size=(1, 1),
        max_groups=MAX_TILE_BLOCKS,
        location=entry.location,
    )
    lowering = Lowering(Builder(block, location=entry.location), statics)
    reached = set(reached_by_all(entry.body.entry))
    promises = [promised(argument, reached) for argument in entry.body.entry.arguments]
    if any(promises):
        kernel.parameter_attributes = tuple(promises)
    for argument in entry.body.entry.arguments:
        parameter = block.add_argument(parameter_type(argument), argument.name)
        lowering.bind_parameter(argument, parameter)
        if parameter.type is TF32:
            lowering.bind(argument, from_memory(lowering, parameter, TF32))
    lower_entry_body(lowering, entry.body.entry)
    return kernel
