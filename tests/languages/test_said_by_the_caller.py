"""What a caller says of the language or of a form is heeded, whatever the content looks like."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Report, Source
from tilewright.languages import Form, NotOffered, ReadOptions, language_of

TEXTS = {
    "TLX": "define void @k(ptr %p) {\n  ret void\n}\n",
    "MLIR": "module {\n  func.func @f(%A: memref<4xf32>) {\n    return\n  }\n}\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_said_to_be_of_the_tensor_language_is(name: str) -> None:
    source = Source("k", TEXTS[name])
    assert language_of(source).name == name
    assert language_of(source, "new").name == language_of(source, "old").name == "the tensor language"


def test_texts_of_mlir_have_no_versions() -> None:
    source = Source("k.mlir", TEXTS["MLIR"])
    language = language_of(source)
    module = language.read(source, Report(), ReadOptions())
    for version in ("13.1", "0", "17"):
        with pytest.raises(NotOffered, match="MLIR's text has no versions"):
            language.translate(module, Form("text", version))
    assert b"func.func" in language.translate(module, Form("text"))
