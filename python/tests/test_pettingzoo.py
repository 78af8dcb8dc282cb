"""The environments of PettingZoo pass its tests, and follow their documentation."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import gdl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

from gdl import pettingzoo as zoo

KUHN = Path(__file__).parents[1] / "examples" / "kuhn_poker.kif"
GAMES = ["tictactoe", "tictactoe_led", "connect_four", "reversi", "rock_paper_scissors", "liars_dice", "monty_hall", "nim", KUHN]
SMALL = [name for name in GAMES if name not in ("reversi", "connect_four")]


OF_MASKS_AND_NAMES = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
    "Observation numpy array is all zeros.",
    'We recommend agents to be named in the format <descriptor>_<number>, like "player_0"',
}


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_api(rules: str) -> None:
    from pettingzoo.test import api_test

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        api_test(zoo.env(rules), num_cycles=100, verbose_progress=False)
    # PettingZoo exempts its own classic games from these checks, by their names.
    assert {str(each.message) for each in told} <= OF_MASKS_AND_NAMES


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_parallel_api(rules: str) -> None:
    from pettingzoo.test import parallel_api_test

    parallel_api_test(zoo.parallel_env(rules), num_cycles=100)


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_seeds(rules: str) -> None:
    from pettingzoo.test import parallel_seed_test, seed_test

    seed_test(lambda: zoo.env(rules), num_cycles=20)
    # The test draws illegal moves.
    parallel_seed_test(lambda: zoo.parallel_env(rules, illegal="lose"), num_cycles=20)


def test_a_game() -> None:
    env = zoo.env("tictactoe", render_mode="ansi")
    env.reset()
    game = gdl.load("tictactoe")
    order = []
    for text in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"):
        order.append(env.agent_selection)
        seen, reward, terminated, truncated, _ = env.last()
        assert not terminated and not truncated and reward == 0
        assert np.flatnonzero(seen["action_mask"]).tolist() == env.unwrapped.gdl_state.legal_move_ids(env.agent_selection)
        assert np.flatnonzero(seen["observation"]).tolist() == env.unwrapped.gdl_state.fluent_ids
        other = next(agent for agent in env.agents if agent != env.agent_selection)
        assert not env.observe(other)["action_mask"].any()
        env.step(game.moves.index(text))
    assert order == ["xplayer", "oplayer"] * 2 + ["xplayer"]
    assert env.rewards == {"xplayer": 1, "oplayer": -1} and all(env.terminations.values())
    assert env.state().tolist() == env.observe("xplayer")["observation"].tolist()
    assert "x" in (env.render() or "")


def test_choices_of_the_same_step_wait_for_each_other() -> None:
    env = zoo.env("rock_paper_scissors")
    env.reset()
    first = env.agent_selection
    before = env.observe(env.agents[1])
    env.step(int(env.last()[0]["action_mask"].argmax()))
    second = env.agent_selection
    assert first != second
    assert np.array_equal(env.observe(second)["observation"], before["observation"]), "nothing shows of what the first one chose"


def test_kuhn_poker_hides_cards() -> None:
    game = gdl.load(KUHN)
    env = zoo.env(game)
    deals: Counter[str] = Counter()
    for seed in range(60):
        env.reset(seed=seed)
        # The deal is made, and alice knows her card alone.
        assert env.agent_selection == "alice"
        seen = env.observe("alice")["observation"]
        percepts = [game.percepts[place] for place in np.flatnonzero(seen[: len(game.percepts)])]
        assert len(percepts) == 1 and percepts[0].startswith("(dealt")
        deals[percepts[0]] += 1
        env.step(game.moves.index("bet"))
        assert env.agent_selection == "bob"
        bob = env.observe("bob")["observation"][len(game.percepts) : 2 * len(game.percepts)]
        known = {game.percepts[place] for place in np.flatnonzero(bob)}
        assert "bet" in known and len(known) == 2
        env.step(game.moves.index("fold"))
        assert env.rewards == {"alice": 0.5, "bob": -0.5}
    assert len(deals) == 3


def test_what_is_refused() -> None:
    env = zoo.env("tictactoe")
    env.reset()
    before = env.unwrapped.gdl_state
    with pytest.raises(gdl.IllegalMoveError, match="xplayer") as caught:
        env.step(gdl.load("tictactoe").moves.index("noop"))
    assert caught.value.role == "xplayer" and len(caught.value.legal) == 9
    assert env.unwrapped.gdl_state == before and env.agent_selection == "xplayer"
    for action in (99, -1):
        with pytest.raises(gdl.IllegalMoveError):
            env.step(action)
    loses = zoo.env("tictactoe", illegal="lose")
    loses.reset()
    loses.step(9)
    assert loses.rewards == {"xplayer": -1, "oplayer": 0} and all(loses.terminations.values())
    with pytest.raises(ValueError, match="illegal"):
        zoo.env("tictactoe", illegal="ignore")
    both = zoo.parallel_env("tictactoe")
    both.reset()
    with pytest.raises(gdl.IllegalMoveError):
        both.step({"xplayer": 0, "oplayer": 0})
    assert both.gdl_state == before


def test_long_games_are_truncated() -> None:
    env = zoo.env("connect_four", max_length=2)
    env.reset()
    env.step(0)
    env.step(0)
    assert all(env.truncations.values()) and not any(env.terminations.values())
    both = zoo.parallel_env("rock_paper_scissors", max_length=1)
    seen, _ = both.reset()
    _, rewards, terminated, truncated, _ = both.step({agent: int(seen[agent]["action_mask"].argmax()) for agent in both.agents})
    assert not both.agents and set(rewards) == set(both.possible_agents)
    assert [over != cut for over, cut in zip(terminated.values(), truncated.values(), strict=True)] == [True, True]


@settings(max_examples=30, deadline=None)
@given(rules=st.sampled_from(SMALL), seed=st.integers(0, 2**32), picks=st.lists(st.integers(-2, 40), max_size=40))
def test_any_actions(rules: str, seed: int, picks: list[int]) -> None:
    env = zoo.env(rules)
    env.reset(seed=seed)
    for pick in picks:
        agent = env.agent_selection
        if env.terminations[agent]:
            break
        before, legal = env.unwrapped.gdl_state, np.flatnonzero(env.observe(agent)["action_mask"])
        if pick in legal:
            env.step(pick)
        else:
            with pytest.raises(gdl.IllegalMoveError):
                env.step(pick)
            assert env.unwrapped.gdl_state == before and env.agent_selection == agent
            env.step(int(legal[pick % len(legal)]))
