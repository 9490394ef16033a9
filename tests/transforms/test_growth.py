"""What passes do grows with the program: with its operations, not with pairs of them or with ways through them.

Work is counted in calls of Python functions, which are the same on every machine. Some are given up at a limit, since
they would never end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

import pytest

from tilewright.compile_options import CompileOptions
from tilewright.compiler import manager_of, read_source
from tilewright.diagnostics import Report, Source
from tilewright.ir.passes import PassContext
from tilewright.ir.verifier import verify
from tilewright.targets import find_scheduled

STEPS = 40
"""Of chains: 2^40 ways to their first value, more than can be gone."""
MOST = 1_000_000
GROWTH = 2.3
"""Times as many calls for a program twice as long."""


@contextmanager
def at_most(calls: int) -> Generator[list[int]]:
    """The number of calls so far; an error beyond the limit."""
    count = [0]

    def look(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            count[0] += 1
            if count[0] > calls:
                sys.setprofile(None)
                # what nobody on the way handles
                raise KeyboardInterrupt(f"more than {calls:,} calls, in {frame.f_code.co_name}")

    sys.setprofile(look)
    try:
        yield count
    except KeyboardInterrupt as error:
        raise AssertionError(str(error)) from None
    finally:
        sys.setprofile(None)


def calls_of(text: str, target: str, most: int) -> int:
    """Calls of reading a program, of all passes and of verifying what they leave."""
    source, options, report = Source("k", text), CompileOptions(), Report()
    with at_most(most) as count:
        module = read_source(source, report, options.reading)
        manager_of(source, find_scheduled(target), options).run(module, PassContext(report))
        assert verify(module, report)
    return count[0]


def chain(line: str, steps: int = STEPS) -> str:
    """Values of which each is computed of the one before, twice."""
    return "\n".join(line.format(n=k + 1, k=k) for k in range(steps))


def tensor_language(body: str) -> str:
    vectors, matrices = "%x: memref<f32x?>, %y: memref<f32x?>", "%A: memref<f32x9x9>, %B: memref<f32x9x9>"
    head = f"func @k(%a: f32, %n: index, %b: bool, {vectors}, {matrices}, %C: memref<f32x9x9>)"
    return f"{head} {{\n%c0 = constant 0 : index\n%c4 = constant 4 : index\n{body}\n}}"


VECTOR = "memref<?xf32>"
SQUARE = "tile<16x16xf32>"


def mlir(body: str) -> str:
    start = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index"
    return f"func.func @k(%x: {VECTOR}, %y: {VECTOR}, %n: index) {{\n{start}\n{body}\nreturn\n}}"


def loop(body: str) -> str:
    """An MLIR loop that begins with an element `%f0`."""
    return mlir(f"scf.for %i = %c0 to %n step %c1 {{\n%f0 = memref.load %x[%i] : {VECTOR}\n{body}\n}}")


def tile_ir(lines: str, last: str) -> str:
    """Tiles computed of `%v0`, a product of matrices; `last` is stored."""
    flat, pointers = "tile<256xf32>", "tile<256xptr<f32>>"
    return f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<f32>>) {{
        %io = iota : tile<256xi32>
        %one = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
        %all = broadcast %one : tile<1xptr<f32>> -> {pointers}
        %at = offset %all, %io : {pointers}, tile<256xi32> -> {pointers}
        %l, %t = load_ptr_tko weak %at : {pointers} -> {flat}, token
        %m = reshape %l : {flat} -> {SQUARE}
        %v0 = mmaf %m, %m, %m : {SQUARE}, {SQUARE}, {SQUARE}
        {lines}
        %out = reshape {last} : {SQUARE} -> {flat}
        %done = store_ptr_tko weak %at, %out : {pointers}, {flat} -> token
        return
    }} }}"""


COPY = "{{ %e = load %x[{at}] : f32\nstore %e, %y[%i] }}"
ADDED = chain("%v{n} = add %v{k}, %v{k} : index").replace("%v0", "%n")
LEAST = chain("%w{n} = min %v{k}, %c4 : index\n%v{n} = add %w{n}, %v{k} : index").replace("%v0", "%n")
SQUARED = chain("%v{n} = mul %v{k}, %v{k} : index").replace("%v0", "%n")
SUMMED = chain("%f{n} = arith.addf %f{k}, %f{k} : f32")
MULTIPLIED = chain("%f{n} = arith.mulf %f{k}, %f{k} : f32")
ADD = f"%o = memref.load %y[%c0] : {VECTOR}\n%s = arith.addf {{}} : f32\nmemref.store %s, %y[%c0] : {VECTOR}"
TURNED = f"%z{{n}} = permute %v{{k}} [1, 0] : {SQUARE} -> {SQUARE}\n%v{{n}} = addf %z{{n}}, %v{{k}} : {SQUARE}"
LAST = f"%f{STEPS}"

CHAINS = {
    "bound added": tensor_language(f"{ADDED}\nfor %i=%c0,%v{STEPS} {COPY.format(at='%i')}"),
    "bound of least": tensor_language(f"{LEAST}\nfor %i=%c0,%v{STEPS} {COPY.format(at='%i')}"),
    "subscript multiplied": tensor_language(
        f"{SQUARED}\nfor %i=%c0,%n {{ %j = add %i, %v{STEPS} : index\n%e = load %x[%j] : f32\nstore %e, %y[%i] }}"
    ),
    "summands": loop(f"{SUMMED}\n{ADD.format(f'%o, {LAST}')}"),
    "summands first": loop(f"{SUMMED}\n{ADD.format(f'{LAST}, %o')}"),
    "factors": loop(f"{MULTIPLIED}\n{ADD.format(f'%o, {LAST}')}"),
    "accumulators": tile_ir(chain(TURNED), f"%v{STEPS}"),
    "parts of tiles": tile_ir(chain(TURNED), f"%v{STEPS}").replace("16x16", "512x512").replace("256", "262144"),
}


@pytest.mark.parametrize("name", CHAINS)
def test_each_value_is_looked_at_once_however_many_ways_lead_to_it(name: str) -> None:
    calls_of(CHAINS[name], "nvidia:sm_90a", MOST)


def nest(depth: int) -> str:
    """Loops in loops, each with a statement, around an instruction."""
    head = "".join(f"for %i{k}=%c0,%c4 {{\nstore %a, %x[%i{k}]\n" for k in range(depth))
    return tensor_language(f"{head}gemm.n.n %a, %A, %B, %a, %C\n{'}' * depth}")


def loops(count: int) -> str:
    """Loops behind each other that scale rows by themselves."""
    one = (
        "for %i{k}=%c0,%n {{\n%v{k} = load %x[%i{k}] : f32\n%w{k} = mul %v{k}, %v{k} : f32\nstore %w{k}, %y[%i{k}]\n}}"
    )
    return tensor_language("\n".join(one.format(k=k) for k in range(count)))


def updates(count: int) -> str:
    """The same memory read and written by one instruction after another."""
    return tensor_language("axpby.n %a, %A, %a, %C\n" * count)


def nested_updates(depth: int) -> str:
    """Loops in loops, each of which begins with an update of the same memory."""
    head = "".join(f"for %i{k}=%c0,%c4 {{\naxpby.n %a, %A, %a, %C\n" for k in range(depth))
    return tensor_language(f"{head}{'}' * depth}")


def blocks(count: int) -> str:
    """Blocks of which each leads to the next one in two ways."""
    one = (
        "^b{n}(%v{n}: f32):\n%d{n} = arith.cmpf olt, %v{n}, %v0 : f32\n%w{n} = arith.mulf %v{n}, %v0 : f32\n"
        "cf.cond_br %d{n}, ^b{m}(%w{n} : f32), ^b{m}(%v0 : f32)"
    )
    graph = "\n".join(one.format(n=n, m=n + 1) for n in range(1, count))
    end = f"^b{count}(%r: f32):\nmemref.store %r, %x[%c0] : {VECTOR}"
    return mlir(f"%v0 = memref.load %x[%c0] : {VECTOR}\ncf.br ^b1(%v0 : f32)\n{graph}\n{end}")


def normalised(count: int) -> str:
    """A tile that registers have no room for, whose columns are divided by their sums, again and again."""
    tile, row, sums = "tile<256x512xf32>", "tile<1x512xf32>", "tile<512xf32>"
    one = """%e{k} = exp %v{k} : TILE
        %s{k} = reduce %e{k} dim=0 identities=[0.0 : f32] : TILE -> SUMS (%x{k}: tile<f32>, %y{k}: tile<f32>) {{
          %z{k} = addf %x{k}, %y{k} : tile<f32>
          yield %z{k} : tile<f32> }}
        %r{k} = reshape %s{k} : SUMS -> ROW
        %b{k} = broadcast %r{k} : ROW -> TILE
        %v{n} = divf %e{k}, %b{k} : TILE"""
    lines = chain(one, count).replace("TILE", tile).replace("SUMS", sums).replace("ROW", row)
    pointers = tile.replace("f32", "ptr<f32>")
    return f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<f32>>) {{
        %i = iota : tile<131072xi32>
        %j = reshape %i : tile<131072xi32> -> tile<256x512xi32>
        %one = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
        %all = broadcast %one : tile<1x1xptr<f32>> -> {pointers}
        %at = offset %all, %j : {pointers}, tile<256x512xi32> -> {pointers}
        %v0, %t = load_ptr_tko weak %at : {pointers} -> {tile}, token
        {lines}
        %done = store_ptr_tko weak %at, %v{count} : {pointers}, {tile} -> token
    }} }}"""


GROWING: dict[str, tuple[Callable[[int], str], int, str]] = {
    "nested loops": (nest, 16, "cpu"),
    "loops": (loops, 24, "cpu"),
    "blocks": (blocks, 80, "cpu"),
    "updates by threads": (updates, 16, "nvidia:sm_90a"),
    "nested updates by threads": (nested_updates, 12, "nvidia:sm_90a"),
    "large tiles with several readers": (normalised, 6, "nvidia:sm_80"),
}


@pytest.mark.parametrize("name", GROWING)
def test_twice_the_program_is_twice_the_work(name: str) -> None:
    make, size, target = GROWING[name]
    # what the first compilation of a process makes
    calls_of(make(2), target, sys.maxsize)
    once, twice = (calls_of(make(count), target, sys.maxsize) for count in (size, 2 * size))
    assert twice < GROWTH * once, (once, twice)
