"""The notebooks in `examples`: all cells run, one after the other."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
NEEDED = {"alphazero.ipynb": "mctx", "cfr.ipynb": "pyspiel", "environment.ipynb": "pettingzoo", "ppo.ipynb": "gymnax"}


def run(path: Path) -> list[Any]:
    """Runs the cells of code as Jupyter does, and returns the value of each one's last line."""
    shown = []
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        if cell["cell_type"] == "code":
            assert not cell["outputs"] and cell["execution_count"] is None, "outputs are not kept"
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, f"{path.name}, cell {number}", "exec"), names)  # noqa: S102
            if last is not None:
                assert isinstance(last, ast.Expr)
                shown.append(eval(compile(ast.Expression(last.value), f"{path.name}, cell {number}", "eval"), names))
    return shown


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_notebook(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(NEEDED[name], reason=f"{NEEDED[name]} is not installed")
    monkeypatch.chdir(FOLDER)
    # Training has one round, which shows that the notebook runs, not that it learns.
    monkeypatch.setenv("MINUTES", "0.001")
    monkeypatch.setenv("MATCHES", "1")
    shown = run(FOLDER / name)
    pictures = [value._repr_svg_() for value in shown if hasattr(value, "_repr_svg_")]
    if name == "environment.ipynb":
        assert len(pictures) == 4 and all(picture.startswith("<svg") for picture in pictures)
        assert "GDL0" in capsys.readouterr().out
    if name in {"alphazero.ipynb", "ppo.ipynb"}:
        assert all(0 <= goal <= 100 for goal in shown[-1].values())
