"""The reference manual of operations, generated from their definitions."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from enum import Enum
from types import ModuleType

from tilewright.ir.core import Operation
from tilewright.ir.specs import Definition


def manual(dialects: Iterable[ModuleType]) -> str:
    """Markdown for all operations of the dialects, in the order of their declaration."""
    parts = [
        "# Operations",
        "Generated from the definitions by `python -m tilewright.dialects.manual`; a test checks that it is up to date."
        " A type variable (T, X) stands for one type wherever it appears in an operation.",
    ]
    for dialect in dialects:
        parts.append(f"## {dialect.__name__.rsplit('.', 1)[-1]}")
        parts.append(inspect.cleandoc(dialect.__doc__ or ""))
        parts += [_entry(cls.definition) for cls in operations(dialect)]
    return "\n\n".join(parts) + "\n"


def operations(dialect: ModuleType) -> list[type[Operation]]:
    """The operations that a dialect module declares."""
    return [
        cls
        for cls in vars(dialect).values()
        if isinstance(cls, type)
        and issubclass(cls, Operation)
        and "definition" in vars(cls)
        and cls.__module__ == dialect.__name__
    ]


def _entry(d: Definition) -> str:
    lines = [f"### `{d.name}`", "", inspect.cleandoc(d.cls.__doc__ or ""), ""]
    rows: list[tuple[str, str, str]] = []
    for key, spec in d.operands.items():
        count = {(True, False): ", any number", (False, True): ", optional", (True, True): ", any number"}
        kind = "operand" + count.get((spec.variadic, spec.optional), "")
        rows.append((key, kind, spec.constraint.description + (f" ({spec.var})" if spec.var else "")))
    for key, spec in d.attributes.items():
        need = "attribute" if spec.required else f"attribute, default {_spell(spec.default)}"
        rows.append((key, need, _kind(spec.kind)))
    rows += [(key, "region, optional" if s.optional else "region", "") for key, s in d.regions.items()]
    rows += [(key, "successors" if s.variadic else "successor", "") for key, s in d.successors.items()]
    for key, spec in d.results.items():
        what = f"type {spec.var}" if spec.var else spec.constraint.description
        rows.append((key, "results" if spec.variadic else "result", what))
    if rows:
        lines += ["| name | is | of |", "|---|---|---|"]
        lines += [f"| `{a}` | {b} | {c} |" for a, b, c in rows]
        lines.append("")
    traits = sorted(t.value for t in d.traits)
    if traits:
        lines.append("Traits: " + "; ".join(traits) + ".")
    return "\n".join(lines).rstrip()


def _kind(kind: type) -> str:
    if issubclass(kind, Enum):
        return "one of " + ", ".join(f"`{member.value}`" for member in kind)
    return {"object": "a constant", "tuple": "a list", "dict": "a dictionary"}.get(kind.__name__, kind.__name__)


def _spell(value: object) -> str:
    if isinstance(value, Enum):
        return f"`{value.value}`"
    return "none" if value is None else f"`{value}`"


def main() -> None:
    """Print the manual: `python -m tilewright.dialects.manual > docs/operations.md`."""
    from tilewright.dialects import all_dialects

    print(manual(all_dialects()), end="")


if __name__ == "__main__":
    main()
