"""What sums of products on vectors could take at least: multiply-adds of registers and nothing else, and those of
register blocks whose factors lie packed in the first cache."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Final

from tile_ceiling import in_threads
from tilewright.machine.native import compile_text, load_object
from tilewright.targets.cpu.machine import Machine, machine_of

_TYPES: Final = {"f32": ("float", 4), "f64": ("double", 8)}
_CHAINS: Final = 12
"""As many as processors add up at once, and fewer than they have registers."""
_TERMS: Final = 128
"""Of panels: 24 KB of vectors and scalars with AVX-512."""
_AT_ONCE: Final = 4
_VECTORS: Final = 2


def multiply_adds(dtype: str, operations: float, threads: int = 1) -> Callable[[], object]:
    """A run of so many operations, two a multiply-add, shared evenly by some threads."""
    element, size = _TYPES[dtype]
    shape = machine_of()
    lanes = shape.lanes(size)
    steps = max(1, round(operations / (2 * lanes * _CHAINS * threads)))
    return _run(_chains(element, lanes, shape.attributes), 4096, steps, threads)


def panels(dtype: str, operations: float, threads: int = 1) -> Callable[[], object]:
    """The same in register blocks: each term loads two vectors and as many scalars as registers are left for, half of
    these as operands of multiply-adds. Nothing is packed, and no result is stored before the end."""
    element, size = _TYPES[dtype]
    shape = machine_of()
    lanes, columns = shape.lanes(size), (shape.registers - 1 - _VECTORS - 1) // _VECTORS
    steps = max(1, round(operations / (2 * lanes * _VECTORS * columns * _AT_ONCE * threads)))
    text = _blocks(shape, element, size, columns)
    return _run(text, _TERMS * size * (_VECTORS * lanes + columns) + 4096, steps, threads)


def _run(text: str, size: int, steps: int, threads: int) -> Callable[[], object]:
    """Some steps of the function `ceiling` on memory of each thread's own."""
    code = load_object(compile_text(text), ["ceiling"])
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(code.address("ceiling"))
    memory = [ctypes.create_string_buffer(size) for _ in range(threads)]

    def one(thread: int) -> None:
        assert code
        call(ctypes.addressof(memory[thread]) + -ctypes.addressof(memory[thread]) % 64, steps)

    return in_threads(one, threads)


def _chains(element: str, lanes: int, attributes: str) -> str:
    vector = f"<{lanes} x {element}>"
    before = [f"  %half = fadd {vector} %x, splat ({element} 0.5)"]
    step = [f"  %n{k} = {_fma(element, lanes, f'%s{k}', '%half', '%x')}" for k in range(_CHAINS)]
    return _loop(element, lanes, attributes, before, step, _CHAINS)


def _blocks(shape: Machine, element: str, size: int, columns: int) -> str:
    lanes = shape.lanes(size)
    count, step = _VECTORS * columns, [f"  %k = and i64 %i, {_TERMS // _AT_ONCE - 1}"]
    step += [f"  %vectors = getelementptr [{_AT_ONCE * _VECTORS * lanes} x {element}], ptr %to, i64 %k"]
    step += [f"  %scalars.0 = getelementptr {element}, ptr %to, i64 {_TERMS * _VECTORS * lanes}"]
    step += [f"  %scalars = getelementptr [{_AT_ONCE * columns} x {element}], ptr %scalars.0, i64 %k"]
    sums = [f"%s{k}" for k in range(count)]
    for term in range(_AT_ONCE):
        step += _term(element, lanes, term, columns, sums)
    return _loop(element, lanes, shape.attributes, [], step, count)


def _term(element: str, lanes: int, term: int, columns: int, sums: list[str]) -> Iterator[str]:
    """The multiply-adds of a term; `sums` become theirs."""
    vector = f"<{lanes} x {element}>"
    for p in range(_VECTORS):
        yield f"  %vp{term}.{p} = getelementptr {vector}, ptr %vectors, i64 {term * _VECTORS + p}"
        yield f"  %v{term}.{p} = load {vector}, ptr %vp{term}.{p}, align 8"
    for j in range(columns):
        yield f"  %sp{term}.{j} = getelementptr {element}, ptr %scalars, i64 {term * columns + j}"
        name = ""
        for p in range(_VECTORS):
            if p == 0 or j % 2:
                name = f"{term}.{j}.{p}"
                if p:
                    yield '  fence syncscope("singlethread") acq_rel'
                yield f"  %c{name} = load {element}, ptr %sp{term}.{j}, align 4"
                yield f"  %i{name} = insertelement {vector} poison, {element} %c{name}, i64 0"
                yield f"  %w{name} = shufflevector {vector} %i{name}, {vector} poison, <{lanes} x i32> zeroinitializer"
            k = _VECTORS * j + p
            new = f"%n{k}" if term == _AT_ONCE - 1 else f"%t{term}.{k}"
            yield f"  {new} = {_fma(element, lanes, f'%v{term}.{p}', f'%w{name}', sums[k])}"
            sums[k] = new


def _fma(element: str, lanes: int, x: str, y: str, z: str) -> str:
    vector, name = f"<{lanes} x {element}>", f"v{lanes}f{32 if element == 'float' else 64}"
    return f"call {vector} @llvm.fma.{name}({vector} {x}, {vector} {y}, {vector} {z})"


def _loop(element: str, lanes: int, attributes: str, before: list[str], step: list[str], count: int) -> str:
    """A function that makes sums %n0, .. of %s0, .. in each step, which it stores at last."""
    vector, name = f"<{lanes} x {element}>", f"v{lanes}f{32 if element == 'float' else 64}"
    sums = "\n".join(f"  %s{k} = phi {vector} [ %x, %entry ], [ %n{k}, %step ]" for k in range(count))
    stores = "\n".join(
        f"  %p{k} = getelementptr {vector}, ptr %to, i64 {k}\n  store {vector} %n{k}, ptr %p{k}, align 8"
        for k in range(count)
    )
    lines = "\n".join
    return f"""
declare {vector} @llvm.fma.{name}({vector}, {vector}, {vector})
define void @ceiling(ptr %to, i64 %steps) {attributes} {{
entry:
  %x = load {vector}, ptr %to, align 8
{lines(before)}
  br label %step
step:
  %i = phi i64 [ 0, %entry ], [ %i.next, %step ]
{sums}
{lines(step)}
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %steps
  br i1 %more, label %step, label %leave
leave:
{stores}
  ret void
}}
"""
