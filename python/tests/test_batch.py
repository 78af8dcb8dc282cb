"""Batches agree with states and with each other, and reject wrong arrays."""

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

NAMES = gdl.builtin_names(compiled=True)
GAMES = {name: gdl.load(name) for name in NAMES}
MODES: tuple[Literal["next_step", "same_step", "disabled"], ...] = ("next_step", "same_step", "disabled")


def draw(batch: gdl.Batch, step: gdl.Step, random: np.random.Generator) -> NDArray[np.int64]:
    """Returns a random legal move for each row of a mask of bytes; -1 for a row without one."""
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


@pytest.mark.parametrize(("name", "n"), [("tictactoe", 70_000), ("reversi", 8_000)])
def test_threads_change_nothing(name: str, n: int) -> None:
    one, three = (GAMES[name].batch(n, autoreset="same_step", threads=threads) for threads in (1, 3))
    random = np.random.default_rng(1)
    step = one.reset()
    for _ in range(4):
        actions = draw(one, step, random)
        step = one.step(actions)
        assert equal(three.step(actions), step)
        bad = draw(one, step, random)
        bad[[n - 1, n // 2]] = -5
        with pytest.raises(gdl.IllegalMoveError, match=f"game {n // 2}:"):
            three.step(bad)


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
                legal = [] if state.is_terminal or role == chance else state.legal_move_ids(name_of_role)
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
                assert list(caught.value.legal) == game.initial().legal_moves(caught.value.role or "")
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


@pytest.mark.parametrize("name", NAMES)
def test_planes_say_what_the_flat_row_says(name: str) -> None:
    game = GAMES[name]
    if not has_board(game):
        with pytest.raises(ValueError, match="board"):
            game.batch(2, observation="planes", percepts=False)
        return
    planes = gdl.planes(game)
    shape = (len(planes.channels), planes.height, planes.width)
    assert planes.fluents.shape == shape
    assert set(planes.fluents.ravel()) | {-1} == {-1, *range(len(game.fluents))}
    for channel, fluents in zip(planes.channels, planes.fluents, strict=True):
        if channel in game.fluents:
            assert (fluents == game.fluents.index(channel)).all()
    n = 530 if len(game.fluents) < 100 else 70
    batches = [game.batch(n, 1, autoreset="same_step", percepts=False, engine=engine) for engine in (None, "single")]
    shown = [
        game.batch(n, 1, autoreset="same_step", percepts=False, observation="planes", engine=engine)
        for engine in (None, "single")
    ]
    assert all(batch.observation_shape == (n, *shape) for batch in shown)
    random = np.random.default_rng(5)
    steps = [batch.reset() for batch in (*batches, *shown)]
    for _ in range(8):
        flat = np.append(steps[0].observation, np.zeros((n, 1), np.uint8), axis=1)
        assert np.array_equal(steps[2].observation, flat[:, planes.fluents])
        assert equal(steps[0], steps[1]) and equal(steps[2], steps[3])
        actions = draw(batches[0], steps[0], random)
        steps = [batch.step(actions) for batch in (*batches, *shown)]


def has_board(game: gdl.Game) -> bool:
    try:
        gdl.planes(game)
    except ValueError:
        return False
    return True


def test_planes_of_a_board() -> None:
    planes = gdl.planes(GAMES["tictactoe"])
    assert planes.channels == ("b", "o", "x", "(control oplayer)", "(control xplayer)")
    assert (planes.height, planes.width) == (3, 3)
    game = GAMES["tictactoe"]
    batch = game.batch(1, observation="planes")
    batch.reset()
    seen = batch.step(np.array([game.moves.index("(mark 1 3)")])).observation[0]
    # The first coordinate is the column, and rows are counted from the top.
    assert seen[2].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert seen[0].sum() == 8 and (seen[3] == 1).all() and (seen[4] == 0).all()
    wrong: list[dict[str, Any]] = [{"packed": True}, {"observation": "picture"}]
    for options in wrong:
        with pytest.raises(ValueError, match="planes"):
            game.batch(1, **{"observation": "planes", **options})
    with pytest.raises(ValueError, match="percepts"):
        GAMES["monty_hall"].batch(1, observation="planes")


def test_chance_in_lanes_is_chance() -> None:
    game = GAMES["monty_hall"]
    lanes, single = game.batch(1100, 4, percepts=False), game.batch(1100, 4, percepts=False, engine="single")
    assert (lanes.engine, single.engine) == ("lanes", "single")
    for batch in (lanes, single):
        batch.reset(seed=12)
        batch.reset(where=np.arange(1100) % 3 == 0, seed=list(range(1100)))
    random = np.random.default_rng(5)
    step = lanes.reset()
    assert equal(step, single.reset())
    for _ in range(12):
        actions = draw(lanes, step, random)
        step = lanes.step(actions)
        assert equal(step, single.step(actions))


def test_arrays_are_shared_by_dlpack() -> None:
    batch = GAMES["tictactoe"].batch(600)
    out = batch.buffers()
    shared = [np.from_dlpack(array) for array in out]
    step = batch.reset(out=out)
    for one, array in zip(shared, step, strict=True):
        assert one.dtype == array.dtype and np.shares_memory(one, array) and np.array_equal(one, array)
    # Moves may come from elsewhere, and so may arrays to write to.
    actions: Any = np.from_dlpack(np.full(600, int(step.mask[0].argmax()), np.int32))
    again = GAMES["tictactoe"].batch(600)
    assert equal(batch.step(actions, out=out), again.step(actions))


@pytest.mark.torch
def test_buffers_are_shared_with_torch() -> None:
    import torch

    batch = GAMES["tictactoe"].batch(600)
    out = batch.buffers()
    tensors = [torch.from_dlpack(array) for array in out]
    batch.reset(out=out)
    assert all(np.array_equal(tensor.numpy(), array) for tensor, array in zip(tensors, out, strict=True))


def test_games_of_many_roles() -> None:
    def rules(count: int) -> str:
        roles = "".join(f"(role r{n}) (goal r{n} {n % 101})" for n in range(count))
        return f"{roles} (init a) (<= (legal ?r go) (role ?r)) (<= (next b) (true a)) (<= terminal (true b))"

    for count, wide in ((100, None), (127, "single")):
        batch = gdl.loads(rules(count), allow="goal_100_missing").batch(70, engine=wide, autoreset="same_step")  # type: ignore[arg-type]
        step = batch.step(np.full(batch.action_shape, -1))
        goals = np.array([int(name[1:]) % 101 for name in batch.game.roles])
        assert np.allclose(step.rewards, goals / 50 - 1, atol=1e-6)
        assert step.terminated.all()
    with pytest.raises(ValueError, match="127 roles"):
        gdl.loads(rules(128), allow="goal_100_missing").batch(1)


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
    strided[:] = batch.game.initial().legal_move_ids(0)[0]
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
    with pytest.raises(TypeError):
        gdl.batch(3, 1)  # type: ignore[arg-type]
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


DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64", "bool", ">i4", ">i8", "complex64")


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """An array of any dtype, shape and strides, read-only or not; or no array."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([None, "text", 3, [[1], [2]], (), object(), {}]))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 10, 27, 29]), max_size=4)))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    array: Any = np.full(tuple(2 * size for size in shape), draw(st.integers(0, 9))).astype(dtype)
    ways = [draw(st.sampled_from([slice(None, None, 2), slice(size), slice(None, size - 1, -1)])) for size in shape]
    array = array[(..., *ways)]
    how = draw(st.integers(0, 5))
    if how == 1:
        array = array.T
    elif how == 2:
        array = np.ascontiguousarray(array)
    elif how == 3:
        array = np.frombuffer(bytes(array.nbytes + 1), np.uint8)[1:].view(dtype)
    elif how == 4:
        array = np.broadcast_to(array, (2, *array.shape))
    if how % 2 == 0 and array.flags.owndata:
        array.flags.writeable = bool(draw(st.integers(0, 1)))
    return array


@settings(deadline=None, max_examples=300)
@given(st.data(), st.sampled_from([(), (5,), (5, 2)]), st.booleans(), st.booleans())
def test_any_arrays_give_values_or_exceptions(data: st.DataObject, shape: tuple[int, ...], packed: bool, whole: bool) -> None:
    batch = GAMES["tictactoe"].batch(5, packed=packed, simultaneous=whole)
    start = batch.reset()
    before = [batch.state(index) for index in range(5)]
    out = batch.buffers()
    kinds = data.draw(st.lists(st.booleans(), min_size=5, max_size=5))
    fields: list[Any] = [data.draw(arrays()) if kind else array for kind, array in zip(kinds, out, strict=True)]
    fields = fields[: data.draw(st.sampled_from([5, 5, 5, 5, 0, 3]))]
    actions = data.draw(st.one_of(arrays(), st.just(np.full(shape, 3)), st.just(np.full(batch.action_shape, 0))))
    given: Any = gdl.Step(*fields) if len(fields) == 5 else tuple(fields)
    try:
        batch.step(actions, given)
    except (TypeError, ValueError):
        assert [batch.state(index) for index in range(5)] == before
    where = data.draw(st.one_of(st.none(), arrays()))
    try:
        batch.reset(where=where, out=given)
    except (TypeError, ValueError):
        pass
    assert equal(batch.reset(), start)


def test_handles_that_outlive_their_makers() -> None:
    batch = gdl.load("tictactoe").batch(5)
    step = batch.step(np.zeros(5, np.int32))
    state, game = batch.state(4), batch.game
    core = batch._core
    del batch
    assert state.apply(state.legal_move_ids(1)[0]) != state and game.initial() != state
    core.reset(step, None, None)
    del core, game
    assert step.mask.any() and state.legal_moves(1)


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
