"""Types of LLVM text, old typed pointers among them. `str()` is their spelling.

None contains itself (`NamedType` has a name only), so the collector of cycles need not look at them (`gc=False`).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Type(Struct, frozen=True, gc=False):
    """Base of all types."""


class PlainType(Type, frozen=True):
    """A type that its word says: `void`, `token`, `label`, `metadata`, `x86_amx`."""

    name: str

    def __str__(self) -> str:
        return self.name


class IntegerType(Type, frozen=True):
    """`i32`."""

    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}"


class FloatType(Type, frozen=True):
    """`float`; `layout` is the name of its bit layout (`f32`)."""

    name: str
    layout: str
    bits: int

    def __str__(self) -> str:
        return self.name


class PointerType(Type, frozen=True):
    """`ptr`, or with a `pointee` the old `float*`."""

    pointee: Type | None = None
    space: int = 0

    def __str__(self) -> str:
        space = f" addrspace({self.space})" if self.space else ""
        return f"ptr{space}" if self.pointee is None else f"{self.pointee}{space}*"


class VectorType(Type, frozen=True):
    """`<4 x float>`, or `<vscale x 4 x float>`."""

    count: int
    element: Type
    scalable: bool = False

    def __str__(self) -> str:
        return f"<{'vscale x ' if self.scalable else ''}{self.count} x {self.element}>"


class ArrayType(Type, frozen=True):
    """`[4 x float]`."""

    count: int
    element: Type

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


class StructType(Type, frozen=True):
    """`{ i32, float }`, or packed `<{ i32, float }>`."""

    fields: tuple[Type, ...]
    packed: bool = False

    def __str__(self) -> str:
        inner = f"{{ {', '.join(map(str, self.fields))} }}" if self.fields else "{}"
        return f"<{inner}>" if self.packed else inner


class NamedType(Type, frozen=True):
    """`%name`, which the module defines."""

    name: str

    def __str__(self) -> str:
        return f"%{self.name}"


class FunctionType(Type, frozen=True):
    """`void (i32, ...)`."""

    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False

    def __str__(self) -> str:
        parts = [*map(str, self.parameters), *(["..."] if self.variadic else [])]
        return f"{self.result} ({', '.join(parts)})"


class TargetType(Type, frozen=True):
    """`target("name", T, 1)`."""

    name: str
    types: tuple[Type, ...] = ()
    integers: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"target({', '.join([chr(34) + self.name + chr(34), *map(str, self.types), *map(str, self.integers)])})"


VOID: Final = PlainType("void")
TOKEN: Final = PlainType("token")
LABEL: Final = PlainType("label")
METADATA: Final = PlainType("metadata")
I1: Final = IntegerType(1)
PTR: Final = PointerType()
FLOATS: Final = {
    t.name: t
    for t in (
        FloatType("half", "f16", 16),
        FloatType("bfloat", "bf16", 16),
        FloatType("float", "f32", 32),
        FloatType("double", "f64", 64),
        FloatType("x86_fp80", "f80", 80),
        FloatType("fp128", "f128", 128),
        FloatType("ppc_fp128", "f128", 128),
    )
}
PLAIN: Final = {t.name: t for t in (VOID, TOKEN, LABEL, METADATA, PlainType("x86_amx"), PlainType("x86_mmx"))}


def element_of(type_: Type) -> Type:
    """The element of a vector; any other type is its own."""
    return type_.element if isinstance(type_, VectorType) else type_


def with_element(like: Type, element: Type) -> Type:
    """`element`, in a vector as wide as `like` if that is one."""
    if isinstance(like, VectorType):
        return VectorType(like.count, element, like.scalable)
    return element


def agrees(one: Type, other: Type) -> bool:
    """Whether types are the same for those who do not look behind pointers."""
    return one == other or bare(one) == bare(other)


def bare(type_: Type) -> Type:
    """A pointer without what it points to, and vectors of such; any other type as it is."""
    match type_:
        case PointerType(pointee=pointee, space=space) if pointee is not None:
            return PointerType(None, space)
        case VectorType(count=count, element=PointerType() as element, scalable=scalable):
            return VectorType(count, bare(element), scalable)
        case _:
            return type_
