"""Games in JAX are equal to batches and states bit for bit, in any nest of `vmap`.

A game takes about ten seconds to compile and to play. `GDL_SAMPLE=1` tests all games.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gdl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

jax = pytest.importorskip("jax")
import gdl.jax
import jax.numpy as jnp

# Compilation takes longer than the runs of these tests.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
STEPS = 25
ALL = os.environ.get("GDL_SAMPLE") == "1"
# Turns, joint moves, chance, hidden information, and a large net.
FEW = ["battleship", "breakthrough", "connect_four", "kuhn_poker", "pig", "reversi", "rock_paper_scissors", "tictactoe"]


def compiled(function: Any) -> Any:
    return jax.jit(function, compiler_options=QUICK)


def starts(game: gdl.jax.Game, n: int) -> gdl.jax.State:
    states: gdl.jax.State = compiled(jax.vmap(game.init))(jnp.zeros(n))
    return states


def draw(mask: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int32]:
    actions: NDArray[np.int32] = (random.random(mask.shape) * mask).argmax(-1).astype(np.int32)
    return actions


def agree_with_batch(game: gdl.Game) -> None:
    """Asserts that random play without chance has the results of a batch."""
    env, n = gdl.jax.game(game), 40
    batch = game.batch(n, autoreset="disabled", simultaneous=True)
    own = [game.moves_of(role) for role in range(len(game.roles))]
    states, seen = starts(env, n), batch.reset()
    step = compiled(jax.vmap(env.step))
    observe = compiled(jax.vmap(lambda state: jnp.stack([env.observe(state, role) for role in range(len(own))])))
    random = np.random.default_rng(1)
    over = np.zeros(n, bool)
    for _ in range(STEPS):
        mask, turn = np.asarray(states.legal_action_mask), np.asarray(states.to_play)
        joint = np.full((n, len(own)), -1, np.int32)
        if env.sequential:
            action = draw(mask, random)
            for index in np.flatnonzero(~over):
                joint[index, turn[index]] = own[turn[index]][action[index]]
        else:
            action = draw(mask, random)
            for role, moves in enumerate(own):
                joint[:, role] = np.where(over, 0, np.array(moves)[np.minimum(action[:, role], len(moves) - 1)])
        for index in np.flatnonzero(~over):
            for role, moves in enumerate(own):
                legal = mask[index] if env.sequential else mask[index, role]
                if not env.sequential or role == turn[index]:
                    assert [moves[place] for place in np.flatnonzero(legal)] == list(np.flatnonzero(seen.mask[index, role]))
                else:
                    assert seen.mask[index, role].sum() == 1
        assert (turn[seen.to_play >= 0] == seen.to_play[seen.to_play >= 0]).all()
        states, seen = step(states, action), batch.step(joint)
        assert np.array_equal(np.asarray(states.terminated), over | seen.terminated)
        assert np.array_equal(np.asarray(states.rewards), seen.rewards)
        observed = np.asarray(observe(states))
        if game.has_hidden_information:
            assert np.array_equal(observed[~over], seen.observation[~over])
        else:
            assert np.array_equal(observed[:, 0], seen.observation)
        over |= seen.terminated
        assert not np.asarray(states.legal_action_mask)[over].any()


def agree_with_states(game: gdl.Game) -> None:
    """Asserts that each state of random play is a successor by some move of chance."""
    env, n = gdl.jax.game(game), 6
    assert env.chance is not None
    step, split = compiled(jax.vmap(env.step)), compiled(lambda key: jax.random.split(key, n + 1))
    observe = compiled(jax.vmap(lambda state: jnp.stack([env.observe(state, role) for role in range(len(env.roles))])))
    random, key = np.random.default_rng(2), jax.random.key(3)
    states, before = starts(env, n), [game.initial()] * n
    for _ in range(STEPS):
        mask, turn = np.asarray(states.legal_action_mask), np.asarray(states.to_play)
        action = draw(mask, random)
        keys = split(key)
        key, states = keys[0], step(states, action, keys[1:])
        bits, ended, rewards = map(np.asarray, (states.bits, states.terminated, states.rewards))
        observed = np.asarray(observe(states))
        after = []
        for index, state in enumerate(before):
            if state.is_terminal:
                after.append(state)
                continue
            moves = {}
            for role in range(len(env.roles)):
                legal, own = state.legal_move_ids(role), game.moves_of(role)
                chosen = mask[index] if env.sequential else mask[index, role]
                if role == env.chance:
                    continue
                if not env.sequential or role == turn[index]:
                    assert [own[place] for place in np.flatnonzero(chosen)] == legal
                    moves[role] = own[action[index] if env.sequential else action[index, role]]
                else:
                    (moves[role],) = legal
            found = None
            for chance in state.legal_move_ids(env.chance):
                joint = [moves.get(role, chance) for role in range(len(env.roles))]
                candidate = state.apply(joint)
                if game.has_hidden_information:
                    seen = [
                        [percept in state.percepts(role, joint) for percept in game.percepts] for role in range(len(env.roles))
                    ]
                    same = np.array_equal(observed[index], seen)
                else:
                    same = [game.fluents[i] for i in np.flatnonzero(observed[index, 0])] == candidate.fluents
                fluents = np.unpackbits(bits[index].view(np.uint8), bitorder="little", count=len(game.fluents))
                if same and list(np.flatnonzero(fluents)) == candidate.fluent_ids:
                    found = candidate
            assert found is not None
            after.append(found)
            assert ended[index] == found.is_terminal
            goals = [50 if role == env.chance or goal is None else goal for role, goal in enumerate(found.goals)]
            expected = np.array(goals, np.float32) / np.float32(50) - 1 if found.is_terminal else np.zeros(len(goals))
            assert np.array_equal(rewards[index], expected)
        before = after


@pytest.mark.parametrize("name", gdl.builtin_names() if ALL else FEW)
def test_games_are_those_of_the_engine(name: str) -> None:
    game = gdl.load(name)
    if game.engine == "lifted":
        with pytest.raises(ValueError, match="no net"):
            gdl.jax.game(game)
    elif game.chance_role is None:
        agree_with_batch(game)
    else:
        agree_with_states(game)


@pytest.mark.parametrize("folder", ["rulesheets/good", "rulesheets/games"])
@pytest.mark.filterwarnings("ignore::gdl.RulesheetWarning")
def test_rulesheets_are_those_of_the_engine(folder: str, shared: Callable[[str], Path]) -> None:
    paths = sorted(shared(folder).glob("*.kif"))
    tried = 0
    for path in paths[:: 1 if ALL else max(1, len(paths) // 6)]:
        try:
            game = gdl.load(path, max_steps=1 << 28)
        except gdl.RulesError:
            continue
        if game.engine == "lifted" or not all(game.initial().legal_move_ids(role) for role in game.roles):
            continue
        tried += 1
        (agree_with_batch if game.chance_role is None else agree_with_states)(game)
    assert tried >= 3


@pytest.fixture(scope="module")
def four() -> gdl.jax.Game:
    return gdl.jax.game("connect_four")


@settings(deadline=None, max_examples=6)
@given(st.lists(st.integers(1, 40), max_size=2), st.integers(0, 7), st.integers(0, 2**32 - 1))
def test_any_nest_of_maps_steps_each_game_alone(four: gdl.jax.Game, shape: list[int], shared_action: int, seed: int) -> None:
    step, init = four.step, four.init
    for _ in shape:
        step, init = jax.vmap(step), jax.vmap(init)
    random = np.random.default_rng(seed)
    states, step = compiled(init)(jnp.zeros(shape)), compiled(step)
    for _ in range(3):
        states = step(states, random.integers(0, 8, shape))
    count = int(np.prod(shape))
    flat = jax.tree.map(lambda array: np.asarray(array).reshape(count, *array.shape[len(shape) :]), states)
    one_action = compiled(jax.vmap(four.step, in_axes=(0, None)))(flat, shared_action)
    all_actions = step(states, np.full(shape, shared_action))
    index = random.integers(count)
    alone = compiled(four.step)(jax.tree.map(lambda array: array[index], flat), shared_action)
    for one, every, single in zip(*map(jax.tree.leaves, (one_action, all_actions, alone)), strict=True):
        assert np.array_equal(one, np.reshape(every, one.shape)) and np.array_equal(one[index], single)


def test_chunks_change_nothing(four: gdl.jax.Game) -> None:
    states = starts(four, 5000)
    actions = jnp.arange(5000) % 8
    step = compiled(jax.vmap(four.step))
    whole = step(step(states, actions), actions[::-1])
    few = jax.tree.map(lambda array: array[4000:], states)
    part = step(step(few, actions[4000:]), actions[::-1][4000:])
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a[4000:] == b).all()), whole, part))


def test_transformations(four: gdl.jax.Game) -> None:
    def loss(weight: Any, state: Any, action: Any) -> Any:
        state = jax.lax.cond(action > 3, lambda: four.step(state, action), lambda: state)
        return (four.observe(state) * weight).sum()

    states = starts(four, 3)
    slopes = compiled(jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)))(jnp.float32(2), states, jnp.array([1, 4, 5]))
    assert slopes.tolist() == [1, 2, 2]  # The fluents that hold: whose turn it is, and a disc.


@pytest.mark.filterwarnings("ignore::gdl.RulesheetWarning")
def test_ends(four: gdl.jax.Game) -> None:
    state = four.init()
    for action in (0, 1, 0, 1, 0, 1, 0):
        assert not state.terminated and not state.rewards.any() and state.legal_action_mask.any()
        state = four.step(state, action)
    assert state.terminated and not state.truncated and state.rewards.tolist() == [1, -1]
    still = four.step(state, 2)
    assert still.terminated and not still.rewards.any() and (still.bits == state.bits).all()
    fresh = four.auto_reset(state)
    assert fresh.terminated and fresh.rewards.tolist() == [1, -1]
    assert (fresh.bits == four.init().bits).all() and fresh.legal_action_mask.sum() == 7 and fresh.step_count == 0
    again, first = four.step(fresh, 3), four.step(four.init(), 3)
    assert jax.tree.all(jax.tree.map(np.array_equal, again, first))
    short = gdl.jax.game("connect_four", max_steps=2)
    state = short.step(short.step(short.init(), 0), 0)
    assert state.truncated and not state.terminated and short.step(state, 0).step_count == 2
    again = short.step(short.auto_reset(state), 0)
    assert not again.truncated and again.step_count == 1
    over = gdl.jax.game(
        gdl.loads("(role x) (init p) terminal (<= (goal ?r 70) (role ?r)) (<= (legal ?r a) (role ?r)) (<= (next p) (true p))")
    )
    state = over.auto_reset(over.step(over.init(), 0))
    assert state.terminated and state.step_count == 0 and not state.rewards.any()


@pytest.mark.parametrize("name", ["tictactoe", "rock_paper_scissors", "kuhn_poker"])
def test_games_that_start_again_are_games(name: str) -> None:
    """Asserts that lengths and rewards of all games in a long run are those of playouts."""
    game = gdl.load(name)
    env, n, steps = gdl.jax.game(name), 512, 200

    def body(state: Any, key: Any) -> Any:
        pick, chance = jax.random.split(key)
        action = (jax.random.uniform(pick, state.legal_action_mask.shape) * state.legal_action_mask).argmax(-1)
        state = jax.vmap(env.auto_reset)(jax.vmap(env.step)(state, action, jax.random.split(chance, n)))
        return state, (state.terminated.sum(), state.rewards[:, 0].sum())

    run = jax.jit(lambda state, keys: jax.lax.scan(body, state, keys)[1])
    ended, rewards = run(starts(env, n), jax.random.split(jax.random.key(1), steps))
    stats = game.playouts(100_000, seed=1)
    # Games under way at the end are not counted: half a game in each place, more or less.
    assert ended.sum() == pytest.approx(n * steps / stats.mean_length, rel=0.08)
    assert 50 * (rewards.sum() / ended.sum() + 1) == pytest.approx(stats.roles[0].mean_goal, abs=1.5)


def test_wrong_arguments(four: gdl.jax.Game) -> None:
    with pytest.raises(ValueError, match="shape of an action"):
        four.step(four.init(), jnp.zeros(2, int))
    dice = gdl.jax.game("pig")
    with pytest.raises(ValueError, match="needs a key"):
        dice.step(dice.init(), 0)
    with pytest.raises(ValueError, match="same time"):
        gdl.jax.pgx(gdl.jax.game("rock_paper_scissors"))


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "pig", "rock_paper_scissors"])
def test_random_play_is_that_of_playouts(name: str) -> None:
    game = gdl.load(name)
    env, n = gdl.jax.game(game), 4096

    def body(carry: Any, key: Any) -> Any:
        state, goals = carry
        pick, chance = jax.random.split(key)
        noise = jax.random.uniform(pick, state.legal_action_mask.shape)
        action = (noise * state.legal_action_mask).argmax(-1)
        state = jax.vmap(env.step)(state, action, jax.random.split(chance, n))
        return (state, goals + state.rewards), None

    loop = jax.jit(lambda state, keys: jax.lax.scan(body, (state, jnp.zeros(state.rewards.shape)), keys)[0])
    steps = 600 if name == "pig" else 60
    state, rewards = loop(starts(env, n), jax.random.split(jax.random.key(1), steps))
    assert state.terminated.all()
    stats = game.playouts(100_000, seed=1)
    lengths = np.asarray(state.step_count)
    assert lengths.mean() == pytest.approx(stats.mean_length, abs=float(5 * lengths.std() / n**0.5 + 1e-6))
    for role in range(len(game.roles)):
        goals = 50 * (np.asarray(rewards[:, role]) + 1)
        if role != env.chance:
            expected = stats.roles[role].mean_goal
            assert goals.mean() == pytest.approx(expected, abs=float(5 * goals.std() / n**0.5 + 1e-6))


def test_a_written_file_needs_jax_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.py"
    gdl.jax.write("connect_four", path)
    text = path.read_text()
    assert "SPDX-License-Identifier: 0BSD" in text and len(text) < 64 << 10
    printed = subprocess.run([sys.executable, "-m", "gdl.jax", "connect_four"], capture_output=True, text=True, check=True).stdout
    assert printed == text
    program = (
        "import sys; sys.modules['gdl'] = None\n"
        "import game\n"
        "state = game.GAME.step(game.GAME.init(), 3)\n"
        "print(state.bits.tolist(), [name for name in sys.modules if name.startswith('gdl.')])\n"
    )
    out = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    game = gdl.jax.game("connect_four")
    assert out == f"{game.step(game.init(), 3).bits.tolist()} []\n"


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "pig"])
@pytest.mark.filterwarnings("ignore")
def test_api_test_of_pgx(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test = pytest.importorskip("pgx._src.api_test")
    env = gdl.jax.pgx(gdl.jax.game(name))
    # The names of Pgx and its drawings are a closed list. Its choice fails on one game in new JAX.
    names = test.get_args
    monkeypatch.setattr(test, "get_args", lambda kind: (*names(kind), name))
    monkeypatch.setattr(type(env.init(jax.random.key(0))), "save_svg", lambda *_, **__: None)
    choice = jax.jit(lambda key, mask: jax.random.categorical(key, jnp.where(mask, 0.0, -1e9), axis=-1))
    monkeypatch.setattr(test, "act_randomly", choice)
    test.api_test(env, 3, use_key=True)


@pytest.mark.filterwarnings("ignore")
def test_pgx_seats_players_at_random() -> None:
    pytest.importorskip("pgx")
    env = gdl.jax.pgx(gdl.jax.game("connect_four"))
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 64))
    assert set(states.current_player.tolist()) == {0, 1}
    step = jax.jit(jax.vmap(env.step))
    first = states.current_player
    for action in (0, 1, 0, 1, 0, 1, 0):
        assert not states.terminated.any()
        states = step(states, jnp.full(64, action))
    assert states.terminated.all()
    assert (states.rewards[jnp.arange(64), first] == 1).all() and (states.rewards.sum(-1) == 0).all()


def test_planes_have_the_fluents(four: gdl.jax.Game, tmp_path: Path) -> None:
    env, layout = gdl.jax.game("connect_four", observation="planes"), gdl.planes("connect_four")
    assert env.channels == list(layout.channels) and four.channels is None
    state = env.step(env.step(env.init(), 3), 3)
    shown = np.asarray(env.observe(state))
    assert shown.shape == (6, 7, len(layout.channels))
    flat = np.append(np.asarray(four.observe(four.step(four.step(four.init(), 3), 3))), False)
    assert np.array_equal(np.moveaxis(shown, -1, 0), flat[layout.fluents])
    assert np.argwhere(shown[..., layout.channels.index("red")]).tolist() == [[5, 3]]
    path = tmp_path / "game.py"
    gdl.jax.write("connect_four", path, observation="planes")
    command = [sys.executable, "-m", "gdl.jax", "connect_four", "--planes"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == path.read_text()
    names: dict[str, Any] = {}
    exec(path.read_text(), names)  # noqa: S102
    assert np.array_equal(shown, names["GAME"].observe(names["GAME"].step(names["GAME"].step(names["GAME"].init(), 3), 3)))
    with pytest.raises(ValueError, match="no board"):
        gdl.jax.game("pig", observation="planes")
    with pytest.raises(ValueError, match="percepts"):
        gdl.jax.game("battleship", observation="planes")
    with pytest.raises(ValueError, match="`flat` or `planes`"):
        gdl.jax.game("tictactoe", observation="plains")  # type: ignore[arg-type]


def test_shard_map_changes_nothing() -> None:
    """Runs in a process of its own, since the number of devices is set before JAX starts."""
    program = """
        import gdl.jax, jax, numpy as np
        from jax.sharding import PartitionSpec as P
        game = gdl.jax.game("connect_four")
        mesh = jax.sharding.Mesh(np.array(jax.devices()), ("games",))
        states = jax.vmap(game.init)(np.zeros(128))
        actions = np.arange(128) % 8
        step = jax.vmap(game.step)
        shards = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=P("games"), out_specs=P("games")))
        after = shards(shards(states, actions), actions)
        whole = step(step(states, actions), actions)
        assert len(after.bits.sharding.device_set) == 2
        assert jax.tree.all(jax.tree.map(lambda a, b: bool((np.asarray(a) == np.asarray(b)).all()), after, whole))
    """
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, check=True)


@pytest.mark.parametrize(("name", "role"), [("connect_four", 1), ("rock_paper_scissors", 0), ("kuhn_poker", 0)])
def test_gymnax_plays_one_role(name: str, role: int) -> None:
    pytest.importorskip("gymnax")
    game = gdl.jax.game(name, max_steps=400)
    env, n, steps = gdl.jax.gymnax(game, role), 64, 40
    params = env.default_params
    assert env.name == name and env.num_actions == game.num_actions and params.max_steps_in_episode == 400
    assert env.observation_space(params).shape == game.observe(game.init(), role).shape

    def body(state: Any, key: Any) -> Any:
        pick, chance = jax.random.split(key)
        mask = state.legal_action_mask if game.sequential else state.legal_action_mask[:, role]
        action = jax.random.categorical(pick, jnp.where(mask, 0.0, -jnp.inf))
        after = jax.vmap(env.step, in_axes=(0, 0, 0, None))(jax.random.split(chance, n), state, action, params)
        return after[1], (mask, state.to_play, *after[2:5])

    seen, state = compiled(jax.vmap(env.reset, in_axes=(0, None)))(jax.random.split(jax.random.key(0), n), params)
    play = compiled(lambda state, keys: jax.lax.scan(body, state, keys)[1])
    masks, turns, rewards, terminated, truncated = play(state, jax.random.split(jax.random.key(1), steps))
    assert seen.dtype == jnp.float32 and masks.any(-1).all(), "the agent always has a legal action"
    assert not game.sequential or (turns == role).all()
    assert (rewards != 0).any() and not rewards[~terminated].any() and not truncated.any()
    assert terminated.any()


def test_gymnax_ends() -> None:
    pytest.importorskip("gymnax")
    game = gdl.jax.game("connect_four", max_steps=4)
    env = gdl.jax.gymnax(game, 0, lambda key, seen, mask: jnp.int32(7))
    key = jax.random.key(0)
    seen, state = env.reset(key)
    step, alone = compiled(env.step), game.init()
    for is_last in (False, True):
        seen, state, reward, terminated, truncated, info = step(key, state, 0)
        assert (reward, terminated, truncated) == (0, False, is_last)
        alone = game.step(game.step(alone, 0), 7)
        assert np.array_equal(info["final_observation"], game.observe(alone))
        assert np.array_equal(seen, game.observe(game.init() if is_last else alone))
    assert state.step_count == 0
    for illegal in (99, -1):
        seen, state, reward, terminated, truncated, _ = step(key, state, illegal)
        assert (reward, terminated, truncated) == (-1, True, False) and state.step_count == 0
    with pytest.raises(ValueError, match="role of a player"):
        gdl.jax.gymnax(gdl.jax.game("pig"), 2)


@pytest.mark.parametrize("name", ["connect_four", "rock_paper_scissors", "kuhn_poker"])
def test_jaxmarl_has_an_agent_for_each_role(name: str) -> None:
    pytest.importorskip("jaxmarl")
    game = gdl.jax.game(name)
    env = gdl.jax.jaxmarl(game)
    players = [place for place in range(len(game.roles)) if place != game.chance]
    assert env.agents == [game.roles[place] for place in players] and env.num_agents == len(players)
    step = compiled(env.step)
    seen, state = env.reset(jax.random.key(0))
    alone, ended = game.init(), False
    for number in range(60):
        key = jax.random.key(number)
        masks = env.get_avail_actions(state)
        assert all(np.array_equal(seen[agent], game.observe(alone, players[place])) for place, agent in enumerate(env.agents))
        assert all(mask.any() for mask in masks.values())
        actions = {agent: jnp.flatnonzero(mask)[number % int(mask.sum())] for agent, mask in masks.items()}
        assert all(env.action_space(agent).contains(action) for agent, action in actions.items())
        # JaxMARL splits the key of a step.
        chance = jax.random.split(key)[0]
        joint = np.zeros(len(game.roles), np.int32)
        joint[players] = [actions[agent] for agent in env.agents]
        alone = game.step(alone, joint[alone.to_play] if game.sequential else joint, chance)
        seen, state, rewards, dones, _ = step(key, state, actions)
        assert [rewards[agent] for agent in env.agents] == alone.rewards[np.array(players)].tolist()
        assert dones == dict.fromkeys([*env.agents, "__all__"], bool(alone.terminated))
        ended |= bool(alone.terminated)
        alone = game.auto_reset(alone)
        assert np.array_equal(state.bits, alone.bits)
    assert ended
    actions = dict.fromkeys(env.agents, jnp.int32(0)) | {env.agents[0]: jnp.int32(99)}
    _, state = env.reset(jax.random.key(0))
    _, _, rewards, dones, _ = step(jax.random.key(0), state, actions)
    assert [rewards[agent] for agent in env.agents] == [-1, 0] and dones["__all__"]
