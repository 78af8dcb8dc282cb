"""A program that steps a net of gates in JAX; `load` builds it from the data of a game.

`gdl.jax.write` copies this file, so it needs only JAX and NumPy.

A state of a game is a row of bits: the fluents, the legal moves of each role, and one bit for each
role that is set if it has several. A batch is transposed to planes, where a uint32 has one bit of
32 games. A `lax.scan` evaluates the gates in blocks of one level each. `_step_p` is a separate
primitive, so that any nest of `jax.vmap` becomes one batch.
"""

from __future__ import annotations

import base64
import dataclasses
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir
from jax.typing import ArrayLike

Array = np.ndarray[Any, Any]

Planes = jax.Array
"""uint32 [bits, words]: bit j of word w is that of game j * words + w."""

CHUNK = 4096
"""The number of games that a processor steps at a time, so that the gates stay in its cache."""

ENDING = 16
"""Separate goals are evaluated for a part of the games if at most one game in ENDING is over."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    """A state of a game, or of a batch of them: made by `Game.init` and `Game.step`."""

    bits: jax.Array
    """uint32 [words]: the fluents that hold, and the legal moves of each role."""
    legal_action_mask: jax.Array
    """bool [actions], or [roles, actions]: the legal actions. None of chance or of a game that is over."""
    rewards: jax.Array
    """float32 [roles]: goal / 50 - 1 where the step ended the game, otherwise 0."""
    terminated: jax.Array
    """bool: the game is over by its rules, or because a role has no legal move."""
    truncated: jax.Array
    """bool: the game has lasted for `max_steps` steps and is not over by its rules."""
    to_play: jax.Array
    """int32: the role to move. If `sequential` and no role has a choice, the one whose turn it is,
    or the first if the net shows none. If not `sequential`, the one role with a choice, otherwise -1."""
    step_count: jax.Array
    """int32: the number of steps since the start."""
    percepts: jax.Array
    """uint32 [words]: the percepts of the last step, role by role."""


def _butterfly(x: jax.Array) -> jax.Array:
    """Transposes blocks of 32 x 32 bits: [blocks, 32, words]."""
    for d, mask in ((16, 0x0000FFFF), (8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        blocks, _, words = x.shape
        y = x.reshape(blocks, 16 // d, 2, d, words)
        a, b = y[:, :, 0], y[:, :, 1]
        t = ((a >> np.uint32(d)) ^ b) & np.uint32(mask)
        x = jnp.stack([a ^ (t << np.uint32(d)), b ^ t], 2).reshape(blocks, 32, words)
    return x


def _to_planes(rows: jax.Array) -> Planes:
    games, words = rows.shape
    return _butterfly(rows.T.reshape(words, 32, games // 32)).reshape(32 * words, games // 32)


def _to_rows(planes: Planes) -> jax.Array:
    bits, words = planes.shape
    return _butterfly(planes.reshape(bits // 32, 32, words)).reshape(bits // 32, 32 * words).T


def _align(groups: Sequence[Planes]) -> Planes:
    """Puts groups of planes together, each padded to whole words of a row."""
    return jnp.concatenate([jnp.pad(group, ((0, -len(group) % 32), (0, 0))) for group in groups])


def _unpack(rows: jax.Array, count: int) -> jax.Array:
    """Returns the first bits of rows, as bool."""
    bits = rows[..., :, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
    return bits.astype(bool).reshape(*rows.shape[:-1], -1)[..., :count]


def _words(count: int) -> int:
    return -(-count // 32)


def _any(planes: Planes) -> Planes:
    union: Planes = lax.reduce(planes, np.uint32(0), lax.bitwise_or, (0,))
    return union


def _several(one: Planes) -> tuple[Planes, Planes]:
    """Returns two planes: the games in which at least one plane is set, and at least two are."""
    two = jnp.zeros_like(one)
    if not len(one):
        return _any(one), _any(one)
    while len(one) > 1:
        half = len(one) // 2
        (a, b, rest), (c, d, more) = (jnp.split(each, [half, 2 * half]) for each in (one, two))
        one, two = jnp.concatenate([a | b, rest]), jnp.concatenate([c | d | (a & b), more])
    return one[0], two[0]


class _Net:
    """A net as blocks of independent gates. Signals are numbered as in `gdl._gdl.levels`."""

    def __init__(self, inputs: int, gates: Array) -> None:
        size, first = 16 if len(gates) < 2000 else 32, 1 + inputs
        operands = (gates.astype(np.int64) >> [1, 1, 2]).tolist()
        # The number of gates on the longest chain from each signal.
        heights = [0] * (first + len(gates))
        for gate in reversed(range(len(gates))):
            for signal in operands[gate]:
                heights[signal] = max(heights[signal], heights[first + gate] + 1)
        # List scheduling: the first gates of long chains go first, each to the first free block.
        blocks, fills, free = [-1] * len(heights), [0], 0
        self._slots = np.arange(len(heights))
        for gate in np.argsort([-height for height in heights[first:]], kind="stable").tolist():
            block = max(free, 1 + max(blocks[signal] for signal in operands[gate]))
            while block < len(fills) and fills[block] == size:
                block += 1
            fills += [0] * (block + 1 - len(fills))
            blocks[first + gate], self._slots[first + gate] = block, first + block * size + fills[block]
            fills[block] += 1
            while free < len(fills) and fills[free] == size:
                free += 1
        places = self._slots[first:] - first
        index, inverted = np.zeros((len(fills) * size, 3), np.int32), np.zeros((len(fills) * size, 4), np.uint32)
        index[places] = self._slots[np.array(operands, int).reshape(-1, 3)]
        inverted[places] = -(np.concatenate([gates, gates[:, 2:] >> 1], 1).astype(np.int64) & 1)
        self._blocks = (
            np.arange(first, first + len(index), size, dtype=np.int32),
            index.reshape(-1, size, 3).swapaxes(1, 2),
            inverted.reshape(-1, size, 4).swapaxes(1, 2)[..., None],
        )

    def run(self, inputs: Planes) -> Planes:
        """Returns the values of all slots."""
        slots = jnp.pad(inputs, ((1, self._blocks[1].size // 3), (0, 0)))

        def block(slots: Planes, gates: Any) -> tuple[Planes, None]:
            at, index, inverted = gates
            a, b, c = (slots.at[index[i]].get(mode="promise_in_bounds") for i in range(3))
            value = ((a ^ inverted[0]) & (b ^ inverted[1]) ^ inverted[2]) & (c ^ inverted[3])
            return lax.dynamic_update_slice(slots, value, (at, jnp.int32(0))), None

        return lax.scan(block, slots, self._blocks)[0]

    def read(self, slots: Planes, signals: Array) -> Planes:
        inverted = (-(signals & 1).astype(np.int64)).astype(np.uint32)[:, None]
        return slots.at[self._slots[signals >> 1]].get(mode="promise_in_bounds") ^ inverted


class Game:
    """A game as pure functions of JAX, each for one game: `jax.vmap` is for batches.

    Attributes:
        name: The name of the game.
        roles: The names of the roles.
        moves: For each role its moves: action `i` of a role is its move `moves[role][i]`.
        fluents: The fluents, in the order in which they are observed.
        percepts: The percepts; empty if each role perceives the joint move.
        channels: The channels of an observation as planes, as in `gdl.planes`; None if observations
            are flat. If each role observes its own pieces first, they name those of the first one.
        chance: The number of the chance role, or None.
        sequential: True if at most one role other than chance has a choice in each state. Then a
            step takes one action, otherwise one for each role.
        num_actions: The most moves of a role other than chance.
        max_steps: The step after which a game is truncated, or None.
    """

    def __init__(self, data: Mapping[str, Any], arrays: Mapping[str, Array], max_steps: int | None = None) -> None:
        self.name: str = data["name"]
        self.roles: list[str] = data["roles"]
        self.moves: list[list[str]] = data["moves"]
        self.fluents: list[str] = data["fluents"]
        self.percepts: list[str] = data["percepts"]
        self.channels: list[str] | None = data["channels"]
        self.chance: int | None = data["chance"]
        self.sequential: bool = data["sequential"]
        self.max_steps = max_steps
        self._data = data
        self._players = [role for role in range(len(self.roles)) if role != self.chance]
        self.num_actions = max([len(self.moves[role]) for role in self._players], default=0)

        counts = [len(moves) for moves in self.moves]
        fluents, legal = len(self.fluents), sum(counts)
        # The range of each role's legal moves in a row.
        ends = np.cumsum([fluents, *counts]).tolist()
        self._legal = [slice(a, b) for a, b in itertools.pairwise(ends)]
        self._goals = [(role, goal) for role, goals in enumerate(data["goals"]) for goal in goals]
        self._net = _Net(fluents + legal, arrays["gates"])
        places = np.cumsum([fluents + legal, 1, 0 if "goal_gates" in arrays else len(self._goals)])
        self._next, self._over, self._goal_signals, self._sees = np.split(arrays["outputs"], places)
        self._goal_net = None
        if "goal_gates" in arrays:
            self._goal_net = _Net(fluents, arrays["goal_gates"])
            self._goal_signals = arrays["goal_outputs"]
        # The places of an observation in the fluents, for the first player and for the second.
        self._shown: list[Any] = [slice(fluents), *([arrays["exchange"]] if "exchange" in arrays else [])]
        if self.channels is not None:
            grid = arrays["places"].reshape(*data["grid"], len(self.channels))
            # The place after the last fluent never holds.
            self._shown = [np.append(np.arange(fluents)[shown], fluents)[grid] for shown in self._shown]
        # The words of a row after a step: the state, the mask, flags and percepts.
        seats = 1 if self.sequential else len(self.roles)
        self._mask_bits = seats * self.num_actions
        self._mask_shape = (self.num_actions,) if self.sequential else (seats, self.num_actions)
        flags = 1 + len(self.roles) + len(self._goals)
        bits = fluents + legal + len(self.roles)
        self._ends = np.cumsum([_words(n) for n in (bits, self._mask_bits, flags, len(self._sees))]).tolist()

        row = arrays["initial"].astype(bool)
        several = np.array([row[legal].sum() > 1 for legal in self._legal])
        planes = jnp.asarray(-np.concatenate([row, several]).astype(np.int32)[:, None]).view(jnp.uint32)
        seen = self._seen(planes[:fluents], planes[fluents : fluents + legal], planes[:1] & 0)
        self._initial = np.asarray(_to_rows(_align(seen)))[0], bool(data["is_over"])

    def init(self, key: ArrayLike | None = None) -> State:
        """Returns the initial state.

        Args:
            key: Not used: rulesheets have one initial state, and chance moves in steps.

        Returns:
            The state of one game.

        Example:
            >>> states = jax.vmap(game.init)(jax.random.split(jax.random.key(0), 1024))
        """
        words, is_over = self._initial
        state, mask, flags = jnp.split(jnp.asarray(words), self._ends[:2])
        return State(
            bits=state,
            legal_action_mask=_unpack(mask, self._mask_bits).reshape(self._mask_shape) & (not is_over),
            rewards=jnp.zeros(len(self.roles), jnp.float32),
            terminated=jnp.array(is_over),
            truncated=jnp.array(False),
            to_play=self._to_play(flags),
            step_count=jnp.int32(0),
            percepts=jnp.zeros(_words(len(self._sees)), jnp.uint32),
        )

    def step(self, state: State, action: ArrayLike, key: ArrayLike | None = None) -> State:
        """Returns the state after a step.

        A role with exactly one legal move makes it, whatever its action is. The state after an
        illegal action is unspecified: draw actions from `legal_action_mask`. A game that is over
        keeps its state, with rewards of 0.

        Args:
            state: The state of one game.
            action: int32, the action of the role to move; if the game is not `sequential`, int32
                [roles], the action of each role. The action of chance is ignored.
            key: The key from which chance draws uniformly. Games without chance need none.

        Returns:
            The next state.

        Raises:
            ValueError: The game has chance and there is no key, or the actions have a wrong shape.

        Example:
            >>> state = game.step(game.init(), 3)
        """
        # The state of a game that starts again has the flags of the last one.
        over = (state.terminated | state.truncated) & (self._initial[1] | (state.step_count > 0))
        after = self._step(state.bits, state.step_count, action, key)
        kept: State = jax.tree.map(partial(jnp.where, over), state, after)
        return dataclasses.replace(kept, rewards=jnp.where(over, 0, after.rewards))

    def _step(self, bits: jax.Array, count: jax.Array, action: ArrayLike, key: ArrayLike | None) -> State:
        """Returns the state after a step of a game that is not over and has made `count` steps."""
        actions = jnp.asarray(action, jnp.int32)
        if actions.shape != (() if self.sequential else (len(self.roles),)):
            raise ValueError(
                f"expected {() if self.sequential else (len(self.roles),)} as the shape of an action, got {actions.shape}"
            )
        actions = actions.reshape(-1)
        if self.chance is not None:
            if key is None:
                raise ValueError(f"{self.name} has chance: `step` needs a key")
            places = self._legal[self.chance]
            legal = _unpack(bits, places.stop)[places]
            number = jax.random.randint(key, (), 0, jnp.maximum(legal.sum(), 1))
            drawn = (jnp.cumsum(legal) > number).argmax().astype(jnp.int32)
            actions = jnp.append(actions, drawn) if self.sequential else actions.at[self.chance].set(drawn)
        (rows,) = _step_p.bind(bits[None], actions[None], game=self)
        bits, mask, flags, percepts = jnp.split(rows[0], self._ends[:3])
        terminated = (flags[0] & 1).astype(bool)
        truncated = jnp.array(False) if self.max_steps is None else (count + 1 >= self.max_steps) & ~terminated
        return State(
            bits=bits,
            legal_action_mask=_unpack(mask, self._mask_bits).reshape(self._mask_shape),
            rewards=self._rewards(flags),
            terminated=terminated,
            truncated=truncated,
            to_play=self._to_play(flags),
            step_count=count + 1,
            percepts=percepts,
        )

    def auto_reset(self, state: State) -> State:
        """Returns the initial state if the game is over, with the rewards and flags of its end.

        Args:
            state: The state of one game.

        Returns:
            The state from which to go on.

        Example:
            >>> state = game.auto_reset(game.step(state, action))
        """
        over = state.terminated | state.truncated
        fresh: State = jax.tree.map(partial(jnp.where, over), self.init(), state)
        return dataclasses.replace(fresh, rewards=state.rewards, terminated=state.terminated, truncated=state.truncated)

    def observe(self, state: State, role: ArrayLike | None = None) -> jax.Array:
        """Returns the observation of a role in a state.

        Args:
            state: The state of one game.
            role: The number of the role; by default the role to move.

        Returns:
            bool [fluents], the fluents that hold, if the rules define no percepts; as planes bool
            [height, width, channels]. Otherwise bool [percepts], the percepts of the role in the
            last step. With `own_first`, the second player observes the exchanged state.

        Example:
            >>> game.observe(game.init(), 0).shape
            (86,)
        """
        return self._observe(state.bits, state.percepts, state.to_play if role is None else role)

    def _observe(self, bits: jax.Array, percepts: jax.Array, role: ArrayLike) -> jax.Array:
        if not self.percepts:
            holds = jnp.append(_unpack(bits, len(self.fluents)), False)
            views = [holds[shown] for shown in self._shown]
            return jnp.where(role == self._players[0], views[0], views[-1]) if len(views) > 1 else views[0]
        # The place after the last percept never holds.
        places = np.full((len(self.roles), len(self.percepts)), len(self._sees))
        lists = enumerate(self._data["role_percepts"])
        for place, number in enumerate((role, percept) for role, percepts in lists for percept in percepts):
            places[number] = place
        return jnp.append(_unpack(percepts, len(self._sees)), False)[places][role]

    def _to_play(self, flags: jax.Array) -> jax.Array:
        turns = [(flags[0] >> np.uint32(1 + role) & 1).astype(jnp.int32) * (role + 1) for role in self._players]
        return sum(turns, jnp.int32(-1))

    def _rewards(self, flags: jax.Array) -> jax.Array:
        rewards = [jnp.float32(0)] * len(self.roles)
        for place, (role, goal) in enumerate(self._goals, 1 + len(self.roles)):
            worth = np.float32(goal) / np.float32(50) - np.float32(1)
            if role != self.chance and worth:
                bit = flags[place // 32] >> np.uint32(place % 32) & 1
                rewards[role] += worth * bit.astype(jnp.float32)
        return jnp.stack(rewards)

    def _hot(self, actions: jax.Array, count: int) -> Planes:
        """Returns a plane for each action: the games that chose it."""
        bits = _butterfly(actions.view(jnp.uint32).reshape(1, 32, -1))[0]
        width = max(1, (count - 1).bit_length())

        def tree(bits: Planes) -> Planes:
            hot = jnp.full((1, bits.shape[1]), 0xFFFFFFFF, jnp.uint32)
            for bit in bits:
                hot = jnp.concatenate([hot & ~bit, hot & bit])
            return hot

        low, high = tree(bits[: width // 2]), tree(bits[width // 2 : width])
        return (high[:, None] & low[None]).reshape(-1, bits.shape[1])[:count]

    def _seen(self, fluents: Planes, legal: Planes, terminal: Planes) -> list[Planes]:
        """Returns the planes of a row except goals, as the state, the mask and flags."""
        legal_of = [legal[places.start - len(fluents) : places.stop - len(fluents)] for places in self._legal]
        able, several = (jnp.stack(planes) for planes in zip(*map(_several, legal_of), strict=True))
        over = terminal | _any(~able)[None]
        none = jnp.zeros_like(over)
        turns = [none] * len(self.roles)
        taken = none
        if self.sequential:
            cases, otherwise = self._data["turns"]
            known = _any(fluents[np.array([fluent for fluent, _ in cases], int)])
            for role in self._players:
                told = fluents[np.array([fluent for fluent, other in cases if other == role], int)]
                turn = several[role] | _any(told) | (~known if otherwise == role else 0)
                turns[role] = turn & ~taken
                taken = taken | turn
            turns[self._players[0]] = turns[self._players[0]] | ~taken
        else:
            _, more = _several(several[np.array(self._players)])
            for role in self._players:
                turns[role] = (several[role] & ~more)[None]
        masks = []
        for role in range(len(self.roles)):
            mask = legal_of[role] & ~over if role != self.chance else none
            mask = jnp.pad(mask, ((0, max(0, self.num_actions - len(mask))), (0, 0)))
            masks.append(mask & turns[role] if self.sequential else mask[: self.num_actions])
        mask = _any(jnp.stack(masks)) if self.sequential else jnp.concatenate(masks)
        return [jnp.concatenate([fluents, legal, several]), mask, jnp.concatenate([over, *turns])]

    def _ends_with(self, net: _Net, slots: Planes, terminal: Planes) -> Planes:
        """Returns the goals, cleared unless the game is over and each role has one."""
        goals = net.read(slots, self._goal_signals)
        for role in self._players:
            one, two = _several(goals[np.array([place for place, (other, _) in enumerate(self._goals) if other == role], int)])
            terminal = terminal & one & ~two
        return goals & terminal

    def _whole(self, rows: jax.Array, actions: jax.Array) -> jax.Array:
        """Returns the rows after a step. The number of games is a multiple of 32."""
        fluents, legal = len(self.fluents), self._legal[-1].stop
        planes = _to_planes(rows)
        does = []
        for role, places in enumerate(self._legal):
            seat = int(role == self.chance) if self.sequential else role
            hot = self._hot(actions[:, seat], places.stop - places.start)
            does.append(planes[places] & (hot | ~planes[legal + role]))
        slots = self._net.run(jnp.concatenate([planes[:fluents], *does]))
        after = self._net.read(slots, self._next)
        terminal = self._net.read(slots, self._over)
        state, mask, flags = self._seen(after[:fluents], after[fluents:], terminal)
        ends = jnp.zeros((len(self._goals), terminal.shape[1]), jnp.uint32)
        if self._goal_net is None:
            ends = self._ends_with(self._net, slots, terminal)
        groups = [state, mask, jnp.concatenate([flags, ends]), self._net.read(slots, self._sees)]
        out = _to_rows(_align(groups))
        return out if self._goal_net is None else self._with_goals(out, self._goal_net)

    def _with_goals(self, rows: jax.Array, net: _Net) -> jax.Array:
        """Sets the goals of games that are over. Evaluates them for none, a part or all games."""
        games, (first, last) = len(rows), self._ends[1:3]
        over = (rows[:, first] & 1).astype(bool)
        few = max(32, games // ENDING // 32 * 32)
        skipped = 1 + len(self.roles)

        def goals(rows: jax.Array) -> jax.Array:
            planes = _to_planes(rows[:, : _words(len(self.fluents))])[: len(self.fluents)]
            over = _to_planes(rows[:, first : first + 1])[:1]
            ends = self._ends_with(net, net.run(planes), over)
            return _to_rows(_align([jnp.pad(ends, ((skipped, 0), (0, 0)))]))

        def some() -> jax.Array:
            places = jnp.nonzero(over, size=few, fill_value=games)[0]
            part = goals(rows.at[places].get(mode="fill", fill_value=0))
            return jnp.zeros((games, last - first), jnp.uint32).at[places].set(part, mode="drop")

        def none() -> jax.Array:
            return jnp.zeros((games, last - first), jnp.uint32)

        count = over.sum()
        found = lax.switch((count > 0).astype(jnp.int32) + (count > few), [none, some, partial(goals, rows)])
        return rows.at[:, first:last].set(rows[:, first:last] | found)

    def _batch(self, rows: jax.Array, actions: jax.Array, chunk: int | None) -> list[jax.Array]:
        """Returns the rows after a step of any number of games, in parts of `chunk` games."""
        games = rows.shape[0]
        size = 32 if chunk is None or games <= chunk else chunk
        rows, actions = (jnp.pad(array, ((0, -games % size), (0, 0))) for array in (rows, actions))
        if size == 32:
            out = self._whole(rows, actions)
        else:
            parts = (rows.reshape(-1, size, rows.shape[1]), actions.reshape(-1, size, actions.shape[1]))
            out = lax.map(lambda part: self._whole(*part), parts)
        return [out.reshape(-1, out.shape[-1])[:games]]


_step_p: Any = Primitive("gdl_step")
_step_p.multiple_results = True


def _shape(rows: Any, actions: Any, *, game: Game) -> list[Any]:
    return [rows.update(shape=(rows.shape[0], game._ends[3]))]


def _batched(args: Sequence[Any], dims: Sequence[int | None], *, game: Game) -> tuple[list[Any], list[int]]:
    size = next(arg.shape[dim] for arg, dim in zip(args, dims, strict=True) if dim is not None)
    rows, actions = (
        jnp.broadcast_to(arg, (size, *arg.shape)) if dim is None else jnp.moveaxis(arg, dim, 0)
        for arg, dim in zip(args, dims, strict=True)
    )
    (out,) = _step_p.bind(rows.reshape(-1, rows.shape[-1]), actions.reshape(-1, actions.shape[-1]), game=game)
    return [out.reshape(size, -1, out.shape[-1])], [0]


def _lowering(chunk: int | None) -> Callable[..., Any]:
    return mlir.lower_fun(lambda rows, actions, game: game._batch(rows, actions, chunk), multiple_results=True)


_step_p.def_impl(jax.jit(_step_p.bind, static_argnames="game"))
_step_p.def_abstract_eval(_shape)
batching.primitive_batchers[_step_p] = _batched
mlir.register_lowering(_step_p, _lowering(None))
mlir.register_lowering(_step_p, _lowering(CHUNK), platform="cpu")


def load(data: Mapping[str, Any], table: str, max_steps: int | None = None) -> Game:
    """Builds a game from the data and the table that `gdl.jax.write` stores in a file.

    Args:
        data: Names and numbers of the game.
        table: The arrays of its net, saved by NumPy and encoded in base 85.
        max_steps: The step after which a game is truncated, or None.

    Returns:
        The game.
    """
    with np.load(io.BytesIO(base64.b85decode(table))) as split:
        arrays = {name: np.frombuffer(part.T.tobytes(), "<u4") for name, part in split.items()}
    for name in {"gates", "goal_gates"} & set(arrays):
        arrays[name] = arrays[name].reshape(3, -1).T
    return Game(data, arrays, max_steps)


def pgx(game: Game) -> Any:
    """Returns a game as an environment of Pgx: an instance of a subclass of `pgx.Env`.

    Players are the roles except chance, seated at random by the key of `init`, as in Pgx.

    Args:
        game: The game, which must be `sequential`.

    Returns:
        The environment.

    Raises:
        ValueError: Several roles have a choice in the same step.
        ImportError: Pgx is not installed.

    Example:
        >>> env = pgx(game)
        >>> state = jax.jit(env.init)(jax.random.key(0))
        >>> state = jax.jit(env.step)(state, 3)
    """
    if not game.sequential:
        raise ValueError(f"Pgx has one action a step, and in {game.name} several roles choose at the same time")
    from pgx import core
    from pgx._src.struct import dataclass

    players = np.array(game._players)

    @dataclass
    class PgxState(core.State):  # type: ignore[misc]
        current_player: jax.Array
        observation: jax.Array
        rewards: jax.Array
        terminated: jax.Array
        truncated: jax.Array
        legal_action_mask: jax.Array
        _step_count: jax.Array
        _bits: jax.Array
        _percepts: jax.Array
        _role: jax.Array
        """int32 [players]: the role of each player."""

        @property
        def env_id(self) -> str:
            return game.name

    def shown(state: State, role: jax.Array) -> dict[str, Any]:
        # Sums of few terms, since reductions and gathers of single numbers are slow.
        return {
            "current_player": sum((role[seat] == state.to_play) * jnp.int32(seat) for seat in range(len(players))),
            "rewards": sum((role == number) * state.rewards[number] for number in players),
            "terminated": state.terminated,
            "truncated": state.truncated,
            "legal_action_mask": state.legal_action_mask,
            "_bits": state.bits,
            "_percepts": state.percepts,
        }

    class Env(core.Env):  # type: ignore[misc]
        def _init(self, key: jax.Array) -> Any:
            state = game.init()
            # A permutation sorts, which takes three times as long as the rest of a step.
            if len(players) == 2:
                role = jnp.where(jax.random.bernoulli(key), players, players[::-1]).astype(jnp.int32)
            else:
                role = jax.random.permutation(key, players).astype(jnp.int32)
            observation = jnp.zeros_like(game.observe(state))
            return PgxState(observation=observation, _step_count=jnp.int32(0), _role=role, **shown(state, role))

        def _step(self, state: Any, action: jax.Array, key: jax.Array | None) -> Any:
            # Pgx has counted the step.
            after = game._step(state._bits, state._step_count - 1, action, key)
            return state.replace(**shown(after, state._role))

        def _observe(self, state: Any, player_id: jax.Array) -> jax.Array:
            return game._observe(state._bits, state._percepts, state._role[player_id])

        id = property(lambda self: game.name)
        version = property(lambda self: "v0")
        num_players = property(lambda self: len(players))

    return Env()


def draw(key: jax.Array, observation: jax.Array, mask: jax.Array) -> jax.Array:
    """Returns a random legal action: the policy of other roles in `gymnax`, unless one is given."""
    return jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf)).astype(jnp.int32)


Policy = Callable[[jax.Array, jax.Array, jax.Array], jax.Array]


def _is_illegal(mask: jax.Array, action: jax.Array) -> jax.Array:
    """Returns whether an action is illegal, by the mask of its role."""
    return (action < 0) | ~mask.at[action].get(mode="fill", fill_value=False)


def gymnax(game: Game, role: int = 0, policy: Policy = draw) -> Any:
    """Returns a game as an environment of gymnax, in which one role is the agent.

    A step goes on until the agent is to move or the game is over. An illegal action ends the
    episode with a reward of -1; `state.legal_action_mask` has the legal ones. Episodes are
    truncated after `max_steps` steps of the game, or 10,000 if there is no such limit.

    Args:
        game: The game.
        role: The number of the agent's role.
        policy: Chooses for the other roles. Its arguments are a key, the observation of the role
            and bool [actions], the legal actions; it returns int32, the action.

    Returns:
        The environment, for gymnax 1.0 or newer.

    Raises:
        ValueError: The role is no player.
        ImportError: gymnax is not installed.

    Example:
        >>> env = gymnax(game)
        >>> observation, state = env.reset(jax.random.key(0))
        >>> observation, state, reward, terminated, truncated, info = env.step(jax.random.key(1), state, 3)
    """
    if role not in game._players:
        raise ValueError(f"expected one of {game._players} as the role of a player, got {role}")
    from gymnax.environments import environment, spaces

    roles = np.arange(len(game.roles))
    limit = game.max_steps or 10_000

    def play(key: jax.Array, state: State, action: ArrayLike | None) -> State:
        pick, chance = jax.random.split(key)
        if not game.sequential:
            seen = jnp.stack([game.observe(state, other) for other in roles])
            others = jax.vmap(policy)(jax.random.split(pick, len(roles)), seen, state.legal_action_mask)
            action = others.astype(jnp.int32).at[role].set(action)
        elif action is None:
            action = policy(pick, game.observe(state), state.legal_action_mask)
        return game.step(state, action, chance)

    def until_turn(key: jax.Array, state: State) -> State:
        def waits(carry: tuple[jax.Array, State]) -> jax.Array:
            _, state = carry
            return (state.to_play != role) & ~state.terminated & (state.step_count < limit)

        def step(carry: tuple[jax.Array, State]) -> tuple[jax.Array, State]:
            key, now = jax.random.split(carry[0])
            return key, play(now, carry[1], None)

        return lax.while_loop(waits, step, (key, state))[1] if game.sequential else state

    class Env(environment.Environment):  # type: ignore[misc]
        name = property(lambda self: game.name)
        num_actions = property(lambda self: game.num_actions)
        default_params = property(lambda self: environment.EnvParams(max_steps_in_episode=limit))

        def reset_env(self, key: jax.Array, params: Any) -> tuple[jax.Array, State]:
            state = until_turn(key, game.init())
            return self.get_obs(state), state

        def step_env(self, key: jax.Array, state: State, action: jax.Array, params: Any) -> tuple[Any, ...]:
            first, rest = jax.random.split(key)
            mask = state.legal_action_mask if game.sequential else state.legal_action_mask[role]
            lost = _is_illegal(mask, jnp.asarray(action))
            after = jax.tree.map(partial(jnp.where, lost), state, play(first, state, action))
            state = until_turn(rest, after)
            reward = jnp.where(lost, -1, state.rewards[role])
            return self.get_obs(state), state, reward, state.terminated | lost, {}

        def get_obs(self, state: State, params: Any = None, key: Any = None) -> jax.Array:
            return lax.convert_element_type(game.observe(state, role), jnp.float32)

        def is_truncated(self, state: State, params: Any) -> jax.Array:
            is_late: jax.Array = state.step_count >= params.max_steps_in_episode
            return ~state.terminated & is_late

        def is_terminated(self, state: State, params: Any) -> jax.Array:
            return state.terminated

        def action_space(self, params: Any = None) -> Any:
            return spaces.Discrete(game.num_actions)

        def observation_space(self, params: Any = None) -> Any:
            return spaces.Box(0.0, 1.0, jax.eval_shape(game.observe, game.init(), role).shape)

    return Env()


def jaxmarl(game: Game) -> Any:
    """Returns a game as an environment of JaxMARL: an instance of a subclass of `MultiAgentEnv`.

    Agents are the roles except chance, and all act in each step. If the game is `sequential`, only
    the action of the role to move counts, and action 0 alone is available to others. An illegal
    action ends the episode with a reward of -1 for its agent and 0 for the others.

    Args:
        game: The game.

    Returns:
        The environment.

    Raises:
        ImportError: JaxMARL is not installed.

    Example:
        >>> env = jaxmarl(game)
        >>> observations, state = env.reset(jax.random.key(0))
        >>> actions = {agent: mask.argmax() for agent, mask in env.get_avail_actions(state).items()}
        >>> observations, state, rewards, dones, infos = env.step(jax.random.key(1), state, actions)
    """
    from jaxmarl.environments import spaces
    from jaxmarl.environments.multi_agent_env import MultiAgentEnv

    players = np.array(game._players)
    agents = [game.roles[role] for role in players]

    def by_agent(values: Any) -> dict[str, Any]:
        return {agent: values[place] for place, agent in enumerate(agents)}

    def available(state: State) -> jax.Array:
        """Returns bool [agents, actions]."""
        if not game.sequential:
            return state.legal_action_mask[players]
        first = jnp.arange(game.num_actions) == 0
        return jnp.where((players == state.to_play)[:, None], state.legal_action_mask, first)

    class Env(MultiAgentEnv):  # type: ignore[misc]
        name = property(lambda self: game.name)
        agent_classes = property(lambda self: {agent: [agent] for agent in agents})

        def __init__(self) -> None:
            super().__init__(len(agents))
            self.agents = agents
            seen = jax.eval_shape(game.observe, game.init(), 0).shape
            self.observation_spaces = {agent: spaces.Box(0.0, 1.0, seen) for agent in agents}
            self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in agents}

        def reset(self, key: jax.Array) -> tuple[dict[str, jax.Array], State]:
            state = game.init()
            return self.get_obs(state), state

        def step_env(self, key: jax.Array, state: State, actions: Mapping[str, jax.Array]) -> tuple[Any, ...]:
            chosen = jnp.stack([actions[agent] for agent in agents]).astype(jnp.int32)
            lost = jax.vmap(_is_illegal)(available(state), chosen)
            if game.sequential:
                mine = players == state.to_play
                lost, action = lost & mine, (chosen * mine).sum()
            else:
                action = jnp.zeros(len(game.roles), jnp.int32).at[players].set(chosen)
            state = game.step(state, action, key)
            rewards = jnp.where(lost.any(), -lost.astype(jnp.float32), state.rewards[players])
            over = state.terminated | state.truncated | lost.any()
            dones = {**by_agent(jnp.broadcast_to(over, len(agents))), "__all__": over}
            return self.get_obs(state), state, by_agent(rewards), dones, {}

        def get_obs(self, state: State) -> dict[str, jax.Array]:
            return by_agent([lax.convert_element_type(game.observe(state, role), jnp.float32) for role in players])

        def get_avail_actions(self, state: State) -> dict[str, jax.Array]:
            return by_agent(available(state))

    return Env()
