"""The command `gdl` that comes with the package."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import gdl

GDL = str(Path(sysconfig.get_path("scripts")) / "gdl")


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([GDL, *args], capture_output=True, text=True, timeout=120, check=False)


def test_the_command_counts_as_the_package_does() -> None:
    report = json.loads(run("perft", "tictactoe", "--depth", "3", "--json").stdout)
    assert report["counts"] == gdl.load("tictactoe").perft(3)


def test_exit_codes_are_those_of_the_program(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.kif"
    faulty.write_text("(role robot)\n(legal robot)\n")
    ended = run("check", str(faulty))
    assert ended.returncode == 1
    assert "faulty.kif:2:" in ended.stderr
    assert run("no_such_command").returncode == 2
    assert run("--version").stdout.startswith(f"gdl {gdl.__version__}\n")


def test_processes_of_their_own_are_started_anew(tmp_path: Path) -> None:
    (tmp_path / "mine.kif").write_text(gdl.load("nim").kif)
    report = json.loads(run("bench", str(tmp_path), "--seconds", "0.01", "--json").stdout)
    (row,) = report["rulesheets"]
    assert row["game"] == "mine"
    assert "error" not in row


def test_an_interrupt_ends_the_command() -> None:
    words = [sys.executable, "-m", "gdl", "playouts", "tictactoe", "--count", "1e15"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        time.sleep(1)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) != 0
