"""What each instruction does with the registers of the threads that run it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from . import directed, numbers
from .frame import Get, Lanes, Step, Sync, operand, typed_operand
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
)
_FENCES: Final = (
    "llvm.nvvm.wgmma.fence.sync.aligned",
    "llvm.nvvm.wgmma.commit_group.sync.aligned",
)
_WARPGROUP: Final = re.compile(r"(wgmma\.mma_async\.\S+) \{.*?\}, .*, p, 1, 1, ([01], [01]);")
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
    words = rest.split(" ")
    while words[0] in _FLAGS:
        words.pop(0)
    rest = " ".join(words)
    match word:
        case "store":
            return _store(rest)
        case "cmpxchg":
            return _compare_and_swap(result, rest)
        case "insertvalue":
            return _insert(result, rest)
        case _:
            return _defining(result, _value(word, rest))


def _defining(result: str, value: Get) -> Step:
    def step(lanes: Lanes) -> None:
        lanes.local[result] = value(lanes)

    return step


def _value(word: str, rest: str) -> Get:
    match word:
        case "load":
            return _load(rest)
        case "atomicrmw":
            return _update(rest)
        case "getelementptr":
            return _element_pointer(rest)
        case "extractvalue":
            return _extract(rest)
        case "icmp" | "fcmp":
            predicate, _, operands = rest.partition(" ")
            table = numbers.INTEGER_PREDICATES
            return _applied(table[predicate] if word == "icmp" else numbers.float_predicate(predicate), _two(operands))
        case "select":
            return _applied(np.where, [typed_operand(part) for part in split(rest)])
        case _ if word in _BINARY:
            return _applied(_BINARY[word], _two(rest))
        case _ if word in _UNARY:
            return _applied(_UNARY[word], [typed_operand(rest)])
        case _:
            return _cast(word, rest)


def _two(rest: str) -> list[Get]:
    """The operands of `i32 %x, %y`."""
    first, second = split(rest)
    type_, _ = typed(first)
    return [typed_operand(first), operand(type_, second)]


def _applied(function: Callable[..., Array], operands: Sequence[Get]) -> Get:
    match operands:
        case [x]:
            return lambda lanes: function(x(lanes))
        case [x, y]:
            return lambda lanes: function(x(lanes), y(lanes))
        case _:
            return lambda lanes: function(*[read(lanes) for read in operands])


def _cast(word: str, rest: str) -> Get:
    source, found, target = rest.rpartition(" to ")
    if not found:
        raise EmulatorError(f"unknown instruction: {word} {rest}")
    from_type, _ = typed(source)
    return _applied(_conversion(word, from_type, target), [typed_operand(source)])


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


def _element_pointer(rest: str) -> Get:
    element, base, index = split(rest)
    width = dtype_of(element).itemsize

    def address(pointer: Array, number: Array) -> Array:
        return pointer + number.astype(np.int64) * width

    return _applied(address, [typed_operand(base), typed_operand(index)])


def _pointer(text: str) -> Get:
    """The generic address of a pointer operand."""
    found = typed_operand(text)
    if _is_shared(typed(text)[0]):
        return lambda lanes: found(lanes) + _SHARED
    return found


def _order(text: str) -> tuple[str, int | None, int]:
    """Operands, what an atomic access is (None: plain), and its alignment."""
    align = _ALIGN.search(text)
    text = text.split(", align ")[0].split(", !")[0]
    scoped = _SCOPED.match(text)
    if scoped is None:
        return text, None, int(align[1]) if align else 1
    wide = Access.READ if scoped[2] == "block" else Access.DEVICE
    return scoped[1], Access.ATOMIC | wide, int(align[1]) if align else 1


def _load(rest: str) -> Get:
    operands, atomic, align = _order(rest.removeprefix("atomic "))
    ltype, pointer = split(operands)
    dtype, read = dtype_of(ltype), _pointer(pointer)
    access = atomic or Access.READ
    return lambda lanes: lanes.team.load(lanes.threads, read(lanes), dtype, align, access)


def _store(rest: str) -> Step:
    operands, atomic, align = _order(rest.removeprefix("atomic "))
    value, pointer = split(operands)
    read, place = typed_operand(value), _pointer(pointer)
    access = (atomic or Access.READ) | Access.WRITE
    return lambda lanes: lanes.team.store(lanes.threads, place(lanes), read(lanes), align, access)


def _update(rest: str) -> Get:
    word, _, rest = rest.partition(" ")
    operands, atomic, _ = _order(rest)
    pointer, value = split(operands)
    place, read, combine = _pointer(pointer), typed_operand(value), _UPDATES[word]
    access = (atomic or Access.READ) | Access.WRITE

    def update(lanes: Lanes) -> Array:
        operand_ = lanes.full(read(lanes))

        def new(k: int, old: Array) -> Array:
            return combine(old, operand_[k : k + 1])

        return lanes.team.update(lanes.threads, lanes.full(place(lanes)), operand_.dtype, access, new)

    return update


def _compare_and_swap(result: str, rest: str) -> Step:
    operands, atomic, _ = _order(rest)
    pointer, wanted, desired = split(operands)
    place, expected, value = _pointer(pointer), typed_operand(wanted), typed_operand(desired)
    access = (atomic or Access.READ) | Access.WRITE

    def step(lanes: Lanes) -> None:
        wants, news = lanes.full(expected(lanes)), lanes.full(value(lanes))

        def new(k: int, old: Array) -> Array:
            return news[k : k + 1] if old[0] == wants[k] else old

        old = lanes.team.update(lanes.threads, lanes.full(place(lanes)), news.dtype, access, new)
        lanes.parts[result] = [old, old == wants]

    return step


# Structs and calls


def _extract(rest: str) -> Get:
    struct, number = split(rest)
    _, name = typed(struct)
    # parts that whole warps compute are registers
    return lambda lanes: lanes.parts[name][int(number)] if name in lanes.parts else lanes.get(f"{name}.{number}")


def _insert(result: str, rest: str) -> Step:
    struct, value, number = split(rest)
    type_, name = typed(struct)
    members, read = split(type_[1:-1]), typed_operand(value)

    def step(lanes: Lanes) -> None:
        parts = [numbers.constant(m, "poison") for m in members] if name == "poison" else list(lanes.parts[name])
        parts[int(number)] = read(lanes)
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
    if name == "llvm.nvvm.fence.proxy.async.shared_cta":
        return lambda lanes: lanes.team.show_writes(lanes.threads)
    if name in _FENCES:
        return lambda lanes: None
    if name.startswith(_COPY):
        return _copy(name.removeprefix(_COPY), operands)
    if name.startswith(_REGISTER):
        register = name.removeprefix(_REGISTER)
        return _defining(result, lambda lanes: lanes.team.special(register, lanes.threads))
    if name.startswith("llvm."):
        return _defining(result, _applied(_intrinsic(name, found[1]), operands))

    def step(lanes: Lanes) -> None:
        values = lanes.team.call(name, lanes.threads, [lanes.full(read(lanes)) for read in operands])
        if len(values) == 1:
            lanes.local[result] = values[0]
        else:
            lanes.parts[result] = values

    return step


def _assembly(result: str, text: str, operands: Sequence[Get]) -> Step | Sync:
    """Products of groups of warps, which are there at once; waiting and the fence in front give what they are given."""
    if found := _WARPGROUP.search(text):
        return Sync(found[1], [*operands, *(_number(word) for word in found[2].split(", "))], result)
    if not text.startswith(("wgmma.wait_group", "wgmma.fence")):
        raise EmulatorError(f"unknown assembly: {text}")

    def step(lanes: Lanes) -> None:
        lanes.parts[result] = [read(lanes) for read in operands]

    return step


def _number(word: str) -> Get:
    value = np.array([int(word)])
    return lambda _lanes: value


def _copy(name: str, operands: Sequence[Get]) -> Step:
    """Asynchronous copies: what they read is read when they begin, and arrives when somebody waits."""
    match name.split("."), operands:
        case ["commit", "group"], []:
            return lambda lanes: lanes.team.commit_copies(lanes.threads)
        case ["wait", "group"], [pending]:
            return lambda lanes: lanes.team.await_copies(lanes.threads, int(pending(lanes)[0]))
        case [_, "shared", "global", size, *_], [target, source, *rest]:
            whole = np.array([int(size)])
            return lambda lanes: lanes.team.copy_later(
                lanes.threads,
                lanes.full(target(lanes)) + _SHARED,
                lanes.full(source(lanes)),
                int(size),
                lanes.full(rest[0](lanes) if rest else whole),
            )
        case _:
            raise EmulatorError(f"unknown copy: {name}")


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
