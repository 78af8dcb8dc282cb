"""The speed of games in JAX, compared with Pgx: `python benchmark_jax.py [SECONDS [GAME ..]]`.

One jitted `lax.scan` chooses a random legal action by a common function, makes the step and
restarts games that are over. Observations and masks are bool arrays in the carry. `gdl` is
`gdl.jax.game`; `env` is the same game as an environment of Pgx with the `auto_reset` of Pgx.
Candidates take turns, and the time is the median processor time of the rounds. The bytes are the
temporary memory and the carry.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

import gdl.jax
import jax
import jax.numpy as jnp
from jax import lax

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
ROUNDS = 3
GAMES = {"tictactoe": "tic_tac_toe", "connect_four": "connect_four", "reversi": "othello", "hex": "hex", "chess": None}
BATCHES = (1024, 16384)

ready: Any = jax.block_until_ready

Loop = tuple[Callable[[Any], Any], Any, int]


def choose(mask: jax.Array, random: jax.Array) -> jax.Array:
    """Returns the legal action with the greatest hash of the game's random word and the action."""
    width = max(1, (mask.shape[-1] - 1).bit_length())
    actions = jnp.arange(mask.shape[-1], dtype=jnp.uint32)
    low = jnp.uint32((1 << width) - 1)
    noise = random[:, None] ^ actions * jnp.uint32(0x9E3779B9)
    noise = (noise ^ noise >> 16) * jnp.uint32(0x85EBCA6B)
    noise = (noise ^ noise >> 13) * jnp.uint32(0xC2B2AE35)
    best: jax.Array = jnp.where(mask, (noise | jnp.uint32(1 << 31)) & ~low | actions, 0).max(-1)
    return jax.lax.convert_element_type(best & low, jnp.int32)


def loop(name: str, n: int) -> Loop:
    """Returns a loop of random games of `gdl.jax`, its first carry and its number of steps."""
    game = gdl.jax.game(name)
    steps = max(2, min(64, (1 << 19) // n))

    def step(state: Any, action: jax.Array) -> tuple[Any, jax.Array]:
        state = game.auto_reset(game.step(state, action))
        return state, game.observe(state)

    def body(carry: Any, _: None) -> tuple[Any, None]:
        state, _, key = carry
        key, draw = jax.random.split(key)
        action = choose(state.legal_action_mask, jax.random.bits(draw, (n,), jnp.uint32))
        state, seen = jax.vmap(step)(state, action)
        return (state, seen, key), None

    state = jax.vmap(game.init)(jnp.zeros(n))
    carry = (state, jax.vmap(game.observe)(state), jax.random.key(0))
    return lambda carry: lax.scan(body, carry, None, length=steps)[0], carry, steps * n


def pgx_loop(env: Any, n: int) -> Loop:
    """Returns the loop for an environment of Pgx, like `loop`."""
    from pgx.experimental.wrappers import auto_reset

    steps = max(2, min(64, (1 << 19) // n))
    step = jax.vmap(auto_reset(env.step, env.init), in_axes=(0, 0, None))

    def body(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, draw, reset = jax.random.split(key, 3)
        action = choose(state.legal_action_mask, jax.random.bits(draw, (n,), jnp.uint32))
        return (step(state, action, reset), key), None

    carry = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), n)), jax.random.key(0)
    return lambda carry: lax.scan(body, carry, None, length=steps)[0], carry, steps * n


def candidates(name: str, n: int) -> dict[str, Loop]:
    loops = {"gdl": loop(name, n)}
    if find_spec("pgx") is not None:
        import pgx

        loops["env"] = pgx_loop(gdl.jax.pgx(gdl.jax.game(name)), n)
        if GAMES[name] is not None:
            loops["pgx"] = pgx_loop(pgx.make(GAMES[name]), n)
    return loops


def measure(name: str, n: int) -> None:
    compiled = {}
    for key, (function, carry, count) in candidates(name, n).items():
        start = time.process_time()
        program = jax.jit(function, donate_argnums=0).lower(carry).compile()
        seconds = time.process_time() - start
        carry = program(jax.tree.map(jnp.array, carry))
        compiled[key] = [program, carry, count, seconds, []]
    for _ in range(ROUNDS):
        for entry in compiled.values():
            program, carry, count, _, times = entry
            start, passes = time.process_time(), 0
            while not passes or time.process_time() - start < SECONDS / ROUNDS:
                carry, passes = program(carry), passes + 1
                ready(carry)
            entry[1] = carry
            times.append((time.process_time() - start) / passes / count)
    speeds = {key: 1 / median(entry[4]) for key, entry in compiled.items()}
    for key, (program, *_, seconds, _) in compiled.items():
        memory = program.memory_analysis()
        size = (memory.temp_size_in_bytes + memory.argument_size_in_bytes) / 2**20
        ratio = f"{speeds[key] / speeds['pgx']:6.2f} times Pgx" if "pgx" in speeds and key != "pgx" else ""
        print(
            f"{name:14} {n:6} {key:4} {speeds[key] / 1e6:9.3f} M steps/s, compiled in {seconds:5.2f} s, {size:6.1f} MiB {ratio}",
            flush=True,
        )


if __name__ == "__main__":
    for name in sys.argv[2:] or GAMES:
        for n in BATCHES:
            measure(name, n)
