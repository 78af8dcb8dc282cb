"""The exchange of two players that leaves the rules of a game unchanged.

An exchange maps fluents to fluents and each player's moves to those of the other: red discs to
yellow ones, or a board to the turned board. `exchange` guesses it by colour refinement of the
circuit before optimisation, and of the same circuit with the players exchanged. Then it proves it:
the image of each gate is a gate, and the image of each output is the exchanged output. So in all
states, reachable or not, the exchange keeps legal moves, goals, the end and next states. Only the
initial state may differ.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

from ._gdl import Game, circuit

Array = np.ndarray[Any, np.dtype[Any]]


def exchange(game: Game) -> tuple[Array, list[Array]]:
    """Returns an exchange of the two players of a game.

    Refines colours once, and once more for each pair of inputs that other symmetries of the rules
    leave alike. Each refinement takes O(operands) for each round that splits colours.

    Args:
        game: The game.

    Returns:
        The image of each fluent. For each role the image of each of its moves, as its place among
        the moves of the other player, or among those of the same role if that is chance.

    Raises:
        ValueError: There are not two players, or there is no proof of an exchange.
    """
    players = [role for role, name in enumerate(game.roles) if name != game.chance_role]
    if game.percepts:
        raise ValueError(f"the roles of {game.name} observe percepts, which have no exchange")
    if len(players) != 2:
        raise ValueError(f"an exchange needs two players, and {game.name} has {len(players)}")
    net = _Circuit(game, players)
    images = net.guess()
    if images is None or not net.is_exchange(images):
        one, two = (game.roles[role] for role in players)
        raise ValueError(f"there is no proof that the rules of {game.name} are the same with {one} and {two} exchanged")
    starts = np.cumsum([1 + net.fluents, *net.moves])
    moves = [
        images[start : start + count] - starts[other] for start, count, other in zip(starts, net.moves, net.other, strict=False)
    ]
    return images[1 : 1 + net.fluents] - 1, moves


def _mix(values: Array) -> Array:
    """Returns 64-bit hashes, by splitmix64."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


class _Circuit:
    """A circuit: the constant, the fluents, each role's moves, then conjunctions.

    A signal is twice a gate, plus 1 if complemented.
    """

    def __init__(self, game: Game, players: list[int]) -> None:
        self.starts, self.operands, self.outputs, values = circuit(game)
        roles = range(len(game.roles))
        # Each role's counterpart, and the number of its moves.
        self.other = list(roles)
        self.other[players[0]], self.other[players[1]] = players[1], players[0]
        self.moves = [len(game.moves_of(role)) for role in roles]
        self.fluents, self.inputs = len(game.fluents), 1 + len(game.fluents) + sum(self.moves)
        texts = ["", *game.fluents, *(game.moves[move] for role in roles for move in game.moves_of(role))]
        self.words = [re.findall(r"[^\s()]+", text) for text in texts]
        goals = [(role, value) for role in roles for value in values[role]]
        self.goals = dict(zip(goals, self.outputs[self.inputs :].tolist(), strict=True))

    def is_exchange(self, inputs: Array) -> bool:
        """Returns whether images of the inputs extend to all gates and outputs."""
        plain = self.kinds(list(range(len(self.other))))
        if len(np.unique(inputs)) != self.inputs or not np.array_equal(plain[inputs], self.kinds(self.other)):
            return False
        ends, operands = self.starts.tolist(), self.operands.tolist()
        gates = [tuple(operands[start:end]) for start, end in itertools.pairwise(ends)]
        numbers = {gate: number for number, gate in enumerate(gates, self.inputs)}
        images: list[int] = inputs.tolist()

        def image(signal: int) -> int:
            return 2 * images[signal >> 1] + (signal & 1)

        for gate in gates:
            number = numbers.get(tuple(sorted(map(image, gate))))
            if number is None:
                return False
            images.append(number)
        # The next value of each fluent and the legality of each move, then the end.
        *own, terminal = self.outputs[: self.inputs].tolist()
        return (
            all(image(signal) == own[images[place] - 1] for place, signal in enumerate(own, 1))
            and image(terminal) == terminal
            and all(image(signal) == self.goals.get((self.other[role], value)) for (role, value), signal in self.goals.items())
        )

    def guess(self) -> Array | None:
        """Returns the image of each input, or None if no exchange has these colours."""
        sides = [self.colour(list(range(len(self.other)))), self.colour(self.other)]
        for mark in range(self.inputs):
            one, two = (self.refine(side) for side in sides)
            if not np.array_equal(np.sort(one), np.sort(two)):
                return None
            _, first, sizes = np.unique(one[: self.inputs], return_index=True, return_counts=True)
            if (sizes == 1).all():
                order = np.argsort(two[: self.inputs])
                images: Array = order[np.searchsorted(two[: self.inputs], one[: self.inputs], sorter=order)]
                return images
            # Other symmetries leave a choice: the image with most arguments in common is taken.
            place = first[sizes > 1].min()
            rivals = np.flatnonzero(two[: self.inputs] == one[place])
            common = [sum(a == b for a, b in zip(self.words[place], self.words[rival], strict=False)) for rival in rivals]
            one[place] = two[rivals[np.argmax(common)]] = mark
            sides = [one, two]
        return None

    def kinds(self, roles: list[int]) -> Array:
        """Returns the kind of each input: constant, fluent, or move of a role, roles renamed."""
        return np.repeat(np.array([1, 2, *(3 + role for role in roles)], np.uint64), [1, self.fluents, *self.moves])

    def colour(self, roles: list[int]) -> Array:
        """Returns the first colours of gates, with roles renamed."""
        colours = np.pad(self.kinds(roles), (0, len(self.starts) - 1))
        marks = [(role + 1, value, signal) for (role, value), signal in self.goals.items()]
        for role, value, signal in [*marks, (0, 0, int(self.outputs[self.inputs - 1]))]:
            mark = np.array([[0, *(1 + role for role in roles)][role] << 20 | value << 1 | signal & 1], np.uint64)
            colours[signal >> 1 : (signal >> 1) + 1] += _mix(mark)
        return colours

    def refine(self, colours: Array) -> Array:
        """Returns colours that also tell gates with different neighbours apart."""
        # Edges lead from operands to gates, and from next values and legality to their inputs.
        tails = np.concatenate([self.operands, self.outputs[: self.inputs - 1]])
        gates = np.repeat(np.arange(self.inputs, len(colours)), np.diff(self.starts))
        heads = np.concatenate([gates, np.arange(1, self.inputs)])
        kinds = ((tails & 1) + 2 * (heads < self.inputs)).astype(np.uint64)
        tails, classes = tails >> 1, 0
        while (count := len(np.unique(colours))) > classes:
            classes = count
            # A class may take several rounds to split.
            for _ in range(4):
                sums = _mix(colours)
                np.add.at(sums, heads, _mix(colours[tails] + kinds))
                np.add.at(sums, tails, _mix(~colours[heads] - kinds))
                colours = sums
        return colours
