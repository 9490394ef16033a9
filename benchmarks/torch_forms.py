"""What torch can be asked for: for each computation every formulation that might be its fastest, by name.

Each returns its result, and all write it into a tensor that exists already where torch lets them. `compiled` is
`torch.compile` of the formula in one function, made for these shapes. Without torch there are none; where torch cannot
compile, that form is left out, and a line on the standard error says so.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Run = Callable[[], object]
Forms = dict[str, Run]

_PIECE: Final = 1 << 16
"""Elements that stay in the second cache while several operations pass over them."""


def torch_module() -> Any:
    """The module torch, or None."""
    return importlib.import_module("torch") if importlib.util.find_spec("torch") else None


def _tensors(torch: Any, *arrays: Array) -> list[Any]:
    return [torch.from_numpy(array) for array in arrays]


def _compiled(torch: Any, formula: Callable[..., object], *tensors: Any) -> Forms:
    """`formula` of tensors, compiled; none where that does not work."""
    # code that was compiled for another number of threads is not this one's best
    folder = f"tilewright-inductor-{os.getuid()}-{torch.get_num_threads()}-threads"
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(tempfile.gettempdir(), folder))
    run = torch.compile(formula, dynamic=False)
    try:
        run(*tensors)
    except Exception as error:  # of whatever the C++ compiler behind it says
        print(f"torch cannot compile here: {str(error).splitlines()[0]}", file=sys.stderr)
        return {}
    return {"torch compiled": lambda: run(*tensors)}


def _pieces(into: Any, piece: Callable[[slice], object]) -> Run:
    """`piece` of some rows of the result after others, which stay in the cache meanwhile."""
    step = max(1, _PIECE // (into.numel() // len(into)))

    def run() -> object:
        for start in range(0, len(into), step):
            piece(slice(start, start + step))
        return into

    return run


def softmax(x: Array) -> Forms:
    """Of each row."""
    if (torch := torch_module()) is None:
        return {}
    (source,) = _tensors(torch, x)
    into = torch.empty_like(source)

    def formula(source: Any, into: Any) -> object:
        return into.copy_(torch.softmax(source, 1))

    forms: Forms = {"torch.softmax": lambda: torch.softmax(source, 1, out=into)}
    return forms | _compiled(torch, formula, source, into)


def layer_norm(x: Array, w: Array, b: Array, epsilon: float) -> Forms:
    """Of each row, with weights and biases of a row."""
    if (torch := torch_module()) is None:
        return {}
    source, weight, bias = _tensors(torch, x, w, b)
    rows, columns = x.shape
    into, mean, deviation = torch.empty_like(source), torch.empty(rows, 1), torch.empty(rows, 1)
    norm = torch.ops.aten.native_layer_norm.out

    def formula(source: Any, weight: Any, bias: Any, into: Any) -> object:
        return into.copy_(torch.nn.functional.layer_norm(source, [columns], weight, bias, epsilon))

    forms: Forms = {
        "torch native_layer_norm": lambda: norm(
            source, [columns], weight, bias, epsilon, out0=into, out1=mean, out2=deviation
        )[0]
    }
    return forms | _compiled(torch, formula, source, weight, bias, into)


def rms_norm(x: Array, w: Array, epsilon: float) -> Forms:
    """Of each row, with weights of a row."""
    if (torch := torch_module()) is None:
        return {}
    source, weight = _tensors(torch, x, w)
    rows, columns = x.shape
    into = torch.empty_like(source)

    def by_mean(part: slice) -> object:
        torch.mul(source[part], source[part], out=into[part])
        scale = into[part].mean(1, keepdim=True).add_(epsilon).rsqrt_()
        return torch.mul(source[part], scale, out=into[part]).mul_(weight)

    def by_norm(part: slice) -> object:
        norm = torch.linalg.vector_norm(source[part], dim=1, keepdim=True)
        scale = norm.square_().div_(columns).add_(epsilon).rsqrt_()
        return torch.mul(source[part], scale, out=into[part]).mul_(weight)

    def by_product(part: slice) -> object:
        sums = torch.bmm(source[part].unsqueeze(1), source[part].unsqueeze(2)).squeeze(2)
        scale = sums.div_(columns).add_(epsilon).rsqrt_()
        return torch.mul(source[part], scale, out=into[part]).mul_(weight)

    def formula(source: Any, weight: Any, into: Any) -> object:
        return into.copy_(source * torch.rsqrt((source * source).mean(1, keepdim=True) + epsilon) * weight)

    whole = slice(0, rows)
    forms: Forms = {
        "torch rms_norm": lambda: torch.nn.functional.rms_norm(source, [columns], weight, epsilon),
        "torch mean, rsqrt": lambda: by_mean(whole),
        "torch vector_norm, rsqrt": lambda: by_norm(whole),
        "torch bmm, rsqrt": lambda: by_product(whole),
        "torch mean, rsqrt, in pieces": _pieces(into, by_mean),
        "torch vector_norm, rsqrt, in pieces": _pieces(into, by_norm),
    }
    return forms | _compiled(torch, formula, source, weight, into)


def add(x: Array, y: Array) -> Forms:
    """The sum of vectors."""
    if (torch := torch_module()) is None:
        return {}
    left, right = _tensors(torch, x, y)
    into = torch.empty_like(left)
    return {"torch.add": lambda: torch.add(left, right, out=into)}


def silu_mul(x: Array, y: Array) -> Forms:
    """silu(x) * y of vectors."""
    if (torch := torch_module()) is None:
        return {}
    left, right = _tensors(torch, x, y)
    middle, into = torch.empty_like(left), torch.empty_like(left)
    silu = torch.ops.aten.silu.out

    def piece(part: slice) -> object:
        silu(left[part], out=into[part])
        return torch.mul(into[part], right[part], out=into[part])

    def formula(left: Any, right: Any, into: Any) -> object:
        return into.copy_(torch.nn.functional.silu(left) * right)

    forms: Forms = {
        "torch silu, mul": lambda: torch.mul(silu(left, out=middle), right, out=into),
        "torch silu, mul, in pieces": _pieces(into, piece),
    }
    return forms | _compiled(torch, formula, left, right, into)


def transpose(x: Array) -> Forms:
    """A transposed copy."""
    if (torch := torch_module()) is None:
        return {}
    (source,) = _tensors(torch, x)
    into = torch.empty(*reversed(x.shape))

    def formula(source: Any, into: Any) -> object:
        return into.copy_(source.t())

    forms: Forms = {"torch copy_": lambda: into.copy_(source.t())}
    return forms | _compiled(torch, formula, source, into)


def matmul(a: Array, b: Array) -> Forms:
    """The product of matrices."""
    if (torch := torch_module()) is None:
        return {}
    left, right = _tensors(torch, a, b)
    into = torch.empty(len(a), b.shape[1])
    return {"torch.matmul": lambda: torch.matmul(left, right, out=into)}


def attention(q: Array, k: Array, v: Array) -> Forms:
    """softmax(q k^T / sqrt(width), causal) v of each head."""
    if (torch := torch_module()) is None:
        return {}
    queries, keys, values = _tensors(torch, q[None], k[None], v[None])
    product = torch.nn.functional.scaled_dot_product_attention
    return {"torch sdpa": lambda: product(queries, keys, values, is_causal=True)}
