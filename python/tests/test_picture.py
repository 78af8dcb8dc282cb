"""Pictures of states are valid SVG, deterministic and bounded."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import gdl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

BOARDS = [name for name in gdl.builtin_names(compiled=True) if gdl.load(name).initial().board() is not None]
SPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", BOARDS)
def test_pictures(name: str) -> None:
    game = gdl.load(name)
    draw = random.Random(1)
    state = game.initial()
    for _ in range(6):
        picture = state._repr_svg_()
        assert picture is not None and picture == game.state(state.kif)._repr_svg_()
        assert len(picture) < 40_000
        root = ElementTree.fromstring(picture)
        assert root.tag == SPACE + "svg" and root.get("role") == "img"
        if state.is_terminal:
            break
        state = state.apply({role: draw.choice(state.legal_moves(role)) for role in game.roles})


def test_what_is_drawn() -> None:
    assert set(BOARDS) >= {"tictactoe", "connect_four", "reversi", "checkers", "lights_out", "nim", "pentago", "breakthrough"}
    state = gdl.load("tictactoe").initial().apply("(mark 2 2)")
    picture = state._repr_svg_() or ""
    assert picture.count('class="line"') == 1 and "control oplayer" in picture
    assert "prefers-color-scheme:dark" in picture
    assert "x" in (state.board() or "")
    reversi = gdl.load("reversi").initial()._repr_svg_() or ""
    assert reversi.count('class="body"') == 4 and reversi.count('class="felt"') == 64


def test_games_without_a_board_are_text() -> None:
    state = gdl.load("monty_hall").initial()
    assert state._repr_svg_() is None and state.board() is None


def test_names_cannot_write_the_picture() -> None:
    rules = """
    (role r) (index 1) (index 2) (mark <script>) (mark a&b)
    (<= (base (cell ?x ?y ?m)) (index ?x) (index ?y) (mark ?m))
    (<= (input r (put ?x ?y ?m)) (index ?x) (index ?y) (mark ?m))
    (init (cell 1 1 <script>)) (init (cell 2 2 a&b))
    (<= (legal r (put ?x ?y ?m)) (index ?x) (index ?y) (mark ?m))
    (<= (next (cell ?x ?y ?m)) (does r (put ?x ?y ?m)))
    (<= terminal (true (cell 1 1 a&b)))
    (<= (goal r 100) (true (cell 1 1 a&b))) (<= (goal r 0) (not (true (cell 1 1 a&b))))
    """
    picture = gdl.loads(rules).initial()._repr_svg_()
    assert picture is not None and "<script" not in picture
    ElementTree.fromstring(picture)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(gdl.builtin_names(compiled=True)), data=st.data())
def test_any_state_is_drawn_and_asked(name: str, data: st.DataObject) -> None:
    game = gdl.load(name)
    state = game.state(data.draw(st.lists(st.sampled_from(game.fluents), max_size=40)))
    picture = state._repr_svg_()
    assert (picture is None) == (state.board() is None)
    if picture is not None:
        ElementTree.fromstring(picture)
    assert state.to_play is None or 0 <= state.to_play < len(game.roles)
