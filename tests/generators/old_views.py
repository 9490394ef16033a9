"""Random chains of views of the old language, with an inference of their types apart from the compiler's."""

from __future__ import annotations

import numpy as np

from generators.old_writer import DTYPES, View, Writer, packed, split


def update_through_views(w: Writer) -> None:
    """A chain of views over a matrix or tensor, with an update through the last one."""
    dtype = w.rnd.choice(list(DTYPES))
    dims = [(w.rnd.choice([2, 4, 6, 12]), w.rnd.random() < 0.6) for _ in range(w.rnd.randint(1, 3))]
    view = w.own(dtype, *split(dims))
    for _ in range(w.rnd.randint(1, 3)):
        view = w.rnd.choice([_slice, _slice, _expand, _fuse])(w, view)
    while len(view.sizes) > 2:
        view = _slice(w, view, drop=len(view.sizes) - 1)
    source = w.read_only(dtype, view.sizes, view.known)
    w.axpby(w.literal("i32"), source, "1", view, ".n")


def _slice(w: Writer, view: View, drop: int | None = None) -> View:
    entries: list[str] = []
    kept: list[tuple[int, bool, int | None]] = []
    for mode, (size, known, stride) in enumerate(zip(view.sizes, view.known, view.strides, strict=True)):
        if mode == drop or (drop is None and len(view.sizes) > 1 and w.rnd.random() < 0.15):
            entries.append(w.index(size))
            continue
        entry, length, is_known = _range(w, size, known)
        entries.append(entry)
        kept.append((length, is_known, stride))
    result = View(
        w.fresh("s"), view.dtype, tuple(k[0] for k in kept), tuple(k[1] for k in kept), tuple(k[2] for k in kept)
    )
    w.emit(f"{result.name} = subview {view.name}[{','.join(entries)}] : {view.type}")
    return result


def _range(w: Writer, size: int, known: bool) -> tuple[str, int, bool]:
    """An entry of a subview, with the size it gives and whether the type knows it."""
    begin = w.rnd.randrange(size)
    match w.rnd.randrange(6):
        case 0:
            return ":", size, known
        case 1:
            return f"{begin}:?", size - begin, known
        case 2:
            length = w.rnd.randint(1, size - begin)
            return f"{begin}:{length}", length, True
        case 3:
            name = w.parameter("index")
            w.arguments[-1] = np.int64(begin)
            return f"{name}:?", size - begin, False
        case 4:
            name = w.parameter("index")
            w.arguments[-1] = np.int64(begin)
            return f"{name}:1", 1, True
        case _:
            first, length = w.parameter("index"), w.parameter("index")
            w.arguments[-2:] = [np.int64(begin), np.int64(size - begin)]
            return f"{first} : {length}", size - begin, False


def _expand(w: Writer, view: View) -> View:
    if not view.sizes:
        return view
    mode = w.rnd.randrange(len(view.sizes))
    size, known, stride = view.sizes[mode], view.known[mode], view.strides[mode]
    factor = w.rnd.choice([d for d in range(1, size + 1) if size % d == 0])
    entries: list[str] = []
    sizes = (factor, size // factor) if w.rnd.random() < 0.5 else (size // factor, factor)
    open_ = w.rnd.randrange(3)
    is_known: list[bool] = []
    by_value = w.rnd.random() < 0.3
    for index, extent in enumerate(sizes):
        if index == open_:
            entries.append("?")
        elif by_value:
            name = w.parameter("index")
            w.arguments[-1] = np.int64(extent)
            entries.append(name)
        else:
            entries.append(str(extent))
        is_known.append(entries[-1].isdigit() or (index == open_ and known and not by_value))
    inner = stride * sizes[0] if stride is not None and is_known[0] else None
    result = View(
        w.fresh("e"),
        view.dtype,
        (*view.sizes[:mode], *sizes, *view.sizes[mode + 1 :]),
        (*view.known[:mode], *is_known, *view.known[mode + 1 :]),
        (*view.strides[:mode], stride, inner, *view.strides[mode + 1 :]),
    )
    w.emit(f"{result.name} = expand {view.name}[{mode}->{' x '.join(entries)}] : {view.type}")
    return result


def _fuse(w: Writer, view: View) -> View:
    """The first two modes of a view without gaps; any other view comes back as it is."""
    if len(view.sizes) < 2 or view.strides != packed(view.shape) or not (view.known[0] and view.strides[1]):
        return view
    result = View(
        w.fresh("f"),
        view.dtype,
        (view.sizes[0] * view.sizes[1], *view.sizes[2:]),
        (view.known[0] and view.known[1], *view.known[2:]),
        (view.strides[0], *view.strides[2:]),
    )
    w.emit(f"{result.name} = fuse {view.name}[0,1] : {view.type}")
    return result
