"""Which accesses the PTX has: 16 bytes at a time where memory is known to allow it, or is found to."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import tilewright as tw

pytestmark = pytest.mark.usefixtures("users_ptx")

VIEWS = """cuda_tile.module @m {{
entry @add(%x: tile<ptr<{T}>>, %y: tile<ptr<{T}>>, %z: tile<ptr<{T}>>) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
{assumed}
{views}
  %u, %t0 = load_view_tko weak %xv[%bx] : {P}, tile<i32> -> tile<1024x{T}>, token
  %v, %t1 = load_view_tko weak %yv[%bx] : {P}, tile<i32> -> tile<1024x{T}>, token
  %q = addf %u, %v : tile<1024x{T}>
  %t2 = store_view_tko weak %q, %zv[%bx] : tile<1024x{T}>, {P}, tile<i32> -> token
  return
}} }}"""

POINTERS = """cuda_tile.module @m {{
entry @add(%x: tile<ptr<{T}>>, %y: tile<ptr<{T}>>, %z: tile<ptr<{T}>>, %n: tile<i32>) {{
  %bx, %by, %bz = get_tile_block_id : tile<i32>
{assumed}
  %width = constant <i32: 1024> : tile<i32>
  %base = muli %bx, %width : tile<i32>
  %i = iota : tile<1024xi32>
  %b1 = reshape %base : tile<i32> -> tile<1xi32>
  %bs = broadcast %b1 : tile<1xi32> -> tile<1024xi32>
  %at = addi %i, %bs : tile<1024xi32>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %ns = broadcast %n1 : tile<1xi32> -> tile<1024xi32>
  %mask = cmpi less_than %at, %ns, signed : tile<1024xi32> -> tile<1024xi1>
{offsets}
  %u, %t0 = load_ptr_tko weak %xp, %mask : tile<1024xptr<{T}>>, tile<1024xi1> -> tile<1024x{T}>, token
  %v, %t1 = load_ptr_tko weak %yp, %mask : tile<1024xptr<{T}>>, tile<1024xi1> -> tile<1024x{T}>, token
  %q = addf %u, %v : tile<1024x{T}>
  %t2 = store_ptr_tko weak %zp, %q, %mask : tile<1024xptr<{T}>>, tile<1024x{T}>, tile<1024xi1> -> token
  return
}} }}"""


def assumed(dtype: str, aligned: int) -> str:
    """Assumptions on the three pointers, under other names."""
    word = f"assume div_by<{aligned}>, " if aligned else "assume div_by<1>, "
    return "\n".join(f"  %{p}a = {word}%{p} : tile<ptr<{dtype}>>" for p in "xyz")


def views(dtype: str, aligned: int, extent: int = 1 << 20) -> str:
    tensor = f"tensor_view<{extent}x{dtype}, strides=[1]>"
    partition = f"partition_view<tile=(1024), {tensor}>"
    made = "\n".join(
        f"  %{p}t = make_tensor_view %{p}a, shape = [{extent}], strides = [1] : {tensor}\n"
        f"  %{p}v = make_partition_view %{p}t : {partition}"
        for p in "xyz"
    )
    return VIEWS.format(T=dtype, P=partition, views=made, assumed=assumed(dtype, aligned))


def pointers(dtype: str, aligned: int) -> str:
    made = "\n".join(
        f"  %{p}1 = reshape %{p}a : tile<ptr<{dtype}>> -> tile<1xptr<{dtype}>>\n"
        f"  %{p}s = broadcast %{p}1 : tile<1xptr<{dtype}>> -> tile<1024xptr<{dtype}>>\n"
        f"  %{p}p = offset %{p}s, %at : tile<1024xptr<{dtype}>>, tile<1024xi32> -> tile<1024xptr<{dtype}>>"
        for p in "xyz"
    )
    return POINTERS.format(T=dtype, offsets=made, assumed=assumed(dtype, aligned))


def accesses(ptx: str) -> Counter[str]:
    """How often each instruction on global, shared or generic memory stands in a text."""
    found = re.findall(r"\b((?:ld|st)(?:\.(?:global|shared|v\d|b\d+|[us]\d+|nc))+)", ptx)
    return Counter(name for name in found if "param" not in name)


def ptx_of(text: str, target: str = "nvidia:sm_80") -> str:
    return tw.compile(text, target=target, cache=False).text("ptx")


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "f64"])
def test_views_of_aligned_arrays(dtype: str) -> None:
    """Each thread has 32 bytes of each array."""
    found = accesses(ptx_of(views(dtype, 16)))
    loads = sum(number for name, number in found.items() if name.startswith("ld.global.v"))
    stores = sum(number for name, number in found.items() if name.startswith("st.global.v"))
    assert (loads, stores, found.total()) == (4, 2, 6), found
    assert all(name.endswith(("v4.b32", "v2.b64")) for name in found), found


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        (views("f32", 16, (1 << 20) - 5), 1),
        (views("f32", 4), 1),
        # once for tiles that are whole, once for those that a bound cuts
        (pointers("f32", 16), 2),
        (pointers("f32", 0), 2),
    ],
)
def test_what_is_not_known_is_tested(text: str, ways: int) -> None:
    """Runs in one piece where memory allows it, else element by element."""
    found = accesses(ptx_of(text))
    assert found["ld.global.v4.b32"] == 4 * ways, found
    assert found["st.global.v4.b32"] == 2 * ways, found
    assert found["ld.global.b32"] >= 16, found


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_whole_tiles_of_pointers_are_loaded_at_once(dtype: str) -> None:
    """No test and no use stands between the loads of both factors, so that all are under way together."""
    lines = ptx_of(pointers(dtype, 16)).splitlines()
    wide = [number for number, line in enumerate(lines) if re.search(r"\bld\.global\.v", line)]
    count = 4 if dtype == "f32" else 2
    first = next(k for k in range(len(wide)) if wide[k + count - 1] - wide[k] < 4 * count)
    between = lines[wide[first] : wide[first + count - 1]]
    assert not any(re.search(r"\b(bra|setp|add\.f)", line) or ":" in line for line in between), between


def test_a_promise_saves_the_test() -> None:
    tests = [len(re.findall(r"\bsetp\.", ptx_of(views("f32", aligned)))) for aligned in (16, 4)]
    assert tests[0] == 0 < tests[1]


def test_the_promise_is_part_of_the_signature() -> None:
    program = tw.compile(views("f32", 16), target="nvidia:sm_80", cache=False)
    assert [p.alignment for p in program.add.info.parameters] == [16, 16, 16]  # pyright: ignore
    assert program.add.schedule == "lanes threads=128"
    assert str(program.add.info.launch) == "blocks of 128 threads, a work-group each"
    assert tw.Program.from_bytes(program.to_bytes()).add.info == program.add.info


def test_the_tensor_language_has_alignments_too() -> None:
    text = """func @k(%x: memref<f32x1024> ALIGNED, %y: memref<f32x1024> ALIGNED) {
        %one = constant 1.0 : f32
        %zero = constant 0.0 : f32
        axpby %one, %x, %zero, %y
    }"""
    found = [accesses(ptx_of(text.replace("ALIGNED", word))) for word in ("{alignment=16}", "")]
    # two elements a thread: that is how its tiles are cut
    assert found[0] == {"ld.global.v2.b32": 1, "st.global.v2.b32": 1}
    assert found[1] == found[0] + Counter({"ld.global.b32": 2, "st.global.b32": 2})
