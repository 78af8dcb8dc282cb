"""Rulesheets as environments of JAX: pure functions for `jit`, `vmap` and other transformations.

>>> import gdl.jax, jax
>>> game = gdl.jax.game("connect_four")
>>> states = jax.vmap(game.init)(jax.random.split(jax.random.key(0), 1024))
>>> states = jax.jit(jax.vmap(game.step))(states, jax.numpy.zeros(1024, int))
>>> states.legal_action_mask.shape, jax.vmap(game.observe)(states).shape
((1024, 8), (1024, 86))

`game` makes a `Game` from any rulesheet that has a net. `pgx`, `gymnax` and `jaxmarl` make
environments of the libraries with these names. `write` makes a file with all of these functions
that needs only JAX and NumPy; `python -m gdl.jax GAME > game.py` writes the same file.

Action `i` of a role is its move `Game.moves[role][i]`, which is `game.moves_of(role)[i]` of gdl. A
step takes one action if at most one role has a choice in each state (`gdl.Game.prove`), otherwise
one for each role. Chance moves inside the step, by the key. If the rules define percepts, a role
observes its percepts of the last step; otherwise all roles observe the fluents.

Needs JAX: `pip install 'gdl[jax]'`.
"""

from __future__ import annotations

import base64
import io
import sys
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from . import _adapters
from ._batch import Observation, planes
from ._exchange import Array, exchange
from ._gdl import levels
from ._load import GameLike, game_of

try:
    from . import _jax
    from ._jax import Game, State, gymnax, jaxmarl, pgx
except ImportError as error:
    raise _adapters.missing("gdl.jax", "JAX", "jax") from error

__all__ = ["Game", "State", "game", "gymnax", "jaxmarl", "pgx", "write"]

MOST_ROLES = 127
"""The most roles of a batch."""

HEADER = '''"""{name}: a game as pure functions of JAX, made by gdl from its rulesheet. See `GAME` and `pgx`."""

# SPDX-License-Identifier: 0BSD
#
# Permission to use, copy, modify, and/or distribute this software for any purpose with or without
# fee is hereby granted.
#
# THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS
# SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE
# AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
# WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
# NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE
# OF THIS SOFTWARE.
#
# `DATA` and `TABLE` at the end come from the rulesheet: its licence holds for them.
'''


def game(rules: GameLike, *, max_steps: int | None = None, observation: Observation = "flat", own_first: bool = False) -> Game:
    """Returns a game as pure functions of JAX.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        max_steps: The step after which a game is truncated; never if None.
        observation: `flat` is a row of all fluents. `planes` is a picture of the board, with a
            channel for each kind of piece and for each fluent outside the board: see `gdl.planes`.
        own_first: The second player observes each state with the players exchanged, so its own
            pieces are those that the first player sees as its own. Its moves are renumbered in the
            same way, so one policy plays for both.

    Returns:
        The game.

    Raises:
        ValueError: The rules are too large for a net. For planes also if the fluents show no board,
            or roles observe percepts. For `own_first` if there is no proof that the rules are the
            same with the players exchanged.
        gdl.RulesError: The rulesheet has errors.

    Example:
        >>> game = gdl.jax.game("tictactoe", max_steps=20)
        >>> game.init().legal_action_mask.sum()
        Array(9, dtype=int32)
    """
    return Game(*_net(rules, observation, own_first), max_steps)


def write(rules: GameLike, path: str | PathLike[str], *, observation: Observation = "flat", own_first: bool = False) -> None:
    """Writes a game as a Python file that needs only JAX and NumPy.

    The file has `GAME`, a `gdl.jax.Game`, and the functions `pgx`, `gymnax` and `jaxmarl`, which
    also need these libraries. Equal rules give equal files.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        path: The file, which is replaced if it exists.
        observation: As for `game`.
        own_first: As for `game`.

    Raises:
        ValueError: As for `game`.
        gdl.RulesError: The rulesheet has errors.
        OSError: The file cannot be written.

    Example:
        >>> gdl.jax.write("connect_four", "connect_four.py")
    """
    Path(path).write_text(_source(rules, observation, own_first))


def _source(rules: GameLike, observation: Observation, own_first: bool) -> str:
    data, arrays = _net(rules, observation, own_first)
    table = io.BytesIO()
    # Bytes of equal weight are adjacent, since they compress better.
    split: dict[str, Any] = {}
    for name, array in arrays.items():
        split[name] = np.frombuffer(array.T.astype("<u4").tobytes(), np.uint8).reshape(-1, 4).T.copy()
    np.savez_compressed(table, **split)
    program = Path(_jax.__file__).read_text().split('"""', 2)[2]
    text = base64.b85encode(table.getvalue()).decode()
    return f"{HEADER.format(name=data['name'])}{program}\n\nDATA = {data!r}\nTABLE = {text!r}\nGAME = load(DATA, TABLE)\n"


def _net(rules: GameLike, observation: Observation, own_first: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the data and the arrays of a game, the arguments of `Game`."""
    if observation not in ("flat", "planes"):
        raise ValueError(f"expected `flat` or `planes` for observation, got {observation!r}")
    game = game_of(rules)
    step, goals, percepts, turns = levels(game)
    roles = range(len(game.roles))
    moves = [game.moves_of(role) for role in roles]
    initial = game.initial()
    legal = [initial.legal_move_ids(role) for role in roles]
    fluents = np.zeros(len(game.fluents), bool)
    fluents[initial.fluent_ids] = True
    # Lanes also prove a game sequential if the number of moves made determines the turn.
    by_lanes = game.chance_role is None and len(roles) <= MOST_ROLES and game.batch(1).sequential
    data: dict[str, Any] = {
        "name": game.name,
        "roles": list(game.roles),
        "moves": [[game.moves[move] for move in own] for own in moves],
        "goals": [game.goals_of(role) for role in roles],
        "fluents": list(game.fluents),
        "percepts": list(game.percepts),
        "channels": None,
        "role_percepts": percepts,
        "chance": None if game.chance_role is None else game.roles.index(game.chance_role),
        "sequential": game.prove().sequential or by_lanes,
        "turns": turns,
        "is_over": initial.is_terminal or _adapters.is_stuck(initial),
    }
    arrays = {"gates": step[0], "outputs": step[2]}
    arrays["initial"] = np.concatenate([fluents, *(np.isin(own, can) for own, can in zip(moves, legal, strict=True))])
    if goals is not None:
        arrays |= {"goal_gates": goals[0], "goal_outputs": goals[2]}
    if observation == "planes":
        if game.percepts:
            raise ValueError(f"the roles of {game.name} observe percepts, which have no planes")
        layout = planes(game)
        data |= {"channels": list(layout.channels), "grid": [layout.height, layout.width]}
        # Places without a fluent read the one after the last, which never holds.
        places = np.where(layout.fluents < 0, len(game.fluents), layout.fluents)
        arrays["places"] = np.moveaxis(places, 0, -1).reshape(-1)
    if own_first:
        _renumber(data, arrays, *exchange(game))
    return data, arrays


def _renumber(data: dict[str, Any], arrays: dict[str, Any], fluents: Array, moves: list[Array]) -> None:
    """Gives moves of the second player the numbers of the first player's moves that they mirror."""
    first, second = (role for role in range(len(moves)) if role != data["chance"])
    data["moves"][second] = [data["moves"][second][move] for move in moves[first]]
    arrays["exchange"] = fluents
    # The old place of each input, and the new number of each signal.
    start = len(fluents) + sum(map(len, moves[:second]))
    order = np.arange(len(arrays["initial"]))
    order[start : start + len(moves[first])] = start + moves[first]
    signals = np.arange(1 + len(order) + len(arrays["gates"]))
    signals[1 + order] = 1 + np.arange(len(order))
    arrays["initial"] = arrays["initial"][order]
    flags = np.array([1, 1, 2])
    gates = arrays["gates"].astype(int)
    arrays["gates"] = signals[gates >> flags] << flags | gates & (1 << flags) - 1
    outputs = arrays["outputs"].astype(int)
    outputs = signals[outputs >> 1] << 1 | outputs & 1
    arrays["outputs"] = np.concatenate([outputs[order], outputs[len(order) :]])


if __name__ == "__main__":
    options = {"--planes", "--own-first"} & set(sys.argv[2:])
    if len(sys.argv) != 2 + len(options):
        sys.exit("usage: python -m gdl.jax GAME [--planes] [--own-first] > game.py")
    sys.stdout.write(_source(sys.argv[1], "planes" if "--planes" in options else "flat", "--own-first" in options))
