"""Kernel signatures as JSON values and back, every field checked on the way in."""

from __future__ import annotations

from typing import Final

from msgspec.structs import asdict

from tilewright.artifacts.constraint_codec import (
    constraint_from_json,
    constraint_to_json,
    polynomial_from_json,
    polynomial_to_json,
)
from tilewright.artifacts.json_fields import ArtifactError, Fields, entries
from tilewright.artifacts.parameters import (
    GRID_MODES,
    GroupParameter,
    Joined,
    KernelInfo,
    LaunchPlan,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
    Space,
    Steps,
)
from tilewright.artifacts.parts import parts_from_json, parts_to_json
from tilewright.artifacts.tensor_maps import map_from_json, map_to_json

JsonObject = dict[str, object]


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
        "constraints": [constraint_to_json(constraint) for constraint in kernel.constraints],
        "launch": None if kernel.launch is None else _plan_to_json(kernel.launch),
        "steps": None if kernel.steps is None else _steps_to_json(kernel.steps),
        "apart": None if kernel.apart is None else kernel_to_json(kernel.apart),
    }


def _steps_to_json(steps: Steps) -> JsonObject:
    kernels = [kernel_to_json(kernel) for kernel in steps.kernels]
    joined = None if steps.joined is None else asdict(steps.joined)
    return {"kernels": kernels, "groups": steps.groups, "tiles": steps.tiles, "joined": joined}


def _plan_to_json(plan: LaunchPlan) -> JsonObject:
    return {
        "threads": list(plan.threads),
        "items": plan.items,
        "cluster": list(plan.cluster),
        "scratch_bytes": plan.scratch_bytes,
        "parts": None if plan.parts is None else parts_to_json(plan.parts),
        "group_bytes": plan.group_bytes,
        "maps": [map_to_json(found) for found in plan.maps],
        "most": plan.most,
        "gathered": plan.gathered,
        "flag_bytes": plan.flag_bytes,
        "dependent": plan.dependent,
        "has_mapped": plan.has_mapped,
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
                "nullable": parameter.nullable,
                "measured": parameter.measured,
                "alignment": parameter.alignment,
            }
        case GroupParameter():
            return {
                "kind": "group",
                "name": parameter.name,
                "memref": _memref_to_json(parameter.memref),
                "size": parameter.size,
                "offset": parameter.offset,
                "nullable": parameter.nullable,
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
        "nullable": memref.nullable,
        "dimensions": list(memref.dimensions),
        "made": list(map(polynomial_to_json, memref.made)),
    }


_SPACES: Final[dict[str, Space]] = {"global": "global", "local": "local"}


def kernel_from_json(value: object) -> KernelInfo:
    """The inverse of `kernel_to_json`."""
    return _kernel(Fields(value))


def _kernel(fields: Fields) -> KernelInfo:
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
            tuple(constraint_from_json(entry) for entry in fields.items("constraints")),
            _plan_from_json(fields.child_or_none("launch")),
            _steps_from_json(fields.child_or_none("steps")),
            _apart_from_json(fields.child_or_none("apart")),
        )
    except ArtifactError:
        raise
    except ValueError as error:
        raise ArtifactError(f"the artefact's header is inconsistent: {error}") from None


def _steps_from_json(fields: Fields | None) -> Steps | None:
    if fields is None:
        return None
    kernels = tuple(_step_from_json(Fields(entry)) for entry in fields.items("kernels"))
    joined = _joined_from_json(fields.child_or_none("joined"))
    return Steps(kernels, fields.integer("groups"), fields.integer("tiles"), joined)


def _joined_from_json(fields: Fields | None) -> Joined | None:
    if fields is None:
        return None
    return Joined(*(fields.integer(name) for name in Joined.__struct_fields__))


def _step_from_json(fields: Fields) -> KernelInfo:
    # checked before it is read, lest steps of steps end the stack
    if fields.child_or_none("steps") is not None or fields.child_or_none("apart") is not None:
        raise ArtifactError("a step of a kernel in the artefact has steps of its own, or others in its place")
    return _kernel(fields)


def _apart_from_json(fields: Fields | None) -> KernelInfo | None:
    if fields is not None and fields.child_or_none("apart") is not None:
        raise ArtifactError("what takes the place of a kernel in the artefact has others in its own")
    return None if fields is None else _kernel(fields)


def _plan_from_json(fields: Fields | None) -> LaunchPlan | None:
    if fields is None:
        return None
    threads, items, cluster = _three(fields, "threads"), fields.integer("items"), _three(fields, "cluster")
    scratch_bytes, given = fields.integer("scratch_bytes"), fields.child_or_none("parts")
    parts = None if given is None else parts_from_json(given)
    maps = tuple(map_from_json(Fields(found)) for found in fields.items("maps"))
    group_bytes, most = fields.integer("group_bytes"), fields.size("most")
    dependent, flag_bytes = fields.flag("dependent"), fields.integer("flag_bytes")
    return LaunchPlan(
        threads,
        items,
        cluster,
        scratch_bytes,
        parts,
        group_bytes,
        maps,
        most,
        dependent,
        flag_bytes,
        gathered=fields.flag("gathered"),
        has_mapped=fields.flag("has_mapped"),
    )


def _three(fields: Fields, name: str) -> tuple[int, int, int]:
    found = fields.integers(name)
    if len(found) != GRID_MODES:
        raise ArtifactError(f"the artefact's {name} are three numbers")
    return found[0], found[1], found[2]


def _parameter_from_json(fields: Fields) -> Parameter:
    kind = fields.text("kind")
    if kind == "scalar":
        return ScalarParameter(fields.text("name"), fields.text("dtype"))
    if kind == "pointer":
        written, nullable, measured = (fields.flag(key) for key in ("written", "nullable", "measured"))
        name, dtype, alignment = fields.text("name"), fields.text("dtype"), fields.integer("alignment")
        return PointerParameter(name, dtype, written, nullable, measured, alignment)
    if kind == "memref":
        return _memref_from_json(fields)
    if kind == "group":
        memref = _memref_from_json(fields.child("memref"))
        size, offset, nullable = fields.size("size"), fields.size("offset"), fields.flag("nullable")
        return GroupParameter(fields.text("name"), memref, size, offset, nullable)
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
        fields.flag("nullable"),
        fields.integers("dimensions"),
        tuple(polynomial_from_json(entries(extent, "made")) for extent in fields.items("made")),
    )
