"""The verifier answers every program that parses, however its types and operands are mixed up."""

from __future__ import annotations

import random
import re

from effort import count
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.codes import CODES
from tilewright.diagnostics.render import render_text
from tilewright.frontends.tensor_language import parse
from tilewright.frontends.tensor_language.rules import verify_language
from verifier import test_collectives, test_matrices, test_memory, test_regions, test_scalars, test_types

CASES = [
    case.program.replace("«", "").replace("»", "")
    for module in (test_collectives, test_matrices, test_memory, test_regions, test_scalars, test_types)
    for case in [*module.ERRORS, *module.WARNINGS]
]
PART = re.compile(r"%\w+|(?:memref|group|coopmatrix)<[^{}()%]*>|-?\d+|\b(?:[ifc]\d+|bool|index)\b")
MUTATIONS = count("RANDOM_MIXTURES", 700, 10_000)


def test_any_mixture_is_answered() -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    draw = random.Random(seed)
    parts = [part for text in CASES for part in PART.findall(text)]
    of_kind = {kind: [p for p in parts if p[0] == kind] for kind in "%mgc"}
    for number in range(MUTATIONS):
        text = draw.choice(CASES)
        for _ in range(draw.randrange(1, 4)):
            found = list(PART.finditer(text, text.index("{") if draw.random() < 0.8 else 0))
            if not found:
                continue
            place = draw.choice(found)
            new = draw.choice(of_kind.get(place[0][0], parts) if draw.random() < 0.7 else parts)
            text = text[: place.start()] + new + text[place.end() :]
        report = Report()
        try:
            module = parse(Source("test.tl", text), report)
            verify_language(module, report)
            render_text(report.diagnostics)
        except Exception as error:
            raise AssertionError(f"seed {seed}, number {number}:\n{text}") from error
        unknown = {d.code for d in report.diagnostics} - set(CODES)
        assert not unknown, f"seed {seed}, number {number}: {unknown}\n{text}"
        internal = [str(d) for d in report.diagnostics if d.code.startswith("IR")]
        assert not internal, f"seed {seed}, number {number}: {internal}\n{text}"
