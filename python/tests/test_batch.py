"""Batches: equal to states, to each other, and unshaken by wrong arrays."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any, Literal

import gdl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

NAMES = gdl.builtin_names()
GAMES = {name: gdl.load(name) for name in NAMES}
MODES: tuple[Literal["next_step", "same_step", "disabled"], ...] = ("next_step", "same_step", "disabled")


def draw(batch: gdl.Batch, step: gdl.Step, random: np.random.Generator) -> NDArray[np.int64]:
    """A legal move for each row of the mask, which is bytes; -1 where there is none."""
    noise = random.random(step.mask.shape) * step.mask
    return np.where(step.mask.any(-1), noise.argmax(-1), -1)


def equal(a: gdl.Step, b: gdl.Step) -> bool:
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_engines_threads_and_layouts_agree(name: str, mode: Literal["next_step", "same_step", "disabled"]) -> None:
    game = GAMES[name]
    n = 1030 if len(game.fluents) < 100 else 520
    batch = game.batch(n, 5, autoreset=mode)
    others = [
        game.batch(n, 5, autoreset=mode, engine="single"),
        game.batch(n, 5, autoreset=mode, threads=3),
    ]
    packed = game.batch(n, 5, autoreset=mode, packed=True)
    whole = game.batch(n, 5, autoreset=mode, simultaneous=True)
    random = np.random.default_rng(1)
    step = batch.reset()
    for _ in range(30 if len(game.fluents) < 200 else 12):
        actions = draw(batch, step, random)
        before, step = step, batch.step(actions)
        for other in others:
            assert equal(other.step(actions), step)
        bits = packed.step(actions)
        for small, large in ((bits.observation, step.observation), (bits.mask, step.mask)):
            wide = np.unpackbits(small.view(np.uint8), axis=-1, bitorder="little")
            assert np.array_equal(wide[..., : large.shape[-1]], large)
        if batch.sequential:
            joint = np.full(whole.action_shape, -1, np.int32)
            joint[np.arange(n), np.maximum(before.to_play, 0)] = actions
            seen = whole.step(joint)
            for place in (0, 3, 4):
                assert np.array_equal(seen[place], step[place])
            turn = np.maximum(step.to_play, 0)
            assert np.array_equal(seen.mask[np.arange(n), turn], step.mask)


@pytest.mark.parametrize("name", NAMES)
def test_games_are_those_of_states(name: str) -> None:
    game = GAMES[name]
    batch = game.batch(20, 3, autoreset="disabled", percepts=False, simultaneous=True)
    chance = game.roles.index(game.chance_role) if game.chance_role else None
    random = np.random.default_rng(2)
    step = batch.reset()
    states = [game.initial() for _ in range(20)]
    for _ in range(60):
        actions = draw(batch, step, random)
        before, step = states, batch.step(actions)
        states = []
        for index, state in enumerate(before):
            if state.is_terminal:
                states.append(state)
                assert not step.terminated[index] and not step.rewards[index].any()
            elif chance is None:
                states.append(state.apply([int(action) for action in actions[index]]))
            else:
                states.append(batch.state(index))
            state = states[-1]
            assert batch.state(index) == state
            assert [game.fluents[i] for i in np.flatnonzero(step.observation[index])] == state.fluents
            for role, name_of_role in enumerate(game.roles):
                legal = [] if state.is_terminal or role == chance else state.legal_ids(name_of_role)
                assert list(np.flatnonzero(step.mask[index, role])) == legal
            if state.is_terminal and not before[index].is_terminal:
                assert step.terminated[index]
                goals = [50 if goal is None else goal for goal in state.goals]
                rewards = [0 if role == chance else goal / 50 - 1 for role, goal in enumerate(goals)]
                assert step.rewards[index] == pytest.approx(rewards)
        if all(state.is_terminal for state in states):
            break


def test_perft_through_a_batch() -> None:
    for name, depth in (("tictactoe", 4), ("connect_four", 4), ("nim", 3)):
        game = GAMES[name]
        paths: list[list[int]] = [[]]
        counts = []
        for _ in range(depth):
            batch = game.batch(len(paths), autoreset="disabled")
            step = batch.reset()
            for moves in zip(*paths, strict=True):
                step = batch.step(np.array(moves))
            counts.append(int(step.mask.sum()))
            paths = [[*path, int(move)] for path, mask in zip(paths, step.mask, strict=True) for move in np.flatnonzero(mask)]
        assert game.perft(depth) == counts


def test_autoreset() -> None:
    game = GAMES["nim"]
    for mode in MODES:
        batch = game.batch(700, autoreset=mode)
        first = step = batch.reset()
        random = np.random.default_rng(3)
        over = np.zeros(700, bool)
        for _ in range(50):
            step = batch.step(draw(batch, step, random))
            if mode == "same_step":
                assert (step.mask.any(-1)).all() and (step.to_play >= 0).all()
                assert np.array_equal(step.observation[step.terminated], first.observation[step.terminated])
            elif mode == "next_step":
                assert not (over & step.terminated).any()
                assert np.array_equal(step.observation[over], first.observation[over])
                assert not step.mask[step.terminated].any()
                over = step.terminated
            else:
                assert not (over & step.terminated).any()
                over |= step.terminated
                assert not step.mask[over].any() and (step.to_play[over] == -1).all()
            assert (step.rewards[step.terminated].sum(-1) == 0).all()
            assert not step.rewards[~step.terminated].any()
        if mode == "disabled":
            assert over.all()
            half = np.arange(700) % 2 == 0
            step = batch.reset(where=half)
            assert (step.mask.any(-1) == half).all() and not step.terminated.any()


def test_seeds_are_those_of_games() -> None:
    game = GAMES["monty_hall"]

    def play(batch: gdl.Batch, **reset: Any) -> list[str]:
        step = batch.reset(**reset)
        for _ in range(2):
            actions = np.where(step.mask.any(-1), step.mask.argmax(-1), 0)
            step = batch.step(actions)
        return [batch.state(index).kif for index in range(batch.n)]

    few, many = play(game.batch(10, 7)), play(game.batch(600, 7, threads=2))
    assert many[:10] == few
    assert play(game.batch(600, 8)) != many
    batch = game.batch(600, 8)
    assert play(batch, seed=7) == many
    each = play(game.batch(5), seed=[3, 3, 4, 3, 5])
    assert each[0] == each[1] == each[3]
    cars = Counter(text.split("car ")[1][0] for text in play(game.batch(3000, 1)))
    assert all(850 < count < 1150 for count in cars.values()) and len(cars) == 3
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seed=[1, 2])


def test_percepts_are_observed_where_rules_give_them() -> None:
    game = GAMES["liars_dice"]
    batch = game.batch(8, 1)
    assert batch.observation_shape == (8, len(game.roles), len(game.percepts))
    step = batch.reset()
    assert not step.observation.any()
    before = [batch.state(index) for index in range(8)]
    step = batch.step(np.where(step.mask.any(-1), step.mask.argmax(-1), -1))
    assert step.observation.any()
    assert all(a != batch.state(index) for index, a in enumerate(before))
    assert game.batch(8, percepts=False).observation_shape == (8, len(game.fluents))
    with pytest.raises(ValueError, match="percepts"):
        GAMES["nim"].batch(2, percepts=True)


@pytest.mark.parametrize("engine", [None, "single"])
def test_an_illegal_move_steps_nothing(engine: Literal["single"] | None) -> None:
    for name in ("connect_four", "checkers", "rock_paper_scissors", "tictactoe"):
        game = GAMES[name]
        batch = game.batch(1100, engine=engine)
        step = batch.reset()
        actions = draw(batch, step, np.random.default_rng(4))
        good = actions.copy()
        for index in (1099, 513, 7):
            for wrong in (len(game.moves), -2, 1 << 40, -1 << 62):
                bad = actions.copy()
                bad[index] = wrong
                out = batch.buffers()
                for array in out:
                    array.fill(1)
                with pytest.raises(gdl.IllegalMoveError, match=f"game {index}:") as caught:
                    batch.step(bad, out)
                assert caught.value.index == index
                assert list(caught.value.legal) == game.initial().legal(caught.value.role or "")
                assert all((array == 1).all() for array in out)
                assert batch.state(index) == game.initial()
            actions[index] = len(game.moves) + 1
        assert batch.step(good).observation.any()


def test_moves_that_go_without_saying() -> None:
    batch = GAMES["lights_out"].batch(4)
    with pytest.raises(gdl.IllegalMoveError):
        batch.step(np.full(4, -1))
    whole = GAMES["tictactoe"].batch(4, simultaneous=True)
    first = whole.reset()
    assert (first.to_play == 0).all()
    moves = np.full((4, 2), -1)
    moves[:, 0] = np.flatnonzero(first.mask[0, 0])[:4]
    assert (whole.step(moves).to_play == 1).all()


def wrong_arrays(step: gdl.Step) -> list[gdl.Step]:
    found = []
    for place, array in enumerate(step):
        bad: list[Any] = [None, [1, 2], array[:-1], array.astype(np.complex64), array[..., np.newaxis], "text", 0]
        bad += [array.byteswap().view(array.dtype.newbyteorder()) if array.itemsize > 1 else array.astype(np.float64)]
        bad += [np.empty((*array.shape, 2), array.dtype)[..., 0], np.empty(array.shape[::-1], array.dtype).T]
        raw = np.empty(array.nbytes + 1, np.uint8)[1:].view(np.uint8)
        if array.itemsize > 1:
            bad.append(np.frombuffer(raw.data, array.dtype, array.size).reshape(array.shape))
        frozen = array.copy()
        frozen.flags.writeable = False
        bad.append(frozen)
        for one in bad:
            alike = isinstance(one, np.ndarray) and one.shape == array.shape and one.dtype == array.dtype
            if alike and one.flags.c_contiguous and one.flags.writeable and one.flags.aligned:
                continue
            fields: list[Any] = [one if i == place else other for i, other in enumerate(step)]
            found.append(gdl.Step(*fields))
    return found


@pytest.mark.parametrize("packed", [False, True])
def test_wrong_arrays_are_refused(packed: bool) -> None:
    batch = GAMES["connect_four"].batch(6, packed=packed)
    start = batch.reset()
    out = batch.buffers()
    actions = np.zeros(6, np.int32)
    cases = wrong_arrays(out)
    assert len(cases) > 40
    for wrong in cases:
        with pytest.raises((TypeError, ValueError)):
            batch.step(actions, wrong)
        with pytest.raises((TypeError, ValueError)):
            batch.reset(out=wrong)
    shorts: list[Any] = [(), (1,), out[:4]]
    for short in shorts:
        with pytest.raises((TypeError, ValueError)):
            batch.step(actions, short)
    bad: list[Any] = [None, [0] * 6, actions[:5], actions.astype(float), actions.astype(np.uint8), actions[np.newaxis], "a"]
    for one in bad:
        with pytest.raises((TypeError, ValueError)):
            batch.step(one, out)
    assert np.array_equal(batch.reset().observation, start.observation)
    strided = np.zeros((6, 2), np.int64)[:, 0]
    strided[:] = batch.game.initial().legal_ids(0)[0]
    assert batch.step(strided, out).observation.any()


def test_no_array_is_written_twice() -> None:
    batch = GAMES["rock_paper_scissors"].batch(4)
    out = batch.buffers()
    whole = np.empty(1000, np.uint8)
    observation = whole[: out.observation.size].reshape(out.observation.shape)
    mask = whole[10 : 10 + out.mask.size].reshape(out.mask.shape)
    with pytest.raises(ValueError, match="written"):
        batch.reset(out=out._replace(observation=observation, mask=mask))


def test_batches_that_cannot_be() -> None:
    game = GAMES["nim"]
    for n in (0, 1 << 40):
        with pytest.raises((ValueError, MemoryError)):
            game.batch(n)
    with pytest.raises(OverflowError):
        game.batch(-1)
    with pytest.raises(ValueError, match="autoreset"):
        game.batch(1, autoreset="now")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Game"):
        gdl.batch("nim", 1)  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        game.batch(2).state(2)
    assert len(game.batch(3)) == 3 and "nim" in repr(game.batch(3))


def test_one_batch_in_many_threads() -> None:
    batch = GAMES["tictactoe"].batch(2000, autoreset="same_step")
    refused: list[Exception] = []

    def work() -> None:
        random = np.random.default_rng(threading.get_ident() % 1000)
        for _ in range(50):
            try:
                batch.step(draw(batch, batch.reset(), random))
            except (RuntimeError, gdl.IllegalMoveError) as error:
                refused.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(error, gdl.IllegalMoveError) or "thread" in str(error) for error in refused)
    assert batch.reset().mask.any()


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["tictactoe", "rock_paper_scissors", "monty_hall", "nim"]),
    st.integers(1, 40),
    st.sampled_from(MODES),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from(["step", "reset", "state", "bad"]), st.integers(-3, 12)), max_size=25),
)
def test_any_calls_give_values_or_exceptions(name: str, n: int, mode: Any, packed: bool, calls: list[tuple[str, int]]) -> None:
    batch = GAMES[name].batch(n, autoreset=mode, packed=packed)
    twin = GAMES[name].batch(n, autoreset=mode, packed=packed, engine="single")
    for call, number in calls:
        results: list[Any] = []
        for each in (batch, twin):
            try:
                if call == "step":
                    results.append(each.step(np.full(each.action_shape, number)))
                elif call == "reset":
                    results.append(each.reset(seed=abs(number), where=np.arange(n) % 3 == number))
                elif call == "state":
                    results.append(each.state(number).kif)
                else:
                    results.append(each.step(np.full((n, number % 4), number)))
            except (ValueError, IndexError, OverflowError) as error:
                results.append(str(error))
        first, second = results
        assert equal(first, second) if isinstance(first, gdl.Step) else first == second
