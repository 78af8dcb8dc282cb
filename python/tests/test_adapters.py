"""All adapters: their examples run, and a missing package is reported in one sentence."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import gdl
import pytest

MODULES = {"openspiel": "pyspiel", "pettingzoo": "pettingzoo", "gymnasium": "gymnasium"}


def test_example_of_the_package() -> None:
    assert doctest.testmod(gdl) == doctest.TestResults(0, 4)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    pytest.importorskip(MODULES[name], reason=f"{MODULES[name]} is not installed")
    results = doctest.testmod(importlib.import_module(f"gdl.{name}"))
    assert results.failed == 0 and results.attempted >= 3


@pytest.mark.parametrize("name", MODULES)
def test_what_is_not_installed_is_named(name: str) -> None:
    # A process of its own, in which the package is missing.
    code = f"import sys; sys.modules['{MODULES[name]}'] = None; import gdl.{name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: gdl.") and f"pip install 'gdl[{name}]'" in done.stderr


def test_adapters_are_imported_only_when_asked_for() -> None:
    code = "import gdl, sys; print([name for name in ('numpy', 'pyspiel', 'pettingzoo', 'gymnasium') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
