"""What a file of MLIR says besides its module: aliases, and the resources of dialects and tools at its end."""

from __future__ import annotations

from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import Operation, attribute


class FileEntries(Operation, name="mlir.file_entries"):
    """Stands behind the module in a program, so that who writes the file again loses nothing of it.

    `aliases` are `ir.mlir.opaque_text.Alias`, `resources` as in `ir.mlir.operations.MlirFile`.
    """

    aliases: tuple[object, ...] = attribute(tuple)
    resources: Attribute = attribute(dict)
