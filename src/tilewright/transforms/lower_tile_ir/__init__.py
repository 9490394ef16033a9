"""lower-tile-ir: from CUDA Tile IR to the tile level.

before:  cuda_tile.entry @f { %p = cuda_tile.offset .. %x, %t = cuda_tile.load_ptr_tko weak %p .. }
after:   builtin.kernel @f  { %a = arith.add .. %x = tile.gather %a .. }

One tile block is one work-group of one work-item. A rank-0 tile is a scalar, a pointer an `i64` that counts bytes, a
tensor view a memref. Dimensions change their order: dimension k of a Tile IR tile of rank r is dimension r-1-k here, so
that row-major becomes column-major and the dimension that Tile IR holds contiguous is the first one; a product becomes
that of the transposed factors in the other order. Tokens vanish: operations keep their order.
"""

from __future__ import annotations

from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.cuda_tile.core import Entry, TileModule
from tilewright.ir.builder import Builder, new_region
from tilewright.transforms.lower_tile_ir.context import Lowering
from tilewright.transforms.lower_tile_ir.control import lower_entry_body
from tilewright.transforms.lower_tile_ir.statics import Statics, lower_global
from tilewright.transforms.lower_tile_ir.types import parameter_type

__all__ = ["lower_tile_ir"]


def lower_tile_ir(module: TileModule) -> Module:
    """The program on the tile level; the module is verified."""
    body, block = new_region()
    statics = Statics(Builder(block, location=module.location))
    for item in module.globals:
        lower_global(statics.b, item)
    for entry in module.entries:
        Builder(block)(_kernel(entry, statics))
    return Module(body, location=module.location)


def _kernel(entry: Entry, statics: Statics) -> Kernel:
    body, block = new_region()
    kernel = Kernel(entry.sym_name, body, subgroup_size=1, work_group_size=(1, 1), location=entry.location)
    lowering = Lowering(Builder(block, location=entry.location), statics)
    for argument in entry.body.entry.arguments:
        lowering.bind_parameter(argument, block.add_argument(parameter_type(argument), argument.name))
    lower_entry_body(lowering, entry.body.entry)
    return kernel
