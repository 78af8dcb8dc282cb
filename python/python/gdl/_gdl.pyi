"""The Rust half of the package."""

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from ._batch import Autoreset, Observation, Step
from ._batch import Batch as PythonBatch
from ._errors import Diagnostic
from ._load import GameLike

__all__ = [
    "Batch",
    "Game",
    "Information",
    "Player",
    "Proofs",
    "RoleStats",
    "Solution",
    "State",
    "Stats",
    "__version__",
    "builtin",
    "builtin_text",
    "catalogue",
    "check",
    "circuit",
    "command",
    "levels",
    "load",
    "merge",
    "near",
    "planes",
    "rulesheets",
    "shard",
]

__version__: str

_Name: TypeAlias = str | int
"""A role or a move: its KIF text, or its number."""
_Moves: TypeAlias = Sequence[_Name] | Mapping[str, _Name] | Mapping[int, _Name] | _Name
"""A joint move, in one of three forms: the moves of all roles in role order; a mapping from roles
to moves; or the move of the only role that has a choice. A role that a mapping leaves out makes its
only legal move.
"""

@final
class Game:
    """A game: rules that are ready to be played. It never changes, and threads may share it.

    Made by `gdl.load` and `gdl.loads`.
    """

    @property
    def name(self) -> str:
        """The name of the game in messages."""
    @property
    def kif(self) -> str:
        """The text of the rulesheet, unchanged."""
    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings of the rulesheet in the order of its text, without the allowed ones."""
    @property
    def fingerprint(self) -> str:
        """SHA-256 of the rulesheet's words and parentheses, one space between them, as 64
        hexadecimal digits. Words of KIF are in small letters unless the game is case-sensitive.

        Equal for KIF rulesheets that differ in white space, comments and case alone. In other
        syntaxes, only comments that begin with `;` are ignored. The same in every version of the
        package.
        """
    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the roles, in the order of the rulesheet."""
    @property
    def moves(self) -> tuple[str, ...]:
        """All moves of all roles, in the byte order of their texts.

        The number of a move is its index here.
        """
    @property
    def fluents(self) -> tuple[str, ...]:
        """All fluents, in the byte order of their texts.

        The number of a fluent is its index here.
        """
    @property
    def percepts(self) -> tuple[str, ...]:
        """All percepts, in the byte order of their texts. The number of a percept is its index
        here. Empty if each role perceives the joint move.
        """
    @property
    def has_hidden_information(self) -> bool:
        """True if the rules define percepts (`sees`). Otherwise each role sees the state and all
        moves.
        """
    @property
    def chance_role(self) -> str | None:
        """The role of chance, `random` in rulesheets. None if the game has no chance."""
    @property
    def engine(self) -> Literal["table", "events", "lifted"]:
        """The evaluation engine.

        `table` evaluates the whole net. `events` evaluates only changes, which is faster if the net
        is large. `lifted` interprets the rules in each state if they are too large for a net.
        """
    def prove(self) -> Proofs:
        """Proves properties of the game.

        The first call takes at most about a second for small rules, with the GIL released. The game
        keeps the result.
        """
    def moves_of(self, role: _Name) -> list[int]:
        """Returns the numbers of the moves that a role can ever make, ascending.

        Args:
            role: The name or number of the role.

        Returns:
            Indices into `moves`.

        Raises:
            KeyError: The game has no role of this name.
            IndexError: The game has no role of this number.
        """
    def goals_of(self, role: _Name) -> list[int]:
        """Returns the goal values that a role can ever have, ascending.

        Args:
            role: The name or number of the role.

        Returns:
            Goal values, from 0 to 100.

        Raises:
            KeyError: The game has no role of this name.
            IndexError: The game has no role of this number.
        """
    def initial(self) -> State:
        """Returns the initial state."""
    def state(self, fluents: str | Iterable[str]) -> State:
        """Returns the state in which exactly the given fluents hold.

        Args:
            fluents: KIF text such as `((cell 1 1 b) (control x))`, or the texts of fluents in any
                order.

        Returns:
            The state, which play need not be able to reach.

        Raises:
            ValueError: The text is malformed, or the game does not have one of the fluents.
        """
    def perft(self, depth: int) -> list[int]:
        """Counts the sequences of joint moves from the initial state.

        The GIL is released. Ctrl-C cancels the count.

        Args:
            depth: The greatest length of a sequence, in joint moves.

        Returns:
            The numbers of sequences of 1, 2, .. `depth` joint moves.

        Raises:
            ValueError: The evaluation of a state exceeds its limits, which is possible only if the
                rules are interpreted.
        """
    def playouts(
        self,
        count: int | None = None,
        seed: int = 0,
        threads: int = 0,
        *,
        seconds: float | None = None,
        max_length: int | None = None,
        progress: Callable[[int], object] | bool | None = None,
        engine: Literal["gpu"] | None = None,
        device: str | None = None,
    ) -> Stats:
        """Plays random games.

        Equal rules, engine, seed and count give equal counts, for any number of threads. The GIL is
        released. Ctrl-C, or an exception of `progress`, cancels the games.

        The engine `gpu` needs a package built with the feature `gpu`, unless `device` is `emulate`.
        Its counts are the same on each graphics card and differ from those of other engines.

        Args:
            count: The number of games. By default 10,000, or as many as `seconds` allow.
            seed: The seed of the random moves.
            threads: The number of threads; 0 means one for each processor. It must be 0 for `gpu`.
            seconds: The time limit, in seconds.
            max_length: The number of joint moves after which a game is abandoned, by default
                10,000.
            progress: A function that is called with the number of games so far, several times a
                second; True shows a bar.
            engine: `gpu` plays on a graphics card. By default the processor plays.
            device: A part of the graphics card's name, by default the fastest card; `emulate`
                emulates a card on the processor, slowly.

        Returns:
            The counts of results, lengths and time.

        Raises:
            ValueError: An option is invalid, graphics cards cannot play the game, or the evaluation
                of a state exceeds its limits, which is possible only if the rules are interpreted.
            OSError: The package was built without `gpu`, or no card was found, or the card failed.
        """
    def analyze(self, count: int = 1_000, seed: int = 0, threads: int = 0) -> dict[str, Any]:
        """Computes statistics of random games, those that `gdl analyze --json` prints.

        The result depends on `count` and `seed` alone. The GIL is released. Ctrl-C cancels the
        analysis.

        Args:
            count: The number of games that are followed move by move. A hundred times as many are
                played for the outcome.
            seed: The seed of the random moves.
            threads: The number of threads; 0 means one for each processor.

        Returns:
            The branching factor, length, states, size of the game tree, outcome by role, openings
            and plies, as a dictionary.

        Raises:
            ValueError: `count` is 0, or the evaluation of a state exceeds its limits, which is
                possible only if the rules are interpreted.
        """
    def solve(
        self,
        state: State | None = None,
        *,
        max_bytes: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
    ) -> Solution:
        """Solves every state that play can reach from a state.

        The game must have one role, or two that take turns, and no chance. Ctrl-C cancels the
        search.

        Args:
            state: The first state, by default the initial one.
            max_bytes: The memory limit in bytes, by default 1 GiB.
            seconds: The time limit, in seconds.
            nodes: The limit of visited states.

        Returns:
            The values and best moves of the states.

        Raises:
            ValueError: The game is of another kind, the state is of another game, or a limit is
                exceeded.
        """
    def batch(
        self,
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
    ) -> PythonBatch:
        """Returns `n` games that are stepped together. See `gdl.batch` for arguments and errors."""
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: object, /) -> Game: ...

@final
class Proofs:
    """The proved properties of a game.

    They follow from its net or, if play can reach few states, from visiting all of them. A property
    that is not proved may still hold.
    """

    @property
    def sequential(self) -> bool:
        """True if in each state at most one role, except chance, has more than one legal move."""
    @property
    def constant_sum(self) -> int | None:
        """The sum of the goals of all roles except chance, if it is the same wherever a game ends.

        If not each role has exactly one goal, each goal counts as 50. None if no constant sum is
        proved.
        """
    @property
    def states(self) -> int | None:
        """The number of states that play can reach. None if not all were visited."""
    @property
    def max_steps(self) -> int | None:
        """The greatest length of a game, in joint moves. None if no bound is proved."""
    @property
    def max_decisions(self) -> int | None:
        """The greatest number of decision steps in a game. None if no bound is proved.

        In such a step a role other than chance has a choice, or no role has one, chance included.
        """
    @property
    def max_chances(self) -> int | None:
        """The greatest number of steps in which chance has several moves. None if no bound is
        proved.
        """

@final
class State(Hashable):
    """A state of a game: the fluents that hold. It never changes; `apply` returns another one."""

    @property
    def game(self) -> Game:
        """The game."""
    def legal_moves(self, role: _Name) -> list[str]:
        """Returns the legal moves of a role, in move order.

        Args:
            role: The name or number of the role.

        Returns:
            The moves as KIF text.

        Raises:
            KeyError: The game has no role of this name.
            IndexError: The game has no role of this number.
        """
    def legal_move_ids(self, role: _Name) -> list[int]:
        """Returns the numbers of the legal moves of a role, ascending.

        Args:
            role: The name or number of the role.

        Returns:
            Indices into `Game.moves`.

        Raises:
            KeyError: The game has no role of this name.
            IndexError: The game has no role of this number.
        """
    def apply(self, moves: _Moves) -> State:
        """Returns the successor state.

        Args:
            moves: The moves of all roles in role order; a mapping from roles to moves, in which a
                role with one legal move may be left out; or the move of the only role that has a
                choice.

        Returns:
            The state after the joint move.

        Raises:
            IllegalMoveError: A move is not legal, the game is over, or the number of moves is
                wrong.
            KeyError: A text names no move or role of the game.
            IndexError: A number is not one of a move or role of the game.
            ValueError: A role without a given move does not have exactly one legal move.
        """
    @property
    def is_terminal(self) -> bool:
        """True if the game is over."""
    @property
    def to_play(self) -> int | None:
        """The number of the role to move.

        It is the only role, other than chance, that has a choice. If none has a choice, it is
        chance if chance has one; otherwise the role whose turn it is, if `Proofs.sequential`. None
        if the game is over, several roles have a choice, a role has no legal move, or the turn is
        unknown.
        """
    def goal(self, role: _Name) -> int | None:
        """Returns the goal value of a role, from 0 to 100.

        Args:
            role: The name or number of the role.

        Returns:
            The value. None if no value holds or several do, as is common before the end.

        Raises:
            KeyError: The game has no role of this name.
            IndexError: The game has no role of this number.
        """
    @property
    def goals(self) -> list[int | None]:
        """The goal value of each role in role order, as `goal` returns it."""
    def percepts(self, role: _Name, moves: _Moves) -> tuple[str, ...]:
        """Returns the percepts of a role after a joint move in this state.

        Args:
            role: The name or number of the role.
            moves: The joint move, as for `apply`.

        Returns:
            The percepts, or the moves of all roles if the rules define no percepts.

        Raises:
            IndexError: The game has no role of this number.
            KeyError: The game has no role of this name.
            IllegalMoveError: A move is not legal. The other errors are those of `apply`.
        """
    def chance_outcomes(self) -> list[tuple[str, Fraction]]:
        """Returns the moves of chance in this state and their exact probabilities.

        Returns:
            Pairs of a move and its probability. Empty if the game has no chance.
        """
    @property
    def fluents(self) -> list[str]:
        """The fluents that hold, in fluent order."""
    @property
    def fluent_ids(self) -> list[int]:
        """The numbers of the fluents that hold, ascending: indices into `Game.fluents`."""
    def holds(self, fluent: str) -> bool:
        """Returns true if a fluent holds.

        Args:
            fluent: The fluent as KIF text.

        Raises:
            ValueError: The game does not have the fluent.
        """
    @property
    def kif(self) -> str:
        """The state as KIF text, which `Game.state` reads."""
    def to_dict(self) -> dict[str, Any]:
        """Returns the state as a dictionary that JSON can represent.

        Returns:
            `game`, its fingerprint; `fluents`; `terminal`; and for each role `legal` and `goals`.
        """
    def to_json(self) -> str:
        """Returns `to_dict` as JSON text."""
    def board(self) -> str | None:
        """Returns the board as lines of text. None if the names of the fluents show no board."""
    def _repr_svg_(self) -> str | None:
        """Returns the board as SVG, which notebooks show, for light and dark pages.

        None if `board` returns None; notebooks then show the text of the state.
        """
    def clone(self) -> State:
        """Returns the state itself, which never changes."""
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: object, /) -> State: ...

@final
class Information(Hashable):
    """The information of a role in a play: its moves, and its percepts of each step. It never
    changes.

    Equal for plays that the role cannot distinguish. Its text is canonical: an information state
    string.
    """

    def __new__(cls, game: GameLike, role: _Name) -> Information: ...
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def role(self) -> str:
        """The role that has the information."""
    def step(self, state: State, moves: _Moves) -> Information:
        """Returns the information of the role after a joint move.

        Args:
            state: The state in which the moves are made.
            moves: The joint move, as for `State.apply`.

        Returns:
            The information, one step longer.

        Raises:
            ValueError: The state is of another game. The other errors are those of `State.apply`.
        """
    def tell(self, action: _Name, perceived: str) -> Information:
        """Returns the information of the role after a step that it perceives.

        Args:
            action: The move of the role, as text or number.
            perceived: Its percepts as KIF text, such as `((open 3))`.

        Returns:
            The information, one step longer.

        Raises:
            ValueError: `perceived` is malformed, or names what the game does not have.
            KeyError: The game has no move of this text.
            IndexError: The game has no move of this number.
        """
    def states(self, max_states: int | None = None, max_joints: int | None = None) -> list[tuple[State, Fraction]]:
        """Returns the information set: the states that agree with the information.

        Args:
            max_states: The greatest number of states after each step.
            max_joints: The greatest number of joint moves that a step may try.

        Returns:
            Pairs of a state and its exact probability if all other roles draw their moves
            uniformly.

        Raises:
            ValueError: No state agrees with the information, or a limit is exceeded.
        """
    @property
    def steps(self) -> list[tuple[int, list[int]]]:
        """For each step the number of the role's move, and the numbers of its percepts.

        Percepts are indices into `Game.percepts`. If the rules define no percepts, the moves of all
        roles stand for them.
        """
    def sample(self, random: Callable[[], float]) -> list[list[int]]:
        """Draws a play that agrees with the information.

        Each play has its exact probability if all other roles draw their moves uniformly.

        Args:
            random: A function that returns a number from 0 to below 1, such as
                `random.Random(1).random`. It is called once for each step and once more.

        Returns:
            The joint move of each step, as indices into `Game.moves`.

        Raises:
            ValueError: No play agrees with the information, or a limit of `states` is exceeded.
        """
    def __len__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Player:
    """A player that decides for a role in one match after the other.

    Players with equal seeds and equal `nodes`, each with one thread, make equal moves.

    Args:
        game: A `Game`, or a source for `gdl.load`.
        role: The name or number of the role.
        kind: `best`, `first`, `random`, `greedy`, `flat`, `mcts`, `ismcts`, `equilibrium`,
            `planner`, `alphabeta`, `paranoid` or `perfect`, as in `gdl match`; or `learned:FILE`
            by a file of `gdl train`.
        seed: The seed of the player's random numbers.
        threads: The number of threads, from 1 to 256.
        depth: The depth limit of the search, in joint moves.
        max_bytes: The memory limit in bytes.

    Raises:
        ValueError: No player has this kind, or the file is not a net of the game.
        KeyError: The game has no role of this name.
        IndexError: The game has no role of this number.
    """

    def __new__(
        cls,
        game: GameLike,
        role: _Name,
        kind: str = "best",
        *,
        seed: int = 0,
        threads: int = 1,
        depth: int | None = None,
        max_bytes: int | None = None,
    ) -> Player: ...
    @property
    def kind(self) -> str:
        """The kind of the player, such as `mcts`."""
    @property
    def role(self) -> str:
        """The role that the player decides for."""
    def choose(self, information: Information, seconds: float | None = None, nodes: int | None = None) -> str:
        """Chooses a legal move.

        The limit is one second if neither `seconds` nor `nodes` is given. The GIL is released.
        Ctrl-C cancels the search.

        Args:
            information: The information of the player's role.
            seconds: The time limit, in seconds.
            nodes: The limit of visited nodes.

        Returns:
            The move as KIF text.

        Raises:
            ValueError: The information is of another game or role, or the role has no legal move.
            RuntimeError: Another thread uses the player.
        """

@final
class Solution:
    """The values of every state that play can reach, made by `Game.solve`.

    Its length is the number of states that it stores.
    """

    def value(self, state: State, role: _Name) -> tuple[float, int | None]:
        """Returns the goal of a role under perfect play, and the number of moves until it is
        reached.

        Args:
            state: A state that play can reach.
            role: The name or number of the role.

        Returns:
            The goal value, and the number of moves if the role that is ahead hurries and the other
            delays. The number is None if neither is ahead.

        Raises:
            ValueError: Play cannot reach the state, or it is of another game.
            KeyError: The game has no role of this name.
            IndexError: The game has no role of this number.
        """
    def best(self, state: State, role: _Name) -> str | None:
        """Returns a best move of a role.

        Args:
            state: A state of the game.
            role: The name or number of the role.

        Returns:
            The move as KIF text. None if the role has no move, or the game is over.

        Raises:
            ValueError: The state is of another game.
            KeyError: The game has no role of this name.
            IndexError: The game has no role of this number.
        """
    def __len__(self) -> int: ...

@final
class RoleStats:
    """The results of one role other than chance."""

    @property
    def role(self) -> str: ...
    @property
    def wins(self) -> int:
        """The number of games in which the role's goal is above all others. In a game with one
        role, the number of games with a goal of 100.
        """
    @property
    def draws(self) -> int:
        """The number of games in which the role shares the greatest goal."""
    @property
    def losses(self) -> int:
        """The number of all other scored games."""
    @property
    def mean_goal(self) -> float:
        """The mean goal value of scored games, from 0 to 100."""
    @property
    def goal_error(self) -> float:
        """The standard error of `mean_goal`."""
    @property
    def goals(self) -> int:
        """The sum of the goal values of scored games."""
    @property
    def squares(self) -> int:
        """The sum of the squared goal values of scored games."""

@final
class Stats:
    """The totals of random games, as exact counts."""

    @property
    def playouts(self) -> int:
        """The number of games played, including unfinished ones."""
    @property
    def states(self) -> int:
        """The number of states in which moves were made, which is the number of joint moves."""
    @property
    def too_long(self) -> int:
        """The number of games abandoned because they reached the greatest length."""
    @property
    def stuck(self) -> int:
        """The number of games abandoned because a role had no legal move."""
    @property
    def unscored(self) -> int:
        """The number of games that ended without exactly one goal value for each role."""
    @property
    def mean_length(self) -> float:
        """The mean number of joint moves of a game."""
    @property
    def seed(self) -> int: ...
    @property
    def threads(self) -> int:
        """The number of threads that played; 0 for a graphics card."""
    @property
    def seconds(self) -> float:
        """Seconds from start to end. For a graphics card, seconds after its driver compiled the
        rules.
        """
    @property
    def cpu_seconds(self) -> float:
        """Seconds of processor time of all threads; 0 for a graphics card."""
    @property
    def engine(self) -> Literal["single", "lanes", "table lanes", "gpu"]:
        """The engine that played."""
    @property
    def device(self) -> str | None:
        """The name of the graphics card that played; None if the processor did."""
    @property
    def roles(self) -> list[RoleStats]:
        """The results of each role other than chance."""

@final
class Batch:
    """The Rust half of `gdl.Batch`."""

    def __new__(
        cls,
        game: Game,
        n: int,
        seed: int,
        autoreset: str,
        packed: bool,
        percepts: bool,
        planes: bool,
        simultaneous: bool,
        single: bool,
        threads: int,
    ) -> Batch: ...
    @property
    def sequential(self) -> bool: ...
    @property
    def engine(self) -> str: ...
    @property
    def observation_shape(self) -> list[int]: ...
    @property
    def mask_shape(self) -> list[int]: ...
    @property
    def action_shape(self) -> list[int]: ...
    def step(self, actions: NDArray[np.int32] | NDArray[np.int64], out: Step) -> None: ...
    def reset(self, out: Step, seed: int | list[int] | None = None, marked: NDArray[np.bool_] | None = None) -> None: ...
    def state(self, index: int) -> State: ...

def load(
    text: str | bytes,
    name: str = "rules",
    *,
    untrusted: bool = False,
    max_bytes: int | None = None,
    max_steps: int | None = None,
    case_sensitive: bool = False,
    lifted: bool = False,
    lenient: bool = False,
    seconds: float | None = None,
    allow: str | Iterable[str] = ...,
    deny: str | Iterable[str] = ...,
    warn: str | Iterable[str] = ...,
) -> Game: ...
def command(launcher: Sequence[str], arguments: Sequence[str]) -> int:
    """Runs the `gdl` command.

    Args:
        launcher: The words that start the command in a new process.
        arguments: The program, then its arguments.

    Returns:
        The exit code.
    """

def builtin(name: str) -> Game: ...
def builtin_text(name: str) -> str | None:
    """Returns the rulesheet of a built-in game. None if no game has this name."""

def near(name: str) -> str:
    """Returns `; did you mean ...?` with the most similar name of a built-in game.

    The text is empty if no name is similar.
    """

def catalogue() -> list[tuple[str, int, bool]]:
    """Returns name, number of players and whether it is compiled in, for each built-in game by
    name.
    """

def circuit(game: Game) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], list[bytes]]:
    """Returns the circuit of a game before it is optimised.

    Signals are twice a gate, plus 1 if complemented. Gates are the constant, the fluents, the moves
    of each role, and conjunctions.

    Returns:
        The start of each conjunction's operands, and the operands. After these the outputs: the
        next value of each fluent, the legality of each role's moves, the end, and the goals of each
        role. The last item has the goal values of each role.

    Raises:
        ValueError: The game has no net.
    """

_Levels: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]

def levels(
    game: Game,
) -> tuple[_Levels, _Levels | None, list[list[int]], tuple[list[tuple[int, int | None]], int | None]]:
    """Returns the net of a game as levels of three-input gates.

    Returns:
        The circuit of the step, and that of the goals if it is separate, each as gates, level sizes
        and outputs. After these the percepts of each role. The last item has the role to move for
        each fluent that shows the turn, and the role to move if no such fluent holds.

    Raises:
        ValueError: The game has no net.
    """

def planes(game: Game) -> tuple[list[str], int, int, list[int]]:
    """Returns channels, height, width and the number of the fluent at each place: see `gdl.planes`.

    Raises:
        ValueError: The fluents show no board, or there would be more than 2^20 places.
    """

def check(
    text: str,
    name: str = "rules",
    *,
    allow: str | Iterable[str] = ...,
    deny: str | Iterable[str] = ...,
    warn: str | Iterable[str] = ...,
) -> list[Diagnostic]:
    """Returns the errors and warnings of a rulesheet, in the order of its text.

    Args:
        text: The text of the rulesheet.
        name: The name of the rulesheet in messages.
        allow: Lints to silence, as for `gdl.load`.
        deny: Lints to treat as errors, as for `gdl.load`.
        warn: Lints to treat as warnings, as for `gdl.load`.

    Returns:
        The diagnostics.

    Raises:
        ValueError: A lint does not exist.
    """

def shard(
    subject: Game | Sequence[tuple[str, str]],
    request: str,
    seed: int,
    blocks: tuple[int, int] | None = None,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
) -> str:
    """Computes blocks of a job, by default all of them. See `gdl.shard`.

    Raises:
        ValueError: The job is invalid, or fails.
    """

def merge(documents: Sequence[tuple[str, str]]) -> str:
    """Merges documents, each with a name for messages, into one. See `gdl.merge`.

    Raises:
        ValueError: The documents do not belong together.
    """

def rulesheets(folder: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Returns the names and texts of the rulesheets in a folder.

    Raises:
        OSError: The folder cannot be read.
    """
