"""Names of intrinsics: which operation one means, and what its suffix says of the types of a call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.diagnostics.nearest import nearest
from tilewright.dialects.tlx import BY_INTRINSIC
from tilewright.frontends.tlx.llvm.types import FloatType, IntegerType, PointerType, TargetType, Type, VectorType
from tilewright.frontends.tlx.target_types import mangled

TYPEINFO: Final = "llvm.tensor.typeinfo"
TOTENSOR: Final = "llvm.vector.totensor"
SPLAT: Final = "llvm.vector.splat"
LOAD: Final = "llvm.tensor.load"
STORE: Final = "llvm.tensor.store"
KNOWN: Final = frozenset({*BY_INTRINSIC, TYPEINFO, TOTENSOR, "llvm.tensor.totensor", SPLAT})
"""Names without suffixes."""
_PREFIX: Final = re.compile(r"l*vm\.tensor\.|llvm\.tensor(?=\W|$)")
_TARGET: Final = re.compile(r"(?<=\.)ttlx\.tensor(?=_)")
"""The beginning of a target type in a suffix, as LLVM mangles it; its point separates no components."""
_JOINED: Final = "\0"
_COMPONENT: Final = re.compile(
    r"(?:v[0-9]+|nxv[0-9]+)?(?:p[0-9]+)?(?:v[0-9]+)?(?:i[0-9]+|b?f16|f32|f64)?|ttlx\.tensor_[a-z0-9_]+t"
)


def _joined(found: re.Match[str]) -> str:
    return found[0].replace(".", _JOINED)


class Intrinsic(Struct, frozen=True):
    """An operation by its name without suffix, and the components of the suffix."""

    name: str
    suffix: tuple[str, ...]


class Unknown(Struct, frozen=True):
    """A name that looks like one of TLX and is none; `near` is what it may be meant for."""

    word: str
    near: tuple[str, ...]


def recognise(callee: str) -> Intrinsic | Unknown | None:
    """What a called function is; None if it is nothing of TLX. The longest known name counts."""
    parts = [part.replace(_JOINED, ".") for part in _TARGET.sub(_joined, callee).split(".")]
    for count in range(len(parts), 2, -1):
        name = ".".join(parts[:count])
        if name in KNOWN:
            suffix = tuple(parts[count:])
            if all(part and _COMPONENT.fullmatch(part) for part in suffix):
                return Intrinsic(name, suffix)
            break
    found = _PREFIX.match(callee)
    if found is None:
        return None
    word = callee[found.end() :].lstrip(".")
    plain = _without_suffix(word)
    names = {name.removeprefix("llvm.tensor.").removeprefix("llvm.") for name in KNOWN}
    return Unknown(plain, (plain,) if plain in names else nearest(plain, names))


def _without_suffix(word: str) -> str:
    parts = word.split(".")
    while len(parts) > 1 and _COMPONENT.fullmatch(parts[-1]) is not None:
        parts.pop()
    return ".".join(parts)


def component(type_: Type) -> str:
    """How a suffix says a type; empty for what suffixes do not say."""
    match type_:
        case IntegerType(bits=bits):
            return f"i{bits}"
        case FloatType(layout=layout):
            return layout
        case VectorType(count=count, element=element):
            return f"v{count}{component(element)}"
        case PointerType(space=space):
            return f"p{space}"
        case TargetType():
            return mangled(type_)
        case _:
            return ""


def contradiction(suffix: Sequence[str], result: Type, operands: Sequence[Type]) -> tuple[str, Type] | None:
    """A component that no type of the call explains, and the type that stands where it does.

    Suffixes list the types of the result and of the operands in order; some compilers leave out some.
    """
    if not suffix:
        return None
    types = [t for t in (result, *operands) if component(t)]
    position = 0
    for part in suffix:
        ahead = next((k for k in range(position, len(types)) if _says(part, types[k])), None)
        if ahead is None:
            return part, types[min(position, len(types) - 1)] if types else result
        position = ahead + 1
    return None


def _says(part: str, type_: Type) -> bool:
    """Old names say what a pointer points to as well."""
    return part.startswith(component(type_)) if isinstance(type_, PointerType) else part == component(type_)


def mangled_pointee(suffix: Sequence[str]) -> str | None:
    """What a pointer in a suffix points to, by the name of its layout: `f32` of `p0v16f32`."""
    for part in suffix:
        found = re.fullmatch(r"p[0-9]+(?:v[0-9]+)?(i[0-9]+|b?f16|f32|f64)", part)
        if found is not None:
            return found[1]
    return None
