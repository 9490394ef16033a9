"""`tilewright.matmul`: products of matrices, with what follows them, for arrays of any library."""

from __future__ import annotations

import sys
from typing import Final, TypeVar, Unpack, cast

from tilewright.once import once
from tilewright.operators.asked import Options, Subscripts, broadcast_modes, check_options
from tilewright.operators.calls import computed, planned
from tilewright.operators.errors import OperatorError
from tilewright.operators.layouts import Layout
from tilewright.operators.products import Plan
from tilewright.operators.tensors import is_tensor
from tilewright.operators.torch_operator import TorchMatmul

Array = TypeVar("Array")


class Matmul:
    """`tilewright.matmul`, a function with a `plan`."""

    def __call__(self, a: Array, b: object, out: object | None = None, **options: Unpack[Options]) -> Array:
        """The product of two matrices, or of stacks of them: `epilogue(alpha a @ b + beta c)`.

        `a` is (.., m, k), `b` (.., k, n), the result (.., m, n); leading extents are broadcast and vectors taken as by
        `numpy.matmul`. Arrays may be of NumPy, PyTorch, CuPy, JAX, or show their memory by DLPack; factors are of one
        type, and all arrays on one device, where the product runs: on a GPU it is enqueued in the current stream. They
        have any strides; what no kernel takes as it lies (steps backwards, overlapping rows) is copied, as `plan` says.

        `out` is written and returned; without it the result is a new array of the library of `a`, of `out_dtype`, by
        default the type of the factors (i32 for i8, f32 for floats of 8 bits). Options, all by name:

        - `alpha`, `beta`, `c`: `beta` is multiplied with `c`, or with what `out` holds if there is no `c`; it is 1
          where only `c` is given.
        - `epilogue` names what follows, joined by `+`: `bias`, `scale` and `residual` with the arrays of these names,
          which are broadcast to the result (a bias of (n,) to its columns, of (m, 1) to its rows), and `relu`, `gelu`,
          `gelu_tanh`, `silu`, `sigmoid`, `tanh`. Left out, it is the arrays that are given, in the order scale, bias,
          residual. It is computed in the type of the accumulators (of i8 with a result of floats: in f32), and rounded
          once.
        - `accumulate` is the type of accumulators: f32 for f16, bf16, f32 and floats of 8 bits, f64 for f64 and, if
          asked for, f32, i32 for i8. With f16 those of factors of f16 may have as few bits; they have f32, which no
          unit is slower with.
        - `precision` says how products multiply and sum, as of `tilewright.compile`: those of f32 `exact`, `tf32`,
          `3xtf32`, those of floats of 8 bits `exact` or `fast`.
        - `target` runs elsewhere than where the arrays are (`interpreter`), or on certain processors (`cpu:avx2`).

        Tensors that need a gradient, or that `torch.compile` traces, take the operator `torch.ops.tilewright.matmul`,
        which has neither `out` nor `beta`.

        Raises `OperatorError`, a ValueError, for arguments that do not fit, and `OperatorTypeError`, a TypeError too,
        for types, accumulators and precisions for which there is no kernel.
        """
        if is_tensor(a):
            operator = torch_matmul()
            if operator.takes(a, b, options):
                operator.check_numbers(options)
                check_options(options)
                return cast("Array", operator(a, b, {**options, "out": out}))
        return cast("Array", computed(_modes, a, b, out, options))

    def plan(self, a: object, b: object, out: object | None = None, **options: Unpack[Options]) -> Plan:
        """What a product of the same arguments takes: copies, the kernel, its schedule. Nothing is computed.

        `target` may be a machine that is not here (`nvidia:sm_90a`). Raises what the product does.
        """
        return planned(_modes, a, b, out, options)


def _modes(a: Layout, b: Layout) -> Subscripts:
    """The modes of factors as NumPy's matmul takes them."""
    of_a, of_b = a.shape, b.shape
    if not of_a or not of_b:
        raise OperatorError("a product of matrices has no factors without modes; multiply by the number, or use alpha")
    batch = broadcast_modes(max(len(of_a), len(of_b)) - 2)
    rows, columns = ("m",) * (len(of_a) > 1), ("n",) * (len(of_b) > 1)
    a_modes = (*batch[len(batch) - len(of_a) + 2 :], *rows, "k") if rows else ("k",)
    b_modes = (*batch[len(batch) - len(of_b) + 2 :], "k", *columns) if columns else ("k",)
    return Subscripts(a_modes, b_modes, (*batch, *rows, *columns))


def _detached_product(a: object, b: object, **options: Unpack[Options]) -> object:
    return computed(_modes, a, b, None, options)


@once
def torch_matmul() -> TorchMatmul:
    """The operator `torch.ops.tilewright.matmul`."""
    return TorchMatmul(_detached_product)


matmul: Final = Matmul()

if "torch" in sys.modules:
    # compilers of torch find it there; they cannot make it while they trace a call
    torch_matmul()
