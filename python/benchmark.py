"""The speed of batches and states: `python benchmark.py [SECONDS]` prints a line for each case.

The moves of random games are recorded from a fixed seed. They are then replayed into the same
arrays, so that drawing takes no time. Steps include those that restart a game. Time is processor
time of one thread, the best of many rounds.
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec

import gdl
import numpy as np

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
N = 4096


def batch(name: str, packed: bool, threads: int = 1) -> float:
    """Returns the number of steps of a batch per second."""
    game = gdl.load(name)
    player = game.batch(N, autoreset="same_step")
    random = np.random.default_rng(7)
    step = player.reset()
    record = []
    for _ in range(64):
        noise = random.random(step.mask.shape) * step.mask
        record.append(noise.argmax(-1).astype(np.int32))
        step = player.step(record[-1])
    games = game.batch(N, autoreset="same_step", packed=packed, threads=threads)
    out = games.buffers()
    best = 0.0
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        games.reset(out=out)
        start = time.process_time()
        for actions in record:
            games.step(actions, out)
        best = max(best, N * len(record) / (time.process_time() - start))
    return best


def states(name: str) -> float:
    """Returns the number of states per second, each with its legal moves and a move applied."""
    game = gdl.load(name)
    best = 0.0
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        start, count = time.process_time(), 0
        for _ in range(200):
            state, role = game.initial(), 0
            while not state.is_terminal:
                legal = state.legal_move_ids(role)
                state = state.apply(legal[len(legal) // 2])
                role = 1 - role
                count += 1
        best = max(best, count / (time.process_time() - start))
    return best


def open_spiel(name: str) -> float:
    """Returns the number of states per second of OpenSpiel's C++, whose states change in place."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    game = pyspiel.load_game(name)
    best = 0.0
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        start, count = time.process_time(), 0
        for _ in range(200):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[len(legal) // 2])
                count += 1
        best = max(best, count / (time.process_time() - start))
    return best


if __name__ == "__main__":
    for name in ("tictactoe", "connect_four"):
        for packed in (False, True):
            form = "packed" if packed else "bytes"
            print(f"batch {name:14} {form:7} 1 thread {batch(name, packed) / 1e6:10.1f} M steps/s", flush=True)
        print(f"state {name:14} {states(name) / 1e6:28.2f} M steps/s", flush=True)
        if find_spec("pyspiel") is not None:
            other = open_spiel({"tictactoe": "tic_tac_toe"}.get(name, name))
            print(f"      {'OpenSpiel':14} {other / 1e6:28.2f} M steps/s", flush=True)
