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
"""A joint move: the moves of all roles in role order; a mapping from roles to moves, where roles that are left out make their
only legal move; or the move of the only role that has a choice."""

@final
class Game:
    """A game: rules that are ready to be played. It never changes and may be shared by threads.

    Made by `gdl.load` and `gdl.loads`."""

    @property
    def name(self) -> str:
        """What the game is called in messages."""
    @property
    def kif(self) -> str:
        """The rulesheet, as it was given."""
    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings of the rulesheet, in the order of the text; none that was allowed."""
    @property
    def fingerprint(self) -> str:
        """SHA-256 of the rulesheet's words and parentheses, one space between them, as 64 hexadecimal
        digits. Words of KIF are in small letters unless the game is case-sensitive.

        Equal for rulesheets that differ in white space, comments and, in KIF, case alone; the same in
        every version of the package."""
    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the roles, in the order of the rulesheet."""
    @property
    def moves(self) -> tuple[str, ...]:
        """All moves of all roles, in the byte order of their texts: the number of a move is its place here."""
    @property
    def fluents(self) -> tuple[str, ...]:
        """All fluents, in the byte order of their texts: the number of a fluent is its place here."""
    @property
    def percepts(self) -> tuple[str, ...]:
        """All percepts, in the byte order of their texts; none if each role perceives the joint move."""
    @property
    def has_hidden_information(self) -> bool:
        """True if the rules say what the roles perceive (`sees`); else all see everything."""
    @property
    def chance_role(self) -> str | None:
        """The role that stands for chance, if there is one: in rulesheets `random`."""
    @property
    def engine(self) -> Literal["table", "events", "lifted"]:
        """`table`; `events` if the net is so vast that evaluating what changes takes less; or `lifted` if the rules are too large
        for a net and are evaluated state by state."""
    @property
    def proofs(self) -> Proofs:
        """What is proved of the game: found when it is first asked for, in a second at most where rules are small, then kept. The GIL is
        released."""
    def moves_of(self, role: _Name) -> list[int]:
        """The numbers of the moves that a role may ever make, ascending."""
    def goals_of(self, role: _Name) -> list[int]:
        """The goal values that a role may ever have, ascending."""
    def initial(self) -> State:
        """The state at the start."""
    def state(self, fluents: str | Iterable[str]) -> State:
        """The state in which exactly these fluents hold: KIF text such as `((cell 1 1 b) (control x))`, or texts of fluents.

        Whether play can reach it is not asked. Raises `ValueError` if the game does not have one of them."""
    def perft(self, depth: int) -> list[int]:
        """The numbers of sequences of 1, 2, .. `depth` joint moves from the initial state.

        The GIL is released; Ctrl-C ends it."""
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
        """Plays `count` random games, 10,000 unless told otherwise, or as many as there is time for.

        Equal rules, engine, seed and count give equal counts, whatever the threads; 0 means one for each processor. A game that is
        not over after `max_length` moves, 10,000 unless told otherwise, is given up. `progress` is called with the number of games so
        far a few times a second; True shows a bar. The GIL is released; Ctrl-C, and an exception of `progress`, end it.

        The engine `gpu` is a graphics card: the fastest one, or the one with `device` in its name; `emulate` is no card, but the processor
        doing the same, slowly. Both give the same counts, which are not those of other engines. Cards want a package that was built with
        the feature `gpu`. Raises `ValueError` for games that cards do not play, `OSError` where there is no card, or it fails."""
    def analyze(self, count: int = 1_000, seed: int = 0, threads: int = 0) -> dict[str, Any]:
        """What random games show, as `gdl analyze --json` prints it: branching, length, states, size of the tree, outcome by role,
        openings, plies.

        `count` games are followed move by move, and a hundred times as many are played for the outcome. Depends on `count` and `seed` alone;
        0 threads means one for each processor. The GIL is released; Ctrl-C ends it. Raises `ValueError` for a count of 0, and where
        states of rules that are not grounded take too much."""
    def solve(
        self,
        state: State | None = None,
        *,
        max_bytes: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
    ) -> Solution:
        """What comes of every state that play can reach from a state, the initial one unless told otherwise.

        For games of one role, or two that take turns, without chance. Raises `ValueError` for others, and if that takes more than
        `max_bytes` (1 GiB), `seconds` or `nodes`. Ctrl-C ends it."""
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
        """Many games at once: see `gdl.batch`."""
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: object, /) -> Game: ...

@final
class Proofs:
    """What is proved of a game, by its net, or as all states that play can reach were visited, where they are few. What is not
    proved may be true all the same."""

    @property
    def sequential(self) -> bool:
        """True if in each state at most one role, other than chance, has more than one legal move."""
    @property
    def constant_sum(self) -> int | None:
        """What the goals of all roles but chance add up to wherever a game ends. Where not each has exactly one goal, they
        count as 50."""
    @property
    def states(self) -> int | None:
        """The number of states that play can reach."""
    @property
    def max_steps(self) -> int | None:
        """The most joint moves of a game."""
    @property
    def max_decisions(self) -> int | None:
        """The most of them in which a role other than chance has a choice, or none has one, chance included."""
    @property
    def max_chances(self) -> int | None:
        """The most of them in which chance has several moves."""

@final
class State(Hashable):
    """A state of a game: the fluents that hold. It never changes; `apply` gives another one."""

    @property
    def game(self) -> Game:
        """The game."""
    def legal_moves(self, role: _Name) -> list[str]:
        """The moves that a role may make, in move order. `KeyError` or `IndexError` for a role that the game does not have."""
    def legal_move_ids(self, role: _Name) -> list[int]:
        """The numbers of the moves that a role may make, ascending."""
    def apply(self, moves: _Moves) -> State:
        """The state that follows.

        Raises `IllegalMoveError` if a move is not legal, the game is over, or there is not one move for each role; `KeyError` for
        texts that name no move or role; `ValueError` if a role that was left out has several moves."""
    @property
    def is_terminal(self) -> bool:
        """True if the game is over."""
    @property
    def to_play(self) -> int | None:
        """The number of the role that is asked: the only one, other than chance, that has a choice. If none has, chance if it has one; if
        it has none either, the role whose turn it is, if `Proofs.sequential`. None where the game is over, several have a choice or
        one has no legal move, and where it cannot be told."""
    def goal(self, role: _Name) -> int | None:
        """The goal value of a role: None if no value holds or several do, as is common before the end."""
    @property
    def goals(self) -> list[int | None]:
        """The goal value of each role, in role order."""
    def percepts(self, role: _Name, moves: _Moves) -> tuple[str, ...]:
        """What a role perceives when these moves are made here: percepts, or the moves of all roles where the rules give none."""
    def chance_outcomes(self) -> list[tuple[str, Fraction]]:
        """What chance may do here and how likely each is, exactly. Nothing if the game has no chance."""
    @property
    def fluents(self) -> list[str]:
        """The fluents that hold, in fluent order."""
    @property
    def fluent_ids(self) -> list[int]:
        """The numbers of the fluents that hold, ascending: places in `Game.fluents`."""
    def holds(self, fluent: str) -> bool:
        """True if the fluent holds. `ValueError` if the game does not have it."""
    @property
    def kif(self) -> str:
        """The state as KIF text; `Game.state` reads it."""
    def to_dict(self) -> dict[str, Any]:
        """`game` (its fingerprint), `fluents`, `terminal`, `legal` and `goals` of each role."""
    def to_json(self) -> str:
        """`to_dict` as JSON."""
    def board(self) -> str | None:
        """The board as lines of text. None if the names of the fluents show none."""
    def _repr_svg_(self) -> str | None:
        """The board as SVG, which notebooks show; for light and dark. None as for `board`: then they show the text."""
    def clone(self) -> State:
        """The state itself, which never changes."""
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: object, /) -> State: ...

@final
class Information(Hashable):
    """All that a role knows of a play: its moves, and what it perceived of each step. It never changes.

    Equal for plays that the role cannot tell apart. Its text is canonical: an information state string."""

    def __new__(cls, game: GameLike, role: _Name) -> Information: ...
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def role(self) -> str:
        """Whose information it is."""
    def step(self, state: State, moves: _Moves) -> Information:
        """What the role knows once these moves were made in a state. Errors are those of `State.apply`."""
    def tell(self, action: _Name, perceived: str) -> Information:
        """What the role knows once it was told of a step: its move, and what it perceived as KIF text such as `((open 3))`."""
    def states(self, max_states: int | None = None, max_joints: int | None = None) -> list[tuple[State, Fraction]]:
        """The states that fit, each with its exact probability if all other roles draw their moves uniformly.

        Raises `ValueError` if none fits, or more states or joint moves than the limits would have to be looked at."""
    @property
    def steps(self) -> list[tuple[int, list[int]]]:
        """For each step the number of the role's move, and the numbers of what it perceived, places in `Game.percepts`; where the rules
        give no percepts, the moves of all roles."""
    def sample(self, random: Callable[[], float]) -> list[list[int]]:
        """A play that fits, drawn with its exact probability if all other roles draw their moves uniformly: the joint move of each
        step, as numbers.

        `random` gives a number from 0 to below 1, such as `random.Random(1).random`; it is called once for each step and once
        more. Raises `ValueError` as `states` does."""
    def __len__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Player:
    """Decides for a role, match after match: `best`, `first`, `random`, `greedy`, `flat`, `mcts`, `ismcts`, `equilibrium`, `planner`,
    `alphabeta`, `paranoid` or `perfect`, as in `gdl match`. With the same seed, `nodes` and one thread it makes the same moves."""

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
        """What it is called."""
    @property
    def role(self) -> str:
        """For whom it decides."""
    def choose(self, information: Information, seconds: float | None = None, nodes: int | None = None) -> str:
        """A legal move where the information leads to, found within a second unless told otherwise. The GIL is released; Ctrl-C ends
        it. Raises `ValueError` if the information is of another game or role, or the role has no move there."""

@final
class Solution:
    """What comes of every state that play can reach. Made by `Game.solve`; its length is the number of states kept."""

    def value(self, state: State, role: _Name) -> tuple[float, int | None]:
        """The goal that a role gets if both play as well as can be, and after how many moves if the one who is ahead hurries and the
        other does not; None where neither is ahead. `ValueError` if play does not come to the state."""
    def best(self, state: State, role: _Name) -> str | None:
        """A best move of a role; None if it has none, or the game is over."""
    def __len__(self) -> int: ...

@final
class RoleStats:
    """The results of one role. Chance has none."""

    @property
    def role(self) -> str: ...
    @property
    def wins(self) -> int:
        """Games in which the role's goal is above all others; of a role that has no others, games with 100."""
    @property
    def draws(self) -> int:
        """Games in which the role shares the greatest goal."""
    @property
    def losses(self) -> int:
        """All other scored games."""
    @property
    def mean_goal(self) -> float:
        """The mean goal value of scored games, from 0 to 100."""
    @property
    def goal_error(self) -> float:
        """Its standard error."""
    @property
    def goals(self) -> int:
        """The sum of the goal values."""
    @property
    def squares(self) -> int:
        """The sum of their squares."""

@final
class Stats:
    """What random games added up to: exact counts."""

    @property
    def playouts(self) -> int:
        """Games played, unfinished ones included."""
    @property
    def states(self) -> int:
        """States in which moves were made: the number of joint moves."""
    @property
    def too_long(self) -> int:
        """Games given up because they reached the greatest length."""
    @property
    def stuck(self) -> int:
        """Games given up because a role had no legal move."""
    @property
    def unscored(self) -> int:
        """Games that ended without exactly one goal value for each role."""
    @property
    def mean_length(self) -> float:
        """The mean number of joint moves of a game."""
    @property
    def seed(self) -> int: ...
    @property
    def threads(self) -> int:
        """Threads that played; 0 if a graphics card did."""
    @property
    def seconds(self) -> float:
        """Seconds from start to end; of a graphics card those after its driver compiled the rules."""
    @property
    def cpu_seconds(self) -> float:
        """Seconds of processor time, of all threads; 0 if a graphics card played."""
    @property
    def engine(self) -> Literal["single", "lanes", "table lanes", "gpu"]:
        """How the games were played."""
    @property
    def device(self) -> str | None:
        """The name of the graphics card that played; None if the processor did."""
    @property
    def roles(self) -> list[RoleStats]:
        """The results of each role other than chance."""

@final
class Batch:
    """What `gdl.Batch` is made of."""

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
    """Run the `gdl` command with arguments, the program first, and return its exit code."""

def builtin(name: str) -> Game: ...
def builtin_text(name: str) -> str | None:
    """The rulesheet of a built-in game; None if no game has this name."""

def near(name: str) -> str:
    """`; did you mean ...?` with the built-in game whose name is nearest; empty if none is near."""

def catalogue() -> list[tuple[str, int, bool]]:
    """Name, number of players and whether it is compiled in, of each built-in game, by name."""

_Levels: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]

def levels(
    game: Game,
) -> tuple[_Levels, _Levels | None, list[list[int]], tuple[list[tuple[int, int | None]], int | None]]:
    """The net of a game as gates, sizes of levels and outputs: that of the step, and that of the
    goals if it is apart; the percepts of each role; and the role of each fluent that shows whose
    turn it is, with the role if none of them holds."""

def planes(game: Game) -> tuple[list[str], int, int, list[int]]:
    """Channels, height, width, and for each place the number of its fluent: see `gdl.planes`."""

def check(
    text: str,
    name: str = "rules",
    *,
    allow: str | Iterable[str] = ...,
    deny: str | Iterable[str] = ...,
    warn: str | Iterable[str] = ...,
) -> list[Diagnostic]:
    """Returns the errors and warnings of the text of a rulesheet, in its order.

    allow, deny, warn: as for `gdl.load`. Raises `ValueError` for a lint that does not exist."""

def shard(
    subject: Game | Sequence[tuple[str, str]],
    request: str,
    seed: int,
    blocks: tuple[int, int] | None = None,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
) -> str:
    """Does blocks of a job, all of them unless told otherwise."""

def merge(documents: Sequence[tuple[str, str]]) -> str:
    """Makes one document of many, each given with a name for messages."""

def rulesheets(folder: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """The files of a folder that are rulesheets: their names and texts."""
