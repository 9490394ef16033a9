"""Pieces of Tile IR that take several lines: reductions of rows, tiles of one number, columns over a tile."""

from __future__ import annotations


def reduced(name: str, value: str, how: str, start: str, shape: tuple[int, int]) -> str:
    """The lines of a tile of f32 combined along its rows."""
    whole, line = f"tile<{shape[0]}x{shape[1]}xf32>", f"tile<{shape[0]}xf32>"
    return f"""%{name} = reduce %{value} dim=1 identities=[{start} : f32] : {whole} -> {line}
(%{name}x: tile<f32>, %{name}y: tile<f32>) {{
  %{name}z = {how} %{name}x, %{name}y : tile<f32>
  yield %{name}z : tile<f32>
}}"""


def across(name: str, value: str, rows: int, width: int) -> str:
    """A number of f32 for each row, all along it."""
    line, column, wide = f"tile<{rows}xf32>", f"tile<{rows}x1xf32>", f"tile<{rows}x{width}xf32>"
    return f"%{name}c = reshape %{value} : {line} -> {column}\n%{name} = broadcast %{name}c : {column} -> {wide}"


def spread(name: str, value: str, type_: str, rank: int, element: str = "f32") -> str:
    """A number as a tile."""
    one = f"tile<{'1x' * rank}{element}>"
    return f"%{name}1 = reshape %{value} : tile<{element}> -> {one}\n%{name} = broadcast %{name}1 : {one} -> {type_}"


def along(name: str, value: str, rows: int, width: int) -> str:
    """A number of f32 for each column, all along it."""
    line, row, wide = f"tile<{width}xf32>", f"tile<1x{width}xf32>", f"tile<{rows}x{width}xf32>"
    return f"%{name}c = reshape %{value} : {line} -> {row}\n%{name} = broadcast %{name}c : {row} -> {wide}"


def masked(
    name: str, out: str, value: str, shape: tuple[int, int], left: str = "", ahead: str = "", is_turned: bool = False
) -> str:
    """A tile of f32 with `%never` where there is no column, of which so many are `left`, or what is told by `ahead`.

    Its rows are so many `ahead` of its columns, and do not see columns in front of them: row r is number r + ahead, and
    sees columns to that number. If `is_turned`, columns are ahead of rows, and do not see rows.
    """
    rows, columns = shape
    row, column = f"tile<{rows}xi32>", f"tile<{columns}xi32>"
    whole, places, bits = (f"tile<{rows}x{columns}x{kind}>" for kind in ("f32", "i32", "i1"))
    lines = [f"%{name}cn = iota : {column}"]
    found = f"{name}cn"
    if is_turned:
        lines += [
            spread(f"{name}aheads", ahead, column, 1, "i32"),
            f"%{name}cp = addi %{name}cn, %{name}aheads : {column}",
        ]
        found = f"{name}cp"
    lines += [
        f"%{name}cc = reshape %{found} : {column} -> tile<1x{columns}xi32>",
        f"%{name}cw = broadcast %{name}cc : tile<1x{columns}xi32> -> {places}",
    ]
    masks: list[str] = []
    if left:
        lines += [
            spread(f"{name}lefts", left, places, 2, "i32"),
            f"%{name}gone = cmpi greater_than_or_equal %{name}cw, %{name}lefts, signed : {places} -> {bits}",
        ]
        masks.append(f"{name}gone")
    if ahead:
        lines.append(f"%{name}rn = iota : {row}")
        found = f"{name}rn"
        if not is_turned:
            lines += [
                spread(f"{name}aheads", ahead, row, 1, "i32"),
                f"%{name}rp = addi %{name}rn, %{name}aheads : {row}",
            ]
            found = f"{name}rp"
        less, more = ("cw", "rw") if is_turned else ("rw", "cw")
        lines += [
            f"%{name}rc = reshape %{found} : {row} -> tile<{rows}x1xi32>",
            f"%{name}rw = broadcast %{name}rc : tile<{rows}x1xi32> -> {places}",
            f"%{name}unseen = cmpi greater_than %{name}{more}, %{name}{less}, signed : {places} -> {bits}",
        ]
        masks.append(f"{name}unseen")
    if len(masks) > 1:
        lines.append(f"%{name}masked = ori %{masks[0]}, %{masks[1]} : {bits}")
        masks = [f"{name}masked"]
    return "\n".join([*lines, f"%{out} = select %{masks[0]}, %never, %{value} : {bits}, {whole}"])
