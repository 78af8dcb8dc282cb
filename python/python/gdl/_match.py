"""Matches between players."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._gdl import Information, Player, State
from ._load import GameLike, game_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Match(NamedTuple):
    """A match that was played."""

    moves: list[dict[str, str]]
    """The joint moves: for each the move of every role."""
    state: State
    """Where it ended."""

    @property
    def goals(self) -> list[int | None]:
        """The goal value of each role."""
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
    """Leads a match in which each player is given the information of its role alone.

    game: a `Game`, or what `gdl.load` takes.
    players: one for each role but chance, which draws with `seed`; each says which role it plays.
    seconds, nodes: what a decision may take; one second without either.

    Raises `ValueError` if a role has no player, or two, and if the game is not over after `max_length` moves.
    """
    from random import Random  # not at the top: it takes as long to import as half the package

    game = game_of(game)
    table = {player.role: player for player in (players.values() if hasattr(players, "values") else players)}
    if sorted(table) != sorted(role for role in game.roles if role != game.chance_role) or len(table) != len(players):
        raise ValueError(f"one player for each of {', '.join(game.roles)} is needed, but for chance")
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
