"""What each instruction does with the registers of the threads that run it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from . import directed, numbers
from .frame import Lanes, Operand, Step, Sync, operand, typed_operand
from .memory import BASE, WINDOW
from .numbers import Array, dtype_of, unsigned
from .races import Access
from .text import EmulatorError, Instruction, split, typed

_FLAGS: Final = {"nsw", "nuw", "exact", "disjoint", "nneg", "inbounds", "nnan", "ninf", "nsz", "contract", "reassoc"}
_BINARY: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": numbers.shl,
    "lshr": numbers.lshr,
    "ashr": numbers.ashr,
    "sdiv": numbers.sdiv,
    "udiv": numbers.udiv,
    "srem": numbers.srem,
    "urem": numbers.urem,
    "fadd": np.add,
    "fsub": np.subtract,
    "fmul": np.multiply,
    "fdiv": np.divide,
}
_UNARY: Final[Mapping[str, Callable[[Array], Array]]] = {
    "fneg": np.negative,
    "freeze": np.positive,
}
_INTRINSICS: Final[Mapping[str, Callable[..., Array]]] = {
    "fma": numbers.fma,
    "fabs": np.abs,
    "sqrt": np.sqrt,
    "copysign": np.copysign,
    "minimumnum": numbers.extremum(np.fmin, largest=False),
    "maximumnum": numbers.extremum(np.fmax, largest=True),
    "minimum": numbers.extremum(np.minimum, largest=False),
    "maximum": numbers.extremum(np.maximum, largest=True),
    "smin": np.minimum,
    "smax": np.maximum,
    "umin": numbers.umin,
    "umax": numbers.umax,
    "abs": numbers.absolute,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "roundeven": np.rint,
}
_UPDATES: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "xchg": lambda _old, new: new,
    "add": np.add,
    "sub": np.subtract,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "min": np.minimum,
    "umax": numbers.umax,
    "umin": numbers.umin,
    "fadd": np.add,
}
_APPROXIMATE: Final[Mapping[str, Callable[[Array], Array]]] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "rcp": numbers.almost_reciprocal,
}
"""What the hardware computes to some digits is right to all of them here, but for reciprocals."""

_SYNCS: Final = (
    "llvm.nvvm.shfl.sync.",
    "llvm.nvvm.bar.warp.sync",
    "llvm.nvvm.barrier.cta.sync.all",
    "llvm.nvvm.mma.",
    "llvm.nvvm.ldmatrix.",
    "llvm.nvvm.mbarrier.try.wait.parity.",
)
_FENCES: Final = (
    "llvm.nvvm.wgmma.fence.sync.aligned",
    "llvm.nvvm.fence.mbarrier_init.release.cluster",
)
_PROXY_FENCES: Final = ("llvm.nvvm.fence.proxy.async", "llvm.nvvm.fence.proxy.async.shared_cta")
_BARRIER: Final = "llvm.nvvm.mbarrier."
_WARPGROUP: Final = re.compile(r"(wgmma\.mma_async\.\S+) \{.*?\}, .*, p, 1, 1, ([01], [01]);")
_WAIT: Final = re.compile(r"wgmma\.wait_group\.sync\.aligned (\d+);")
_COPY: Final = "llvm.nvvm.cp.async."
_REGISTER: Final = "llvm.nvvm.read.ptx.sreg."
_ASSEMBLY: Final = re.compile(r'^(.*?) asm sideeffect "(.*?)", "(.*?)"\((.*)\)$')
_CALL: Final = re.compile(r"^(.*?)\s?@([\w.$]+)\((.*?)\)(?: #\d+)?$")
_SCOPED: Final = re.compile(r"""^(.*?)(?: syncscope\("(\w+)"\))? (monotonic|acquire|release|acq_rel|seq_cst)\b(.*)$""")
_SHARED: Final = BASE + WINDOW
"""The generic address of the first byte of shared memory."""
_ALIGN: Final = re.compile(r", align (\d+)")


def translate(instruction: Instruction) -> Step | Sync:
    """The step of an instruction. Raises EmulatorError for one that the target does not print for NVIDIA."""
    result, word, rest = instruction
    if word == "call":
        return _call(result, rest)
    first, _, others = rest.partition(" ")
    while first in _FLAGS:
        rest = others
        first, _, others = rest.partition(" ")
    if word in _BINARY:
        return _applied(result, _BINARY[word], _two(rest))
    if word in _UNARY:
        return _applied(result, _UNARY[word], [typed_operand(rest)])
    match word:
        case "store":
            return _store(rest)
        case "cmpxchg":
            return _compare_and_swap(result, rest)
        case "insertvalue":
            return _insert(result, rest)
        case "load":
            return _load(result, rest)
        case "atomicrmw":
            return _update(result, rest)
        case "getelementptr":
            return _element_pointer(result, rest)
        case "extractvalue":
            return _extract(result, rest)
        case "icmp":
            return _applied(result, numbers.INTEGER_PREDICATES[first], _two(others))
        case "fcmp":
            return _applied(result, numbers.float_predicate(first), _two(others))
        case "select":
            return _applied(result, np.where, [typed_operand(part) for part in split(rest)])
        case _:
            return _cast(result, word, rest)


def _two(rest: str) -> list[Operand]:
    """The operands of `i32 %x, %y`."""
    first, second = split(rest)
    type_, name = typed(first)
    return [operand(type_, name), operand(type_, second)]


def _applied(result: str, function: Callable[..., Array], operands: Sequence[Operand]) -> Step:
    """A step that defines a name by a function of operands: for most, one or two, in as few calls as can be."""
    match operands:
        case [x]:

            def unary(lanes: Lanes) -> None:
                lanes[result] = function(lanes[x])

            return unary
        case [x, y]:

            def binary(lanes: Lanes) -> None:
                lanes[result] = function(lanes[x], lanes[y])

            return binary
        case _:

            def step(lanes: Lanes) -> None:
                lanes[result] = function(*[lanes[x] for x in operands])

            return step


def _cast(result: str, word: str, rest: str) -> Step:
    source, found, target = rest.rpartition(" to ")
    if not found:
        raise EmulatorError(f"unknown instruction: {word} {rest}")
    from_type, name = typed(source)
    return _applied(result, _conversion(word, from_type, target), [operand(from_type, name)])


@cache
def _conversion(word: str, source: str, target: str) -> Callable[[Array], Array]:
    dtype: np.dtype[Any] = dtype_of(target)
    match word:
        case "trunc" if target == "i1":
            return lambda x: x & 1 != 0
        case "trunc" if target == "i4":
            return lambda x: (x.astype(np.int8) << 4) >> 4
        case "zext" if source == "i4":
            return lambda x: (x & 15).astype(dtype)
        case "trunc" if source == "i128":
            return lambda x: (x & 0xFFFFFFFFFFFFFFFF).astype(np.uint64).view(np.int64).astype(dtype)
        case "trunc" | "fpext" | "sitofp":
            return lambda x: x.astype(dtype)
        case "sext":
            return lambda x: -x.astype(dtype) if x.dtype.kind == "b" else x.astype(dtype)
        case "zext" | "uitofp":
            return lambda x: unsigned(x).astype(dtype)
        case "fptrunc":
            return lambda x: numbers.narrowed(x, dtype)
        case "fptosi" | "fptoui":
            return lambda x: numbers.saturated(x, dtype, word == "fptosi")
        case "bitcast":
            return lambda x: np.ascontiguousarray(x).view(dtype)
        case "ptrtoint" | "inttoptr":
            return lambda x: unsigned(x).astype(dtype)
        case "addrspacecast":
            return _addrspacecast(source, target)
        case _:
            raise EmulatorError(f"unknown cast: {word} from {source} to {target}")


# Memory


def _is_shared(pointer_type: str) -> bool:
    return pointer_type == "ptr addrspace(3)"


def _addrspacecast(source: str, target: str) -> Callable[[Array], Array]:
    from_shared, to_shared = _is_shared(source), _is_shared(target)
    if from_shared == to_shared:
        return lambda x: x
    if to_shared:
        raise EmulatorError("a generic address becomes a shared one")
    return lambda x: x + _SHARED


def _element_pointer(result: str, rest: str) -> Step:
    element, base, index = split(rest)
    return _applied(result, _moved_by(dtype_of(element).itemsize), [typed_operand(base), typed_operand(index)])


@cache
def _moved_by(width: int) -> Callable[[Array, Array], Array]:
    def address(pointer: Array, number: Array) -> Array:
        return pointer + number.astype(np.int64, copy=False) * width

    return np.add if width == 1 else address


def _pointer(text: str) -> tuple[Operand, int]:
    """A pointer operand, and what lies between its space and generic addresses."""
    ltype, name = typed(text)
    return operand(ltype, name), _SHARED if _is_shared(ltype) else 0


def _order(text: str) -> tuple[str, int | None, int]:
    """Operands, what an atomic access is (None: plain), and its alignment."""
    align = _ALIGN.search(text)
    text = text.split(", align ")[0].split(", !")[0]
    scoped = _SCOPED.match(text)
    if scoped is None:
        return text, None, int(align[1]) if align else 1
    wide = Access.READ if scoped[2] == "block" else Access.DEVICE
    return scoped[1], Access.ATOMIC | wide, int(align[1]) if align else 1


def _load(result: str, rest: str) -> Step:
    operands, atomic, align = _order(rest.removeprefix("atomic "))
    ltype, pointer = split(operands)
    dtype, (place, start) = dtype_of(ltype), _pointer(pointer)
    access = atomic or Access.READ

    def step(lanes: Lanes) -> None:
        lanes[result] = lanes.team.load(lanes.threads, lanes[place] + start, dtype, align, access)

    return step


def _store(rest: str) -> Step:
    operands, atomic, align = _order(rest.removeprefix("atomic "))
    stored, pointer = split(operands)
    value, (place, start) = typed_operand(stored), _pointer(pointer)
    access = (atomic or Access.READ) | Access.WRITE
    return lambda lanes: lanes.team.store(lanes.threads, lanes[place] + start, lanes[value], align, access)


def _update(result: str, rest: str) -> Step:
    word, _, rest = rest.partition(" ")
    operands, atomic, _ = _order(rest)
    pointer, given = split(operands)
    (place, start), value, combine = _pointer(pointer), typed_operand(given), _UPDATES[word]
    access = (atomic or Access.READ) | Access.WRITE

    def step(lanes: Lanes) -> None:
        given = lanes.full(value)

        def new(who: slice, old: Array) -> Array:
            return combine(old, given[who])

        lanes[result] = lanes.team.update(lanes.threads, lanes.full(place) + start, given.dtype, access, new)

    return step


def _compare_and_swap(result: str, rest: str) -> Step:
    operands, atomic, _ = _order(rest)
    pointer, wanted, desired = split(operands)
    (place, start), expected, value = _pointer(pointer), typed_operand(wanted), typed_operand(desired)
    access = (atomic or Access.READ) | Access.WRITE

    def step(lanes: Lanes) -> None:
        wants, news = lanes.full(expected), lanes.full(value)

        def new(who: slice, old: Array) -> Array:
            return np.where(old == wants[who], news[who], old)

        old = lanes.team.update(lanes.threads, lanes.full(place) + start, news.dtype, access, new)
        lanes.parts[result] = [old, old == wants]

    return step


# Structs and calls


def _extract(result: str, rest: str) -> Step:
    struct, number = split(rest)
    _, name = typed(struct)

    def step(lanes: Lanes) -> None:
        # parts that whole warps compute are registers
        lanes[result] = lanes.parts[name][int(number)] if name in lanes.parts else lanes[f"{name}.{number}"]

    return step


def _insert(result: str, rest: str) -> Step:
    struct, value, number = split(rest)
    type_, name = typed(struct)
    members, given = split(type_[1:-1]), typed_operand(value)

    def step(lanes: Lanes) -> None:
        parts = [numbers.constant(m, "poison") for m in members] if name == "poison" else list(lanes.parts[name])
        parts[int(number)] = lanes[given]
        lanes.parts[result] = parts

    return step


def _call(result: str, rest: str) -> Step | Sync:
    assembly = _ASSEMBLY.match(rest)
    if assembly is not None:
        return _assembly(result, assembly[2], [typed_operand(part) for part in split(assembly[4])])
    found = _CALL.match(rest)
    if found is None:
        raise EmulatorError(f"unknown call: {rest}")
    name, operands = found[2], [typed_operand(part) for part in split(found[3])]
    if name.startswith(_SYNCS):
        return Sync(name, operands, result)
    if name.startswith(_BARRIER):
        return _barrier(result, name.removeprefix(_BARRIER), operands)
    if name == "llvm.nvvm.wgmma.commit_group.sync.aligned":
        return lambda lanes: lanes.team.commit_products(lanes.threads)
    if name == "llvm.nvvm.wgmma.wait_group.sync.aligned":
        return lambda lanes: lanes.team.await_products(lanes.threads, int(lanes[operands[0]][0]))
    if name in _PROXY_FENCES:
        return lambda lanes: lanes.team.show_writes(lanes.threads)
    if name in _FENCES:
        return lambda lanes: None
    if name.startswith(_COPY):
        return _copy(name.removeprefix(_COPY), operands)
    if name.startswith(_REGISTER):
        return _special(result, name.removeprefix(_REGISTER))
    if name.startswith("llvm."):
        return _applied(result, _intrinsic(name, found[1]), operands)

    def step(lanes: Lanes) -> None:
        values = lanes.team.call(name, lanes.threads, [lanes.full(x) for x in operands])
        if len(values) == 1:
            lanes[result] = values[0]
        else:
            lanes.parts[result] = values

    return step


def _special(result: str, register: str) -> Step:
    def step(lanes: Lanes) -> None:
        lanes[result] = lanes.team.special(register, lanes.threads)

    return step


def _assembly(result: str, text: str, operands: Sequence[Operand]) -> Step | Sync:
    """Products of groups of warps, which are there at once; waiting and the fence in front give what they are given."""
    if found := _WARPGROUP.search(text):
        return Sync(found[1], [*operands, *(f"i32 {word}" for word in found[2].split(", "))], result)
    wait = _WAIT.match(text)
    if wait is None and not text.startswith("wgmma.fence"):
        raise EmulatorError(f"unknown assembly: {text}")

    def step(lanes: Lanes) -> None:
        if wait is not None:
            lanes.team.await_products(lanes.threads, int(wait[1]))
        lanes.parts[result] = [lanes[x] for x in operands]

    return step


def _barrier(result: str, name: str, operands: Sequence[Operand]) -> Step:
    """What a thread does with a barrier that counts copies."""

    def step(lanes: Lanes) -> None:
        places, *numbers = (lanes.full(x).tolist() for x in operands)
        for place, *given in zip(places, *numbers, strict=True):
            match name, given:
                case "init.shared", [arrivals]:
                    lanes.team.open_barrier(place + _SHARED, arrivals)
                case "inval.shared", []:
                    lanes.team.close_barrier(place + _SHARED)
                case "arrive.expect.tx.scope.cta.space.cta", [count]:
                    lanes.team.expect(place + _SHARED, count)
                case _:
                    raise EmulatorError(f"unknown operation of barriers: {name}")
        if result:
            lanes[result] = np.zeros(1, np.int64)

    return step


def _copy_box(operands: Sequence[Operand]) -> Step:
    """A box of two dimensions to shared memory."""

    def step(lanes: Lanes) -> None:
        target, barrier, pointer, x, y = (lanes.full(each).tolist() for each in operands[:5])
        for k, thread in enumerate(lanes.threads.tolist()):
            lanes.team.copy_box(thread, barrier[k] + _SHARED, target[k], pointer[k], (x[k], y[k]))

    return step


def _copy(name: str, operands: Sequence[Operand]) -> Step:
    """Asynchronous copies: what they read is read when they begin, and arrives when somebody waits."""
    match name.split("."), operands:
        case ["commit", "group"], []:
            return lambda lanes: lanes.team.commit_copies(lanes.threads)
        case ["wait", "group"], [pending]:
            return lambda lanes: lanes.team.await_copies(lanes.threads, int(lanes[pending][0]))
        case ["bulk", "tensor", "g2s", "tile", "2d"], _:
            return _copy_box(operands)
        case [_, "shared", "global", size, *_], [target, source, *rest]:
            given = rest[0] if rest else f"i32 {size}"
            return lambda lanes: lanes.team.copy_later(
                lanes.threads,
                lanes.full(target) + _SHARED,
                lanes.full(source),
                int(size),
                lanes.full(given),
            )
        case _:
            raise EmulatorError(f"unknown copy: {name}")


@cache
def _intrinsic(name: str, head: str) -> Callable[..., Array]:
    words = name.split(".")
    if words[1] in ("fptosi", "fptoui"):
        return _conversion(words[1], words[4], words[3])
    if words[1] == "nvvm" and words[3] in directed.MODES:
        return directed.operation(words[2], words[3])
    if words[1] == "nvvm" and words[3] == "approx":
        return _APPROXIMATE[words[2]]
    if words[1:3] == ["nvvm", "saturate"]:
        return numbers.saturated_fraction
    if words[1] not in _INTRINSICS:
        raise EmulatorError(f"unknown intrinsic: {head} @{name}")
    return _INTRINSICS[words[1]]
