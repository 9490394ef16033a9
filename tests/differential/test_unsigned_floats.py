"""f8E5M3FNU: interpreter and CPU against tables made from the definition of the format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw

Array = NDArray[Any]
NAN = 0xFF
COUNT = 4096


def numbers() -> Array:
    """The number of each code: five bits of exponent with bias 15, three of fraction, the last code is NaN."""
    codes = np.arange(256)
    exponent, fraction = codes >> 3, codes & 7
    found = np.where(exponent > 0, (8.0 + fraction) * 2.0 ** (exponent - 18), fraction * 2.0**-17)
    return np.where(codes == NAN, np.nan, found)


def codes_of(values: Array, saturate: bool) -> Array:
    """The nearest code to each double; of two that are equally near the even one."""
    finite = numbers()[:NAN]
    steps = np.append((finite[:-1] + finite[1:]) / 2, finite[-1] + (finite[-1] - finite[-2]) / 2)
    magnitude = np.abs(values)
    low = np.searchsorted(steps, magnitude, "left")
    tie = steps[np.minimum(low, NAN - 1)] == magnitude
    found = np.where(tie, low + low % 2, low)
    found = np.minimum(found, NAN - 1) if saturate else found
    return np.where(np.isnan(values) | ((values < 0) & (found > 0)), NAN, found).astype(np.uint8)


def doubles(rng: np.random.Generator) -> Array:
    """Numbers of the format, what lies between two, next to that, and anything else."""
    exact = numbers()[:NAN]
    middle = (exact[:-1] + exact[1:]) / 2
    near = [np.nextafter(middle, np.inf), np.nextafter(middle, 0.0), exact, middle]
    odd = np.array([np.nan, np.inf, -np.inf, -0.0, 114688, 118784, 122880, 131072, 1e300, -1e-300, -1e-5, -1, 1e-320])
    found = np.concatenate([*near, odd])
    rest = rng.standard_normal(COUNT - len(found)) * 10.0 ** rng.integers(-7, 7, COUNT - len(found))
    return np.concatenate([found, rest])


def view_of(name: str, element: str, count: int) -> tuple[str, str]:
    """A view of a whole array as `%w`name, and its type."""
    view = f"tensor_view<{count}x{element}, strides=[1]>"
    part = f"partition_view<tile=({count}), {view}>"
    lines = (
        f"%v{name} = make_tensor_view %p{name}, shape = [{count}], strides = [1] : {view}\n"
        f"%w{name} = make_partition_view %v{name} : {part}\n"
    )
    return lines, part


def loaded(name: str, element: str, count: int) -> str:
    lines, part = view_of(name, element, count)
    types = f"{part}, tile<i32> -> tile<{count}x{element}>, token"
    return f"{lines}%{name}, %t{name} = load_view_tko weak %w{name}[%zero] : {types}\n"


def stored(value: str, name: str, element: str, count: int) -> str:
    lines, part = view_of(name, element, count)
    types = f"tile<{count}x{element}>, {part}, tile<i32> -> token"
    return f"{lines}%s{name} = store_view_tko weak %{value}, %w{name}[%zero] : {types}\n"


SOURCES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64}
U = "f8E5M3FNU"


def text() -> str:
    parameters, body = [f"%pc: tile<ptr<{U}>>"], ["%zero = constant <i32: 0> : tile<i32>\n", loaded("c", U, 256)]
    for element in SOURCES:
        name, signed = element, "signed " if element.startswith("i") else ""
        word, back = ("itof", "ftoi") if signed else ("ftof", "ftof")
        parameters += [
            f"%p{name}: tile<ptr<{element}>>",
            f"%pr{name}: tile<ptr<{U}>>",
            f"%pd{name}: tile<ptr<{element}>>",
        ]
        body.append(loaded(name, element, COUNT))
        body.append(f"%r{name} = {word} %{name} {signed}: tile<{COUNT}x{element}> -> tile<{COUNT}x{U}>\n")
        body.append(stored(f"r{name}", f"r{name}", U, COUNT))
        if back == "ftof":
            body.append(f"%d{name} = ftof %c : tile<256x{U}> -> tile<256x{element}>\n")
        else:
            body.append(f"%d{name} = ftoi %c signed saturating : tile<256x{U}> -> tile<256x{element}>\n")
        body.append(stored(f"d{name}", f"d{name}", element, 256))
    parameters.append(f"%pe: tile<ptr<{U}>>")
    part = f"partition_view<tile=(512), padding_value = nan, tensor_view<256x{U}, strides=[1]>>"
    body.append(
        f"%wide = make_partition_view %vc : {part}\n%e, %te = load_view_tko weak %wide[%zero] : {part}, tile<i32> -> "
        f"tile<512x{U}>, token\n" + stored("e", "e", U, 512)
    )
    body.append(
        f'%one = constant <{U}: [1.0, 0.75]> : tile<2x{U}>\n%tp = print_tko "%f", %one : tile<2x{U}> -> token\n'
    )
    lines = "".join(body)
    return (
        'cuda_tile.module @m attributes {tilewright.version = "13.4"} {\n'
        f"entry @k({', '.join(parameters)}) {{\n{lines}}}\n}}\n"
    )


@pytest.mark.parametrize(("target", "level"), [("interpreter", 0), ("cpu", 0), ("cpu", 2)])
def test_conversions(target: str, level: int, rng: np.random.Generator, capsys: pytest.CaptureFixture[str]) -> None:
    program = tw.compile(text(), target=target, level=level, cache=False)
    codes = np.arange(256).astype(np.uint8).view(np.int8)
    values = doubles(rng)
    arguments: list[Array] = [codes]
    wanted: list[tuple[Array, Array]] = []
    for element, dtype in SOURCES.items():
        with np.errstate(all="ignore"):
            x = rng.integers(-3, 200000, COUNT) if element == "i64" else values.astype(dtype)
            back = np.where(codes == -1, 0, numbers()).astype(dtype) if element == "i64" else numbers().astype(dtype)
        coded, decoded = np.full(COUNT, 7, np.int8), np.full(256, 7, dtype)
        arguments += [x, coded, decoded]
        wanted += [(codes_of(x.astype(np.float64), element != "i64").view(np.int8), coded), (back, decoded)]
    padded = np.full(512, 7, np.int8)
    program.k[1](*arguments, padded)
    for want, have in [*wanted, (np.append(codes, np.full(256, -1, np.int8)), padded)]:
        np.testing.assert_array_equal(have, want)
    assert capsys.readouterr().out.endswith("[1.000000, 0.750000]")
