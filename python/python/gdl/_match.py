"""Matches between players."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._gdl import Information, Player, State
from ._load import GameLike, game_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Match(NamedTuple):
    """The record of a match."""

    moves: list[dict[str, str]]
    """The joint moves: for each step the move of every role."""
    state: State
    """The last state."""

    @property
    def goals(self) -> list[int | None]:
        """The goal value of each role, in role order."""
        return self.state.goals


def play_match(
    game: GameLike,
    players: Sequence[Player] | Mapping[str, Player],
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    seed: int = 0,
    max_length: int = 10_000,
) -> Match:
    """Plays a match in which each player receives the information of its role alone.

    A decision may take one second if neither `seconds` nor `nodes` is given.

    Args:
        game: A `Game`, or a source for `gdl.load`.
        players: One player for each role except chance, in any order. `Player.role` is its role.
        seconds: The time limit of a decision, in seconds.
        nodes: The node limit of a decision.
        seed: The seed of chance.
        max_length: The greatest length of the match, in joint moves.

    Returns:
        The moves and the last state.

    Raises:
        ValueError: A role has no player or two, or the game is not over after `max_length` moves.
            Other errors are those of `gdl.load` and `Player.choose`.
    """
    from random import Random  # not at the top: it takes as long to import as half the package

    game = game_of(game)
    table = {player.role: player for player in (players.values() if hasattr(players, "values") else players)}
    if sorted(table) != sorted(role for role in game.roles if role != game.chance_role) or len(table) != len(players):
        raise ValueError(f"one player for each of {', '.join(game.roles)} is needed, except for chance")
    chance = Random(seed)
    known = {role: Information(game, role) for role in table}
    state = game.initial()
    moves: list[dict[str, str]] = []
    while not state.is_terminal:
        if len(moves) == max_length:
            raise ValueError(f"the game is not over after {max_length} moves")
        joint = {role: table[role].choose(known[role], seconds, nodes) for role in table}
        if game.chance_role is not None:
            joint[game.chance_role] = chance.choice(state.legal_moves(game.chance_role))
        known = {role: each.step(state, joint) for role, each in known.items()}
        state = state.apply(joint)
        moves.append(joint)
    return Match(moves, state)
