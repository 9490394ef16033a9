"""NumPy and ml_dtypes under the names of modules, imported when something of them is first asked for.

Programs of integers are folded, and all programs checked, without arrays; importing NumPy takes longer than that.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ml_dtypes
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = Any

    class _Later(ModuleType):
        """A module that is imported by the first access to one of its names."""

        def __getattr__(self, name: str) -> Any:
            module = import_module(self.__name__)
            # from now on found like those of any module
            self.__dict__.update(vars(module))
            return getattr(module, name)

    np = _Later("numpy")
    ml_dtypes = _Later("ml_dtypes")

__all__ = ["Array", "ml_dtypes", "np"]
