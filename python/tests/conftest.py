"""Skipped tests fail if the environment variable `GDL_REQUIRE` is `all`, as in CI. With `tools`, a
test that lacks a folder next to the checkout may be skipped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

import pytest

REQUIRE = os.environ.get("GDL_REQUIRE")
NO_FOLDER = "next to the checkout"
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def judge(report: Report) -> Report:
    # An expected failure is reported as a skip too, with a reason of its own.
    if REQUIRE in {"all", "tools"} and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        if REQUIRE == "all" or NO_FOLDER not in str(reason):
            report.outcome = "failed"
            report.longrepr = f"GDL_REQUIRE={REQUIRE}, but this test is skipped: {reason}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return judge((yield))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return judge((yield))


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """Returns a function that finds `shared/<path>` in the nearest parent folder that has it.

    The function skips the test if no parent folder has the path.
    """

    def find(path: str) -> Path:
        for above in Path(__file__).resolve().parents:
            if (above / "shared" / path).exists():
                return above / "shared" / path
        pytest.skip(f"there is no `shared/{path}` {NO_FOLDER}")

    return find
