"""How much shared memory loops have for factors that come ahead, where other products need some."""

from __future__ import annotations

from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.memref import Alloca
from tilewright.ir.schedules import parse_line
from tilewright.ir.types import F16
from tilewright.machine.cuda.architecture import Architecture

SIDE = 4096
SUMS, RESULT = "tile<128x256xf32>", "tile<128x16xf32>"


def _view(name: str, shape: str, element: str) -> str:
    tensor = f"tensor_view<{SIDE}x{SIDE}x{element}, strides=[{SIDE},1]>"
    return (
        f"%{name}t = make_tensor_view %{name}, shape = [{SIDE}, {SIDE}], strides = [{SIDE}, 1] : {tensor}\n"
        f"%{name}v = make_partition_view %{name}t : {_partition(shape, element)}\n"
    )


def _partition(shape: str, element: str) -> str:
    return f"partition_view<tile=({shape}), tensor_view<{SIDE}x{SIDE}x{element}, strides=[{SIDE},1]>>"


def _load(name: str, shape: str, place: str) -> str:
    types = f"{_partition(shape, 'f16')}, tile<i32> -> tile<{shape}xf16>, token"
    return f"%{name}x, %{name}k = load_view_tko weak %{name}v[{place}] : {types}\n"


TEXT = f"""cuda_tile.module @m {{
entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %w: tile<ptr<f16>>, %d: tile<ptr<f32>>) {{
%x, %y, %z = get_tile_block_id : tile<i32>
%none = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%n = constant <i32: {SIDE // 64}> : tile<i32>
%start = constant <f32: 0.0> : {SUMS}
%zero = constant <f32: 0.0> : {RESULT}
{_view("a", "128x64", "f16")}{_view("b", "64x256", "f16")}{_view("w", "256x16", "f16")}{_view("d", "128x16", "f32")}
%c = for %k in (%none to %n, step %one) : tile<i32> iter_values(%s = %start) -> ({SUMS}) {{
{_load("a", "128x64", "%x, %k")}{_load("b", "64x256", "%k, %y")}
%r = mmaf %ax, %bx, %s : tile<128x64xf16>, tile<64x256xf16>, {SUMS}
continue %r : {SUMS} }}
{_load("w", "256x16", "%y, %none")}
%h = ftof %c : {SUMS} -> tile<128x256xf16>
%o = mmaf %h, %wx, %zero : tile<128x256xf16>, tile<256x16xf16>, {RESULT}
%done = store_view_tko weak %o, %dv[%x, %none] : {RESULT}, {_partition("128x16", "f32")}, tile<i32> -> token
return }} }}"""


def test_loops_leave_memory_to_the_products_behind_them() -> None:
    """Of 226 KiB these take 78; four stages of 48 KiB do not fit beside them, three do."""
    _, kernel = emitted(TEXT, schedule="threads=256")
    loop, behind = parse_line(kernel.facts[SCHEDULE]).products
    assert (loop.stages, behind.stages) == (3, 1)


BEFORE = TEXT[: TEXT.index("%c = for")].replace("128x16xf32", "128x256xf32").replace("(128x16)", "(128x256)")
LOOP = f"""%c = for %k in (%none to %n, step %one) : tile<i32> iter_values(%s = %start) -> ({SUMS}) {{
{_load("a", "128x64", "%x, %k")}{_load("b", "64x256", "%k, %y")}
%r = mmaf %ax, %bx, %s : tile<128x64xf16>, tile<64x256xf16>, {SUMS}
continue %r : {SUMS} }}
"""
ONCE_MORE = f"""{_load("a", "128x64", "%x, %none")}{_load("b", "64x256", "%none, %y")}
%o = mmaf %ax, %bx, %c : tile<128x64xf16>, tile<64x256xf16>, {SUMS}
%done = store_view_tko weak %o, %dv[%x, %y] : {SUMS}, {_partition("128x256", "f32")}, tile<i32> -> token
return }} }}"""


def stages_of(text: str) -> list[int | None]:
    """So many has each place of factors."""
    for module in levels(text, Architecture.SM_90A, "threads=256"):
        places = [memref_of(op.out) for op in module.walk() if isinstance(op, Alloca)]
        if stages := [type_.shape[-1] for type_ in places if type_.element is F16]:
            return stages
    raise AssertionError("factors have no memory")


def test_products_behind_a_loop_lie_where_its_stages_have_been() -> None:
    """So a loop has as many as there is memory for."""
    assert stages_of(BEFORE + LOOP + ONCE_MORE) == [4, 4]
