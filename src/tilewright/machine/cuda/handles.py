"""What lives in a context of the driver, and is destroyed with the Python object that stands for it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from tilewright.machine.cuda.errors import DeviceFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Caller(Protocol):
        """A context."""

        def call(self, name: str, *arguments: object) -> None:
            """Call a driver function with this context current."""
            ...

        def free_memory(self) -> tuple[int, int]:
            """Bytes of the device that are free, and all of them."""
            ...


def finalizer(owner: object, context: Caller, destroy: str, handle: object) -> Callable[[], object]:
    """Destroy a driver object with its Python object; not at exit, where the driver may be gone already."""
    made = weakref.finalize(owner, _destroy, context, destroy, handle)
    made.atexit = False
    return made


def _destroy(context: Caller, destroy: str, handle: object) -> None:
    try:
        context.call(destroy, handle)
    except DeviceFailed:
        # what was in the context is gone with it
        return
