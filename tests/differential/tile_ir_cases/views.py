"""Cases of views."""

from __future__ import annotations

from collections.abc import Iterator

from differential.tile_ir_cases.case import FLOATS, INTEGERS, SMALL, Case, Shaped


def views() -> Iterator[Case]:
    """Tiles of tensors of all elements, hanging over edges, in every order of dimensions."""
    for e in (*INTEGERS, *FLOATS, *SMALL):
        tensor = f"tensor_view<5x6x{e}, strides=[6,1]>"
        make = f"%v = make_tensor_view %x, shape = [5, 6], strides = [6, 1] : {tensor}\n"
        words = ("zero",) if e in INTEGERS else ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
        one = "%one = constant <i32: 1> : tile<i32>\n%two = constant <i32: 2> : tile<i32>\n"
        t, turned = Shaped(e, (2, 4)), Shaped(e, (4, 2))
        for word in words:
            kind = f"partition_view<tile=(2x4), padding_value = {word}, {tensor}>"
            yield Case(f"partition {word} {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                       f"%r, %k = load_view_tko weak %w[%two, %one] : {kind}, tile<i32> -> {t}, token\n"
                       f"%s, %l = load_view_tko relaxed device %w[%one, %one] : {kind}, tile<i32> -> {t}, token",
                       (), (t, t), pointers=(e,))  # fmt: skip
        kind = f"partition_view<tile=(4x2), padding_value = zero, {tensor}, dim_map=[1, 0]>"
        yield Case(f"partition turned {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                   f"%r, %k = load_view_tko weak %w[%one, %two] : {kind}, tile<i32> -> {turned}, token",
                   (), (turned,), pointers=(e,))  # fmt: skip
        kind = f"strided_view<tile=(2x4), traversal_strides=[1,3], padding_value = zero, {tensor}>"
        yield Case(f"strided {e}", f"{one}{make}%w = make_strided_view %v : {kind}\n"
                   f"%r, %k = load_view_tko weak %w[%two, %one] : {kind}, tile<i32> -> {t}, token",
                   (), (t,), pointers=(e,))  # fmt: skip
        kind = f"gather_scatter_view<tile=(2x4), padding_value = zero, {tensor}, sparse_dim=0>"
        yield Case(f"gather {e}", f"{one}{make}%w = make_gather_scatter_view %v : {kind}\n"
                   "%i = constant <i32: [4, 1]> : tile<2xi32>\n"
                   f"%r, %k = load_view_tko weak %w[%i, %two] : {kind}, tile<2xi32>, tile<i32> -> {t}, token",
                   (), (t,), pointers=(e,))  # fmt: skip
        whole = Shaped(e, (8, 8))
        all_ = f"partition_view<tile=(8x8), padding_value = zero, {tensor}>"
        read = f"%q = make_partition_view %v : {all_}\n"
        read += f"%r, %z9 = load_view_tko weak %q[%zero, %zero] token = %k : {all_}, tile<i32> -> {whole}, token"
        for order in ("weak", "release device"):
            kind = f"partition_view<tile=(2x4), {tensor}>"
            yield Case(f"store {order} {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                       f"%k = store_view_tko {order} %a, %w[%two, %one] : {t}, {kind}, tile<i32> -> token\n{read}",
                       (t,), (whole,), pointers=(e,))  # fmt: skip
        kind = f"strided_view<tile=(2x4), traversal_strides=[2,3], {tensor}>"
        yield Case(f"store strided {e}", f"{one}{make}%w = make_strided_view %v : {kind}\n"
                   f"%k = store_view_tko weak %a, %w[%one, %one] : {t}, {kind}, tile<i32> -> token\n{read}",
                   (t,), (whole,), pointers=(e,))  # fmt: skip
        kind = f"gather_scatter_view<tile=(2x4), {tensor}, sparse_dim=0>"
        yield Case(f"scatter {e}", f"{one}{make}%w = make_gather_scatter_view %v : {kind}\n"
                   "%i = constant <i32: [4, 1]> : tile<2xi32>\n"
                   f"%k = store_view_tko weak %a, %w[%i, %two] : {t}, {kind}, tile<2xi32>, tile<i32> -> token\n{read}",
                   (t,), (whole,), pointers=(e,))  # fmt: skip
        if e in ("i32", "i64", *FLOATS):
            for mode in ("add", "umax", "xor") if e in INTEGERS else ("addf",):
                kind = f"partition_view<tile=(2x4), {tensor}>"
                yield Case(f"atomic {mode} {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                           f"%k = atomic_red_view_tko relaxed device %w[%two, %one], {mode}, %a : {t}, {kind}, "
                           f"tile<i32> -> token\n{read}", (t,), (whole,), "finite", pointers=(e,))  # fmt: skip
