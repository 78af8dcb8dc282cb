"""Common parts of the adapters for other libraries: players, observations, missing libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ._gdl import Game, Information

if TYPE_CHECKING:
    from ._gdl import State


def missing(module: str, package: str, extra: str) -> ImportError:
    """Returns the error of a module whose package is not installed."""
    return ImportError(f"{module} needs {package}: pip install 'gdl[{extra}]'", name=package)


def players(game: Game) -> list[int]:
    """Returns the indices of the roles other than chance."""
    return [role for role, name in enumerate(game.roles) if name != game.chance_role]


def is_stuck(state: State) -> bool:
    """Returns true if a role has no legal move in a state that is not terminal. The game ends
    there.
    """
    return not state.is_terminal and not all(state.legal_move_ids(role) for role in range(len(state.game.roles)))


def width(game: Game) -> int:
    """Returns the length of a row of `observe`."""
    return 2 * len(game.percepts) + len(game.moves) if game.has_hidden_information else len(game.fluents)


def observe(state: State, information: Information | None, dtype: type[np.generic]) -> NDArray[np.generic]:
    """Returns the observation of a role as a row of 0 and 1.

    If nothing is hidden, the row is the fluents that hold. Otherwise it is the percepts of the last
    step, then all percepts so far, then all moves of the role so far. The row shows neither how
    often nor in which order these occurred.
    """
    game = state.game
    row = np.zeros(width(game), dtype)
    if information is None:
        row[state.fluent_ids] = 1
        return row
    percepts = len(game.percepts)
    for own, seen in information.steps:
        row[:percepts] = 0
        row[seen] = 1
        row[[percepts + percept for percept in seen]] = 1
        row[2 * percepts + own] = 1
    return row
