"""Kernels of any size along one dimension, of both languages: how deep, of which order, how many, how large.

`compile_limits.py` measures them at chosen sizes, `scripts/fuzz_compile_time.py` at random ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final


@dataclass(frozen=True, slots=True)
class Family:
    """Kernels that differ in one number; `sizes` are those that a benchmark looks at, the last is the largest."""

    name: str
    dimension: str
    kernel: Callable[[int], str]
    sizes: Sequence[int]

    @property
    def largest(self) -> int:
        """The size beyond which nothing is to be learnt."""
        return self.sizes[-1]


def _function(parameters: str, lines: Sequence[str]) -> str:
    return f"func @k({parameters}) {{\n" + "\n".join(lines) + "\n}\n"


# Statements of the tensor language, on f32 scalars %a, vectors %x and %y, matrices %A, %B and %C

_COLLECTIVES: Final = {
    "gemm": "gemm.n.n %a, %A, %B, %a, %C",
    "gemm-t": "gemm.t.n %a, %A, %B, %a, %C",
    "gemv": "gemv.n %a, %A, %x, %a, %y",
    "ger": "ger %a, %x, %y, %a, %C",
    "axpby": "axpby %a, %A, %a, %C",
    "hadamard": "hadamard %a, %x, %y, %a, %z",
    "sum": "sum.n %a, %A, %a, %y",
    "cumsum": "cumsum %a, %A, 1, %a, %C",
}
_START: Final = ("%c0 = constant 0 : index", "%c1 = constant 1 : index", "%c4 = constant 4 : index")


def _parameters(extent: str) -> str:
    vectors = [f"%{name}: memref<f32x{extent}>" for name in "xyz"]
    matrices = [f"%{name}: memref<f32x{extent}x{extent}>" for name in "ABC"]
    return ", ".join(["%a: f32", "%n: index", "%b: bool", *vectors, *matrices])


def collectives(word: str, count: int, extent: str = "?") -> str:
    """One collective instruction many times, on extents that are known or not."""
    return _function(_parameters(extent), [*_START, *[_COLLECTIVES[word]] * count])


def chain(count: int) -> str:
    """Scalars each computed from the one before."""
    lines = [f"%v{k + 1} = mul %v{k}, %a : f32" for k in range(count)]
    return _function(_parameters("?"), [*_START, "%v0 = load %x[%c0] : f32", *lines, f"store %v{count}, %x[%c0]"])


def scalar_accesses(count: int) -> str:
    """Loads and stores of neighbouring elements, one by one."""
    lines: list[str] = ["%i0 = add %n, %c1 : index"]
    for k in range(count // 4):
        lines += [
            f"%v{k} = load %x[%i{k}] : f32",
            f"%w{k} = add %v{k}, %a : f32",
            f"store %w{k}, %y[%i{k}]",
            f"%i{k + 1} = add %i{k}, %c1 : index",
        ]
    return _function(_parameters("?"), [*_START, *lines])


def constant_stores(count: int) -> str:
    """Stores to places known beforehand."""
    lines = [line for k in range(count // 2) for line in (f"%i{k} = constant {k} : index", f"store %a, %x[%i{k}]")]
    return _function(_parameters("?"), [*_START, *lines])


def loops(count: int) -> str:
    """Short loops one after another."""
    lines: list[str] = []
    for _ in range(count // 5):
        lines += ["for %i=%c0,%c4 {", "%v = load %x[%i] : f32", "%w = mul %v, %a : f32", "store %w, %x[%i]", "}"]
    return _function(_parameters("?"), [*_START, *lines])


def foreachs(count: int) -> str:
    """Short SPMD regions one after another."""
    lines: list[str] = []
    for _ in range(count // 5):
        lines += ["foreach (%i)=(%c0),(%n) {", "%v = load %x[%i] : f32", "%w = mul %v, %a : f32", "store %w, %x[%i]"]
        lines.append("}")
    return _function(_parameters("?"), [*_START, *lines])


def foreach_body(count: int) -> str:
    """One SPMD region with a long body."""
    lines = [f"%v{k + 1} = mul %v{k}, %v0 : f32" for k in range(count)]
    body = ["foreach (%i)=(%c0),(%n) {", "%v0 = load %x[%i] : f32", *lines, f"store %v{count}, %x[%i]", "}"]
    return _function(_parameters("?"), [*_START, *body])


def local_tensors(count: int) -> str:
    """Local tensors that are filled, used and left."""
    lines: list[str] = []
    for k in range(count // 3):
        lines += [f"%t{k} = alloca : memref<f32x8x8,local>", f"axpby %a, %A, %a, %t{k}", f"axpby %a, %t{k}, %a, %C"]
    return _function(_parameters("8"), [*_START, *lines])


def matrices(count: int) -> str:
    """Cooperative matrices in one region."""
    kind = "coopmatrix<f32x16x4,matrix_acc>"
    lines = [f"%m{k + 1} = add %m{k}, %m0 : {kind}" for k in range(count)]
    begin = "foreach_tile (%i,%j)=(%c0,%c0),(%n,%n) as (%h,%v)<=(16,4) {"
    load = f"%m0 = cooperative_matrix_load.both_checked %A[%i,%j] : {kind}"
    store = f"cooperative_matrix_store.both_checked %m{count}, %C[%i,%j]"
    return _function(_parameters("?"), [*_START, begin, load, *lines, store, "}"])


def functions(count: int) -> str:
    """Kernels of one program."""
    body = "axpby %a, %x, %a, %y"
    return "".join(f"func @k{n}(%a: f32, %x: memref<f32x?>, %y: memref<f32x?>) {{ {body} }}\n" for n in range(count))


def nest(word: str, depth: int, inside: str) -> str:
    """Regions in regions around a statement, with a statement in front of each."""
    begin = {
        "for": "for %i{k}=%c0,%c4 {{\nstore %a, %x[%i{k}]",
        "if": "if %b {{\nstore %a, %x[%c{k4}]",
        "mixed": "for %i{k}=%c0,%c4 {{\nif %b {{\naxpby %a, %x, %a, %y",
    }[word]
    ends = "}}" if word == "mixed" else "}"
    lines = [begin.format(k=k, k4=4 * (k % 2)) for k in range(depth // len(ends))]
    return _function(_parameters("?"), [*_START, *lines, inside, *[ends] * len(lines)])


def nest_of(word: str, statement: str) -> Callable[[int], str]:
    """`nest` around a collective instruction."""
    return lambda depth: nest(word, depth, _COLLECTIVES[statement])


def mixture(rnd: Random, count: int) -> str:
    """Collective instructions of all kinds, in loops and branches as they come."""
    extent = rnd.choice(["?", "4", "9", "20", "64", "100"])
    lines: list[str] = []
    depth = 0
    for k in range(count):
        if rnd.random() < 0.1 and depth < 20:
            lines.append(rnd.choice([f"for %i{k}=%c0,%c4 {{", "if %b {"]))
            depth += 1
        elif rnd.random() < 0.1 and depth:
            lines.append("}")
            depth -= 1
        else:
            lines.append(rnd.choice(list(_COLLECTIVES.values())))
    return _function(_parameters(extent), [*_START, *lines, "}" * depth])


def tensors(word: str, order: int, extent: str = "?") -> str:
    """An instruction on tensors of any order, all their elements one by one, or parts of them."""
    type_ = "memref<f32" + f"x{extent}" * order + ">"
    line = {
        "cumsum-first": "cumsum %a, %X, 0, %a, %Y",
        "cumsum-last": f"cumsum %a, %X, {order - 1}, %a, %Y",
        "foreach": _foreach_modes(order),
        "subview": _subviews(order, extent),
    }[word]
    return _function(f"%a: f32, %X: {type_}, %Y: {type_}, %Z: {type_}", [*_START, line])


def _foreach_modes(order: int) -> str:
    names = ",".join(f"%i{k}" for k in range(order))
    zeros, ends = ",".join(["%c0"] * order), ",".join(["%c4"] * order)
    return f"foreach ({names})=({zeros}),({ends}) {{\n%v = load %X[{names}] : f32\nstore %v, %Y[{names}]\n}}"


def _subviews(order: int, extent: str) -> str:
    taken = ",".join(["0:2"] * order)
    known = ",".join(str(int(extent) ** k) if extent != "?" else ("1" if k == 0 else "?") for k in range(order))
    type_ = f"memref<f32{'x2' * order},strided<{known}>>"
    return f"%s = subview %X[{taken}] : {type_}\n%t = subview %Y[{taken}] : {type_}\ncumsum %a, %s, 0, %a, %t"


# CUDA Tile IR


def _entry(parameters: str, lines: Sequence[str]) -> str:
    return f"cuda_tile.module @m {{\nentry @k({parameters}) {{\n" + "\n".join(lines) + "\nreturn\n}\n}\n"


def _vector(length: int, element: str = "f32") -> list[str]:
    """Addresses `%at` of a vector at `%p`, and its elements `%v0`."""
    pointers, tile = f"tile<{length}xptr<{element}>>", f"tile<{length}x{element}>"
    return [
        f"%io = iota : tile<{length}xi32>",
        f"%one = reshape %p : tile<ptr<{element}>> -> tile<1xptr<{element}>>",
        f"%all = broadcast %one : tile<1xptr<{element}>> -> {pointers}",
        f"%at = offset %all, %io : {pointers}, tile<{length}xi32> -> {pointers}",
        f"%v0, %t0 = load_ptr_tko weak %at : {pointers} -> {tile}, token",
    ]


def _stored(value: str, length: int, element: str = "f32") -> str:
    types = f"tile<{length}xptr<{element}>>, tile<{length}x{element}>"
    return f"%done = store_ptr_tko weak %at, {value} : {types} -> token"


_TILE_STEPS: Final = {
    "mulf": ["%v{n} = mulf %v{k}, %v0 : {t}"],
    "exp": ["%v{n} = exp %v{k} : {t}"],
    "pack": [
        "%b{k} = pack %v{k} : {t} -> tile<{bytes}xi8>",
        "%c{k} = addi %b{k}, %b{k} : tile<{bytes}xi8>",
        "%v{n} = unpack %c{k} : tile<{bytes}xi8> -> {t}",
    ],
    "reduce": [
        "%r{k} = reduce %v{k} dim=0 identities=[0.0 : f32] : {t} -> tile<f32> (%e: tile<f32>, %s: tile<f32>) {{",
        "%q = addf %e, %s : tile<f32>\nyield %q : tile<f32>\n}}",
        "%u{k} = reshape %r{k} : tile<f32> -> tile<1xf32>\n%w{k} = broadcast %u{k} : tile<1xf32> -> {t}",
        "%v{n} = subf %v{k}, %w{k} : {t}",
    ],
    "scan": [
        "%v{n} = scan %v{k} dim=0 reverse=false identities=[0.0 : f32] : {t} -> {t} (%e: tile<f32>, %s: tile<f32>) {{",
        "%q = addf %e, %s : tile<f32>\nyield %q : tile<f32>\n}}",
    ],
    "permute": [
        "%m{k} = reshape %v{k} : {t} -> tile<{half}x2xf32>\n%n{k} = permute %m{k} [1, 0] : tile<{half}x2xf32> ->",
        "tile<2x{half}xf32>\n%v{n} = reshape %n{k} : tile<2x{half}xf32> -> {t}",
    ],
    "load": ["%v{n}, %t{n} = load_ptr_tko weak %at : tile<{length}xptr<f32>> -> {t}, token"],
    "store": [
        "%s{n} = store_ptr_tko weak %at, %v{k} : tile<{length}xptr<f32>>, {t} -> token\n%v{n} = negf %v{k} : {t}"
    ],
}


def tiles(word: str, count: int, length: int) -> str:
    """One step many times on a tile of one dimension, each on the result of the one before."""
    texts: list[str] = []
    for k in range(count):
        known = {"k": k, "n": k + 1, "t": f"tile<{length}xf32>", "length": length, "half": length // 2}
        texts += [line.format(bytes=4 * length, **known) for line in _TILE_STEPS[word]]
    return _entry("%p: tile<ptr<f32>>", [*_vector(length), *texts, _stored(f"%v{count}", length)])


def tile_products(count: int, extent: int) -> str:
    """Products of square tiles, each of the one before."""
    t, length = f"tile<{extent}x{extent}xf32>", extent * extent
    lines = [f"%m0 = reshape %v0 : tile<{length}xf32> -> {t}"]
    lines += [f"%m{k + 1} = mmaf %m{k}, %m0, %m{k} : {t}, {t}, {t}" for k in range(count)]
    lines.append(f"%out = reshape %m{count} : {t} -> tile<{length}xf32>")
    return _entry("%p: tile<ptr<f32>>", [*_vector(length), *lines, _stored("%out", length)])


def tile_nest(word: str, depth: int) -> str:
    """Loops or branches in each other that carry a tile."""
    t = "tile<16xf32>"
    lines, ends = list[str](), list[str]()
    for k in range(depth):
        if word == "for":
            loop = f"for %i{k} in (%lo to %hi, step %by) : tile<i32> iter_values(%w{k} = {_in(k)}) -> ({t})"
            lines.append(f"%v{k + 1} = {loop} {{")
            ends.insert(0, f"continue {_out(word, k, depth)} : {t}\n}}")
        else:
            lines.append(f"%v{k + 1} = if %flag -> ({t}) {{")
            ends.insert(0, f"yield {_out(word, k, depth)} : {t}\n}} else {{\nyield %v0 : {t}\n}}")
    return _entry(
        "%p: tile<ptr<f32>>, %lo: tile<i32>, %hi: tile<i32>, %by: tile<i32>, %flag: tile<i1>",
        [*_vector(16), *lines, *ends, _stored("%v1", 16)],
    )


def _in(k: int) -> str:
    return f"%w{k - 1}" if k else "%v0"


def _out(word: str, k: int, depth: int) -> str:
    if k + 1 < depth:
        return f"%v{k + 2}"
    return f"%w{k}" if word == "for" else "%v0"


def families() -> list[Family]:
    """All of them, with the sizes of the benchmark."""
    depths, orders, counts = (4, 15, 60, 126), (2, 7, 16, 32), (10, 100, 1000, 5000)
    return [
        *[Family(f"nest of for around {s}", "depth", nest_of("for", s), depths) for s in ("gemm", "axpby", "cumsum")],
        Family("nest of if around ger", "depth", nest_of("if", "ger"), depths),
        Family("nest of for and if around sum", "depth", nest_of("mixed", "sum"), depths),
        *[
            Family(f"{w}, extents {e}", "order", lambda n, w=w, e=e: tensors(w, n, e), orders)
            for w in ("cumsum-first", "cumsum-last", "subview")
            for e in ("?", "2")
        ],
        Family("foreach over all modes", "order", lambda n: tensors("foreach", n), orders),
        *[
            Family(f"{w}, extents {e}", "count", lambda n, w=w, e=e: collectives(w, n, e), counts)
            for w in _COLLECTIVES
            for e in ("?", "9", "64")
        ],
        *[
            Family(f.__name__.replace("_", " "), "count", f, counts)
            for f in (chain, scalar_accesses, constant_stores, loops, foreachs, foreach_body, local_tensors, matrices)
        ],
        Family("functions", "count", functions, (10, 100, 1000)),
        *[
            Family(f"one {w}", "extent", lambda n, w=w: collectives(w, 1, str(n)), (8, 64, 1000, 1 << 20))
            for w in _COLLECTIVES
        ],
        *[Family(f"tile nest of {w}", "depth", lambda n, w=w: tile_nest(w, n), depths) for w in ("for", "if")],
        *[Family(f"tile {w} of 256", "count", lambda n, w=w: tiles(w, n, 256), counts) for w in _TILE_STEPS],
        *[
            Family(f"tile {w}", "extent", lambda n, w=w: tiles(w, 2, n), (16, 2048, 1 << 16, 1 << 22))
            for w in _TILE_STEPS
        ],
        Family("tile mmaf of 32x32", "count", lambda n: tile_products(n, 32), counts),
        Family("tile mmaf", "extent", lambda n: tile_products(1, n), (4, 32, 256, 2048)),
    ]
