"""What lives in a context of the driver, and is destroyed with the Python object that stands for it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from tilewright.machine.cuda.capture import beside_capture
from tilewright.machine.cuda.errors import DeviceFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilewright.machine.cuda.caller import Caller


def finalizer(owner: object, context: Caller, destroy: str, handle: object) -> Callable[[], object]:
    """Destroy a driver object with its Python object; not at exit, where the driver may be gone already."""
    made = weakref.finalize(owner, _destroy, context, destroy, handle)
    made.atexit = False
    return made


def _destroy(context: Caller, destroy: str, handle: object) -> None:
    try:
        # objects die at any time; while a stream is captured, what frees memory would be refused and spoil the graph
        with beside_capture(context):
            context.call(destroy, handle)
    except DeviceFailed:
        # what was in the context is gone with it
        return
