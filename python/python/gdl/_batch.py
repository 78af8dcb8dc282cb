"""Batches: many games at once, with NumPy arrays as input and output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _gdl
from ._gdl import State
from ._load import GameLike, game_of

Rows: TypeAlias = NDArray[np.uint8] | NDArray[np.uint64]
Autoreset: TypeAlias = Literal["next_step", "same_step", "disabled"]
Observation: TypeAlias = Literal["flat", "planes"]


class Planes(NamedTuple):
    """The layout of an observation as planes, made by `gdl.planes`."""

    channels: tuple[str, ...]
    """The name of each channel. First come the marks of the board, such as `x`, after the name of
    their grid if there are several. Then comes each fluent that is not on the board; its plane is
    constant.
    """
    height: int
    """The number of rows, counted from the top."""
    width: int
    """The number of columns, counted from the left."""
    fluents: NDArray[np.int32]
    """(channels, height, width): the number of the fluent at each place. -1 if there is none; the
    place is then always 0.
    """


def planes(game: GameLike) -> Planes:
    """Returns the layout of a game's states as planes.

    The board is found in the names of the fluents. Each fluent has its place, so planes contain the
    whole row of fluents: `flat[fluents]`, and 0 where that is -1.

    Args:
        game: A `Game`, or a source for `gdl.load`.

    Returns:
        The channels, the size of the board and the fluent at each place.

    Raises:
        ValueError: The fluents show no board, or there would be more than 2^20 places. Other errors
            are those of `gdl.load`.
    """
    channels, height, width, fluents = _gdl.planes(game_of(game))
    return Planes(tuple(channels), height, width, np.array(fluents, np.int32).reshape(-1, height, width))


class Step(NamedTuple):
    """The view of n games after a step of a batch."""

    observation: Rows
    """The observation, of shape `Batch.observation_shape`: uint8 of 0 and 1, or packed uint64 with
    bit i in word i / 64.
    """
    mask: Rows
    """The legal moves, of shape `Batch.mask_shape`, in the same form. All 0 where a game is over.
    """
    to_play: NDArray[np.int8]
    """(n,): the number of the role to move. -1 where the game is over. Unless `Batch.sequential`,
    also -1 where the number of roles other than chance with several legal moves is not one.
    """
    rewards: NDArray[np.float32]
    """(n, roles): goal / 50 - 1 for each role where the step ended a game, from -1 for a goal of 0
    to 1 for a goal of 100. Otherwise 0, as for chance and for games without exactly one goal for
    each role.
    """
    terminated: NDArray[np.bool_]
    """(n,): true where the step ended a game."""


class Batch:
    """n games of the same rules, stepped together. Made by `gdl.batch` or `Game.batch`."""

    __slots__ = ("_core", "_dtype", "action_shape", "game", "mask_shape", "n", "observation_shape", "sequential")

    def __init__(
        self,
        game: GameLike,
        n: int,
        seed: int = 0,
        *,
        autoreset: Autoreset = "next_step",
        observation: Observation = "flat",
        packed: bool = False,
        percepts: bool | None = None,
        simultaneous: bool = False,
        engine: Literal["single"] | None = None,
        threads: int = 1,
    ) -> None:
        game = game_of(game)
        if observation not in ("flat", "planes"):
            raise ValueError(f"expected `flat` or `planes` for observation, got {observation!r}")
        if percepts is None:
            percepts = game.has_hidden_information
        single, shows = engine == "single", observation == "planes"
        self._core = _gdl.Batch(game, n, seed, autoreset, packed, percepts, shows, simultaneous, single, threads)
        self._dtype: Any = np.uint64 if packed else np.uint8
        self.game = game
        self.n = n
        self.sequential = self._core.sequential
        """True if `step` takes one move for each game, that of the role to move. False if it takes
        one for each role.
        """
        self.action_shape = tuple(self._core.action_shape)
        """(n,) if `sequential`, otherwise (n, roles)."""
        self.mask_shape = tuple(self._core.mask_shape)
        """(n, moves) if `sequential`, otherwise (n, roles, moves). If packed, words instead of
        moves.
        """
        self.observation_shape = tuple(self._core.observation_shape)
        """(n, fluents), or (n, roles, percepts) if percepts are observed. If packed, words instead
        of fluents or percepts. For planes (n, channels, height, width): see `gdl.planes`.
        """

    @property
    def engine(self) -> str:
        """The engine: `lanes`, which steps 512 games in a pass, or `single`."""
        return self._core.engine

    def buffers(self) -> Step:
        """Returns arrays for `out=`, not yet filled."""
        return Step(
            np.empty(self.observation_shape, self._dtype),
            np.empty(self.mask_shape, self._dtype),
            np.empty(self.n, np.int8),
            np.empty((self.n, len(self.game.roles)), np.float32),
            np.empty(self.n, np.bool_),
        )

    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        *,
        where: NDArray[np.bool_] | None = None,
        out: Step | None = None,
    ) -> Step:
        """Restarts games.

        Args:
            seed: New random numbers for chance: one seed, from which each game derives its own, or
                one seed for each game. By default games continue with their random numbers.
            where: bool (n,), the games to restart; by default all.
            out: Arrays for the result, as `buffers` makes them; by default new ones.

        Returns:
            The view of all games.

        Raises:
            TypeError: An array has a wrong dtype.
            ValueError: An array has a wrong shape or layout, or is read-only, or the number of
                seeds is wrong.
            RuntimeError: Another thread steps the batch.
        """
        step = self.buffers() if out is None else out
        seeds = seed if seed is None or isinstance(seed, int) else [int(number) for number in seed]
        self._core.reset(step, seeds, where)
        return step

    def step(self, actions: NDArray[np.int32] | NDArray[np.int64], out: Step | None = None) -> Step:
        """Makes a move in each game.

        Each game is checked before any is stepped. After an error neither the games nor `out` have
        changed. The GIL is released. Takes O(n) time, some nanoseconds a game for small boards.

        Args:
            actions: int32 or int64 of `action_shape`: the numbers of moves, indices into
                `Game.moves`. -1 stands for the only legal move. Entries of chance, and of games
                that are over, are ignored. C-contiguous int32 is read in place, anything else is
                copied.
            out: Arrays for the result, as `buffers` makes them; by default new ones. They are
                C-contiguous, of the right dtypes and shapes, and do not overlap in memory.

        Returns:
            The view of all games after the step: `out` if it is given.

        Raises:
            IllegalMoveError: A move is not legal. The error has the index of the first such game
                and its legal moves.
            TypeError: An array has a wrong dtype.
            ValueError: An array has a wrong shape or layout, or is read-only.
            RuntimeError: Another thread steps the batch.
        """
        step = self.buffers() if out is None else out
        self._core.step(actions, step)
        return step

    def state(self, index: int) -> State:
        """Returns the state of a game.

        Args:
            index: The index of the game, from 0.

        Raises:
            IndexError: The batch has no such game.
            RuntimeError: Another thread steps the batch.
        """
        return self._core.state(index)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<gdl.Batch of {self.n} games of {self.game.name}>"


def batch(
    game: GameLike,
    n: int,
    seed: int = 0,
    *,
    autoreset: Autoreset = "next_step",
    observation: Observation = "flat",
    packed: bool = False,
    percepts: bool | None = None,
    simultaneous: bool = False,
    engine: Literal["single"] | None = None,
    threads: int = 1,
) -> Batch:
    """Returns n games in the initial state, stepped together. `Batch.reset` shows that state.

    Threads are started for each step, one for each share of work of some hundred microseconds. That
    is twenty thousand games of tic-tac-toe, or two thousand of reversi.

    Args:
        game: A `Game`, or a source for `gdl.load`.
        n: The number of games, at least 1.
        seed: The seed of chance. Game i has random numbers of its own, which depend on neither n
            nor `threads`.
        autoreset: The time when a game that ended restarts, as in Gymnasium. `next_step`: in the
            next step, whatever the move. `same_step`: in the step that ended it. `disabled`: in
            `Batch.reset`.
        observation: `flat` is a row of all fluents. `planes` is a picture with a channel for each
            kind of piece: see `gdl.planes`.
        packed: Observation and mask are bits in uint64 words instead of bytes. Not for planes.
        percepts: Observe each role's percepts of the last step instead of the state. This is the
            default in games with hidden information.
        simultaneous: Take one action and one mask for each role, even if it is proved that at most
            one role has a choice in each state.
        engine: `single` steps one game after the other, even if `lanes` is possible. The results
            are the same.
        threads: The greatest number of threads; 0 means one for each processor. Results do not
            depend on it.

    Returns:
        The games.

    Raises:
        ValueError: An option does not fit the game or another option, or the game has more than 127
            roles. Other errors are those of `gdl.load`.
        MemoryError: The games would take more than 4 GiB.
    """
    return Batch(
        game,
        n,
        seed,
        autoreset=autoreset,
        observation=observation,
        packed=packed,
        percepts=percepts,
        simultaneous=simultaneous,
        engine=engine,
        threads=threads,
    )
