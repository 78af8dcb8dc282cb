"""Exchanges of two players keep games the same, and players in JAX see their own pieces first.

`GDL_SAMPLE=1` tests all built-in games.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gdl
import numpy as np
import pytest
from numpy.typing import NDArray

jax = pytest.importorskip("jax")
import gdl.jax
from gdl._exchange import _Circuit, exchange

# Compilation takes longer than the runs of these tests.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
ALL = os.environ.get("GDL_SAMPLE") == "1"
PROVED = ["breakthrough", "chess", "connect_four", "goofspiel", "pig", "reversi", "rock_paper_scissors", "tictactoe"]
# A turned board, exchanged pieces, chance, and joint moves.
FEW = ["breakthrough", "connect_four", "goofspiel", "rock_paper_scissors"]
BOARDS = ["breakthrough", "checkers", "chess", "connect_four", "gomoku", "reversi", "tictactoe", "ultimate_tictactoe", "xiangqi"]


def exchanged(game: gdl.Game, state: gdl.State, fluents: NDArray[Any]) -> gdl.State:
    """Returns a state with the players exchanged."""
    return game.state([game.fluents[fluents[fluent]] for fluent in state.fluent_ids])


def counterparts(game: gdl.Game) -> list[int]:
    """Returns the other player for each player, and chance for itself."""
    players = iter([role for role, name in enumerate(game.roles) if name != game.chance_role][::-1])
    return [role if name == game.chance_role else next(players) for role, name in enumerate(game.roles)]


@pytest.mark.parametrize("name", gdl.builtin_names() if ALL else PROVED)
def test_exchanges_leave_games_the_same(name: str) -> None:
    game, random = gdl.load(name), np.random.default_rng(1)
    try:
        fluents, moves = exchange(game)
    except ValueError:
        assert name not in PROVED
        return
    other, own = counterparts(game), [game.moves_of(role) for role in range(len(game.roles))]
    assert sorted(fluents) == list(range(len(game.fluents)))
    images = [
        {move: own[to][place] for move, place in zip(*pair, strict=True)} for to, *pair in zip(other, own, moves, strict=True)
    ]
    state = game.initial()
    for _ in range(200):
        image = exchanged(game, state, fluents)
        assert image.is_terminal == state.is_terminal and [image.goals[role] for role in other] == state.goals
        if state.is_terminal:
            state = game.initial()
            continue
        legal = [state.legal_move_ids(role) for role in range(len(other))]
        for role, ids in enumerate(legal):
            assert sorted(images[role][move] for move in ids) == image.legal_move_ids(other[role])
        joint = [int(random.choice(ids)) for ids in legal]
        state = state.apply(joint)
        image = image.apply([int(images[role][joint[role]]) for role in other])
        assert image.fluent_ids == exchanged(game, state, fluents).fluent_ids


def row(game: gdl.Game, env: gdl.jax.Game, state: gdl.State) -> NDArray[np.uint32]:
    """Returns a state of the engine as the bits of a state in JAX."""
    legal = [{game.moves[move] for move in state.legal_move_ids(role)} for role in range(len(game.roles))]
    bits = [fluent in set(state.fluent_ids) for fluent in range(len(game.fluents))]
    bits += [move in ids for moves, ids in zip(env.moves, legal, strict=True) for move in moves]
    bits += [len(ids) > 1 for ids in legal]
    return np.packbits(np.pad(bits, (0, -len(bits) % 32)), bitorder="little").view(np.uint32)


def agree(game: gdl.Game, env: gdl.jax.Game, plain: gdl.jax.Game) -> None:
    """Asserts that the second player sees exchanged states as the first sees the states."""
    fluents, other, n = exchange(game)[0], np.array(counterparts(game)), 6
    first, second = (role for role, name in enumerate(game.roles) if name != game.chance_role)
    step = jax.jit(jax.vmap(env.step), compiler_options=QUICK)
    observe = jax.jit(jax.vmap(env.observe, in_axes=(0, None)), compiler_options=QUICK)
    seen, random = jax.jit(jax.vmap(plain.observe), compiler_options=QUICK), np.random.default_rng(2)
    states = jax.vmap(env.init)(np.zeros(n))
    for number in range(25):
        holds = np.unpackbits(np.asarray(states.bits).view(np.uint8), axis=1, bitorder="little", count=len(game.fluents))
        here = [game.state([game.fluents[fluent] for fluent in np.flatnonzero(one)]) for one in holds]
        assert np.array_equal(states.bits, [row(game, env, state) for state in here])
        bits = np.array([row(game, env, exchanged(game, state, fluents)) for state in here])
        turned = dataclasses.replace(states, bits=bits)
        assert np.array_equal(observe(turned, second), observe(states, first))
        assert np.array_equal(observe(states, first), seen(states)), "the first player sees the state as it is"
        mask = np.asarray(states.legal_action_mask)
        action = (random.random(mask.shape) * mask).argmax(-1)
        keys = jax.random.split(jax.random.key(number), n)
        states = step(states, action, keys)
        if env.chance is None:
            images = step(turned, action if env.sequential else action[:, other], keys)
            masks = states.legal_action_mask if env.sequential else states.legal_action_mask[:, other]
            assert np.array_equal(images.legal_action_mask, masks)
            assert np.array_equal(images.rewards, states.rewards[:, other])
            assert np.array_equal(observe(images, second), observe(states, first))
            turns = np.append(other, -1)[np.asarray(states.to_play)]
            assert np.array_equal(images.to_play, turns) or states.terminated.any()


@pytest.mark.parametrize("name", gdl.builtin_names() if ALL else FEW)
def test_players_see_their_own_pieces_first(name: str) -> None:
    game = gdl.load(name)
    try:
        env = gdl.jax.game(game, own_first=True)
    except ValueError:
        assert name not in PROVED
        return
    agree(game, env, gdl.jax.game(game))
    try:
        plain = gdl.jax.game(game, observation="planes")
    except ValueError:
        assert name not in BOARDS
        return
    agree(game, gdl.jax.game(game, observation="planes", own_first=True), plain)


def test_moves_are_those_of_the_first_player() -> None:
    game = gdl.jax.game("breakthrough", own_first=True)
    first, second = game.moves
    assert second[first.index("(move 1 2 1 3)")] == "(move 1 7 1 6)"
    state = game.step(game.init(), first.index("(move 1 2 1 3)"))
    assert {second[action] for action in np.flatnonzero(state.legal_action_mask)} >= {"(move 1 7 1 6)", "(move 8 7 8 6)"}


def test_a_written_file_has_the_same_views(tmp_path: Path) -> None:
    path = tmp_path / "game.py"
    gdl.jax.write("breakthrough_small", path, observation="planes", own_first=True)
    command = [sys.executable, "-m", "gdl.jax", "breakthrough_small", "--planes", "--own-first"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == path.read_text()
    names: dict[str, Any] = {}
    exec(path.read_text(), names)  # noqa: S102
    game = gdl.load("breakthrough_small")
    assert names["GAME"].moves == gdl.jax.game(game, own_first=True).moves
    agree(game, names["GAME"], gdl.jax.game(game, observation="planes"))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hex", "no proof that the rules of hex are the same with red and blue exchanged"),
        ("go", "no proof"),
        ("kuhn_poker", "observe percepts"),
        ("eight_puzzle", "two players, and eight_puzzle has 1"),
    ],
)
def test_games_without_an_exchange_are_refused(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        gdl.jax.game(name, own_first=True)


def test_a_wrong_exchange_has_no_proof() -> None:
    """Asserts that a swap of two fluents or moves is refuted, and an output of another game too."""
    game = gdl.load("tictactoe")
    net = _Circuit(game, [0, 1])
    images = net.guess()
    assert images is not None and net.is_exchange(images)
    random = np.random.default_rng(3)
    for _ in range(50):
        one, two = random.choice(np.arange(1, net.inputs), 2, replace=False)
        wrong = images.copy()
        wrong[[one, two]] = wrong[[two, one]]
        assert not net.is_exchange(wrong)
    assert not net.is_exchange(np.arange(net.inputs))
    outputs = net.outputs
    for place in range(net.inputs):
        net.outputs = outputs.copy()
        net.outputs[place] = 2 * (1 + game.fluents.index("(cell 1 1 x)"))
        assert not net.is_exchange(images)
