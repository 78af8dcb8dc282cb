"""Many games at once: NumPy arrays in, NumPy arrays out."""

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
    """What stands where in an observation as planes: made by `gdl.planes`."""

    channels: tuple[str, ...]
    """What each channel is: a mark of the board, such as `x`, behind the name of its grid where there are several; then, for each
    fluent that is not on the board, that fluent, whose plane has the same value everywhere."""
    height: int
    """Rows, counted from the top."""
    width: int
    """Columns, counted from the left."""
    fluents: NDArray[np.int32]
    """(channels, height, width): the number of the fluent that the place shows; -1 where none does, which is always 0."""


def planes(game: GameLike) -> Planes:
    """How the states of a game are shown as planes, on the board that is found in the names of its fluents.

    Each fluent has its place, so planes say all that the row of fluents does: `flat[fluents]`, and 0 where that is -1.

    Raises `ValueError` if there is no board, or planes would have more than 2^20 places.
    """
    channels, height, width, fluents = _gdl.planes(game_of(game))
    return Planes(tuple(channels), height, width, np.array(fluents, np.int32).reshape(-1, height, width))


class Step(NamedTuple):
    """What is seen after a step of a batch of n games."""

    observation: Rows
    """What the roles may know: `Batch.observation_shape`, uint8 of 0 and 1, or packed uint64, bit i in word i / 64."""
    mask: Rows
    """The legal moves: `Batch.mask_shape`, in the same form. All 0 where a game is over."""
    to_play: NDArray[np.int8]
    """(n,): the number of the role that is asked; -1 where the game is over, and, unless `Batch.sequential`, where not exactly
    one role other than chance has several legal moves."""
    rewards: NDArray[np.float32]
    """(n, roles): where the step ended a game, goal / 50 - 1 for each role, so 1 for a goal of 100 and -1 for one of 0; else 0,
    which is also what games without exactly one goal for each role have, and chance."""
    terminated: NDArray[np.bool_]
    """(n,): where the step ended a game."""


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
            raise ValueError(f"observation is `flat` or `planes`, not {observation!r}")
        if percepts is None:
            percepts = game.has_hidden_information
        single, shows = engine == "single", observation == "planes"
        self._core = _gdl.Batch(game, n, seed, autoreset, packed, percepts, shows, simultaneous, single, threads)
        self._dtype: Any = np.uint64 if packed else np.uint8
        self.game = game
        self.n = n
        self.sequential = self._core.sequential
        """True if `step` wants one move for each game, that of the role which is asked; false if one for each role."""
        self.action_shape = tuple(self._core.action_shape)
        """(n,) if `sequential`, else (n, roles)."""
        self.mask_shape = tuple(self._core.mask_shape)
        """(n, moves) if `sequential`, else (n, roles, moves); packed, words instead of moves."""
        self.observation_shape = tuple(self._core.observation_shape)
        """(n, fluents), or (n, roles, percepts) if percepts are observed; packed, words instead. Of planes (n, channels, height,
        width): see `gdl.planes`."""

    @property
    def engine(self) -> str:
        """`lanes`, 512 games in a pass, or `single`."""
        return self._core.engine

    def buffers(self) -> Step:
        """Arrays for `out=`, not yet filled."""
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
        """Starts games again, all or those marked in `where`, bool (n,).

        seed: new random numbers for chance: one number, of which each game gets its own, or one for each game. Without it
        games go on with the numbers they have.

        Raises `TypeError` or `ValueError` for arrays of a wrong dtype, shape or layout, and those that cannot be written to.
        """
        step = self.buffers() if out is None else out
        seeds = seed if seed is None or isinstance(seed, int) else [int(number) for number in seed]
        self._core.reset(step, seeds, where)
        return step

    def step(self, actions: NDArray[np.int32] | NDArray[np.int64], out: Step | None = None) -> Step:
        """Makes a move in each game. Returns what is seen then, in `out` if that is given.

        actions: int32 or int64 of `action_shape`, numbers of moves: places in `Game.moves`. A role with exactly one legal move may
        be given -1 for it, and chance, which moves by itself, anything; so may games that are over, which make no move. int32
        that is C-contiguous is read where it is, all else copied.
        out: arrays to write to, as `buffers` makes them: C-contiguous, of the right dtypes and shapes, none of them in the memory
        of another; new ones without it.

        Each game is checked before any is stepped. Raises `IllegalMoveError` with the index of the first game where a move is not
        legal and what is; `TypeError` or `ValueError` for wrong arrays; `RuntimeError` if another thread is stepping. Neither the
        games nor `out` have changed then. The GIL is released. O(n), some nanoseconds a game for small boards.
        """
        step = self.buffers() if out is None else out
        self._core.step(actions, step)
        return step

    def state(self, index: int) -> State:
        """The state of a game."""
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
    """n games at once, in the initial state. `Batch.reset` shows it.

    game: a `Game`, or what `gdl.load` takes.
    seed: for chance. Game i draws from numbers of its own, so neither n nor threads change what it plays.
    autoreset: as in Gymnasium. `next_step`: a game that ended starts again in the next step, whatever the move; `same_step`: in
    the step that ended it; `disabled`: it stays as it is until `Batch.reset`.
    observation: `flat` is a row of all fluents, `planes` a picture with a channel for each kind of piece: see `gdl.planes`.
    packed: observation and mask are bits in uint64 words instead of bytes; not of planes.
    percepts: observed is what each role perceived of the last step, and not the state; so it is unless said otherwise in games
    with hidden information.
    simultaneous: one action and one mask for each role, even if it is proved that at most one role has a choice in each state.
    engine: `single` steps one game after the other even where `lanes` could, with the same results.
    threads: at most so many; 0 means one for each processor. Results do not depend on it. Threads are started for each step, as many
    as have work for some hundred microseconds each: twenty thousand games of tic-tac-toe, or two thousand of reversi.

    Raises `ValueError` for options that do not fit the game or each other and for games of more than 127 roles, `MemoryError` if
    the games would take more than 4 GiB.
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
