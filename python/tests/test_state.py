"""Games and states, one at a time."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import gdl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

GAMES = {name: gdl.load(name) for name in gdl.builtin_names(compiled=True)}
ROBOT = """(role robot) (init off) (legal robot press) (legal robot wait)
(<= (next on) (does robot press)) (<= (next on) (true on)) (<= (next off) (true off) (does robot wait))
(<= terminal (true on)) (<= (goal robot 100) (true on)) (<= (goal robot 0) (true off))"""


def test_text_file_and_name(tmp_path: Path) -> None:
    path = tmp_path / "robot.kif"
    path.write_text(ROBOT)
    for game in (gdl.loads(ROBOT), gdl.load(path)):
        assert game.roles == ("robot",)
        assert game.moves == ("press", "wait")
        assert game.fluents == ("off", "on")
    assert gdl.load("tictactoe").name == "tictactoe"
    assert gdl.load("tictactoe", lifted=True).engine == "lifted"


def test_fingerprints_tell_rules_apart() -> None:
    game = gdl.loads(ROBOT)
    assert game.fingerprint == "00bc099859d939735155b85ae146b776d703ff752821a481c026c7745c02d6e4"
    spaced = "; a comment (with this)\r" + ROBOT.replace("(role robot)", "( ROLE\trobot )")
    assert gdl.loads(spaced).fingerprint == game.fingerprint
    assert gdl.loads(spaced) == game
    assert gdl.loads(ROBOT.replace("wait", "stay")) != game
    assert gdl.loads(ROBOT, case_sensitive=True) != game
    assert len({game.fingerprint for game in GAMES.values()}) == len(GAMES)


def test_faults_are_data() -> None:
    text = ROBOT.replace("(legal robot wait)", "(legal robott wait)").replace("terminal", "terminal (not)")
    with pytest.raises(gdl.RulesError) as caught:
        gdl.loads(text, name="robot.kif")
    error = caught.value
    assert error.code is not None and error.code.startswith("GDL")
    assert error.line == 3 and error.column is not None
    assert "robot.kif:3" in str(error) and error.report == str(error)
    assert any(fault.severity == "error" for fault in error.diagnostics)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.diagnostics == error.diagnostics
    found = gdl.check(text)
    assert [fault.code for fault in found] == [fault.code for fault in error.diagnostics]
    assert gdl.check(ROBOT) == []
    assert all(fault.message for fault in gdl.check("(role"))


def test_limits_bound_what_rules_cost(tmp_path: Path) -> None:
    with pytest.raises(gdl.RulesError):
        gdl.loads(GAMES["reversi"].kif, max_steps=1000)
    with pytest.raises(TimeoutError):
        gdl.loads(GAMES["reversi"].kif, seconds=0)
    with pytest.raises(ValueError, match="seconds"):
        gdl.loads(ROBOT, seconds=-1)
    path = tmp_path / "latin.kif"
    path.write_bytes(b"(role r\xe9)")
    with pytest.raises(gdl.RulesError, match="UTF-8"):
        gdl.load(path)


def test_a_play_of_tictactoe() -> None:
    state = GAMES["tictactoe"].initial()
    for cell in ("1 1", "2 1", "1 2", "2 2"):
        state = state.apply(f"(mark {cell})")
        assert not state.is_terminal
    last = state.apply({"xplayer": "(mark 1 3)"})
    assert last == state.apply(["(mark 1 3)", "noop"]) == state.apply(("( MARK 1 3 )", "noop"))
    assert last.is_terminal and last.goals == [100, 0]
    assert last.goal("xplayer") == 100 and last.goal(1) == 0
    assert last.holds("(cell 1 3 x)") and "(cell 1 3 x)" in last.fluents
    with pytest.raises(gdl.IllegalMoveError, match="terminal"):
        last.apply("noop")
    with pytest.raises(gdl.IllegalMoveError) as caught:
        state.apply(["(mark 1 1)", "noop"])
    assert caught.value.role == "xplayer" and caught.value.index is None
    assert caught.value.legal == tuple(state.legal_moves("xplayer"))
    for wrong in (["noop"], ["noop"] * 3):
        with pytest.raises(gdl.IllegalMoveError):
            state.apply(wrong)


def test_what_does_not_exist() -> None:
    state = GAMES["tictactoe"].initial()
    for wrong in ("nobody", "xplayer "[:3]):
        with pytest.raises(KeyError):
            state.legal_moves(wrong)
    for number in (2, -1, 1 << 70):
        with pytest.raises(IndexError):
            state.legal_moves(number)
    with pytest.raises(TypeError):
        state.legal_moves(1.5)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        state.apply("(mark 4 4)")
    with pytest.raises(TypeError):
        state.apply(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="fluent"):
        state.holds("(cell 9 9 x)")
    with pytest.raises(ValueError, match="list"):
        state.game.state("cell 1 1 x)")


@pytest.mark.parametrize("name", GAMES)
@settings(deadline=None, max_examples=10)
@given(choices=st.lists(st.integers(0, 1 << 30), max_size=40))
def test_states_are_values(name: str, choices: list[int]) -> None:
    game = GAMES[name]
    state = game.initial()
    for choice in choices:
        if state.is_terminal:
            break
        legal = [state.legal_moves(role) for role in game.roles]
        assert legal == [[game.moves[move] for move in state.legal_move_ids(role)] for role in game.roles]
        state = state.apply([moves[choice % len(moves)] for moves in legal])
    assert pickle.loads(pickle.dumps(state)) == state == game.state(state.kif) == game.state(state.fluents)
    assert hash(game.state(state.kif)) == hash(state)
    assert copy.copy(state) is copy.deepcopy(state) is state.clone() is state
    assert str(state) == state.kif
    read = json.loads(state.to_json())
    assert read == state.to_dict()
    assert read["terminal"] == state.is_terminal and list(read["goals"].values()) == state.goals
    assert game.state(read["fluents"]) == state


def test_chance_and_information() -> None:
    game = GAMES["monty_hall"]
    assert game.chance_role == "random" and game.has_hidden_information
    state = game.initial()
    assert [p for _, p in state.chance_outcomes()] == [Fraction(1, 3)] * len(state.chance_outcomes())
    known = gdl.Information(game, "candidate")
    for moves in (("(hide 2)", "(choose 1)"), ("(open 3)", "noop")):
        joint = dict(zip(("random", "candidate"), moves, strict=True))
        seen = state.percepts("candidate", joint)
        told = known.tell(moves[1], f"({' '.join(seen)})")
        known = known.step(state, joint)
        assert told == known and hash(told) == hash(known)
        state = state.apply(joint)
    assert str(known) == "(candidate ((choose 1) ()) (noop ((open 3))))"
    assert len(known) == 2 and known.role == "candidate" and known.game == game
    possible = known.states()
    assert sum(p for _, p in possible) == 1
    assert sum((p for each, p in possible if each.holds("(car 2)")), Fraction()) == Fraction(2, 3)
    assert pickle.loads(pickle.dumps(known)) == known
    with pytest.raises(ValueError, match="state"):
        known.states(max_states=0)
    with pytest.raises(ValueError, match="another game"):
        known.step(GAMES["nim"].initial(), [])


def test_perft() -> None:
    assert GAMES["tictactoe"].perft(9) == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert GAMES["connect_four"].perft(4) == [7, 49, 343, 2401]
    for name in ("nim", "tictactoe", "rock_paper_scissors", "monty_hall"):
        game = GAMES[name]
        level, counts = [game.initial()], []
        for _ in range(4):
            following = []
            for state in level:
                joints: list[list[str]] = [[]]
                for role in game.roles:
                    joints = [[*joint, move] for joint in joints for move in state.legal_moves(role)]
                following += [] if state.is_terminal else [state.apply(joint) for joint in joints]
            level = following
            counts.append(len(level))
        assert game.perft(4) == counts


def test_playouts_do_not_depend_on_threads() -> None:
    game = GAMES["connect_four"]
    first, second = (game.playouts(50_000, seed=7, threads=threads) for threads in (1, 3))
    assert first.playouts == second.playouts == 50_000
    assert first.states == second.states
    for a, b in zip(first.roles, second.roles, strict=True):
        assert (a.role, a.wins, a.draws, a.losses, a.goals) == (b.role, b.wins, b.draws, b.losses, b.goals)
    assert 20 < first.mean_length < 23
    assert game.playouts(1000, seed=8).states != game.playouts(1000, seed=9).states
    assert game.playouts(seconds=0.01).playouts > 0
    assert game.playouts(10, max_length=3).too_long == 10
    assert [role.role for role in GAMES["monty_hall"].playouts(10).roles] == ["candidate"]


def test_playouts_tell_and_stop() -> None:
    game = GAMES["reversi"]
    told: list[int] = []
    assert game.playouts(64, progress=told.append).playouts == 64
    assert told[-1] == 64 and told == sorted(told)

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        game.playouts(seconds=600, progress=stop)
    assert game.playouts(64, progress=True).playouts == 64


@pytest.mark.parametrize("work", ["playouts(seconds=600)", "perft(20)"])
def test_ctrl_c_ends(work: str) -> None:
    code = (
        "import gdl, signal, threading, os\n"
        # A shell that starts this in the background ignores the signal.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        f"try: gdl.load('reversi').{work}\n"
        "except KeyboardInterrupt: print('ended')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "ended\n", done.stderr


def test_threads_share_games_and_states() -> None:
    game = GAMES["tictactoe"]
    state = game.initial()
    found: list[list[int]] = []

    def work() -> None:
        for _ in range(200):
            state.apply(state.legal_moves("xplayer")[0]).legal_move_ids(1)
        found.append(game.perft(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[9, 72, 504, 3024, 15120]] * 4


def test_the_package_is_light() -> None:
    code = "import sys, gdl; print('numpy' in sys.modules); gdl.batch; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    assert gdl.__version__
    with pytest.raises(AttributeError):
        gdl.nothing  # noqa: B018
