"""Random games on a graphics card, emulated by the processor, and the error without a card."""

from __future__ import annotations

import gdl
import pytest


def counts(stats: gdl.Stats) -> tuple[object, ...]:
    """Returns the counts that depend on rules, seed and count alone."""
    ends = (stats.playouts, stats.states, stats.too_long, stats.stuck, stats.unscored)
    return *ends, *((r.role, r.wins, r.draws, r.losses, r.goals, r.squares) for r in stats.roles)


def test_emulator() -> None:
    game = gdl.load("tictactoe")
    told: list[int] = []
    stats = game.playouts(50_000, seed=7, engine="gpu", device="emulate", progress=told.append)
    assert (stats.playouts, stats.engine, stats.device, stats.seed) == (50_000, "gpu", "emulator", 7)
    assert (stats.threads, stats.cpu_seconds) == (0, 0.0) and stats.seconds > 0
    assert "emulator, seed 7" in str(stats) and "oplayer" in str(stats)
    assert told == sorted(told) and told[-1] == 50_000
    again = game.playouts(50_000, seed=7, engine="gpu", device="emulate")
    assert counts(again) == counts(stats)
    assert counts(game.playouts(50_000, seed=8, engine="gpu", device="emulate")) != counts(stats)
    lanes = game.playouts(200_000, seed=7)
    assert lanes.engine != "gpu" and lanes.device is None
    for one, other in zip(stats.roles, lanes.roles, strict=True):
        assert abs(one.mean_goal - other.mean_goal) < 4 * (one.goal_error**2 + other.goal_error**2) ** 0.5


def test_tally_that_every_device_has() -> None:
    # A line of gpu/tests/golden.tsv.
    stats = gdl.load("tictactoe").playouts(3_001, 81985529216486895, engine="gpu", device="emulate")
    assert [stats.states, stats.roles[0].goals, stats.roles[0].squares] == [22_983, 192_700, 18_330_000]
    assert [(role.wins, role.draws, role.losses) for role in stats.roles] == [(1739, 376, 886), (886, 376, 1739)]


def test_limits() -> None:
    game = gdl.load("connect_four")
    assert game.playouts(engine="gpu", device="emulate").playouts == 10_000
    assert game.playouts(0, engine="gpu", device="emulate").playouts == 0
    assert game.playouts(100, max_length=3, engine="gpu", device="emulate").too_long == 100
    assert game.playouts(seconds=0.01, engine="gpu", device="emulate").playouts > 0

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        game.playouts(seconds=600, engine="gpu", device="emulate", progress=stop)


def test_what_cannot_be_played() -> None:
    game = gdl.load("tictactoe")
    with pytest.raises(ValueError, match="1,048,576"):
        game.playouts(10, max_length=2**20 + 1, engine="gpu", device="emulate")
    with pytest.raises(ValueError, match="leave `engine` out"):
        gdl.load("tictactoe", lifted=True).playouts(10, engine="gpu", device="emulate")
    with pytest.raises(ValueError, match="leave `threads` out"):
        game.playouts(10, threads=2, engine="gpu", device="emulate")
    with pytest.raises(ValueError, match='add `engine="gpu"`'):
        game.playouts(10, device="emulate")
    with pytest.raises(ValueError, match='unknown engine "cuda"'):
        game.playouts(10, engine="cuda")  # type: ignore[arg-type]


def test_no_such_card() -> None:
    # The package lacks the feature, or the machine lacks this card: the error has a hint for both.
    with pytest.raises(OSError, match=r"--features=gpu|no such card.*(one of these names|install the driver)"):
        gdl.load("tictactoe").playouts(10, engine="gpu", device="no such card")
