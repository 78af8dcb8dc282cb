"""Skipped tests fail if the environment variable `GDL_REQUIRE` is `all` or `tools`, as in CI."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

REQUIRED = os.environ.get("GDL_REQUIRE") in {"all", "tools"}
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def judge(report: Report) -> Report:
    # An expected failure is reported as a skip too, with a reason of its own.
    if REQUIRED and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"GDL_REQUIRE={os.environ['GDL_REQUIRE']}, but this test is skipped: {reason}"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return judge((yield))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return judge((yield))
