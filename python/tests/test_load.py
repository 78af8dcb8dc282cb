"""Games from names, files and texts; functions of a game; warnings and levels of lints."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import warnings
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import gdl
import pytest

ROBOT = """(role robot) (init off) (legal robot press) (legal robot wait)
(<= (next on) (does robot press)) (<= (next on) (true on)) (<= (next off) (true off) (does robot wait))
(<= terminal (true on)) (<= (goal robot 100) (true on)) (<= (goal robot 0) (true off))"""
UNUSED = ROBOT + "\n  (unused fact)"
# `near` has two arguments in some facts and three in another one.
CLASH = """(role ann) (init (at 1)) (near 1 2) (near 2 3) (near 1 2 door)
(<= (legal ann (go ?y)) (true (at ?x)) (near ?x ?y)) (<= (legal ann (knock ?y)) (true (at ?x)) (near ?x ?y door))
(<= (next (at ?y)) (does ann (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does ann (knock ?y)))
(<= terminal (true (at 3))) (<= (goal ann 100) (true (at 3))) (<= (goal ann 0) (not (true (at 3))))"""


class Place:
    """An `os.PathLike` that is not a `Path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)


def test_names_paths_and_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game (1).kif"
    path.write_text(ROBOT)
    for source in (path, str(path), Place(path)):
        game = gdl.load(source)
        assert (game.roles, game.kif, game.name) == (("robot",), ROBOT, str(path))
    for text in (ROBOT, ROBOT.encode()):
        assert gdl.loads(text) == game and gdl.loads(text).name == "rules"
    assert gdl.loads(ROBOT, name="robot").name == gdl.load(path, name="robot").name == "robot"
    # A text is first a built-in name, then a path; an `os.PathLike` is always a path.
    monkeypatch.chdir(tmp_path)
    Path("nim").write_text(ROBOT)
    assert gdl.load("nim").roles != gdl.load(Path("nim")).roles == gdl.load("./nim").roles == ("robot",)
    with pytest.raises(IsADirectoryError if os.name == "posix" else OSError):
        gdl.load(tmp_path)


def test_texts_are_never_taken_for_paths_nor_paths_for_texts(tmp_path: Path) -> None:
    for text in (ROBOT, "(role x)", "role(x) :- a(b)", "(role x)" * 10_000):
        with pytest.raises(FileNotFoundError, match=r"gdl\.loads") as caught:
            gdl.load(text)
        assert len(str(caught.value)) < 300
    for name in ("tictactoe", "robot.kif"):
        with pytest.raises(gdl.RulesError):
            gdl.loads(name)
    with pytest.raises(TypeError, match=r"gdl\.load`"):
        gdl.loads(tmp_path)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"gdl\.loads"):
        gdl.load(b"(role x)")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        gdl.load(tmp_path / "none.kif")
    with pytest.raises(TypeError, match="untrustd"):
        gdl.loads(ROBOT, untrustd=True)  # type: ignore[call-arg]


def test_the_nearest_name_is_told() -> None:
    for wrong, near in (("conect_four", "connect_four"), ("TicTacToe", "tictactoe")):
        with pytest.raises(FileNotFoundError, match=f"did you mean `{near}`\\?") as caught:
            gdl.load(wrong)
        assert caught.value.filename == wrong
    with pytest.raises(FileNotFoundError, match="builtin_names"):
        gdl.load("zzz")


TAKES_A_GAME: dict[str, Callable[[gdl.Game | str | os.PathLike[str]], object]] = {
    "batch": lambda game: gdl.batch(game, 8).reset().mask.tolist(),
    "Batch": lambda game: gdl.Batch(game, 2).game,
    "planes": lambda game: gdl.planes(game).channels,
    "Information": lambda game: gdl.Information(game, 0),
    "Player": lambda game: gdl.Player(game, 0, "random").role,
    "shard": lambda game: gdl.shard(game, "perft", depth=3),
    "play_match": lambda game: gdl.play_match(game, [gdl.Player(game, role, "first") for role in gdl.load("nim").roles]).goals,
}
WANTS = {"pettingzoo": "pettingzoo", "openspiel": "pyspiel", "ray": "ray"}


@pytest.mark.parametrize("name", TAKES_A_GAME)
def test_what_takes_a_game_takes_a_name_or_a_path(name: str, tmp_path: Path) -> None:
    take = TAKES_A_GAME[name]
    builtin = "tictactoe" if name == "planes" else "nim"
    path = tmp_path / "a (b).kif"
    path.write_text(gdl.load(builtin).kif)
    assert take(builtin) == take(gdl.load(builtin)) == take(path) == take(str(path))
    with pytest.raises(FileNotFoundError, match="did you mean `connect_four`"):
        take("conect_four")
    with pytest.raises(TypeError):
        take(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WANTS)
def test_adapters_take_names_and_paths(name: str, tmp_path: Path) -> None:
    pytest.importorskip(WANTS[name], reason=f"{WANTS[name]} is not installed")
    adapter = importlib.import_module(f"gdl.{name}")
    path = tmp_path / "nim copy.kif"
    path.write_text(gdl.load("nim").kif)
    for source in ("nim", path, str(path)):
        if name == "pettingzoo":
            assert adapter.env(source).unwrapped.game == adapter.parallel_env(source).game == gdl.load("nim")
        elif name == "openspiel":
            assert adapter.register(source, "nim_of_a_path") == "nim_of_a_path"
        else:
            # The game is found; Ray is not started for an invalid job.
            with pytest.raises(ValueError, match="node"):
                adapter.matches(source, ["first", "first"], nodes=0)


def test_an_analysis_is_one_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "nim.kif").write_text(gdl.load("nim").kif)
    assert json.loads(gdl.shard(tmp_path, "analysis", count=10))["blocks"] == 1
    with pytest.raises(OSError):
        gdl.shard("nim", "analysis", count=10)


def test_warnings_are_warnings_of_python(tmp_path: Path) -> None:
    path = tmp_path / "robot.kif"
    path.write_text(UNUSED)
    with pytest.warns(gdl.RulesheetWarning) as told:
        game = gdl.load(path)
    assert len(told) == 1 and told[0].filename == __file__
    warning = told[0].message
    assert isinstance(warning, gdl.RulesheetWarning)
    assert (warning.code, warning.line, warning.column) == ("GDL102", 4, 4)
    assert str(warning).startswith(f"{path}:4:4: ") and "[GDL102]" in str(warning)
    assert (warning.diagnostic,) == game.warnings and game.warnings[0].severity == "warning"
    assert pickle.loads(pickle.dumps(warning)).diagnostic == warning.diagnostic
    # The warning points to the caller, whichever function loads the game.
    for make in (lambda: gdl.batch(path, 1), lambda: gdl.Player(path, 0, "random")):
        with warnings.catch_warnings(record=True) as all_told:
            warnings.simplefilter("always")
            make()
        assert [each.filename for each in all_told] == [__file__]
    # No warning is reported twice, and allowed ones are not reported.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pickle.loads(pickle.dumps(game))
        assert again == game and again.warnings == game.warnings and deepcopy(game) is game
        assert gdl.load(path, allow=["unused_relation"]).warnings == ()
        assert gdl.load(path, allow="GDL102").warnings == ()
        assert gdl.loads(ROBOT).warnings == gdl.load("tictactoe").warnings == ()
        with pytest.raises(gdl.RulesheetWarning):
            gdl.load(path)


def test_a_game_that_is_not_grounded_is_told() -> None:
    text = gdl.load("reversi").kif
    with pytest.warns(gdl.RulesheetWarning, match="evaluated state by state"):
        game = gdl.loads(text, max_steps=100_000)
    assert game.engine == "lifted"
    assert gdl.loads(text, lifted=True).warnings == ()


def test_levels_of_lints() -> None:
    game = gdl.loads(CLASH, allow=["relation_arity_clash"])
    assert game.perft(3) == [2, 3, 3] and game.warnings == ()
    assert game.prove().states == 3, "what is proved takes the same levels"
    assert gdl.loads(CLASH, allow="GDL021") == pickle.loads(pickle.dumps(game))
    with pytest.raises(gdl.RulesError) as caught:
        gdl.loads(CLASH, deny="gdl021")
    assert caught.value.code == "GDL021"
    with pytest.warns(gdl.RulesheetWarning, match="GDL021"):
        gdl.loads(CLASH, warn=("relation_arity_clash",))
    for denied in ("unused_relation", "warnings", iter(["GDL102"])):
        with pytest.raises(gdl.RulesError) as caught:
            gdl.loads(UNUSED, deny=denied)
        assert caught.value.code == "GDL102"
    with pytest.raises(gdl.RulesError):
        gdl.load("reversi", max_steps=100_000, deny="warnings")
    assert gdl.load("tictactoe", allow="GDL102") == gdl.load("tictactoe")
    assert gdl.check(UNUSED, allow="GDL102") == []
    assert [fault.severity for fault in gdl.check(UNUSED, deny="warnings")] == ["error"]


def test_lenient_readings() -> None:
    text = "(role ann) (init p) (legal ann go) (<= (next q) (does ann go)) (<= terminal (true q))"
    with pytest.raises(gdl.RulesError):
        gdl.loads(text)
    with pytest.warns(gdl.RulesheetWarning):
        game = gdl.loads(text, lenient=True)
    assert game.perft(2) == [1, 0]
    assert pickle.loads(pickle.dumps(game)) == game


@pytest.mark.parametrize("option", ["allow", "deny", "warn"])
def test_a_lint_that_does_not_exist_is_named(option: str) -> None:
    def refuse(make: Callable[..., object], wrong: object, match: str | None, error: type[Exception] = ValueError) -> None:
        with pytest.raises(error, match=match) as caught:
            make(ROBOT, **{option: wrong})
        assert not isinstance(caught.value, gdl.RulesError)

    for wrong in ("unused_relations", ["GDL102", "unused_relations"]):
        for make in (gdl.loads, gdl.check):
            refuse(make, wrong, f"^{option}: .*did you mean `unused_relation`")
    for wrong in ("", {"allow": "warnings", "deny": "lints", "warn": "warnings"}[option]):
        refuse(gdl.loads, wrong, "is not a lint")
    for odd in (3, [3], None):
        refuse(gdl.loads, odd, None, TypeError)


def test_abandoned_evaluations_are_errors() -> None:
    """A term that grows for ever exceeds the limits of a state after many moves."""
    rules = "(role r) (init (n z)) (legal r go) (goal r 0) (<= terminal (true (n end)))"
    with pytest.warns(gdl.RulesheetWarning, match="GDL098"):
        growing = gdl.loads(rules + "(<= (next (n (s ?x))) (true (n ?x)))")
    assert growing.engine == "lifted"
    assert growing.perft(3) == [1, 1, 1]
    with pytest.raises(ValueError, match="evaluations were abandoned"):
        growing.playouts(1)
    with pytest.raises(ValueError, match="evaluations were abandoned"):
        growing.perft(1_500)
