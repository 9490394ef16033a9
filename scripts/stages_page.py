"""The page of the guide that walks through the stages of a product, with pictures, from what the stages themselves do.

    python scripts/stages_page.py [--write]

Prints the page; with `--write` it replaces `docs/guide/matmul-stages.md` and the pictures beside it.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.dialects.mlir import affine, gpu, mma, vector
from tilewright.frontends.mlir import read_mlir_file
from tilewright.ir.core import Operation
from tilewright.transforms.lane_accesses import BANKS, WORD, addresses, bank_conflicts
from tilewright.transforms.matmul_stages import Outcome, Schedule, parse_schedule, run_stages
from tilewright.transforms.matmul_stages import stages as stage_list
from tilewright.transforms.matmul_stages.matmul import Matmul
from tilewright.transforms.matmul_stages.nests import inside, name_of
from tilewright.transforms.matmul_stages.s01_start import start
from tilewright.transforms.matmul_stages.thread_copies import copied_by, thread_copies

GUIDE: Final = Path(__file__).resolve().parent.parent / "docs" / "guide"
PAGE: Final = "matmul-stages.md"
SCHEDULE: Final = "block=32x32x32 warp=32x16x16 pad=8 vector=8"
PROGRAM: Final = """\
func.func @f(%A: memref<64x96xf16>, %B: memref<96x64xf16>, %C: memref<64x64xf32>) {
  linalg.matmul ins(%A, %B : memref<64x96xf16>, memref<96x64xf16>) outs(%C : memref<64x64xf32>)
  return
}
"""
_CELL: Final = 26
_NUMBER: Final = re.compile(r"%(?:\d+|\w+_\d+)(?:#\d+)?")
_COLOURS: Final = ("#dbe9f6", "#f6e3d3", "#dff0d8", "#f3dff0", "#f9f3cf", "#d9efef", "#eadcf4", "#f6d9d9")


# Running the stages


def _schedule() -> Schedule:
    report = Report()
    found = parse_schedule(Source("--schedule", SCHEDULE), report)
    report.raise_if_errors()
    return found


def _unit() -> Operation:
    report = Report()
    file = read_mlir_file(Source("matmul.mlir", PROGRAM), report)
    report.raise_if_errors()
    assert file is not None
    return file.module


def outcomes() -> list[Outcome]:
    """The program behind each stage."""
    report = Report()
    found = list(run_stages(_unit(), _schedule(), stage_list.NAMES[-1], report))
    report.raise_if_errors()
    return found


def behind(name: str) -> Matmul:
    """The product behind a stage."""
    matmul = start(_unit(), _schedule())
    for stage in stage_list.STAGES:
        stage.apply(matmul)
        if stage.name == name:
            break
    return matmul


# Pictures


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    style = ' font-family="sans-serif" font-size="11" text-anchor="middle">'
    return "\n".join([head + style, f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>"]) + "\n"


def _box(x: float, y: float, width: float, height: float, fill: str, stroke: float = 0.5) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="#444"'
        f' stroke-width="{stroke:g}"/>'
    )


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'


def tiles(matmul: Matmul) -> str:
    """C in tiles of blocks, of warps and of matrices."""
    scale, left, top = 6, 20, 30
    block, warp, matrix = matmul.schedule.block, matmul.schedule.warp, matmul.schedule.matrix
    m, n = (matmul.extents[letter] for letter in "ij")
    parts = [_text(left + n * scale / 2, 18, f"C: {m} x {n} elements")]
    warps = 0
    for i in range(0, m, warp[0]):
        for j in range(0, n, warp[1]):
            number = (i % block[0] // warp[0]) * (block[1] // warp[1]) + j % block[1] // warp[1]
            parts.append(
                _box(left + j * scale, top + i * scale, warp[1] * scale, warp[0] * scale, _COLOURS[number % 8])
            )
            label = f"warp {number}"
            parts.append(_text(left + (j + warp[1] / 2) * scale, top + (i + 4) * scale, label))
            warps = max(warps, number + 1)
    for i in range(0, m, matrix[0]):
        parts.append(f'<path d="M{left} {top + i * scale} h{n * scale}" stroke="#888" stroke-dasharray="3 3"/>')
    for j in range(0, n, matrix[1]):
        parts.append(f'<path d="M{left + j * scale} {top} v{m * scale}" stroke="#888" stroke-dasharray="3 3"/>')
    for i in range(0, m, block[0]):
        for j in range(0, n, block[1]):
            parts.append(_box(left + j * scale, top + i * scale, block[1] * scale, block[0] * scale, "none", 2.5))
    said = f"thick: tiles of blocks; coloured: of {warps} warps a block; dashed: matrices of {matrix[0]}x{matrix[1]}"
    parts.append(_text(left, top + m * scale + 18, said, "start"))
    return _svg(left * 2 + n * scale, top + m * scale + 30, parts)


def banks(matmul: Matmul) -> str:
    """Pieces of 16 bytes that eight lanes read together, by the banks they lie in, before and after padding."""
    columns, pad = matmul.block["k"], matmul.schedule.pad
    size = matmul.a.element.bits // 8
    parts: list[str] = []
    for place, pitch in enumerate((columns, columns + pad)):
        left, top = 20 + place * 12 * _CELL, 46
        found = addresses(lambda lane: [lane % 8, 0], [pitch, 1], size)[:8]
        conflicts = bank_conflicts(found, 16)
        parts.append(_text(left, 18, f"rows of {pitch} elements, {pitch * size} bytes: {conflicts} cycles", "start"))
        parts.append(_text(left, 34, "banks of the pieces of each row, in groups of four", "start"))
        for row, address in enumerate(found):
            assert address is not None
            for piece in range(pitch * size // 16):
                bank = (address + 16 * piece) // WORD % BANKS
                x, y = left + piece * _CELL * 1.6, top + row * _CELL
                parts.append(_box(x, y, _CELL * 1.6, _CELL, _COLOURS[bank // 4], 2.5 if piece == 0 else 0.5))
                parts.append(_text(x + _CELL * 0.8, y + 17, f"{bank}-{bank + 3}"))
    top = 46 + 8 * _CELL + 18
    parts.append(
        _text(20, top, "thick: what eight lanes read at once, a piece of each row; the same colour collides", "start")
    )
    return _svg(20 + 24 * _CELL, top + 12, parts)


def threads(matmul: Matmul) -> str:
    """Which thread copies which row of elements of each tile."""
    launch = matmul.nest("page")
    assert isinstance(launch, gpu.Launch)
    parts: list[str] = []
    left, height, step = 20, 0, matmul.loop("k", "page")
    for copy in thread_copies(matmul, launch):
        if step.is_ancestor_of(copy.store):
            continue
        columns = matmul.schedule.vector
        width = 0
        parts.append(
            _text(left, 18, f"tile of %{copy.fetch.base.name}: threads by rows of {columns} elements", "start")
        )
        for (row, column), thread in copied_by(launch, copy):
            x, y = left + column // columns * _CELL * 1.4, 28 + row * _CELL * 0.6
            parts.append(_box(x, y, _CELL * 1.4, _CELL * 0.6, _COLOURS[thread // 32 % 8]))
            parts.append(_text(x + _CELL * 0.7, y + 12, str(thread)))
            width = max(width, column // columns + 1)
            height = max(height, int(28 + (row + 1) * _CELL * 0.6))
        left += max(int(width * _CELL * 1.4), 260) + 30
    parts.append(_text(20, height + 16, "colours: warps", "start"))
    return _svg(left, height + 26, parts)


def pictures() -> dict[str, str]:
    """All pictures by the names of their files."""
    matmul = behind("map_to_gpu")
    return {
        "matmul-stages-tiles.svg": tiles(matmul),
        "matmul-stages-banks.svg": banks(matmul),
        "matmul-stages-threads.svg": threads(matmul),
    }


# Text


def _changes(before: str, after: str) -> Iterator[str]:
    """Lines that differ in more than numbers of values, with the ones around them; `..` stands for others."""
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(
        None, [_NUMBER.sub("%", x) for x in old], [_NUMBER.sub("%", x) for x in new], False
    )
    for number, group in enumerate(matcher.get_grouped_opcodes(1)):
        if number:
            yield "  .."
        for kind, first, last, low, high in group:
            if kind == "equal":
                yield from (f"  {line}" for line in new[low:high])
            else:
                yield from (f"- {line}" for line in old[first:last])
                yield from (f"+ {line}" for line in new[low:high])


def _timeline(matmul: Matmul) -> Iterator[str]:
    """What all threads do one after the other, by the program behind stage 16."""
    launch = matmul.nest("page")
    assert isinstance(launch, gpu.Launch)
    kk = {matmul.loops[name] for name in ("kk", "last")}
    yield from _steps(list(launch.body.entry), kk, "")


def _steps(ops: Sequence[Operation], products: set[affine.For], indent: str) -> Iterator[str]:
    last = ""
    for op in ops:
        said = _said(op, products)
        if isinstance(op, affine.For) and not said:
            yield f"{indent}- for each step along %{name_of(op)} but the last:"
            yield from _steps(list(inside(op)), products, indent + "    ")
        elif said and said != last:
            yield f"{indent}- {said}"
        last = "" if isinstance(op, affine.For) else said or last


def _said(op: Operation, products: set[affine.For]) -> str:
    if isinstance(op, affine.For) and op in products:
        return "products of matrices, from the shared buffers"
    if isinstance(op, affine.For) and not any(op.is_ancestor_of(loop) for loop in products):
        return "copies of the first tiles to the shared buffers"
    match op:
        case gpu.Barrier():
            return "**barrier**"
        case mma.LoadMatrix():
            return "matrices of C into registers"
        case mma.StoreMatrix():
            return "matrices of C back to memory"
        case vector.Load():
            return "the next tiles from A and B into registers"
        case vector.Store():
            return "what was fetched to the shared buffers"
        case _:
            return ""


_CHECKED: Final[Mapping[str, str]] = {stage.name: inspect.getdoc(stage.check) or "" for stage in stage_list.STAGES}
_DOCUMENTS: Final[Mapping[str, str]] = {
    stage.name: inspect.getdoc(inspect.getmodule(stage.apply)) or "" for stage in stage_list.STAGES
}


def _summary(name: str) -> str:
    """The first line of a stage's own documentation, without its number."""
    found = _DOCUMENTS[name].partition("\n\n")[0].replace("\n", " ").partition(": ")[2]
    return found[:1].upper() + found[1:]


def page() -> str:
    """The whole page."""
    found = outcomes()
    parts = [
        "# A product on its way to tensor cores",
        "Written by `python scripts/stages_page.py --write` from what the stages do; a test checks that it is up to"
        " date. What the stages are for, and how they are run, is in [MLIR](mlir.md#stages). The example is small, so"
        " that every line has room: A is 64 x 96, B 96 x 64, tiles of blocks are 32 x 32 x 32, those of warps"
        " 32 x 16 x 16.",
        f"```mlir\n{PROGRAM}```",
        f'    tilewright opt matmul.mlir --stages --schedule "{SCHEDULE}"',
    ]
    before = PROGRAM
    for one in found:
        parts.append(f"## {one.number} {one.name}")
        parts += [_summary(one.name)] if one.number > 1 else ["The operation becomes three loops."]
        parts.append(f"What changed: {one.changed}.")
        parts += [f"What is checked: {_CHECKED[one.name]}"] if one.number > 1 else []
        parts += _more(one.name)
        text = one.text if one.number == 1 else "\n".join(_changes(before, one.text))
        language = "mlir" if one.number == 1 else "diff"
        parts.append(f"```{language}\n{text}\n```" if one.number < len(found) else _end(one.text))
        before = one.text
    return "\n\n".join(parts) + "\n"


def _end(text: str) -> str:
    """The beginning of the kernel, which is another text altogether."""
    head = text.splitlines()[:40]
    return "The kernel begins:\n\n```mlir\n" + "\n".join(head) + "\n    ..\n```"


def _more(name: str) -> list[str]:
    """What a stage has beside its text."""
    match name:
        case "tile_warp":
            return ["![C in tiles](matmul-stages-tiles.svg)"]
        case "pad_shared":
            return ["![Banks of shared memory](matmul-stages-banks.svg)"]
        case "map_to_gpu":
            return ["![Which thread copies what](matmul-stages-threads.svg)"]
        case "complete_latency_hiding":
            return ["What all threads of a block do, with the four barriers:", "\n".join(_timeline(behind(name)))]
        case _:
            return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="replace the page and its pictures")
    if not parser.parse_args().write:
        print(page())
        return
    (GUIDE / PAGE).write_text(page(), encoding="utf-8")
    for name, picture in pictures().items():
        (GUIDE / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
