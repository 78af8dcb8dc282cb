"""The Python examples of the README and the book run, and print what stands next to them.

A block that cannot run here is fenced as `py`.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "python/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = {page: re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL) for page in PAGES}
SHOWN = [page for page in PAGES if BLOCKS[page]]


def test_pages_are_found() -> None:
    assert {"README.md", "python/README.md", "docs/tutorial/python.md"} <= {str(page.relative_to(ROOT)) for page in SHOWN}


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "tests/book")  # where `stones.kif` is
    names: dict[str, object] = {}  # Later blocks of a page use those of earlier ones.
    for block in BLOCKS[page]:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(block, names)  # noqa: S102
        expected = re.findall(r"^ *print\(.*\)  # (.*)$", block, re.MULTILINE)
        assert printed.getvalue().splitlines() == expected
