"""Random kernels are fair: where targets may differ by an ulp, no comparison, cast or index makes more of it."""

from __future__ import annotations

import random
import re

import tilewright as tw
from effort import SEED, Ran, count
from generators.arguments import Argument
from generators.kernels import Generated, generate
from tilewright.runtime.groups import ArrayGroup

from .compare import differences

KERNELS = count("RANDOM_FAIR_KERNELS", 25, 500)
ULPS = {
    "bf16": "1.0078125",
    "f16": "1.0009765625",
    "f32": "1.0000002",
    "f64": "1.0000000000000004",
    "c32": "[1.0000002, 0.0]",
    "c64": "[1.0000000000000004, 0.0]",
}
"""One and two units of the last place."""
_FUNCTION = r"(?:native_)?(?:exp2?|sin|cos|log2?)"
_ELEMENTARY = re.compile(rf"^( *)(%\w+) = ({_FUNCTION} %\w+ : (\w+))$", re.MULTILINE)


def _disturbed(text: str) -> str:
    """The kernel with all elementary functions off by an ulp or two."""

    def disturb(found: re.Match[str]) -> str:
        indent, name, call, dtype = found.groups()
        inner, off = f"{name}_before", f"{name}_off"
        lines = (
            f"{inner} = {call}",
            f"{off} = constant {ULPS[dtype]} : {dtype}",
            f"{name} = mul {inner}, {off} : {dtype}",
        )
        return "\n".join(indent + line for line in lines)

    return _ELEMENTARY.sub(disturb, re.sub(r"%(\d)", r"%n\1", text))


def _results(kernel: Generated, text: str) -> list[Argument]:
    arguments = kernel.copy_arguments()
    tw.compile(text, target="interpreter", std="new", cache=False).k[kernel.grid](*arguments)
    return arguments


def test_rounding_moves_results_by_rounding_only(ran: Ran) -> None:
    seen, seed = 0, SEED
    while seen < KERNELS:
        seed += 1
        kernel = generate(random.Random(seed))
        disturbed = _disturbed(kernel.text)
        assert kernel.exact == (disturbed == kernel.text), f"seed {seed}"
        if kernel.exact:
            continue
        seen += 1
        faults = list(differences(kernel, _results(kernel, kernel.text), _results(kernel, disturbed)))
        assert not faults, f"seed {seed}: {faults}\n{kernel.text}"
    ran(seen, "kernels of the tensor language with elementary functions off by an ulp")


def test_what_is_rare_is_still_drawn() -> None:
    """Offsets of groups, and comparisons of floats: dozens of each."""
    kernels = [generate(random.Random(SEED + number)) for number in range(1500)]
    texts = [kernel.text for kernel in kernels]
    for offset in (r"\?", r"\d"):
        assert sum(bool(re.search(rf"group<.*, offset: {offset}>", text)) for text in texts) >= 3, offset
    groups = [a for kernel in kernels for a in kernel.arguments if isinstance(a, ArrayGroup)]
    assert sum(group.offset < 0 for group in groups) >= 3
    for dtype in ("f32", "f64", "bf16", "f16"):
        pattern = re.compile(rf"%b\d+ = \w+ %v\d+, .*\n(?:.*\n){{0,3}}.* -> \({dtype}\)")
        assert sum(bool(pattern.search(text)) for text in texts) >= 3, dtype
