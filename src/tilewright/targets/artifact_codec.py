"""Kernel signatures as JSON values and back, every field checked on the way in."""

from __future__ import annotations

from typing import Final, cast

from tilewright.targets.parameters import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
    Space,
)

JsonObject = dict[str, object]


class ArtifactError(ValueError):
    """Bytes that are no artefact, or no longer one."""


def kernel_to_json(kernel: KernelInfo) -> JsonObject:
    """A kernel's signature and launch geometry."""
    return {
        "name": kernel.name,
        "symbol": kernel.symbol,
        "parameters": [_parameter_to_json(parameter) for parameter in kernel.parameters],
        "subgroup_size": kernel.subgroup_size,
        "work_group_size": list(kernel.work_group_size),
        "local_bytes": kernel.local_bytes,
        "facts": dict(kernel.facts),
    }


def _parameter_to_json(parameter: Parameter) -> JsonObject:
    match parameter:
        case ScalarParameter():
            return {"kind": "scalar", "name": parameter.name, "dtype": parameter.dtype}
        case MemrefParameter():
            return _memref_to_json(parameter)
        case PointerParameter():
            return {
                "kind": "pointer",
                "name": parameter.name,
                "dtype": parameter.dtype,
                "written": parameter.written,
            }
        case GroupParameter():
            return {
                "kind": "group",
                "name": parameter.name,
                "memref": _memref_to_json(parameter.memref),
                "size": parameter.size,
                "offset": parameter.offset,
            }


def _memref_to_json(memref: MemrefParameter) -> JsonObject:
    return {
        "kind": "memref",
        "name": memref.name,
        "dtype": memref.dtype,
        "shape": list(memref.shape),
        "strides": list(memref.strides),
        "space": memref.space,
        "alignment": memref.alignment,
        "shape_gcd": list(memref.shape_gcd),
        "stride_gcd": list(memref.stride_gcd),
        "written": memref.written,
        "read": memref.read,
        "noalias": memref.noalias,
    }


class Fields:
    """Typed access to a JSON object; what is absent or of another type is an `ArtifactError`."""

    def __init__(self, value: object) -> None:
        if not isinstance(value, dict):
            raise ArtifactError("an entry of the artefact's header is not an object")
        self._fields = cast("dict[str, object]", value)

    def _get(self, name: str) -> object:
        if name not in self._fields:
            raise ArtifactError(f"the artefact's header lacks {name!r}")
        return self._fields[name]

    def text(self, name: str) -> str:
        """A string."""
        value = self._get(name)
        if not isinstance(value, str):
            raise ArtifactError(f"{name!r} in the artefact's header is not a string")
        return value

    def integer(self, name: str) -> int:
        """An integer; a truth value is none."""
        return _integer(self._get(name), name)

    def size(self, name: str) -> int | None:
        """An integer or null."""
        value = self._get(name)
        return None if value is None else _integer(value, name)

    def flag(self, name: str) -> bool:
        """A truth value."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise ArtifactError(f"{name!r} in the artefact's header is not a truth value")
        return value

    def items(self, name: str) -> list[object]:
        """A list of anything."""
        value = self._get(name)
        if not isinstance(value, list):
            raise ArtifactError(f"{name!r} in the artefact's header is not a list")
        return cast("list[object]", value)

    def integers(self, name: str) -> tuple[int, ...]:
        """A list of integers."""
        return tuple(_integer(value, name) for value in self.items(name))

    def sizes(self, name: str) -> tuple[int | None, ...]:
        """A list of integers and nulls."""
        return tuple(None if value is None else _integer(value, name) for value in self.items(name))

    def child(self, name: str) -> Fields:
        """An object."""
        return Fields(self._get(name))

    def names(self) -> list[str]:
        """The keys there are."""
        return list(self._fields)


def _integer(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArtifactError(f"{name!r} in the artefact's header is not an integer")
    return value


_SPACES: Final[dict[str, Space]] = {"global": "global", "local": "local"}


def kernel_from_json(value: object) -> KernelInfo:
    """The inverse of `kernel_to_json`."""
    fields = Fields(value)
    work_group_size = fields.integers("work_group_size")
    if len(work_group_size) != 2:
        raise ArtifactError("a work-group size has two entries")
    facts = fields.child("facts")
    try:
        return KernelInfo(
            fields.text("name"),
            fields.text("symbol"),
            tuple(_parameter_from_json(Fields(entry)) for entry in fields.items("parameters")),
            fields.integer("subgroup_size"),
            (work_group_size[0], work_group_size[1]),
            fields.integer("local_bytes"),
            {name: facts.text(name) for name in facts.names()},
        )
    except ArtifactError:
        raise
    except ValueError as error:
        raise ArtifactError(f"the artefact's header is inconsistent: {error}") from None


def _parameter_from_json(fields: Fields) -> Parameter:
    kind = fields.text("kind")
    if kind == "scalar":
        return ScalarParameter(fields.text("name"), fields.text("dtype"))
    if kind == "pointer":
        return PointerParameter(fields.text("name"), fields.text("dtype"), fields.flag("written"))
    if kind == "memref":
        return _memref_from_json(fields)
    if kind == "group":
        memref = _memref_from_json(fields.child("memref"))
        return GroupParameter(fields.text("name"), memref, fields.size("size"), fields.size("offset"))
    raise ArtifactError(f"unknown kind of parameter {kind!r}")


def _memref_from_json(fields: Fields) -> MemrefParameter:
    space = _SPACES.get(fields.text("space"))
    if space is None:
        raise ArtifactError("unknown address space")
    return MemrefParameter(
        fields.text("name"),
        fields.text("dtype"),
        fields.sizes("shape"),
        fields.sizes("strides"),
        space,
        fields.integer("alignment"),
        fields.integers("shape_gcd"),
        fields.integers("stride_gcd"),
        fields.flag("written"),
        fields.flag("read"),
        fields.flag("noalias"),
    )
