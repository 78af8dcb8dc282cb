"""Players, matches and solutions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gdl
import pytest

KINDS = (
    "best",
    "first",
    "random",
    "greedy",
    "flat",
    "mcts",
    "ismcts",
    "equilibrium",
    "planner",
    "alphabeta",
    "paranoid",
    "perfect",
)


@pytest.mark.parametrize("kind", KINDS)
def test_each_player_plays(kind: str) -> None:
    game = gdl.load("nim")
    matches = []
    for _ in range(2):
        players = [gdl.Player(game, role, kind, seed=3) for role in game.roles]
        matches.append(gdl.play_match(game, players, nodes=2000))
    assert matches[0].moves == matches[1].moves
    assert sorted(goal or 0 for goal in matches[0].goals) == [0, 100]


def test_perfect_players_draw() -> None:
    game = gdl.load("tictactoe")
    players = [gdl.Player(game, "xplayer", "alphabeta"), gdl.Player(game, "oplayer", "mcts", seed=1)]
    match = gdl.play_match(game, {player.role: player for player in players}, nodes=30_000)
    assert match.goals == [50, 50] and len(match.moves) == 9
    assert match.moves[0]["oplayer"] == "noop"


def test_a_net_of_a_file_plays_its_game(tmp_path: Path) -> None:
    net = tmp_path / "three.net"
    train = ["train", "tictactoe", "--samples", "3000", "--matches", "0", "-o", str(net)]
    subprocess.run([sys.executable, "-m", "gdl", *train], check=True, capture_output=True)
    game = gdl.load("tictactoe")
    players = [gdl.Player(game, role, f"learned:{net}", depth=9) for role in game.roles]
    assert gdl.play_match(game, players, nodes=100_000).goals == [50, 50]
    with pytest.raises(ValueError, match="another game"):
        gdl.Player("nim", 0, f"learned:{net}")
    for kind in ("learned", "learned:nowhere"):
        with pytest.raises(ValueError, match="gdl train|cannot read"):
            gdl.Player(game, 0, kind)


def test_chance_draws_and_hides() -> None:
    game = gdl.load("monty_hall")
    wins = 0
    for seed in range(40):
        player = gdl.Player(game, "candidate", "mcts", seed=seed)
        wins += gdl.play_match(game, [player], nodes=3000, seed=seed).goals[game.roles.index("candidate")] == 100
    assert 18 <= wins <= 36


def test_what_players_refuse() -> None:
    game = gdl.load("tictactoe")
    with pytest.raises(ValueError, match="mcts"):
        gdl.Player(game, 0, "stockfish")
    with pytest.raises(KeyError):
        gdl.Player(game, "nobody")
    player = gdl.Player(game, 0, "first")
    for information in (gdl.Information(game, 1), gdl.Information(gdl.load("nim"), 0)):
        with pytest.raises(ValueError, match="another"):
            player.choose(information)
    with pytest.raises(ValueError, match="seconds"):
        player.choose(gdl.Information(game, 0), seconds=float("nan"))
    for players in ([], [player], [player, player]):
        with pytest.raises(ValueError, match="one player"):
            gdl.play_match(game, players)


def test_small_games_are_solved() -> None:
    game = gdl.load("tictactoe")
    solution = game.solve()
    state = game.initial()
    assert solution.value(state, "xplayer") == (50.0, None)
    assert len(solution) == 765
    lost = state.apply("(mark 1 1)").apply("(mark 1 2)")
    assert solution.value(lost, 0)[0] == 100 and solution.value(lost, 1)[0] == 0
    best = solution.best(lost, "xplayer")
    assert best in lost.legal_moves("xplayer")
    assert solution.value(lost.apply(best or ""), 1)[0] == 0
    assert len(game.solve(lost)) < len(solution)
    for unfit in ("monty_hall", "rock_paper_scissors"):
        with pytest.raises(ValueError, match="cannot be solved"):
            gdl.load(unfit).solve()
    with pytest.raises(ValueError, match="bytes"):
        gdl.load("connect_four").solve(max_bytes=100_000)
    with pytest.raises(ValueError, match="budget"):
        gdl.load("connect_four").solve(nodes=1000)
    with pytest.raises(ValueError, match="another game"):
        game.solve(gdl.load("nim").initial())


def test_analysis() -> None:
    game = gdl.load("tictactoe")
    figures = game.analyze(200, seed=3)
    assert figures == game.analyze(200, seed=3, threads=1)
    assert figures != game.analyze(200, seed=4)
    assert figures["games"] == 200
    assert figures["length"]["shortest"] >= 5
    assert figures["length"]["longest"] <= 9
    assert figures["openings"]["role"] == "xplayer"
    assert len(figures["openings"]["moves"]) == 9
    with pytest.raises(ValueError, match="at least one game"):
        game.analyze(0)
