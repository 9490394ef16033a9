"""The text of a module of scalars: functions of blocks of instructions, globals with their bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from .numbers import DTYPES, constant

_GLOBAL: Final = re.compile(
    r"^@([\w.$]+) = (.*?)(?:addrspace\((\d)\) )?(constant|global) (\[.*?\]) ?(.*?)(?:, align (\d+))?$"
)
_DEFINE: Final = re.compile(r"^define (.*?) @([\w.$]+)\((.*)$")
_BYVAL: Final = re.compile(r"byval\(\[(\d+) x i8\]\)")
_THREADS: Final = re.compile(r'"nvvm.reqntid"="(\d+),1,1"')
_CLUSTER: Final = re.compile(r'"nvvm.cluster_dim"="(\d+),1,1"')
_RESULT: Final = re.compile(r"^(%[\w.$]+) = (.*)$")
_CUT: Final = re.compile(r"[()\[\]{}<>,]")
_BRACKET: Final = re.compile(r"[(\[{<]")
_PHI: Final = re.compile(r"\[ (\S+), %([\w.$]+) \]")


class EmulatorError(Exception):
    """The code does what no device would forgive, or says what the emulator does not know."""


class Instruction(NamedTuple):
    """One line: the name it defines (or ""), its first word, the words behind."""

    result: str
    word: str
    rest: str


class Phi(NamedTuple):
    """What a name becomes on each edge, by the label of the block where the edge begins."""

    result: str
    type: str
    incoming: dict[str, str]


@dataclass(slots=True)
class Block:
    """Phis, then instructions of which the last ends the block."""

    label: str
    phis: list[Phi] = field(default_factory=list[Phi])
    instructions: list[Instruction] = field(default_factory=list[Instruction])


class Parameter(NamedTuple):
    """A parameter; `bytes` of one that the caller passes in memory, else 0."""

    type: str
    name: str
    bytes: int


@dataclass(slots=True)
class Function:
    """A function: `results` is how many numbers it returns, `threads` those of a block if it is a kernel, else 0,
    `cluster` how many blocks run in a cluster."""

    name: str
    results: int
    parameters: list[Parameter]
    threads: int
    cluster: int
    blocks: list[Block] = field(default_factory=list[Block])


class Global(NamedTuple):
    """A global variable: address space, contents, alignment; `external` memory is given by the launch."""

    space: int
    contents: bytes
    align: int
    external: bool
    constant: bool


@dataclass(slots=True)
class Module:
    """All of a text."""

    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    globals: dict[str, Global] = field(default_factory=dict[str, Global])


def parse(text: str) -> Module:
    """Read a module as `targets.llvm` prints it. Raises EmulatorError for what it never prints for NVIDIA."""
    module, function = Module(), None
    for line in text.splitlines():
        if line.startswith("define"):
            function = _function(line)
            module.functions[function.name] = function
        elif line.startswith("@"):
            name, found = _global(line)
            module.globals[name] = found
        elif function is not None and line == "}":
            function = None
        elif function is not None and line.endswith(":"):
            function.blocks.append(Block(line[:-1]))
        elif function is not None and not line.startswith("  ;"):
            _add(function.blocks[-1], line.strip())
    return module


def _function(line: str) -> Function:
    found = _DEFINE.match(line)
    if found is None:
        raise EmulatorError(f"no definition of a function: {line}")
    parameters: list[Parameter] = []
    for text in split(_inside(found[3])):
        size = _BYVAL.search(text)
        parameters.append(Parameter(_type_of(text), text.rsplit(" ", 1)[1], int(size[1]) if size else 0))
    threads = _THREADS.search(line)
    results = 0 if found[1].endswith("void") else found[1].count(",") + 1
    cluster = _CLUSTER.search(line)
    return Function(found[2], results, parameters, int(threads[1]) if threads else 0, int(cluster[1]) if cluster else 1)


def _type_of(text: str) -> str:
    return "ptr" if text.startswith("ptr ") and "addrspace" not in text else text.rsplit(" ", 1)[0]


def _add(block: Block, line: str) -> None:
    named = _RESULT.match(line)
    result, body = (named[1], named[2]) if named else ("", line)
    word, _, rest = body.partition(" ")
    if word == "phi":
        incoming = {label: value for value, label in _PHI.findall(rest)}
        block.phis.append(Phi(result, rest[: rest.index(" [")], incoming))
    else:
        block.instructions.append(Instruction(result, word, rest))


def _global(line: str) -> tuple[str, Global]:
    found = _GLOBAL.match(line)
    if found is None:
        raise EmulatorError(f"no global variable: {line}")
    name, words, space, kind, type_, contents, align = found.groups()
    count, _, element = type_[1:-1].partition(" x ")
    external = "external" in words
    size = int(count) * DTYPES[element].itemsize
    data = b"" if external else _contents(contents, element).ljust(size, b"\0")
    return name, Global(int(space or 0), data, int(align or 1), external, kind == "constant")


def _contents(text: str, element: str) -> bytes:
    if text == "zeroinitializer":
        return b""
    if text.startswith('c"'):
        return _bytes(text[2:-1])
    numbers = [constant(element, part.rsplit(" ", 1)[1]) for part in split(text[1:-1])]
    return np.concatenate(numbers).tobytes()


def _bytes(text: str) -> bytes:
    found = re.findall(r"\\([0-9A-Fa-f]{2})|(.)", text)
    return bytes(int(code, 16) if code else ord(letter) for code, letter in found)


def _inside(text: str) -> str:
    """What stands before the bracket that closes one opened before the text."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return text[:at]
    raise EmulatorError(f"a bracket is not closed: {text}")


def split(text: str) -> list[str]:
    """The parts between commas outside of brackets."""
    if _BRACKET.search(text) is None:
        plain = [part.strip() for part in text.split(",")]
        return plain if plain[-1] else plain[:-1]
    parts, depth, start = list[str](), 0, 0
    for found in _CUT.finditer(text):
        letter = found[0]
        if letter in "([{<":
            depth += 1
        elif letter != ",":
            depth -= 1
        elif depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    last = text[start:].strip()
    return [*parts, last] if last else parts


def typed(text: str) -> tuple[str, str]:
    """Type and operand of `i32 %x` or `ptr addrspace(1) @g`."""
    type_, _, operand = text.rpartition(" ")
    return type_, operand
