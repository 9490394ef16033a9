"""What docs/speed.md and README say of speed: each claim with the results that it is read from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

GPU: Final = "GPU: "
"""In front of what ran on one; the results say which, and that stands there then."""
_GOING_ON: Final = " by blocks that go on from tile to tile"
_STREAM: Final = "batched_gemm_stream_10000"
_TILE_IR: Final = ("softmax", "layer norm", "RMS norm", "vector add", "silu mul", "transpose", "matmul", "attention")


class Claim(Struct, frozen=True):
    """A row: what it says, the results that say so and the key in their `overall`, how the script is called.

    README has those that are `headlines`; they do not speak of the row above them.
    """

    what: str
    results: str
    key: str
    script: str
    unit: str = ""
    headline: bool = False


class Section(Struct, frozen=True):
    """Claims under one heading."""

    title: str
    claims: tuple[Claim, ...]


def sections() -> Iterator[Section]:
    """Those of docs/speed.md, in its order."""
    yield Section("CPU: batches of small products", (*_small_products(), *_fused(), *_threads()))
    yield Section("CPU: large products", (*_large_products(), *_units()))
    yield Section("CPU: tensors, vectors, norms", (*_vectors(), *_tile_ir(), *_tensors()))
    yield Section("NVIDIA: what memory bounds", (*_streams_on_devices(), *_rows_on_devices()))
    yield Section("NVIDIA: batches of small products", tuple(_batches_on_devices()))
    yield Section("NVIDIA: products and attention", tuple(_products_on_devices()))
    yield Section("Launches and compilation", (*_launches(), *_compilation()))


def claims() -> Iterator[Claim]:
    """All of them."""
    for section in sections():
        yield from section.claims


def _cores(count: int) -> str:
    return "one thread" if count == 1 else "two threads"


def _small_products() -> Iterator[Claim]:
    for beta in (1, 0):
        what = f"batched GEMM in the L2 cache, one thread, beta {beta}, over libxsmm 1.17, prefetching or not"
        key = f"beta {beta}, over the faster libxsmm"
        yield Claim(what, "batched_gemm", key, "batched_gemm.py", headline=True)
    script = "batched_gemm.py --stream"
    for beta in (1, 0):
        what = f"the same, a batch of 10,000 from memory, beta {beta}"
        yield Claim(what, _STREAM, f"beta {beta}, over the faster libxsmm", script)
        what = f"the same: part of its time that moving the matrices alone takes, beta {beta}"
        yield Claim(what, _STREAM, f"beta {beta}, time of bytes over ours", script)
    for library in ("numpy", "torch"):
        what = f"batched GEMM, 10,000 from memory, one thread, beta 0, over {library}"
        yield Claim(what, _STREAM, f"beta 0, over {library}", script, headline=library == "torch")
    for columns in ("many columns", "one to four columns"):
        what = f"small products with A transposed, {columns}: times as long as without"
        yield Claim(what, "transposes", f"times as long transposed, {columns}", "transposes.py")


def _fused() -> Iterator[Claim]:
    yield Claim(
        "the sample kernel on a batch from memory, all cores, over the fastest of six formulations in NumPy and torch",
        "fused",
        "speed over the fastest peer",
        "fused.py",
        headline=True,
    )
    moving = "part of our time that moving the matrices takes"
    yield Claim("the same: part of its time that moving the matrices alone takes", "fused", moving, "fused.py")


def _threads() -> Iterator[Claim]:
    yield Claim(
        "two threads over one, products of 16x16x16 to 128x128x128 and the sample kernel",
        "threads",
        "2 threads, times as fast as one",
        "threads.py",
    )
    yield Claim("the same: share of what two processes reach", "threads", "share of that ideal", "threads.py")


def _large_products() -> Iterator[Claim]:
    for dtype in ("f32", "f64"):
        for threads in (1, 2):
            what = f"one product of 1024 and 2048, {dtype}, {_cores(threads)}, over NumPy (OpenBLAS)"
            key = f"{dtype}, {threads} threads, over NumPy"
            yield Claim(what, "large_gemm", key, "large_gemm.py", headline=threads == 2)
    for threads in (1, 2):
        what = f"products written as loops, in MLIR or TLX, {_cores(threads)}, over the instruction gemm"
        yield Claim(what, "raised", f"other forms, {threads} threads, over gemm", "raised.py", headline=threads == 2)
    for threads in (1, 2):
        what = f"products of MLIR in every form, {_cores(threads)}, over the instruction gemm"
        yield Claim(what, "mlir_forms", f"forms of MLIR, {threads} threads, over gemm", "mlir_forms.py")
    for name in ("bias, relu", "bias, gelu", "scale, residual"):
        what = f"{name} behind a product of 1024 and 2048, f32: times as long as the product alone"
        yield Claim(what, "epilogues", f"{name}, over the product", "epilogues.py")


def _units() -> Iterator[Claim]:
    for results, dtype, what in (
        ("units", "i8", "products of i8 on VNNI"),
        ("units", "bf16", "products of bf16 on its unit, where asked for"),
        ("units_emerald_rapids", "i8", "products of i8 on AMX (Emerald Rapids)"),
        ("units_emerald_rapids", "bf16", "products of bf16 on AMX, where asked for (Emerald Rapids)"),
        ("units_emerald_rapids", "f16", "products of f16 on AMX, from 96 on (Emerald Rapids)"),
    ):
        for threads in (1, 2):
            key = f"{dtype}, {threads} threads, over torch"
            yield Claim(f"{what}, {_cores(threads)}, over torch", results, key, "units.py")
    for where, said in (("L2", "in the L2 cache"), ("memory", "from memory")):
        for peer, how in (("libxsmm", "which packs a factor"), ("libxsmm, packed ahead", "its factor packed ahead")):
            what = f"batches of bf16, 16 to 128, {said}, AMX where asked for (Emerald Rapids), over libxsmm 1.17, {how}"
            yield Claim(what, "bf16_batches_emerald_rapids", f"{where}, over {peer}", "bf16_batches.py")


def _vectors() -> Iterator[Claim]:
    for threads in (1, 2):
        what = f"long vectors, large matrices, f32, {_cores(threads)}, over NumPy's fastest formulation"
        yield Claim(what, "vector_ops", f"{threads} threads, f32, all", "vector_ops.py")


def _tile_ir() -> Iterator[Claim]:
    for kernel in _TILE_IR:
        what = f"CUDA Tile IR, two threads, over torch's fastest formulation: {kernel}"
        key, headline = f"{kernel}, 2 threads, over torch", kernel in ("softmax", "matmul", "attention")
        yield Claim(what, "tile_ir", key, "tile_ir.py", headline=headline)


def _tensors() -> Iterator[Claim]:
    for where, results in (("", ""), (" (Emerald Rapids)", "_emerald_rapids")):
        yield from _contractions(where, f"contractions{results}")
        yield from _convolutions(where, f"convolutions{results}")
        yield from _memory(where, f"tlx_memory{results}")


def _memory(where: str, results: str) -> Iterator[Claim]:
    for dtype in ("f32", "f64"):
        for threads in (1, 2):
            of = f"{dtype}, {_cores(threads)}{where}"
            what = f"functions, transposes, reductions of 10^7 elements in TLX, {of}, over NumPy"
            yield Claim(what, results, f"{threads} threads, {dtype}, over NumPy", "tlx_memory.py")


def _contractions(where: str, results: str) -> Iterator[Claim]:
    for dtype in ("f32", "f64"):
        for threads in (1, 2):
            for library in ("numpy", "torch"):
                of = f"{dtype}, {_cores(threads)}{where}"
                what = f"contractions of quantum chemistry in TLX, {of}, over {library}'s einsum"
                key, headline = f"{dtype}, {threads} threads, over {library}", (dtype, threads, where) == ("f64", 1, "")
                yield Claim(what, results, key, "contractions.py", headline=headline)


def _convolutions(where: str, results: str) -> Iterator[Claim]:
    for dtype in ("f32", "bf16", "i8"):
        for threads in (1, 2):
            what = f"convolutions of 3x3 in TLX, {dtype}, {_cores(threads)}{where}, over torch (oneDNN)"
            yield Claim(what, results, f"{dtype}, {threads} threads, over torch", "convolutions.py")


def _streams_on_devices() -> Iterator[Claim]:
    for what in ("vector add, f32", "vector add, f16", "silu * mul, f32", "silu * mul, f16"):
        for style in ("views", "pointers"):
            told = f"GPU: {what}, 2^26 elements in Tile IR by {style}, over torch's copy of as many bytes"
            key, headline = f"{what}, {style}", (what, style) == ("silu * mul, f16", "pointers")
            yield Claim(told, "gpu_streaming", key, "gpu/streaming.py", headline=headline)
    for who, name in (("Tile IR", "in Tile IR"), ("copy_ of the transposed view", "by torch, for comparison")):
        what = f"GPU: transposes of 8192 and 16384, f32 and f16, {name}, over torch's copy of as many bytes"
        yield Claim(what, "gpu_transposes", who, "gpu/transposes.py", headline=who == "Tile IR")


def _rows_on_devices() -> Iterator[Claim]:
    for norm in ("softmax", "layer norm", "RMS norm"):
        for dtype in ("f32", "f16"):
            what = f"GPU: {norm} of rows of 256 to 65536, {dtype}, in Tile IR, over torch"
            key, headline = f"{norm}, {dtype}, over torch", dtype == "f16" and norm != "RMS norm"
            yield Claim(what, "gpu_norms", key, "gpu/norms.py", headline=headline)
    for what in ("column sums", "cumsum along rows", "cumsum along columns", "layer norm backward"):
        for dtype in ("f32", "f16"):
            told = f"GPU: {what}, {dtype}, in Tile IR, over torch"
            key, headline = f"{what}, {dtype}, over torch", (what, dtype) == ("layer norm backward", "f16")
            yield Claim(told, "gpu_sums", key, "gpu/sums.py", headline=headline)


def _batches_on_devices() -> Iterator[Claim]:
    for dtype in ("f32", "f64", "f16", "bf16"):
        what = f"GPU: batches of products of 4 to 56 rows, {dtype}, over a copy of as many bytes"
        key, headline = f"contiguous, {dtype}", dtype in ("f32", "f64")
        yield Claim(what, "gpu_batched_gemm", key, "gpu/batched_gemm.py", headline=headline)
    for kind in ("constant A", "constant B", "transposed", "alpha, beta", "pointers", "gaps"):
        what = f"the same of 8x8x8, 16x16x16 and 20x9x9, f32, f64 and f16: {kind}"
        yield Claim(what, "gpu_batched_gemm", kind, "gpu/batched_gemm.py")
    yield Claim("the same of 64x64x64, four types", "gpu_batched_gemm", "64x64x64", "gpu/batched_gemm.py")
    for dtype in ("f32", "f64"):
        what = f"GPU: the sample kernel, 2,000,000 matrices, {dtype}, over a copy of as many bytes"
        yield Claim(what, "gpu_batched_gemm", f"{dtype} fused", "gpu/batched_gemm.py", headline=True)


def _products_on_devices() -> Iterator[Claim]:
    for dtype in ("f16", "bf16", "f32", "f64"):
        for key, how in (
            (f"{dtype} 4096", "in Tile IR"),
            *([(f"{dtype} 4096 persistent", f"in Tile IR{_GOING_ON}")] if "16" in dtype else []),
            (f"{dtype} 4096 gemm", "as `gemm` on a grid of one"),
        ):
            yield Claim(f"GPU: product of 4096 {how}, {dtype}, over cuBLAS", "gpu_products", key, "gpu/products.py")
    what = "GPU: `gemm`, squares of 1024 to 16384, f16 and bf16, all majors, over the faster of cuBLAS and cuBLASLt"
    yield Claim(what, "gpu_matmul_squares", "cold gemm", "gpu/matmul_squares.py", headline=True)
    what = "GPU: the same without a pause, 1024, 2048, 4096 and 8192"
    yield Claim(what, "gpu_matmul_squares", "sustained gemm", "gpu/matmul_squares.py")
    yield from _matmul_on_devices()
    peers = {"cuBLAS": "cuBLAS", "noalias": "the same with `noalias`", "gemm": "`gemm` of the tensor language"}
    for peer, told in peers.items():
        what = f"{GPU}products of 2048, 4096 and 8192 in TLX, f16, bf16, f32 and f64, over {told}"
        yield Claim(what, "gpu_tlx_products", f"over {peer}", "gpu/tlx_products.py")
    script = "gpu/products.py"
    for kind, told in (
        ("i8", "i8, B by columns, over torch._int_mm"),
        ("e4m3", "e4m3, B by columns, with fast_acc, over torch._scaled_mm with use_fast_accum"),
        ("e5m2", "e5m2, B by columns, with fast_acc, over torch's product of e4m3"),
        ("tf32", "f32 by tf32 on request, B by columns, over torch with allow_tf32"),
        ("tf32nn", "f32 by tf32 on request, B by rows, over torch with allow_tf32"),
    ):
        what = f"GPU: product of 4096 in Tile IR, {told}"
        goes_on = kind in ("i8", "e4m3", "e5m2")
        yield Claim(what, "gpu_products", f"{kind} 4096", script, headline=not goes_on)
        if goes_on:
            what = f"GPU: product of 4096 in Tile IR{_GOING_ON}, {told}"
            yield Claim(what, "gpu_products", f"{kind} 4096 persistent", script, headline=kind != "e5m2")
    for n in (2048, 4096, 8192):
        for step, told in (
            ("+ vectors (13): all stages", "in the 17 stages of Katel, Khandelwal and Bondhugula"),
            ("+ swizzle for padding", "in these stages with a ring, reads ahead, a swizzle and an order of blocks"),
            ("the compiler's choice", "by the schedule that the compiler chooses"),
        ):
            what = f"GPU: product of {n} in f16 to f32 {told}, over cuBLAS"
            yield Claim(what, "gpu_matmul_ablation", f"{n} {step}", "gpu/matmul_ablation.py", headline=n == 4096)
    for head in (64, 128):
        for mask in ("full", "causal"):
            what = f"GPU: attention in Tile IR, {mask}, f16, 4 x 32 heads of {head}, 4096 rows, over torch"
            yield Claim(what, "gpu_attention", f"{head} 4096 {mask}", "gpu/attention.py", headline=True)
            for length in (512, 1000, 4000, 4096, 16384):
                heads = f"{16384 // length} x 32 heads of {head}, {length} rows"
                what = f"GPU: `tw.attention`, {mask}, f16, {heads}, over torch"
                key = f"{head} {length} {mask} tw.attention"
                yield Claim(what, "gpu_attention", key, "gpu/attention.py", headline=length == 4096)


def _matmul_on_devices() -> Iterator[Claim]:
    over = "over the faster of cuBLAS and cuBLASLt"
    for key, told in (
        ("odd, f16", "f16, 1000 to 10000, no multiples of tiles"),
        ("shapes, f16", "f16, tall and wide"),
    ):
        yield Claim(
            f"GPU: `tw.matmul`, {told}, {over}",
            "gpu_matmul",
            key,
            "gpu/matmul.py --only epilogue,odd,shapes,batched",
            headline=True,
        )
    for dtype in ("f16", "bf16", "f32", "f64"):
        what = f"GPU: `tw.matmul`, batches of 64, 128 and 256, {dtype}, over torch.bmm"
        yield Claim(what, "gpu_matmul", f"batched, {dtype}", "gpu/matmul.py", headline=dtype in ("f16", "f64"))
    for key, peer in (("fused", "cuBLASLt's fused epilogue"), ("compiled", "torch.compile")):
        what = f"GPU: `tw.matmul` with bias and gelu, f16, 1024 to 8192, over {peer}"
        yield Claim(what, "gpu_matmul", f"epilogue, over {key}", "gpu/matmul.py", headline=True)
    for key, whose in (("ours alone", "our"), ("torch alone", "cuBLAS's")):
        what = f"GPU: {whose} product alone over torch.compile of product, bias and gelu: a bound"
        yield Claim(what, "gpu_matmul", f"epilogue, compiled over {key}", "gpu/matmul.py")


def _launches() -> Iterator[Claim]:
    for what, key in (
        ("GPU: launch from Python, three torch tensors by pointers", "kernel[1](x, y, z, n), tensors"),
        ("the same of torch.add, for comparison", "for comparison: torch.add(x, y, out=z)"),
    ):
        yield Claim(what, "gpu_launch", key, "gpu/launch.py", " us", headline="kernel" in key)
    for what, key in (
        ("CPU: launch on an empty grid, three NumPy arrays", "kernel[0](a, b, c), NumPy arrays"),
        ("three torch tensors", "kernel[0](x, y, z), torch tensors"),
        ("three arrays and two NumPy scalars", "kernel[0](s, t, a, b, c), s and t NumPy's"),
        ("a pointer array of 100", "kernel[0](group), a pointer array of 100"),
    ):
        yield Claim(what, "launch", key, "launch.py", " us", headline="(a, b, c), NumPy arrays" in key)
    yield Claim(
        "from Ctrl-C to KeyboardInterrupt in a launch", "interruption", "ms in all launches", "interruption.py", " ms"
    )


def _compilation() -> Iterator[Claim]:
    for what, key in (
        ("compiling the sample kernel for the CPU", "sample kernel, cold"),
        ("finding it in the cache", "sample kernel, cache hit"),
    ):
        yield Claim(what, "compile_time", key, "compile_time.py", " ms", headline=key.endswith("cold"))
    for what, key in (
        ("the first compilation of a process, from `import tilewright` on: sample kernel", "compile, fused_kernel.tl"),
        ("the same: softmax in Tile IR", "compile, softmax.tileir"),
    ):
        yield Claim(what, "compile_time", f"fresh process, first {key}", "compile_time.py", " ms")
    for what, key in (
        ("the sample kernel", "sample kernel"),
        ("a Tile IR kernel of 200 operations", "Tile IR kernel of 200 operations"),
        ("a product in Tile IR", "product f16 in Tile IR"),
        ("`gemm`", "gemm f16"),
    ):
        told, key = f"compiling {what} to PTX", f"{key}: to PTX"
        yield Claim(told, "gpu_compile_time", key, "gpu/compile_time.py", " ms")
    what = "the same where the cache has it, NumPy imported before"
    yield Claim(
        what, "compile_time", "fresh process, cache hit, fused_kernel.tl, NumPy imported", "compile_time.py", " ms"
    )
    yield Claim(
        "code that tests every access, one thread: times as long, sample kernel and softmax",
        "checked",
        "times as long checked, bar 3",
        "checked.py",
    )
