"""Environments of Gymnasium for games of one player: `Env` for one game, `VectorEnv` for many.

>>> import gymnasium, gdl.gymnasium
>>> env = gymnasium.make("gdl/LightsOut-v0")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, int(info["action_mask"].sum())
((46,), 25)

The import of this module registers the built-in games of one player. Gymnasium imports it for
`gymnasium.make("gdl.gymnasium:gdl/LightsOut-v0")`. `gymnasium.make_vec` returns the `VectorEnv`.
Other rulesheets become environments by `Env(rules)` and `VectorEnv(rules, num_envs)`, or by
`register`. Games of more players are for `gdl.pettingzoo` and `gdl.batch`.

An action is the number of a move, its index in `gdl.Game.moves`. Each step is one of the game, even
if the only move is to wait. An observation is int8 (fluents,), the fluents that hold. If
information is hidden, it is int8 (percepts,), the percepts of the last step. `info["action_mask"]`
is int8 (moves,), the legal moves. The reward is goal / 50 - 1 in the step that ends the game, so
from -1 to 1, and otherwise 0. The role `random` draws its moves from the seed of `reset`.

Needs Gymnasium: `pip install 'gdl[gymnasium]'`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _adapters, _gdl
from ._batch import Autoreset, Step, batch
from ._errors import IllegalMoveError
from ._gdl import Game, State
from ._load import GameLike, game_of

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.envs.registration import EnvSpec
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise _adapters.missing("gdl.gymnasium", "Gymnasium", "gymnasium") from error

__all__ = ["Env", "VectorEnv", "register"]

Rows = NDArray[np.int8]


def register(rules: GameLike, id: str) -> None:
    """Registers rules with Gymnasium.

    `gymnasium.make(id)` then returns an `Env`, and `gymnasium.make_vec(id, n)` a `VectorEnv`.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        id: The id of the environment, such as `gdl/LightsOut-v0`.

    Raises:
        ValueError: The game does not have exactly one player. Other errors are those of `gdl.load`.
    """
    game = game_of(rules)
    _player(game)
    gymnasium.register(id, entry_point="gdl.gymnasium:Env", vector_entry_point="gdl.gymnasium:VectorEnv", kwargs={"rules": game})


def _id(name: str) -> str:
    """Returns the id of a game, by its built-in name or its path."""
    stem = os.path.splitext(os.path.basename(name))[0]
    words = re.sub(r"[\W_]+", "", stem.title())
    return f"gdl/{words or 'Rules'}-v0"


def _player(game: Game) -> int:
    """Returns the number of the only player."""
    players = _adapters.players(game)
    if len(players) != 1:
        raise ValueError(f"{game.name} has {len(players)} players, not one: use gdl.pettingzoo or gdl.batch")
    return players[0]


def _spaces(game: Game) -> tuple[spaces.Space[Any], spaces.Discrete[np.int64]]:
    bits = len(game.percepts) if game.has_hidden_information else len(game.fluents)
    return spaces.Box(0, 1, (bits,), np.int8), spaces.Discrete(len(game.moves))


class _Games:
    """A batch of games of one player, in the types of Gymnasium."""

    def __init__(self, game: Game, n: int, autoreset: Autoreset, threads: int = 1) -> None:
        self.role = _player(game)
        seed = int(np.random.default_rng().integers(1 << 63))
        self.batch = batch(game, n, seed, autoreset=autoreset, simultaneous=True, threads=threads)
        self.actions = np.full((n, len(game.roles)), -1, np.int64)
        self.seen = self.batch.reset()

    def reset(self, seed: int | Sequence[int] | None, where: NDArray[np.bool_] | None = None) -> Step:
        self.seen = self.batch.reset(seed, where=where)
        return self.seen

    def step(self, actions: Any) -> Step:
        self.actions[:, self.role] = actions
        self.seen = self.batch.step(self.actions)
        return self.seen

    def observation(self) -> Rows:
        rows = self.seen.observation.view(np.int8)
        return rows[:, self.role] if rows.ndim == 3 else rows

    def mask(self) -> Rows:
        return self.seen.mask.view(np.int8)[:, self.role]

    def rewards(self) -> NDArray[np.float64]:
        return self.seen.rewards[:, self.role].astype(np.float64)


class Env(gymnasium.Env[Rows, np.int64]):
    """An environment of one game of one player.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        illegal: The result of a move that is not legal. With `lose`, the default, the game ends
            with a reward of -1, and `info["illegal"]` is true. With `raise`, `step` raises
            `gdl.IllegalMoveError`, and the environment is unchanged. `lose` serves Gymnasium's
            checks and learners without masks, which draw from the whole action space.
        render_mode: `ansi` makes `render` return the board, or the fluents, as text.

    Raises:
        ValueError: The game does not have exactly one player, or `illegal` is invalid. Other errors
            are those of `gdl.load`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        rules: GameLike,
        *,
        illegal: Literal["raise", "lose"] = "lose",
        render_mode: str | None = None,
    ) -> None:
        if illegal not in ("raise", "lose"):
            raise ValueError(f"expected `raise` or `lose` for illegal, got {illegal!r}")
        self.game = game_of(rules)
        self._games = _Games(self.game, 1, "disabled")
        self._loses = illegal == "lose"
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.game)
        self.spec = EnvSpec(
            _id(self.game.name), "gdl.gymnasium:Env", kwargs={"rules": self.game, "illegal": illegal, "render_mode": render_mode}
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Rows, dict[str, Any]]:
        super().reset(seed=seed)
        self._games.reset(int(self.np_random.integers(1 << 63)))
        return self._games.observation()[0], self._info()

    def step(self, action: np.int64 | int) -> tuple[Rows, float, bool, bool, dict[str, Any]]:
        try:
            seen = self._games.step(action)
        except IllegalMoveError:
            if not self._loses:
                raise
            return self._games.observation()[0].copy(), -1.0, True, False, {**self._info(), "illegal": True}
        return self._games.observation()[0], float(self._games.rewards()[0]), bool(seen.terminated[0]), False, self._info()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks()}

    def action_masks(self) -> Rows:
        """Returns the legal moves: int8 (moves,)."""
        row: Rows = self._games.mask()[0].copy()
        return row

    @property
    def gdl_state(self) -> State:
        """The state as a `gdl.State`."""
        return self._games.batch.state(0)

    def render(self) -> str | None:
        state = self.gdl_state
        return (state.board() or state.kif) if self.render_mode == "ansi" else None


class VectorEnv(gymnasium.vector.VectorEnv[Rows, NDArray[np.int64], NDArray[Any]]):
    """An environment of many games of one player, stepped together by `gdl.batch`.

    Observations are int8 (num_envs, ..), and `infos["action_mask"]` is int8 (num_envs, moves). The
    action -1 stands for the only legal move. If a move is not legal, `step` raises
    `gdl.IllegalMoveError` with the index of the first such game, and no game is stepped.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        num_envs: The number of games.
        autoreset_mode: One of Gymnasium's `AutoresetMode`, or its value. `NextStep`: a game that
            ended restarts in the next step, whatever the action. `SameStep`: it restarts in the
            step that ended it, whose last observation is in `infos["final_obs"]`. `Disabled`: it
            restarts in `reset` with `options={"reset_mask": mask}`, and steps before that leave it
            unchanged.
        threads: The greatest number of threads, as for `gdl.batch`.

    Raises:
        ValueError: The game does not have exactly one player, or an option is invalid. Other errors
            are those of `gdl.load` and `gdl.batch`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        rules: GameLike,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
    ) -> None:
        self.game = game_of(rules)
        self.num_envs = num_envs
        self._mode = AutoresetMode(autoreset_mode)
        starts = self._mode == AutoresetMode.NEXT_STEP
        self._games = _Games(self.game, num_envs, "next_step" if starts else "disabled", threads)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self.single_observation_space, self.single_action_space = _spaces(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Rows, dict[str, Any]]:
        """Restarts games.

        Args:
            seed: One seed, from which each game derives its own, or one seed for each game. None,
                for all games or for one, continues with the present random numbers.
            options: `reset_mask`, bool (num_envs,), has the games to restart; by default all.

        Returns:
            The observations and `infos` of all games.

        Raises:
            TypeError: `reset_mask` is not an array of bool.
            ValueError: The number of seeds, or the shape of `reset_mask`, is wrong.
        """
        where = (options or {}).get("reset_mask")
        if seed is not None and not isinstance(seed, int):
            given = np.array([each is not None for each in seed])
            self._games.reset([each or 0 for each in seed], given if where is None else given & where)
            where = ~given if where is None else where & ~given
            seed = None
        self._games.reset(seed, where)
        return self._games.observation(), self._infos()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Rows, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        games = self._games
        seen = games.step(actions)
        rewards, ended = games.rewards(), seen.terminated
        infos: dict[str, Any] = {}
        if self._mode == AutoresetMode.SAME_STEP and ended.any():
            infos = {"final_obs": _objects(games.observation(), ended), "_final_obs": ended}
            infos["final_info"] = {"action_mask": games.mask(), "_action_mask": ended}
            infos["_final_info"] = ended
            games.reset(None, ended)
        return games.observation(), rewards, ended, np.zeros(self.num_envs, np.bool_), {**self._infos(), **infos}

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self._games.mask(), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def gdl_state(self, index: int) -> State:
        """Returns the state of a game as a `gdl.State`.

        Args:
            index: The index of the game, from 0.

        Raises:
            IndexError: There is no such game.
        """
        return self._games.batch.state(index)


def _objects(rows: Rows, where: NDArray[np.bool_]) -> NDArray[np.object_]:
    """Returns the marked rows, and None elsewhere, as Gymnasium stores final observations."""
    array = np.full(len(rows), None, np.object_)
    for index in np.flatnonzero(where):
        array[index] = rows[index].copy()
    return array


for _name, _players, _ in _gdl.catalogue():
    if _players == 1:
        register(_name, _id(_name))
