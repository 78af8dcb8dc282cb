"""Environments of PettingZoo: in `env` one agent moves at a time, in `parallel_env` all at once.

>>> import gdl.pettingzoo
>>> env = gdl.pettingzoo.env("connect_four")
>>> env.reset(seed=1)
>>> env.agent_selection, env.last()[0]["action_mask"].tolist()
('red', [1, 1, 1, 1, 1, 1, 1, 0])

Agents are the roles except `random`, which draws its moves from the seed of `reset`. An action is
the number of a move, its index in `gdl.Game.moves`.

An observation is a dictionary of `observation` and `action_mask`. `action_mask` is int8 (moves,),
the legal moves, all 0 if the agent does not move now. `observation` is int8 (fluents,), the fluents
that hold. If information is hidden, it is int8 (2 * percepts + moves,): the agent's percepts of the
last step, all its percepts so far, and all its moves so far.

The reward of an agent at the end is goal / 50 - 1, so from -1 to 1, and 0 unless each agent has
exactly one goal. Before the end it is 0.

A move that is not legal raises `gdl.IllegalMoveError`, and the environment is unchanged. With
`illegal="lose"` it ends the game instead, with a reward of -1 for its agent and 0 for others.

Needs PettingZoo: `pip install 'gdl[pettingzoo]'`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from . import _adapters
from ._errors import IllegalMoveError
from ._gdl import Game, Information, State
from ._load import GameLike, game_of

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as error:
    raise _adapters.missing("gdl.pettingzoo", "PettingZoo", "pettingzoo") from error

__all__ = ["Aec", "Parallel", "env", "parallel_env", "raw_env"]

Observation = dict[str, NDArray[np.int8]]


def env(rules: GameLike, **options: Any) -> AECEnv[str, Observation, int]:
    """Returns `raw_env` in a wrapper that reports methods called in a wrong order.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        options: The keyword arguments of `Aec`.

    Raises:
        ValueError: `illegal` is invalid. Other errors are those of `gdl.load`.
    """
    return OrderEnforcingWrapper(raw_env(rules, **options))


def raw_env(rules: GameLike, **options: Any) -> Aec:
    """Returns an environment in which one agent moves at a time: see `Aec`.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        options: The keyword arguments of `Aec`.

    Raises:
        ValueError: `illegal` is invalid. Other errors are those of `gdl.load`.
    """
    return Aec(rules, **options)


def parallel_env(rules: GameLike, **options: Any) -> Parallel:
    """Returns an environment in which all agents move in each step: see `Parallel`.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        options: The keyword arguments of `Aec`.

    Raises:
        ValueError: `illegal` is invalid. Other errors are those of `gdl.load`.
    """
    return Parallel(rules, **options)


class _Table:
    """A play and its observations, common to both kinds of environments."""

    def __init__(self, game: Game, max_length: int | None, illegal: str) -> None:
        if illegal not in ("raise", "lose"):
            raise ValueError(f"expected `raise` or `lose` for illegal, got {illegal!r}")
        self.game, self.loses = game, illegal == "lose"
        self.players = {game.roles[role]: role for role in _adapters.players(game)}
        self.chance = None if game.chance_role is None else game.roles.index(game.chance_role)
        self.max_length = max_length
        self.random = np.random.default_rng()
        self.reset(None)

    def reset(self, seed: int | None) -> None:
        if seed is not None:
            self.random, _ = seeding.np_random(seed)
        self.state: State = self.game.initial()
        self.length = 0
        self.losers: list[str] = []
        self.known: dict[str, Information | None] = {
            name: Information(self.game, role) if self.game.has_hidden_information else None
            for name, role in self.players.items()
        }

    def is_over(self) -> bool:
        return bool(self.losers) or self.state.is_terminal or _adapters.is_stuck(self.state)

    def is_cut(self) -> bool:
        return self.max_length is not None and self.length >= self.max_length and not self.is_over()

    def legal(self, agent: str) -> list[int]:
        return self.state.legal_move_ids(self.players[agent])

    def check(self, agent: str, action: Any) -> int:
        """Returns the number of the move; -1 if it is not legal and loses the game."""
        legal = self.legal(agent)
        if action in legal:
            return int(action)
        if self.loses:
            self.losers.append(agent)
            return -1
        name = self.game.moves[action] if 0 <= action < len(self.game.moves) else f"number {action}"
        texts = [self.game.moves[each] for each in legal]
        raise IllegalMoveError(f"`{name}` is not legal for `{agent}`", None, agent, texts)

    def step(self, moves: dict[int, int]) -> None:
        """Makes the given moves. Other roles make their only move, and chance draws."""
        if self.chance is not None:
            moves = {**moves, self.chance: int(self.random.choice(self.state.legal_move_ids(self.chance)))}
        self.known = {name: None if known is None else known.step(self.state, moves) for name, known in self.known.items()}
        self.state = self.state.apply(moves)
        self.length += 1

    def observe(self, agent: str, is_asked: bool) -> Observation:
        mask = np.zeros(len(self.game.moves), np.int8)
        if is_asked:
            mask[self.legal(agent)] = 1
        row: Any = _adapters.observe(self.state, self.known[agent], np.int8)
        return {"observation": row, "action_mask": mask}

    def rewards(self) -> dict[str, float]:
        if self.losers:
            return {name: -1.0 if name in self.losers else 0.0 for name in self.players}
        goals = {name: self.state.goal(role) for name, role in self.players.items()} if self.state.is_terminal else {}
        known = {name: goal / 50 - 1 for name, goal in goals.items() if goal is not None}
        return known if len(known) == len(self.players) else dict.fromkeys(self.players, 0.0)

    def render(self) -> str:
        return self.state.board() or self.state.kif


def _spaces(game: Game) -> tuple[dict[str, spaces.Dict], dict[str, spaces.Discrete[np.int64]]]:
    names = [game.roles[role] for role in _adapters.players(game)]
    bits = {"observation": _adapters.width(game), "action_mask": len(game.moves)}
    seen = {name: spaces.Dict({key: spaces.Box(0, 1, (size,), np.int8) for key, size in bits.items()}) for name in names}
    return seen, {name: spaces.Discrete(len(game.moves)) for name in names}


class _Shared:
    """The common part of both kinds of environments: a table, spaces, the state and its picture."""

    def __init__(
        self,
        rules: GameLike,
        *,
        max_length: int | None = None,
        illegal: Literal["raise", "lose"] = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = game_of(rules)
        self._table = _Table(self.game, max_length, illegal)
        self.render_mode = render_mode
        self.possible_agents = list(self._table.players)
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = _spaces(self.game)
        self.state_space = spaces.Box(0, 1, (len(self.game.fluents),), np.int8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.int8]:
        """Returns the whole state, hidden or not: int8 (fluents,)."""
        row: Any = _adapters.observe(self._table.state, None, np.int8)
        return row  # type: ignore[no-any-return]

    @property
    def gdl_state(self) -> State:
        """The state as a `gdl.State`."""
        return self._table.state

    def render(self) -> str | None:
        return self._table.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass


class Aec(_Shared, AECEnv[str, Observation, int]):  # type: ignore[misc]
    """An environment in which one agent moves at a time.

    In each step of the game, the agents that have a choice choose in role order. All other agents
    make their only move by themselves. If no agent has a choice, chance moves alone. If chance has
    no choice either, the agent on turn must give its only move. Moves of the same step are made
    together after the last choice, so no agent knows them before.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        max_length: The greatest number of steps of a game. A longer game is truncated.
        illegal: The result of a move that is not legal, `raise` or `lose`: see `gdl.pettingzoo`.
        render_mode: `ansi` makes `render` return the board, or the fluents, as text.

    Raises:
        ValueError: `illegal` is invalid. Other errors are those of `gdl.load`.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "gdl", "render_modes": ["ansi"], "is_parallelizable": False}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._table.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._ask()

    def _ask(self) -> None:
        """Advances to the next step in which an agent must choose a move, or to the end."""
        table = self._table
        self._chosen: dict[int, int] = {}
        while not (table.is_over() or table.is_cut()):
            asked = [name for name in table.players if len(table.legal(name)) > 1]
            if not asked and (table.chance is None or len(table.state.legal_move_ids(table.chance)) == 1):
                turn = table.state.to_play
                asked = self.possible_agents[:1] if turn is None else [self.game.roles[turn]]
            if asked:
                self.agent_selection, *self._waiting = asked
                return
            table.step({})
        over = table.is_over()
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, not over)
        self.rewards = table.rewards()
        self.agent_selection = self.agents[0]

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        table = self._table
        self._chosen[table.players[agent]] = table.check(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._waiting and not table.losers:
            self.agent_selection = self._waiting.pop(0)
        else:
            if not table.losers:
                table.step(self._chosen)
            self._ask()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        is_over = self.terminations.get(agent, True) or self.truncations.get(agent, True)
        return self._table.observe(agent, agent == self.agent_selection and not is_over)


class Parallel(_Shared, ParallelEnv[str, Observation, int]):  # type: ignore[misc]
    """An environment in which all agents move in each step of the game.

    An agent without a choice has its only legal move in its mask. The arguments and errors are
    those of `Aec`.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "gdl", "render_modes": ["ansi"]}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self._table.reset(seed)
        self.agents = self.possible_agents[:]
        return self._seen(), {agent: {} for agent in self.agents}

    def _seen(self) -> dict[str, Observation]:
        goes_on = not (self._table.is_over() or self._table.is_cut())
        return {agent: self._table.observe(agent, goes_on) for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        table = self._table
        if not self.agents:
            return {}, {}, {}, {}, {}
        moves = {table.players[agent]: table.check(agent, actions[agent]) for agent in self.agents}
        if not table.losers:
            table.step(moves)
        over, cut = table.is_over(), table.is_cut()
        every = self.agents
        seen = self._seen()
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in every}
        rewards = table.rewards() if over else dict.fromkeys(every, 0.0)
        if over or cut:
            self.agents = []
        return seen, rewards, dict.fromkeys(every, over), dict.fromkeys(every, cut), infos
