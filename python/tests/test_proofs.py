"""Proved properties of games hold in play, and false ones are not proved."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import gdl
import pytest

KUHN = Path(__file__).parents[1] / "examples" / "kuhn_poker.kif"
NAMES = [*gdl.builtin_names(compiled=True), str(KUHN)]


@pytest.mark.parametrize("name", NAMES)
def test_play_agrees(name: str) -> None:
    game = gdl.load(name)
    proofs = game.prove()
    chance = game.roles.index(game.chance_role) if game.chance_role else None
    players = [role for role in range(len(game.roles)) if role != chance]
    draw = random.Random(5)
    asked: set[int] = set()
    for _ in range(20):
        state, length, decisions, chances = game.initial(), 0, 0, 0
        while not state.is_terminal:
            legal = [state.legal_move_ids(role) for role in range(len(game.roles))]
            able = [role for role in players if len(legal[role]) > 1]
            draws = chance is not None and len(legal[chance]) > 1
            assert len(able) <= 1 or not proofs.sequential
            if len(able) == 1:
                assert state.to_play == able[0]
            elif able:
                assert state.to_play is None
            elif draws:
                assert state.to_play == chance
            elif proofs.sequential:
                assert state.to_play in players
            asked |= {state.to_play} - {None}  # type: ignore[arg-type]
            assert [game.fluents[fluent] for fluent in state.fluent_ids] == state.fluents
            length, decisions, chances = length + 1, decisions + bool(able or not draws), chances + draws
            state = state.apply([draw.choice(moves) for moves in legal])
        assert state.to_play is None
        if proofs.constant_sum is not None:
            assert sum(state.goals[role] or 0 for role in players) == proofs.constant_sum
        for most, found in (
            (proofs.max_steps, length),
            (proofs.max_decisions, decisions),
            (proofs.max_chances, chances),
        ):
            assert most is None or found <= most
    assert asked >= set(players) or not proofs.sequential


def test_what_is_proved() -> None:
    proved = {name: gdl.load(name).prove() for name in NAMES}
    assert [name for name in NAMES if not proved[name].sequential] == ["rock_paper_scissors"]
    assert {name for name in NAMES if proved[name].constant_sum is None} == {"lights_out", "monty_hall"}
    led = proved["tictactoe_led"]
    assert (led.states, led.max_steps, led.max_chances) == (5478, 9, 0)
    kuhn = proved[str(KUHN)]
    assert (kuhn.states, kuhn.max_steps, kuhn.max_decisions, kuhn.max_chances) == (55, 4, 3, 1)
    assert proved["reversi"].states is None and proved["reversi"].max_steps is None
    assert repr(led) == "Proofs(sequential=True, constant_sum=100, states=5478, max_steps=9)"


# A counter of 20 bits, so that not all states are visited, and the role to move.
COUNTER = """
(role a) (role b) {roles}
{bits}
(<= (base (bit ?n)) (number ?n))
(<= (base (control ?r)) (player ?r))
(player a) (player b)
(<= (input ?r (press ?n)) (player ?r) (number ?n))
(<= (input ?r noop) (player ?r))
(init (control a))
(<= (legal ?r (press ?n)) (true (control ?r)) (number ?n))
(<= (legal ?r noop) (player ?r) (not (true (control ?r))))
(<= pressed (does ?r (press ?n)))
(<= (next (bit ?n)) (true (bit ?n)) (not (does a (press ?n))))
(<= (next (bit ?n)) (does b (press ?n)))
{control}
(<= all (true (bit 1)) (true (bit 2)) (true (bit 3)))
(<= terminal all)
{goals}
"""


def counter(control: str, goals: str = "(<= (goal a 100) all) (<= (goal a 0) (not all)) (goal b 50)") -> gdl.Game:
    numbers = range(1, 21)
    succ = "".join(f"(number {number})" for number in numbers)
    return gdl.loads(
        COUNTER.format(roles="", bits=succ, control=control, goals=goals), allow=["unused_relation", "goal_100_missing"]
    )


def test_guesses_are_proved() -> None:
    alternate = "(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))"
    game = counter(alternate)
    assert game.prove().states is None and game.prove().sequential
    assert game.initial().to_play == 0 and game.initial().apply("(press 1)").to_play == 1
    # The turn depends on the moves.
    again = "(<= (next (control a)) (does ?r (press 1))) (<= (next (control b)) pressed (not (does ?r (press 1))) (player ?r))"
    assert (
        counter("(<= (next (control a)) one) (<= (next (control b)) (not one)) (<= one (does ?r (press 1)))").prove().sequential
    )
    assert not counter(again).prove().sequential
    # At the start one has control, later both.
    both = "(<= (next (control ?r)) (true (control ?r))) (<= (next (control b)) (does a (press 7)))"
    game = counter(both)
    assert not game.prove().sequential
    assert game.initial().to_play == 0 and game.initial().apply("(press 7)").to_play is None


def test_turns_without_a_choice() -> None:
    # After the highest bid only `doubt` is legal.
    state = gdl.load("liars_dice").initial().apply("(roll 1 1)").apply("(bid 2 6)")
    assert state.legal_moves("bob") == ["doubt"] and state.to_play == 1
    pairs = "(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (choice l) (choice r)"
    forced = gdl.loads(
        pairs
        + """
        (<= (legal a ?c) (true (at 0)) (choice ?c)) (<= (legal b noop) (true (at 0)))
        (<= (legal a noop) (true (at 1))) (<= (legal b ?c) (true (at 1)) (choice ?c))
        (<= (legal a noop) (true (at 2))) (<= (legal b go) (true (at 2)))
        (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) (<= (next (took ?r ?c)) (does ?r ?c) (choice ?c))
        (<= (next (took ?r ?c)) (true (took ?r ?c)))
        (<= terminal (true (at 3))) (<= (goal ?r 100) (true (took ?r l))) (<= (goal ?r 0) (role ?r) (not (true (took ?r l))))"""
    )
    state = forced.initial().apply("l").apply("r")
    assert state.legal_moves("b") == ["go"] and state.to_play == 1


def test_sums_are_proved() -> None:
    alternate = "(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))"
    assert counter(alternate).prove().constant_sum is None
    opposed = "(<= (goal a 100) all) (<= (goal b 0) all) (<= (goal a 30) (not all)) (<= (goal b 70) (not all))"
    assert counter(alternate, opposed).prove().constant_sum == 100
    wrong = "(<= (goal a 100) all) (<= (goal b 0) all) (<= (goal a 30) (not all)) (<= (goal b 60) (not all))"
    assert counter(alternate, wrong).prove().constant_sum is None


def test_rules_that_are_not_grounded() -> None:
    game = gdl.loads(gdl.load("nim").kif, lifted=True)
    assert game.engine == "lifted" and game.prove().sequential and game.initial().to_play == 0


def test_plays_are_sampled_with_exact_probabilities() -> None:
    game = gdl.load("liars_dice")
    state, known = game.initial(), gdl.Information(game, "alice")
    for moves in ({"random": "(roll 3 5)"}, {"alice": "(bid 1 3)"}, {"bob": "(bid 2 5)"}):
        known, state = known.step(state, moves), state.apply(moves)
    number = {text: place for place, text in enumerate(game.moves)}
    assert known.steps[0] == (number["noop"], [game.percepts.index("(rolled 3)")])
    expected = dict(known.states())
    draw = random.Random(2)
    counts: dict[gdl.State, int] = dict.fromkeys(expected, 0)
    total = 1200
    for _ in range(total):
        state, told = game.initial(), gdl.Information(game, "alice")
        for joint in known.sample(draw.random):
            told, state = told.step(state, joint), state.apply(joint)
        assert told == known
        counts[state] += 1
    assert sum(expected.values()) == 1
    for other, p in expected.items():
        assert abs(Fraction(counts[other], total) - p) < Fraction(1, 20)
    with pytest.raises(ValueError):
        gdl.Information(game, "alice").tell("doubt", "()").sample(draw.random)
    with pytest.raises(ZeroDivisionError):
        known.sample(lambda: 1 / 0)
    with pytest.raises(TypeError):
        known.sample(lambda: "x")  # type: ignore[arg-type, return-value]
    # Malformed numbers do not escape the bounds.
    for wrong in (2.0, -1.0, float("nan"), float("inf")):
        assert len(known.sample(lambda wrong=wrong: wrong)) == 3  # type: ignore[misc]
    joint_game = gdl.load("tictactoe")
    told = gdl.Information(joint_game, 1).step(joint_game.initial(), 0)
    assert told.steps == [(joint_game.moves.index("noop"), [0, joint_game.moves.index("noop")])]
    assert told.sample(draw.random) == [[0, joint_game.moves.index("noop")]]


def test_threads_share_what_is_proved() -> None:
    game = gdl.loads(gdl.load("connect_four").kif)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: (repr(game.prove()), game.initial().to_play), range(32)))
    assert len(set(found)) == 1 and found[0][1] == 0
