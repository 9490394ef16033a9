"""SPMD kernels: local memory with barriers, subgroup operations, atomics, divergence, shares of matrices."""

from __future__ import annotations

from math import ceil

import numpy as np

from generators.element_types import SCALARS

from .case import Array, Case, Launch, kernel, poisoned, random_array

THREADS = 96


def _ids(body: str, size: int) -> str:
    return f"""
    %z = arith.constant {{value = 0}} -> index
    team.spmd {{
      %lane = team.subgroup_local_id -> i32
      %sg = team.subgroup_linear_id -> i32
      %sz = arith.constant {{value = {size}}} -> i32
      %base = arith.mul %sg, %sz -> i32
      %id32 = arith.add %base, %lane -> i32
      %id = arith.cast %id32 -> index
{body}
    }}"""


def reverse_through_local_memory() -> Case:
    """Each work-item writes its element, all wait, each reads another's; then the same again in a loop."""
    body = _ids(
        f"""
      %last = arith.constant {{value = {THREADS - 1}}} -> index
      %three = arith.constant {{value = 3}} -> index
      scf.for %z, %three {{operand_segments = [1, 1, 0, 0]}} (%k: index) {{
        %x = memref.load %A, %id -> f32
        memref.store %x, %L, %id
        team.barrier {{fence_local = true}}
        %other = arith.sub %last, %id -> index
        %y = memref.load %L, %other -> f32
        %kf = arith.cast %k -> f32
        %w = arith.add %y, %kf -> f32
        memref.store %w, %A, %id
        team.barrier {{fence_local = true}}
      }}""",
        16,
    )
    body = f"    %L = memref.alloca -> memref<f32x{THREADS},local>\n" + body

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "f32", THREADS)
        expected = a.copy()
        for k in range(3):
            expected = expected[::-1] + np.float32(k)
        return Launch([a], {0: expected})

    return Case("local-reverse", kernel(f"%A: memref<f32x{THREADS}>", body, 16, (THREADS, 1)), prepare)


def subgroup_operations(dtype: str, size: int) -> Case:
    """Broadcast, reductions and scans; several subgroups a warp diverge from each other."""
    kinds = ["add"] if dtype[0] == "c" else ["add", "max", "min"]
    lines = [f"%x = memref.load %A, %id -> {dtype}", "%two = arith.constant {value = 2} -> i32"]
    lines.append(f"%o0 = team.broadcast %x, %two -> {dtype}")
    for k, kind in enumerate(kinds):
        lines.append(f'%o{3 * k + 1} = team.reduce %x {{kind = "{kind}"}} -> {dtype}')
        lines.append(f'%o{3 * k + 2} = team.scan %x {{kind = "{kind}", inclusive = true}} -> {dtype}')
        lines.append(f'%o{3 * k + 3} = team.scan %x {{kind = "{kind}", inclusive = false}} -> {dtype}')
    count = 3 * len(kinds) + 1
    for k in range(count):
        lines.append(f"%k{k} = arith.constant {{value = {k}}} -> index")
        lines.append(f"memref.store %o{k}, %B, %id, %k{k}")
    guarded = '%even = arith.cmp %sg, %two0 {predicate = "ne"} -> bool\nscf.if %even {\n' + "\n".join(lines) + "\n}"
    body = _ids("%two0 = arith.constant {value = 1} -> i32\n" + guarded, size)
    parameters = f"%A: memref<{dtype}x{THREADS}>, %B: memref<{dtype}x{THREADS}x{count}>"

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, dtype, THREADS, small=True)
        groups = a.reshape(-1, size)
        columns: list[Array] = [np.repeat(groups[:, 2:3], size, axis=1)]
        for kind in kinds:
            fold = {"add": np.add, "max": np.maximum, "min": np.minimum}[kind]
            scan = fold.accumulate(groups, axis=1)
            columns.append(np.repeat(scan[:, -1:], size, axis=1))
            columns.append(scan)
            columns.append(np.hstack([np.full((len(groups), 1), _identity(kind, dtype)).astype(a.dtype), scan[:, :-1]]))
        expected = np.stack([c.astype(a.dtype).ravel() for c in columns], axis=1)
        b = poisoned(dtype, THREADS, count)
        expected[size : 2 * size] = b[size : 2 * size]
        return Launch([a, b], {1: expected})

    return Case(f"subgroup-{dtype}-{size}", kernel(parameters, body, size, (THREADS, 1)), prepare)


def _identity(kind: str, dtype: str) -> float:
    if kind == "add":
        return 0
    if SCALARS[dtype].kind == "i":
        info = np.iinfo(SCALARS[dtype])
        return info.min if kind == "max" else info.max
    return -np.inf if kind == "max" else np.inf


def atomics(dtype: str) -> Case:
    """All work-items update few elements, in global and in local memory; neighbours share a word."""
    kinds = ["add"] if dtype[0] == "c" else ["add", "max", "min"]
    cells = 5
    lines = [f"%x = memref.load %A, %id -> {dtype}", f"%n = arith.constant {{value = {cells}}} -> index"]
    lines += ["%cell = arith.rem %id, %n -> index"]
    for k, kind in enumerate(kinds):
        lines.append(f"%k{k} = arith.constant {{value = {k}}} -> index")
        for name, memory, order in (("g", "G", "relaxed"), ("l", "L", "acquire_release")):
            facts = f'{{kind = "{kind}", semantics = "{order}"}}'
            lines.append(f"%{name}{k} = memref.atomic_rmw %x, %{memory}, %cell, %k{k} {facts} -> {dtype}")
    inner = "\n".join(lines)
    setup = f"""
    %zero.i = arith.constant {{value = 0}} -> index
    %L = memref.alloca -> memref<{dtype}x{cells}x3,local>
    %start = tile.load %G, %zero.i, %zero.i -> tile<{cells}x3x{dtype}>
    tile.store %start, %L, %zero.i, %zero.i
    team.barrier {{fence_local = true}}"""
    finish = f"""
    team.barrier {{fence_local = true, fence_global = true}}
    %end = tile.atomic_load %L, %zero.i, %zero.i -> tile<{cells}x3x{dtype}>
    tile.atomic_store %end, %H, %zero.i, %zero.i"""
    body = setup + _ids(inner, 32) + finish
    parameters = f"%A: memref<{dtype}x{THREADS}>, %G: memref<{dtype}x{cells}x3>, %H: memref<{dtype}x{cells}x3>"

    def prepare(rng: np.random.Generator) -> Launch:
        a, g = random_array(rng, dtype, THREADS, small=True), random_array(rng, dtype, cells, 3, small=True)
        expected = g.copy()
        for i, x in enumerate(a):
            expected[i % cells, 0] += x
            if len(kinds) > 1:
                expected[i % cells, 1] = max(expected[i % cells, 1], x)
                expected[i % cells, 2] = min(expected[i % cells, 2], x)
        return Launch([a, g, poisoned(dtype, cells, 3)], {1: expected, 2: expected})

    return Case(f"atomics-{dtype}", kernel(parameters, body, 32, (THREADS, 1)), prepare)


def uniform_atomics() -> Case:
    """In a collective region one work-item acts for all, and all continue with its answer."""
    body = """
    %z = arith.constant {value = 0} -> index
    %one = arith.constant {value = 1} -> index
    %c = arith.constant {value = 7} -> i32
    %old = memref.atomic_rmw %c, %A, %z {kind = "add", semantics = "sequentially_consistent"} -> i32
    %seen = memref.atomic_load %A, %one {semantics = "acquire"} -> i32
    %sum = arith.add %old, %seen -> i32
    %t = tile.splat %sum -> tile<70xi32>
    tile.store %t, %B, %z
    %two = arith.constant {value = 2} -> index
    memref.atomic_store %sum, %A, %two {semantics = "release"}
    %three = arith.constant {value = 3} -> index
    memref.store %old, %A, %three"""

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "i32", 4, small=True)
        expected = a.copy()
        expected[0] += 7
        expected[2] = a[0] + a[1]
        expected[3] = a[0]
        return Launch([a, poisoned("i32", 70)], {0: expected, 1: np.full(70, a[0] + a[1], np.int32)})

    return Case("uniform-atomics", kernel("%A: memref<i32x4>, %B: memref<i32x70>", body), prepare)


def numbers_of_subgroups() -> Case:
    """A work-group of three by two subgroups: each writes its own numbers where its linear number is."""
    lines = ["%row = arith.cast %sg -> index"]
    facts = ("subgroup_id {dim = 0}", "subgroup_id {dim = 1}", "num_subgroups {dim = 0}", "num_subgroups {dim = 1}")
    for k, fact in enumerate(facts):
        lines += [f"%k{k} = arith.constant {{value = {k}}} -> index", f"%n{k} = team.{fact} -> i32"]
        lines.append(f"memref.atomic_store %n{k}, %A, %row, %k{k}")
    body = _ids("\n".join(lines), 8)

    def prepare(rng: np.random.Generator) -> Launch:
        expected = np.array([[k % 3, k // 3, 3, 2] for k in range(6)], np.int32, order="F")
        return Launch([poisoned("i32", 6, 4)], {0: expected})

    return Case("subgroup-numbers", kernel("%A: memref<i32x6x4>", body, 8, (24, 2)), prepare)


def shares(rows: int, columns: int, size: int) -> Case:
    """share_extract and share_insert number the components as the language reference 1.11 says."""
    i_ = min(rows, size)
    j_ = ceil(i_ * columns / size) * size // i_
    blocks = rows // i_
    count = i_ * blocks * j_ // size
    lines = [
        f"%loaded = tile.load %A, %z, %z -> tile<{rows}x{columns}xf32>",
        f"%seven = arith.constant {{value = 7.0}} -> tile<{rows}x{columns}xf32>",
        f"%a = arith.add %loaded, %seven -> tile<{rows}x{columns}xf32>",
    ]
    for v in range(count):
        lines.append(f"%k{v} = arith.constant {{value = {v}}} -> index")
        lines.append(f"%v{v} = tile.share_extract %a {{index = {v}}} -> f32")
        lines.append(f"memref.store %v{v}, %V, %id, %k{v}")
    lines.append("%new = arith.cast %id -> f32")
    lines.append(f"%b = tile.share_insert %new, %a {{index = {count - 1}}} -> tile<{rows}x{columns}xf32>")
    lines.append("tile.store %b, %B, %z, %z")
    body = _ids("\n".join(lines), size)
    parameters = f"%A: memref<f32x{rows}x{columns}>, %V: memref<f32x{size}x{count}>, %B: memref<f32x{rows}x{columns}>"

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "f32", rows, columns)
        computed = a + np.float32(7)
        components, inserted = np.zeros((size, count), np.float32), computed.copy()
        for p in range(size):
            for k in range(blocks):
                for u in range(i_ * j_ // size):
                    v = u + k * i_ * j_ // size
                    i, j = p % i_ + k * i_, p // i_ + u * size // i_
                    if j < columns:
                        components[p, v] = computed[i, j]
                        if v == count - 1:
                            inserted[i, j] = p
        outputs = [poisoned("f32", size, count), poisoned("f32", rows, columns)]
        return Launch([a, *outputs], {1: components, 2: inserted})

    return Case(f"shares-{rows}x{columns}-{size}", kernel(parameters, body, size, (size, 1)), prepare)


def spmd_cases() -> list[Case]:
    """All cases of this file."""
    subgroup = [subgroup_operations(d, s) for d, s in (("f32", 32), ("f64", 16), ("i8", 8), ("i64", 4), ("bf16", 32))]
    return [
        reverse_through_local_memory(),
        *subgroup,
        subgroup_operations("c32", 16),
        subgroup_operations("i16", 32),
        *(atomics(d) for d in ("i8", "i16", "i32", "i64", "bf16", "f16", "f32", "f64", "c32", "c64")),
        uniform_atomics(),
        numbers_of_subgroups(),
        shares(8, 6, 16),
        shares(64, 3, 32),
        shares(32, 5, 16),
        shares(1, 9, 8),
    ]
