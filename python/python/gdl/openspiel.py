"""Games of OpenSpiel: `register` one for `pyspiel.load_game`.

>>> import gdl.openspiel, pyspiel
>>> game = pyspiel.load_game(gdl.openspiel.register("tictactoe"))
>>> state = game.new_initial_state()
>>> state.action_to_string(0, state.legal_actions()[0])
'(mark 1 1)'

Players are the roles in the order of the rulesheet, except the role `random`, which is OpenSpiel's
chance player. The id of an action is the number of the move, its index in `gdl.Game.moves`. It is
the same for all players and chance, so ids have gaps where a player or a state does not have a
move.

A game is sequential if it is proved that at most one role ever has a choice
(`gdl.Proofs.sequential`). Its nodes are of the role with a choice, and all other roles make their
only move by themselves. All other games are simultaneous: their nodes are of all players. If chance
has several moves, there is a chance node. It comes after the node of players who choose in the same
step, so that they cannot know its outcome. If no role has a choice, the role on turn has
a node for its only move. So each step of the game has a node.

Information states are those of `gdl.Information`: own moves and percepts, or the moves of all roles
if the rules define no percepts.

Needs OpenSpiel: `pip install 'gdl[openspiel]'`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _adapters
from ._gdl import Game, Information, State
from ._load import GameLike, game_of

try:
    import pyspiel
except ImportError as error:
    raise _adapters.missing("gdl.openspiel", "OpenSpiel", "openspiel") from error

__all__ = ["register"]

_MAX_LENGTH = 10_000
_MAX_TENSOR = 1 << 16
"""The greatest size of an information state tensor; larger ones are not provided."""

_CHANCE, _TERMINAL, _SIMULTANEOUS = (int(each) for each in (-1, -4, -2))


def register(
    rules: GameLike,
    name: str | None = None,
    *,
    max_game_length: int | None = None,
    min_utility: float = -1.0,
    max_utility: float = 1.0,
) -> str:
    """Registers a game with OpenSpiel.

    The last three arguments are parameters of the game too:
    `pyspiel.load_game("gdl_connect_four(max_game_length=42)")`. Utilities are zero-sum or
    constant-sum if that is proved (`gdl.Proofs.constant_sum`).

    The first call for a game takes up to a second, for the proofs. Another game of the same name
    replaces the first one. Games are registered in this process alone. A process that unpickles
    states of a game must register the game first.

    Args:
        rules: A `gdl.Game`, or a source for `gdl.load`.
        name: The short name, by default `gdl_` and the name of the game.
        max_game_length: The greatest number of steps of a game, by default `gdl.Proofs.max_steps`
            if it is proved, otherwise 10,000. A longer game ends there, each player with an equal
            share.
        min_utility: The return for a goal of 0.
        max_utility: The return for a goal of 100. Other goals are scaled linearly, and so is the
            equal share for a game that ends without exactly one goal for each role.

    Returns:
        The short name, for `pyspiel.load_game`.

    Raises:
        ValueError: The name or a number is invalid in OpenSpiel, or no role plays. Other errors are
            those of `gdl.load`.
    """
    game = game_of(rules)
    if name is None:
        stem = os.path.splitext(os.path.basename(game.name))[0]
        name = "gdl_" + re.sub(r"\W+", "_", stem, flags=re.ASCII).lower()
        if name in _RULES and _RULES[name].game != game:
            name += "_" + game.fingerprint[:8]
    if not re.fullmatch(r"\w+", name, re.ASCII):
        raise ValueError(f"a short name may have only letters, digits and underscores: {name!r}")
    entry = _Rules(game, name)
    defaults = {
        "max_game_length": entry.max_steps if max_game_length is None else max_game_length,
        "min_utility": float(min_utility),
        "max_utility": float(max_utility),
    }
    entry.check(defaults)
    _RULES[name] = entry
    # The constructor is a class: OpenSpiel releases it after the interpreter has ended, so it must
    # not own anything that is freed with the interpreter.
    pyspiel.register_game(entry.game_type(defaults), type("Game", (_Game,), {"rules": entry, "__module__": __name__}))
    return name


class _Rules:
    """The common data of all states of a registered game."""

    def __init__(self, game: Game, name: str) -> None:
        proofs = game.prove()
        self.game, self.name, self.proofs = game, name, proofs
        self.players = _adapters.players(game)
        if not self.players:
            raise ValueError(f"{game.name} has no role that plays")
        self.player_of = {role: player for player, role in enumerate(self.players)}
        self.chance = None if game.chance_role is None else game.roles.index(game.chance_role)
        self.moves = game.moves
        self.max_steps = _MAX_LENGTH if proofs.max_steps is None else proofs.max_steps
        self.hidden = game.has_hidden_information
        self.seen = len(game.percepts) if self.hidden else len(game.roles) * len(game.moves)
        """The number of tensor entries for a role's percepts of one step."""
        sums = proofs.constant_sum
        self.share = 50.0 if sums is None else sums / len(self.players)
        """The goal of each player if a game ends without goals."""

    def check(self, parameters: Mapping[str, Any]) -> None:
        low, high = parameters["min_utility"], parameters["max_utility"]
        if parameters["max_game_length"] < 1 or not -np.inf < low < high < np.inf:
            raise ValueError(f"a game needs at least one step, and min_utility must be below max_utility: {dict(parameters)}")

    def steps(self, parameters: Mapping[str, Any]) -> int:
        limit = int(parameters["max_game_length"])
        return min(limit, self.max_steps)

    def tensor_shape(self, parameters: Mapping[str, Any]) -> tuple[int, int] | None:
        """Returns the number of steps of an information state tensor, and the number of entries of
        a step. The player row does not count.

        None if the tensor is too large.
        """
        shape = (self.steps(parameters), len(self.moves) + self.seen)
        return shape if shape[0] * shape[1] <= _MAX_TENSOR else None

    def game_type(self, parameters: Mapping[str, Any]) -> Any:
        kinds, low, high = pyspiel.GameType, parameters["min_utility"], parameters["max_utility"]
        utility, (count, total) = kinds.Utility.GENERAL_SUM, (len(self.players), self.utility_sum(low, high))
        if total is not None and count > 1:
            utility = kinds.Utility.CONSTANT_SUM if total else kinds.Utility.ZERO_SUM
        return kinds(
            short_name=self.name,
            long_name=f"{self.game.name} (GDL)",
            dynamics=kinds.Dynamics.SEQUENTIAL if self.proofs.sequential else kinds.Dynamics.SIMULTANEOUS,
            chance_mode=kinds.ChanceMode.DETERMINISTIC if self.chance is None else kinds.ChanceMode.EXPLICIT_STOCHASTIC,
            information=kinds.Information.IMPERFECT_INFORMATION if self.hidden else kinds.Information.PERFECT_INFORMATION,
            utility=utility,
            reward_model=kinds.RewardModel.TERMINAL,
            max_num_players=count,
            min_num_players=count,
            provides_information_state_string=True,
            provides_information_state_tensor=self.tensor_shape(parameters) is not None,
            provides_observation_string=True,
            provides_observation_tensor=True,
            provides_factored_observation_string=False,
            parameter_specification=dict(parameters),
        )

    def utility_sum(self, low: float, high: float) -> float | None:
        sums, count = self.proofs.constant_sum, len(self.players)
        return None if sums is None or count < 2 else round(count * low + sums * (high - low) / 100, 12)

    def game_info(self, parameters: Mapping[str, Any]) -> Any:
        low, high = parameters["min_utility"], parameters["max_utility"]
        goals = [float(goal) for role in self.players for goal in self.game.goals_of(role)] + [self.share]
        steps, proofs = self.steps(parameters), self.proofs
        return pyspiel.GameInfo(
            num_distinct_actions=len(self.moves),
            max_chance_outcomes=0 if self.chance is None else len(self.moves),
            num_players=len(self.players),
            min_utility=low + min(goals) * (high - low) / 100,
            max_utility=low + max(goals) * (high - low) / 100,
            utility_sum=self.utility_sum(low, high),
            max_game_length=steps if proofs.max_decisions is None else min(steps, proofs.max_decisions),
        )


_RULES: dict[str, _Rules] = {}


class _Play:
    """A play: a state and its history. It never changes, so that copies of states share it."""

    __slots__ = ("before", "known", "length", "limit", "moves", "pending", "player", "rules", "state")

    def __init__(
        self,
        rules: _Rules,
        state: State,
        limit: int,
        before: _Play | None = None,
        moves: Any = None,
        pending: dict[int, int] | None = None,
    ) -> None:
        self.rules, self.state, self.limit = rules, state, limit
        self.before = before
        self.moves = moves
        """The moves that led here from the state before, as `State.apply` takes them."""
        self.pending = pending
        """The moves of players that wait for chance."""
        self.known: tuple[Information, ...] | None = None
        self.length: int = 0 if before is None else before.length + 1
        self.player = self._player()

    def _player(self) -> int:
        rules, state = self.rules, self.state
        if self.pending is not None:
            return _CHANCE
        if self.length >= self.limit:
            return _TERMINAL
        asked = state.to_play
        if asked is not None and asked == rules.chance:
            return _CHANCE
        if rules.proofs.sequential:
            return _TERMINAL if asked is None else rules.player_of[asked]
        return _TERMINAL if state.is_terminal or _adapters.is_stuck(state) else _SIMULTANEOUS

    def step(self, moves: Any) -> _Play:
        """Returns the play after moves of players, or a move of chance."""
        rules = self.rules
        if rules.chance is not None:
            if self.player == _CHANCE:
                moves = {**(self.pending or {}), rules.chance: moves}
            else:
                if not isinstance(moves, dict):
                    moves = {rules.players[self.player]: moves}
                drawn = self.state.legal_move_ids(rules.chance)
                if len(drawn) > 1:
                    # Raises an error if a move is not legal.
                    self.state.apply({**moves, rules.chance: drawn[0]})
                    wait = _Play(rules, self.state, self.limit, self.before, self.moves, moves)
                    wait.known = self.known
                    return wait
        return _Play(rules, self.state.apply(moves), self.limit, self, moves)

    def information(self, player: int) -> Information:
        """Returns the information of a player, without a move that waits for chance."""
        way: list[_Play] = []
        play = self
        while play.known is None and play.before is not None:
            way.append(play)
            play = play.before
        if play.known is None:
            play.known = tuple(Information(play.rules.game, role) for role in play.rules.players)
        known = play.known
        for play in reversed(way):
            assert play.before is not None
            state, moves = play.before.state, play.moves
            known = tuple(each.step(state, moves) for each in known)
            play.known = known
        return known[player]

    def waiting(self, player: int) -> int | None:
        """Returns the move of a player that waits for chance."""
        return None if self.pending is None else self.pending.get(self.rules.players[player])

    def line(self) -> tuple[State, list[Any]]:
        """Returns the first state and all moves."""
        moves: list[Any] = []
        play = self
        while play.before is not None:
            moves.append(play.moves)
            play = play.before
        return play.state, moves[::-1]

    def __copy__(self) -> _Play:
        return self

    def __deepcopy__(self, memo: object) -> _Play:
        return self

    def __reduce__(self) -> tuple[Callable[..., _Play], tuple[Any, ...]]:
        start, moves = self.line()
        rules = self.rules
        kif = None if start == rules.game.initial() else start.kif
        return _again, (rules.name, rules.game.fingerprint, self.limit, kif, moves, self.pending)


def _again(name: str, fingerprint: str, limit: int, kif: str | None, moves: list[Any], pending: dict[int, int] | None) -> _Play:
    """Restores a pickled play."""
    rules = _RULES.get(name)
    if rules is None or rules.game.fingerprint != fingerprint:
        raise ValueError(f"the game {name} is not registered here: call gdl.openspiel.register with its rules")
    play = _Play(rules, rules.game.initial() if kif is None else rules.game.state(kif), limit)
    for each in moves:
        play = _Play(rules, play.state.apply(each), limit, play, each)
    return play if pending is None else _Play(rules, play.state, limit, play.before, play.moves, pending)


class _Game(pyspiel.Game):  # type: ignore[misc]
    """A registered game with its parameters; each game has a class of its own."""

    rules: _Rules

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        rules = self.rules
        rules.check(parameters)
        super().__init__(rules.game_type(parameters), rules.game_info(parameters), dict(parameters))
        self.parameters = dict(parameters)
        self._start = _Play(rules, rules.game.initial(), int(parameters["max_game_length"]))

    @property
    def gdl_game(self) -> Game:
        """The game as a `gdl.Game`."""
        return self.rules.game

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self, state: Any = None) -> _State:
        """Returns the initial state, or a given state to start from.

        Args:
            state: KIF text, or a dictionary or struct of a state with `fluents`.

        Raises:
            ValueError: The game has hidden information, or does not have one of the fluents.
        """
        if state is None:
            return _State(self, self._start)
        if self.rules.hidden:
            raise ValueError("a game of hidden information begins at the start: a state does not contain what the roles know")
        if isinstance(state, pyspiel.StateStruct):
            state = state.to_dict()
        fluents = state["fluents"] if isinstance(state, Mapping) else state
        return _State(self, _Play(self.rules, self.rules.game.state(fluents), self._start.limit))

    def max_chance_nodes_in_history(self) -> int:
        """Returns the greatest number of chance nodes in a game."""
        if self.rules.chance is None:
            return 0
        steps, proved = self.rules.steps(self.parameters), self.rules.proofs.max_chances
        return steps if proved is None else min(steps, proved)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Returns an observer of states: see `pyspiel.IIGObservationType`."""
        return _Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class _State(pyspiel.State):  # type: ignore[misc]
    """A state of OpenSpiel. Only its reference to a `_Play` changes."""

    def __init__(self, game: _Game, play: _Play) -> None:
        super().__init__(game)
        self._play = play
        self._scale = (game.parameters["min_utility"], game.parameters["max_utility"])

    @property
    def gdl_state(self) -> State:
        """The state as a `gdl.State`. While players wait for chance it is the one before their
        moves.
        """
        return self._play.state

    def gdl_information(self, player: int) -> Information:
        """Returns the information of a player, without a move of its own that waits for chance."""
        return self._play.information(player)

    def current_player(self) -> int:
        return self._play.player

    def is_terminal(self) -> bool:
        return self._play.player == _TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        play = self._play
        return play.state.legal_move_ids(play.rules.players[player])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        play = self._play
        assert play.player == _CHANCE and play.rules.chance is not None
        # Chance draws its moves with equal probability: see `gdl.State.chance_outcomes`.
        moves = play.state.legal_move_ids(play.rules.chance)
        return [(action, 1 / len(moves)) for action in moves]

    def _apply_action(self, action: int) -> None:
        self._play = self._play.step(action)

    def _apply_actions(self, actions: list[int]) -> None:
        play = self._play
        self._play = play.step(dict(zip(play.rules.players, actions, strict=True)))

    def returns(self) -> list[float]:
        play = self._play
        rules = play.rules
        if play.player != _TERMINAL:
            return [0.0] * len(rules.players)
        all_goals = play.state.goals
        goals = [all_goals[role] for role in rules.players]
        low, high = self._scale
        if not play.state.is_terminal or None in goals:
            return [low + rules.share * (high - low) / 100] * len(goals)
        return [low + (goal or 0) * (high - low) / 100 for goal in goals]

    def _action_to_string(self, player: int, action: int) -> str:
        return self._play.rules.moves[action]

    def __str__(self) -> str:
        play = self._play
        waiting = "" if play.pending is None else " " + " ".join(play.rules.moves[move] for move in play.pending.values())
        return play.state.kif + waiting

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> _State:
        """Draws a state of the player's information set, with a history of its own.

        Each state has its exact probability if all other players choose uniformly.

        Args:
            player: The number of the player.
            sampler: A function that returns numbers from 0 to below 1.

        Returns:
            The state.

        Raises:
            ValueError: The information set is too large (see `gdl.Information.states`).
        """
        play, rules = self._play, self._play.rules
        start, line = play.line()
        state: _State
        if rules.hidden:
            state, line = self.get_game().new_initial_state(), play.information(player).sample(sampler)
        else:
            state = self.get_game().new_initial_state(start.kif)
        for moves in line:
            length = state._play.length
            while state._play.length == length:
                state._follow(moves)
        if play.pending is not None:
            waiting = {}
            for role, move in play.pending.items():
                legal = state._play.state.legal_move_ids(role)
                waiting[role] = move if role == rules.players[player] else legal[int(sampler() * len(legal))]
            state._follow(waiting)
        return state

    def _follow(self, moves: Any) -> None:
        """Makes the moves of the play's current node, taken from the given ones."""
        play = self._play
        of: Callable[[Any], int] = moves.__getitem__ if isinstance(moves, list | dict) else lambda _: moves
        if play.player == _SIMULTANEOUS:
            self.apply_actions([of(role) for role in play.rules.players])
        else:
            self.apply_action(of(play.rules.chance if play.player == _CHANCE else play.rules.players[play.player]))

    def _to_struct(self) -> dict[str, Any]:
        play = self._play
        names = {_CHANCE: "chance", _TERMINAL: "terminal", _SIMULTANEOUS: "simultaneous"}
        rules = play.rules
        asked = names.get(play.player) or rules.game.roles[rules.players[play.player]]
        struct: dict[str, Any] = {"current_player": asked, "fluents": play.state.fluents}
        if play.pending is not None:
            struct["waiting"] = {rules.game.roles[role]: rules.moves[move] for role, move in play.pending.items()}
        return struct

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        return {"move": self._play.rules.moves[action]}

    def _struct_to_actions(self, struct: Mapping[str, Any]) -> list[int]:
        return [self._play.rules.moves.index(struct["move"])]

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        play = self._play
        role = play.rules.game.roles[play.rules.players[player]]
        if not play.rules.hidden:
            return {"role": role, **self._to_struct()}
        return {"role": role, "information": _text(play, player)}


def _text(play: _Play, player: int) -> str:
    """Returns the information state of a player."""
    waiting = play.waiting(player)
    text = str(play.information(player))
    return text if waiting is None else f"{text} {play.rules.moves[waiting]}"


class _Observer:
    """An observer of states: `tensor` of float32, and `dict` with its parts."""

    def __init__(self, game: _Game, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers have no parameters: {params}")
        rules = self.rules = game.rules
        alone = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if rules.hidden and not (alone and kind.public_info):
            raise ValueError("a rulesheet does not divide percepts into private and public ones")
        self.recalls = bool(kind.perfect_recall)
        self.is_shown = bool(kind.public_info)
        shape: tuple[int, ...] | None = (_adapters.width(rules.game),)
        if self.recalls:
            shape = rules.tensor_shape(game.parameters)
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if shape is None or not self.is_shown:
            return
        count = len(rules.players)
        self.tensor = np.zeros(count + int(np.prod(shape)), np.float32)
        rest = self.tensor[count:].reshape(shape)
        self.dict["player"] = self.tensor[:count]
        self.dict["steps" if self.recalls else "observation"] = rest

    def set_from(self, state: _State, player: int) -> None:
        """Writes the tensor of a state for a player.

        The tensor begins with a row of the player. For an observation the row of `gdl.pettingzoo`
        follows. For an information state a row for each step follows, with the own move and the
        percepts or the move of each role.
        """
        if self.tensor is None:
            return
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        play, rules = state._play, self.rules
        if not self.recalls:
            known = play.information(player) if rules.hidden else None
            self.dict["observation"][:] = _adapters.observe(play.state, known, np.float32)
            return
        rows, moves = self.dict["steps"], len(rules.moves)
        known = play.information(player)
        for row, (own, seen) in zip(rows, known.steps, strict=False):
            row[own] = 1
            for place, number in enumerate(seen):
                row[moves + (number if rules.hidden else place * moves + number)] = 1
        waiting = play.waiting(player)
        if waiting is not None:
            rows[len(known)][waiting] = 1

    def string_from(self, state: _State, player: int) -> str:
        """Returns the observation as text.

        With perfect recall, the text is the information state; otherwise it is the state or, if
        information is hidden, the contents of the observation tensor. Empty if the observer shows
        no public information.
        """
        play, rules = state._play, self.rules
        if not self.is_shown:
            return ""
        if self.recalls:
            return _text(play, player)
        if not rules.hidden:
            return str(state)
        known, names = play.information(player), rules.game.percepts
        steps = known.steps
        last = [names[percept] for percept in (steps[-1][1] if steps else [])]
        seen = sorted({percept for _, step in steps for percept in step})
        made = sorted({own for own, _ in steps})
        lists = (last, (names[percept] for percept in seen), (rules.moves[own] for own in made))
        return f"({known.role} {' '.join('(' + ' '.join(each) + ')' for each in lists)})"
