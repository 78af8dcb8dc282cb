"""The examples of the README run and print what stands next to them."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_examples() -> None:
    assert len(BLOCKS) >= 2
    for block in BLOCKS:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(block, {})  # noqa: S102
        expected = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        assert printed.getvalue().splitlines() == expected
