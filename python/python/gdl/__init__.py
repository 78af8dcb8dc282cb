"""Games in the Game Description Language (GDL): one at a time, or thousands at once.

>>> import gdl
>>> game = gdl.load("tictactoe")
>>> state = game.initial().apply("(mark 2 2)")
>>> state.legal_moves("oplayer")[0]
'(mark 1 1)'

`load` makes a `Game` of a file or a built-in name, and `loads` of the text of a rulesheet.
Functions that take a `Game` take a name or a path as well. A `State` is a value that never changes.
`Game.playouts` plays random games and `Game.perft` counts sequences of moves. `batch` steps many
games at once with NumPy arrays. A `shard` is a part of a job that many machines share, and
`gdl.ray` distributes the shards.

Roles, moves and fluents are KIF text, or numbers: indices into `Game.roles`, `Game.moves` and
`Game.fluents`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._errors import Diagnostic, IllegalMoveError, RulesError, RulesheetWarning
from ._gdl import Game, Information, Player, Proofs, RoleStats, Solution, State, Stats, __version__, check
from ._load import builtin_names, load, loads
from ._match import Match, play_match
from ._shard import merge, shard

if TYPE_CHECKING:
    from ._batch import Batch, Planes, Step, batch, planes

__all__ = [
    "Batch",
    "Diagnostic",
    "Game",
    "IllegalMoveError",
    "Information",
    "Match",
    "Planes",
    "Player",
    "Proofs",
    "RoleStats",
    "RulesError",
    "RulesheetWarning",
    "Solution",
    "State",
    "Stats",
    "Step",
    "__version__",
    "batch",
    "builtin_names",
    "check",
    "load",
    "loads",
    "merge",
    "planes",
    "play_match",
    "shard",
]


def __getattr__(name: str) -> object:
    # NumPy takes longer to import than the rest of the package, and only batches need it.
    if name in {"Batch", "Planes", "Step", "batch", "planes"}:
        from . import _batch

        return getattr(_batch, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
