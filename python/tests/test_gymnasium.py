"""The environments of Gymnasium pass its checks, and plays alone and in vectors are equal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gdl
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gdl import gymnasium as gym
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

SINGLE = [
    name
    for name in gdl.builtin_names(compiled=True)
    if sum(role != gdl.load(name).chance_role for role in gdl.load(name).roles) == 1
]


@pytest.mark.parametrize("name", SINGLE)
def test_checks(name: str) -> None:
    # Warnings are errors here, so users have none to silence.
    check_env(gym.Env(name))
    check_env(gym.Env(name, illegal="lose", render_mode="ansi"))
    id = f"gdl/{name.title().replace('_', '')}-v0"
    check_env(gymnasium.make(id).unwrapped)
    many = gymnasium.make_vec(id, num_envs=3)
    assert isinstance(many, gym.VectorEnv) and many.num_envs == 3
    observations, infos = many.reset(seed=1)
    assert observations in many.observation_space and infos["action_mask"].shape == (3, len(gdl.load(name).moves))


def test_an_environment_of_a_file_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "my lamps (1).kif"
    path.write_text(gdl.load("lights_out").kif)
    env = gym.Env(path, render_mode="ansi")
    assert env.spec is not None and env.spec.id == "gdl/MyLamps1-v0"
    check_env(env)
    again = env.spec.make().unwrapped
    assert isinstance(again, gym.Env) and again.game is env.game and again.render_mode == "ansi"
    spec = gym.Env(gdl.loads(path.read_text(), name="()")).spec
    assert spec is not None and spec.id == "gdl/Rules-v0"


def test_wrappers_and_illegal_moves() -> None:
    # A learner without masks draws from the whole action space.
    env = gymnasium.make("gdl/MontyHall-v0")
    env.action_space.seed(1)
    endings = set()
    for episode in range(60):
        env.reset(seed=episode)
        over = False
        while not over:
            _, reward, over, truncated, info = env.step(env.action_space.sample())
            assert not truncated
        endings.add((info.get("illegal", False), float(reward)))
    assert (True, -1.0) in endings and endings <= {(True, -1.0), (False, -1.0), (False, 1.0)}


def legal(masks: Any, random: np.random.Generator) -> Any:
    noise = random.random(masks.shape) * masks
    return np.where(masks.any(-1), noise.argmax(-1), -1)


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_autoreset(name: str, mode: AutoresetMode) -> None:
    n = 20
    many = gym.VectorEnv(name, n, autoreset_mode=mode)
    assert many.metadata["autoreset_mode"] == mode
    start, infos = many.reset(seed=3)
    random = np.random.default_rng(1)
    ended = np.zeros(n, np.bool_)
    count = 0
    for _ in range(70):
        if mode == AutoresetMode.DISABLED and ended.any():
            seen, infos = many.reset(options={"reset_mask": ended})
            assert np.array_equal(seen[ended], start[ended])
        before = ended
        seen, rewards, ended, truncated, infos = many.step(legal(infos["action_mask"], random))
        assert seen.dtype == np.int8 and rewards.dtype == np.float64 and not truncated.any()
        assert not rewards[~ended].any() and np.isin(rewards[ended], [-1, 1]).all()
        if mode == AutoresetMode.NEXT_STEP:
            assert np.array_equal(seen[before], start[before]) and not ended[before].any()
        if mode == AutoresetMode.SAME_STEP:
            assert np.array_equal(seen[ended], start[ended])
            assert ended.any() == ("final_obs" in infos)
            if ended.any():
                assert [final is not None for final in infos["final_obs"]] == ended.tolist()
                assert not np.array_equal(infos["final_obs"][ended.argmax()], start[0])
        assert infos["action_mask"].any(-1).tolist() == [bool(mode == AutoresetMode.SAME_STEP or not over) for over in ended]
        count += ended.sum()
    assert count > n


def test_seeds() -> None:
    def play(seed: int | None) -> list[Any]:
        env = gym.Env("monty_hall")
        seen = []
        for episode in range(10):
            _, info = env.reset(seed=seed if episode == 0 else None)
            over = False
            while not over:
                observation, reward, over, _, info = env.step(int(info["action_mask"].argmax()) if not over else 0)
                seen.append((observation.tolist(), reward))
        return seen

    assert play(1) == play(1)
    assert play(1) != play(2)
    many = gym.VectorEnv("monty_hall", 50)
    lines = []
    for seed in (4, 4, list(range(50)), list(range(50))):
        _, infos = many.reset(seed=seed)
        seen = [many.step(legal(infos["action_mask"], np.random.default_rng(0)))[0]]
        lines.append([many.gdl_state(index).kif for index in range(50)] + [str(each.tolist()) for each in seen])
    assert lines[0] == lines[1] and lines[2] == lines[3] != lines[0]
    # A game whose seed is None keeps its random numbers, and only marked games restart.
    many.reset(seed=[7] * 25 + [None] * 25, options={"reset_mask": np.arange(50) % 2 == 0})
    _, infos = many.reset(seed=[7] * 50)
    many.step(legal(infos["action_mask"], np.random.default_rng(0)))
    cars = {next(fluent for fluent in many.gdl_state(index).fluents if "car" in fluent) for index in range(50)}
    assert len(cars) == 1, "equal seeds, equal games"


def test_what_is_refused() -> None:
    env = gym.Env("monty_hall", illegal="raise")
    env.reset(seed=1)
    before = env.gdl_state
    stay = gdl.load("monty_hall").moves.index("stay")
    with pytest.raises(gdl.IllegalMoveError) as caught:
        env.step(stay)
    assert caught.value.role == "candidate" and env.gdl_state == before
    loses = gym.Env("monty_hall", render_mode="ansi")
    loses.reset(seed=1)
    assert loses.step(stay)[1:3] == (-1.0, True) and isinstance(loses.render(), str)
    assert loses.step(stay)[4]["illegal"] is True
    with pytest.raises(ValueError, match="2 players"):
        gym.Env("tictactoe")
    with pytest.raises(ValueError, match="2 players"):
        gym.register("tictactoe", "gdl/Tictactoe-v0")
    with pytest.raises(ValueError, match="illegal"):
        gym.Env("lights_out", illegal="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        gym.VectorEnv("lights_out", 2, autoreset_mode="never")
    with pytest.raises(gdl.IllegalMoveError, match="game 1"):
        many = gym.VectorEnv("lights_out", 3)
        many.reset()
        many.step(np.array([0, 99, 0]))
