"""The games of OpenSpiel pass its tests, with the counts of `perft` and the value of Kuhn poker."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

import gdl
import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

import gdl.openspiel
from gdl import openspiel

KUHN = Path(__file__).parents[1] / "examples" / "kuhn_poker.kif"
SEQUENTIAL = set(gdl.builtin_names(compiled=True)) - {"rock_paper_scissors"}


def spiel(rules: Any, **options: Any) -> Any:
    return pyspiel.load_game(openspiel.register(rules, **options))


def kuhn() -> Any:
    return spiel(KUHN, min_utility=-2, max_utility=2)


@pytest.mark.parametrize("name", gdl.builtin_names(compiled=True))
def test_random_simulations(name: str) -> None:
    game = spiel(name)
    few = len(gdl.load(name).fluents) > 60
    pyspiel.random_sim_test(game, num_sims=2 if few else 10, serialize=True, verbose=False)
    sequential = game.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert sequential == (name in SEQUENTIAL)


def test_random_simulations_of_kuhn_poker() -> None:
    pyspiel.random_sim_test(kuhn(), num_sims=20, serialize=True, verbose=False)


def counted(state: Any, depth: int) -> Counter[int]:
    """Counts the joint moves, grouped by the number of earlier steps."""
    found: Counter[int] = Counter()
    ways = [state]
    while ways:
        state = ways.pop()
        length = state._play.length
        if state.is_terminal() or length == depth:
            continue
        if state.is_simultaneous_node():
            lists = [state.legal_actions(player) for player in range(state.num_players())]
            joints: list[list[int]] = [[]]
            for actions in lists:
                joints = [[*joint, action] for joint in joints for action in actions]
            after = []
            for joint in joints:
                child = state.clone()
                child.apply_actions(joint)
                after.append(child)
        else:
            after = [state.child(action) for action in state.legal_actions()]
        found[length] += sum(child._play.length > length for child in after)
        ways += after
    return found


@pytest.mark.parametrize("name", [*gdl.builtin_names(compiled=True), "kuhn"])
def test_perft_is_equal_everywhere(name: str) -> None:
    game = gdl.load(KUHN if name == "kuhn" else name)
    depth = 3
    while depth > 1 and game.perft(depth)[-1] > 2000:
        depth -= 1
    expected = [count for count in game.perft(depth) if count]
    by_spiel = counted(spiel(game).new_initial_state(), depth)
    assert [by_spiel[step] for step in range(len(expected))] == expected
    # Each single state passes its joint moves to one game of a batch.
    states = [game.initial()]
    roles = range(len(game.roles))
    for count in expected:
        lines = []
        for state in states:
            if not state.is_terminal:
                joints: list[list[int]] = [[]]
                for role in roles:
                    joints = [[*joint, action] for joint in joints for action in state.legal_move_ids(role)]
                lines += [(state, joint) for joint in joints]
        assert len(lines) == count
        states = [state.apply(joint) for state, joint in lines]


@pytest.mark.parametrize("name", [name for name in gdl.builtin_names(compiled=True) if gdl.load(name).chance_role is None])
def test_perft_of_batches(name: str) -> None:
    game = gdl.load(name)
    roles = len(game.roles)
    lines: list[list[list[int]]] = [[]]
    for depth in (1, 2):
        if game.perft(depth)[-1] > 2000:
            break
        batch = game.batch(len(lines), autoreset="disabled", simultaneous=True)
        step = batch.reset()
        for place in range(depth - 1):
            step = batch.step(np.array([line[place] for line in lines]))
        masks = step.mask.astype(bool)
        grown = []
        for line, mask in zip(lines, masks, strict=True):
            joints: list[list[int]] = [[]]
            for role in range(roles):
                joints = [[*joint, int(action)] for joint in joints for action in np.flatnonzero(mask[role])]
            grown += [[*line, joint] for joint in joints]
        lines = grown
        assert len(lines) == game.perft(depth)[-1]


def test_kuhn_poker_has_the_known_tree() -> None:
    game = kuhn()
    kinds = game.get_type()
    assert kinds.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert kinds.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert kinds.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert (game.max_game_length(), game.max_chance_nodes_in_history(), game.utility_sum()) == (3, 1, 0)
    assert (game.min_utility(), game.max_utility()) == (-2, 2)
    known = pyspiel.load_game("kuhn_poker")
    found: Counter[str] = Counter()
    infos: dict[str, set[tuple[float, ...]]] = {}
    ways = [(game.new_initial_state(), 1.0)]
    returns: Counter[tuple[float, ...]] = Counter()
    while ways:
        state, p = ways.pop()
        found["histories"] += 1
        if state.is_terminal():
            found["terminal"] += 1
            returns[tuple(state.returns())] += 1
        elif state.is_chance_node():
            assert sum(q for _, q in state.chance_outcomes()) == pytest.approx(1)
            ways += [(state.child(action), p * q) for action, q in state.chance_outcomes()]
        else:
            player = state.current_player()
            tensor = state.information_state_tensor(player)
            assert len(tensor) == game.information_state_tensor_size()
            infos.setdefault(state.information_state_string(player), set()).add(tuple(tensor))
            ways += [(state.child(action), p) for action in state.legal_actions()]
    assert found == {"histories": 55, "terminal": 30}
    assert len(infos) == 12
    # Tensors are equal exactly if strings are.
    assert all(len(tensors) == 1 for tensors in infos.values())
    assert len(set.union(*infos.values())) == 12
    theirs: Counter[tuple[float, ...]] = Counter()
    ways = [(known.new_initial_state(), 1.0)]
    while ways:
        state, p = ways.pop()
        if state.is_terminal():
            theirs[tuple(state.returns())] += 1
        ways += [(state.child(action), p) for action in state.legal_actions()]
    assert returns == theirs


def test_cfr_finds_the_value_of_kuhn_poker() -> None:
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    game = kuhn()
    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert exploitability.exploitability(game, policy) < 0.005
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values[0] == pytest.approx(-1 / 18, abs=0.002)


def test_infostates_are_resampled_with_exact_probabilities() -> None:
    game = kuhn()
    state = game.new_initial_state()
    moves = gdl.load(KUHN).moves
    for text in ("(deal queen king)", "check"):
        state.apply_action(moves.index(text))
    sampler = random.Random(1)
    seen: Counter[str] = Counter()
    for _ in range(400):
        other = state.resample_from_infostate(1, sampler.random)
        assert other.information_state_string(1) == state.information_state_string(1)
        assert other.legal_actions() == state.legal_actions() and other.current_player() == 1
        seen[other.history_str()] += 1
    # Bob has the king: alice has the jack or the queen.
    assert len(seen) == 2 and all(150 < count < 250 for count in seen.values())
    hall = spiel("monty_hall")
    state = hall.new_initial_state()
    names = gdl.load("monty_hall").moves
    for text in ("(choose 1)", "(hide 2)", "noop"):  # the host can open the third door alone
        state.apply_action(names.index(text))
    assert state.current_player() == 0
    cars = Counter(
        next(fluent for fluent in state.resample_from_infostate(0, sampler.random).gdl_state.fluents if "car" in fluent)
        for _ in range(600)
    )
    assert set(cars) == {"(car 1)", "(car 2)"} and 340 < cars["(car 2)"] < 460


def test_what_waits_for_chance_is_hidden() -> None:
    game = spiel("monty_hall")
    state = game.new_initial_state()
    assert state.current_player() == 0, "the candidate chooses first, and cannot know where the car is"
    state.apply_action(state.legal_actions()[0])
    assert state.is_chance_node() and "choose 1" in str(state)
    assert "(choose 1)" in state.information_state_string(0)
    assert state.to_struct().to_dict()["waiting"] == {"candidate": "(choose 1)"}
    again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1]
    assert str(again) == str(state) and again.is_chance_node()
    assert state.chance_outcomes() == [(action, 1 / 3) for action in state.legal_actions()]


def test_copies_and_pickles() -> None:
    game = spiel("liars_dice")
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    _, other = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    copies = [other, state.clone(), copy.deepcopy(state), copy.copy(state), pickle.loads(pickle.dumps(state))]
    for each in copies:
        assert each.gdl_state == state.gdl_state and each.history() == state.history()
        assert [each.information_state_string(player) for player in (0, 1)] == [
            state.information_state_string(player) for player in (0, 1)
        ]
    before = str(state)
    copies[1].apply_action(copies[1].legal_actions()[0])
    assert str(state) == before
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_structs() -> None:
    game = spiel("tictactoe")
    state = game.new_initial_state()
    assert state.to_struct().to_dict()["current_player"] == "xplayer"
    action = state.legal_actions()[4]
    struct = state.action_to_struct(0, action)
    assert struct.to_dict() == {"move": "(mark 2 2)"}
    assert state.struct_to_actions(struct) == [action]
    state.apply_action(action)
    again = game.new_initial_state(state.to_struct().to_dict())
    assert again.gdl_state == state.gdl_state and again.current_player() == 1
    assert game.new_initial_state(state.gdl_state.kif).gdl_state == state.gdl_state
    assert state.to_observation_struct(1).to_dict()["role"] == "oplayer"
    liars = spiel("liars_dice").new_initial_state()
    liars.apply_action(liars.legal_actions()[0])
    assert liars.to_observation_struct(0).to_dict() == {"role": "alice", "information": "(alice (noop ((rolled 1))))"}
    with pytest.raises(ValueError, match="begins at the start"):
        spiel("liars_dice").new_initial_state(gdl.load("liars_dice").initial().kif)


def test_observations() -> None:
    game = spiel("tictactoe")
    state = game.new_initial_state()
    rules = gdl.load("tictactoe")
    assert game.observation_tensor_shape() == [2 + len(rules.fluents)]
    tensor = np.array(state.observation_tensor(1))
    assert tensor[:2].tolist() == [0, 1]
    assert np.flatnonzero(tensor[2:]).tolist() == state.gdl_state.fluent_ids
    liars = spiel("liars_dice").new_initial_state()
    liars.apply_action(liars.legal_actions()[0])
    assert liars.observation_string(0) == "(alice ((rolled 1)) ((rolled 1)) (noop))"
    from open_spiel.python.observation import make_observation

    seen = make_observation(liars.get_game(), pyspiel.IIGObservationType(perfect_recall=True))
    seen.set_from(liars, 0)
    assert seen.dict["steps"].sum() == 2 and seen.string_from(liars, 0) == liars.information_state_string(0)
    with pytest.raises(ValueError, match="private"):
        make_observation(
            liars.get_game(), pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
        )


def test_lengths_and_utilities() -> None:
    game = spiel("connect_four")
    assert game.max_game_length() == 10_000 and game.utility_sum() == 0
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert not game.get_type().provides_information_state_tensor
    name = openspiel.register("connect_four", max_game_length=42)
    assert pyspiel.load_game(name).max_game_length() == 42
    short = pyspiel.load_game(f"{name}(max_game_length=3,max_utility=3.0)")
    assert (short.max_utility(), short.utility_sum()) == (3, 2)
    assert short.get_type().utility == pyspiel.GameType.Utility.CONSTANT_SUM
    state = short.new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(0)
    assert state.is_terminal() and state.returns() == [1, 1]
    assert spiel("lights_out").get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM
    won = spiel("tictactoe").new_initial_state()
    for move in (0, 1, 3, 2, 6):
        won.apply_action(move)
    assert won.is_terminal() and won.returns() == [1, -1] == won.rewards()


def test_names() -> None:
    assert openspiel.register("nim") == openspiel.register("nim") == "gdl_nim"
    assert openspiel.register("nim", "other_nim") == "other_nim"
    text = gdl.load("nim").kif
    other = text.replace("(init (control left))", "(init (control right))")
    first, second = openspiel.register(gdl.loads(text)), openspiel.register(gdl.loads(other))
    assert first == "gdl_rules" and second != first
    for wrong in ("a b", "", "a(b)"):
        with pytest.raises(ValueError, match="short name"):
            openspiel.register("nim", wrong)
    with pytest.raises(ValueError, match="min_utility"):
        openspiel.register("nim", min_utility=1)
    with pytest.raises(FileNotFoundError):
        openspiel.register("no such game")
    with pytest.raises(FileNotFoundError, match=r"gdl\.loads"):
        openspiel.register("(role x")


def test_moves_that_are_not_legal_change_nothing() -> None:
    for name, move in (("tictactoe", "noop"), ("liars_dice", "(bid 1 1)"), ("monty_hall", "stay")):
        state = spiel(name).new_initial_state()
        before = str(state)
        with pytest.raises(gdl.IllegalMoveError):
            state.apply_action(gdl.load(name).moves.index(move))
        with pytest.raises(IndexError):
            state.apply_action(10_000)
        assert str(state) == before and not state.history()
    state = spiel("rock_paper_scissors").new_initial_state()
    legal = state.legal_actions(0)
    with pytest.raises((gdl.IllegalMoveError, IndexError)):
        state.apply_actions([legal[0], 10_000])
    assert not state.history()


@pytest.mark.parametrize("name", ["rock_paper_scissors", "monty_hall"])
def test_other_forms_of_a_game(name: str) -> None:
    game = spiel(name)
    turn_based = pyspiel.convert_to_turn_based(game) if name == "rock_paper_scissors" else game
    pyspiel.random_sim_test(turn_based, num_sims=3, serialize=False, verbose=False)


def test_algorithms_in_python_and_in_cpp() -> None:
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import ismcts, mcts, minimax

    game = spiel("tictactoe")
    state = game.new_initial_state()
    for text in ("(mark 1 1)", "(mark 1 2)", "(mark 2 2)"):
        state.apply_action(gdl.load("tictactoe").moves.index(text))
    value, _ = minimax.alpha_beta_search(game, state=state, maximizing_player_id=0)
    assert value == 1
    environment = rl_environment.Environment(game)
    step = environment.reset()
    while not step.last():
        player = step.observations["current_player"]
        step = environment.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == 0
    solver = pyspiel.CFRSolver(kuhn())
    for _ in range(100):
        solver.evaluate_and_update_policy()
    assert pyspiel.exploitability(kuhn(), solver.average_policy()) < 0.02
    draw = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(kuhn(), mcts.RandomRolloutEvaluator(1, draw), 2.0, 40, random_state=draw)
    state = kuhn().new_initial_state()
    state.apply_action(0)
    assert bot.step(state) in state.legal_actions()
