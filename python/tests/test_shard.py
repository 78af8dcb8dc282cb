"""Shards of any division merge into the same document, and unrelated shards are rejected."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import gdl
import pytest

ROOT = Path(__file__).parents[2]
NIM = gdl.load("nim")


def cut(subject: Any, job: Any, ends: list[int], **options: Any) -> list[str]:
    """Computes all shards of a job, divided at the given blocks."""
    blocks = json.loads(gdl.shard(subject, job, blocks=(0, 0), **options))["blocks"]
    ends = sorted({0, *(end for end in ends if end < blocks), blocks})
    return [gdl.shard(subject, job, blocks=pair, threads=1 + i % 3, **options) for i, pair in enumerate(pairwise(ends))]


def test_documented_document() -> None:
    page = (ROOT / "docs" / "how-to" / "many-machines.md").read_text()
    example = page.split("```json\n")[1].split("```")[0]
    assert gdl.shard(NIM, "playouts", count=100, engine="single", seed=7, blocks=(0, 3)) == example


@pytest.mark.parametrize(
    ("subject", "job", "options"),
    [
        (NIM, "playouts", {"count": 300_000, "seed": 7}),
        (NIM, "playouts", {"count": 500, "engine": "single", "seed": 1}),
        (gdl.load("tictactoe"), "perft", {"depth": 6}),
        (NIM, "perft", {"depth": 20, "prefix": 2}),
        (NIM, "matches", {"players": ["random", "mcts"], "count": 12, "nodes": 30, "seed": 2}),
        ({"b.kif": NIM.kif, "a.kif": gdl.load("tictactoe").kif, "c.kif": "(role"}, "analysis", {"count": 10}),
    ],
)
def test_any_cut_is_the_same(subject: Any, job: Any, options: dict[str, Any]) -> None:
    whole = gdl.merge([gdl.shard(subject, job, **options)])
    draw = random.Random(1)
    for _ in range(3):
        parts = cut(subject, job, [draw.randrange(1, 40) for _ in range(4)], **options)
        draw.shuffle(parts)
        assert gdl.merge(parts + parts[:2]) == whole
        assert gdl.merge([gdl.merge(parts[:1]), *parts[1:]]) == whole


def test_numbers_are_those_of_one_run() -> None:
    summary = json.loads(gdl.merge([gdl.shard(NIM, "playouts", count=200_000, seed=7)]))["summary"]
    stats = NIM.playouts(200_000, seed=7)
    assert (summary["states"], summary["mean_length"]) == (stats.states, stats.mean_length)
    for role in stats.roles:
        assert (summary["wins"][role.role], summary["goals"][role.role]) == (role.wins, role.mean_goal)
        low, high = summary["intervals"][role.role]
        assert low < role.mean_goal < high
    counted = json.loads(gdl.merge([gdl.shard(NIM, "perft", depth=12)]))
    assert counted["summary"]["counts"] == NIM.perft(12)


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "nim.kif").write_text(NIM.kif)
    assert gdl.shard(tmp_path, "analysis", count=5) == gdl.shard({"nim.kif": NIM.kif}, "analysis", count=5)
    rules = "(role ann) (init p) (legal ann go) (<= (next q) (does ann go)) (<= terminal (true q))"
    for lenient in (False, True):
        document = json.loads(gdl.shard({"ann.kif": rules}, "analysis", count=5, lenient=lenient))
        (entry,) = document["parts"][0]["rulesheets"]
        assert (entry.get("error") is None) == (entry.get("figures") is not None) == lenient
    with pytest.raises(OSError, match="cannot read"):
        gdl.shard(tmp_path / "none", "analysis")
    (tmp_path / "nim.kif").unlink()
    with pytest.raises(ValueError, match="no rulesheet"):
        gdl.shard(tmp_path, "analysis")


def test_progress_and_interrupts() -> None:
    told: list[int] = []
    gdl.shard(NIM, "playouts", count=20_000, engine="single", progress=told.append)
    assert told == sorted(set(told))
    assert told[-1] == 1250

    def stop(done: int) -> None:
        raise RuntimeError(f"{done} are enough")

    with pytest.raises(RuntimeError, match="are enough"):
        gdl.shard(gdl.load("connect_four"), "playouts", count=10**12, progress=stop)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"job": "playouts", "cuont": 1}, "unknown field `cuont`"),
        ({"job": "walk"}, "unknown variant `walk`"),
        ({"job": "playouts", "count": 0}, "is not in 1"),
        ({"job": "playouts", "count": -1}, "-1"),
        ({"job": "playouts", "blocks": (0, 10**6)}, "there are no blocks"),
        ({"job": "playouts", "blocks": (5, 4)}, "there are no blocks"),
        ({"job": "perft"}, "missing field `depth`"),
        ({"job": "perft", "depth": 3, "prefix": 3}, "not below the depth"),
        ({"job": "matches", "players": ["random"]}, "takes 2 players"),
        ({"job": "matches", "players": ["random", "mcts:seconds=1"]}, "depend on the machine"),
        ({"job": "analysis"}, "many rulesheets"),
    ],
)
def test_wrong_jobs(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gdl.shard(NIM, **options)


def test_what_is_refused() -> None:
    with pytest.raises(OverflowError):
        gdl.shard(NIM, "playouts", seed=-1)
    with pytest.raises(OverflowError):
        gdl.shard(NIM, "playouts", blocks=(-1, 2))
    with pytest.raises(ValueError, match="nothing to merge"):
        gdl.merge([])
    with pytest.raises(TypeError, match="as a list"):
        gdl.merge("{}")
    with pytest.raises(ValueError, match="several rulesheets"):
        gdl.shard({"a": NIM.kif}, "playouts")
    sound = gdl.shard(NIM, "playouts", count=100, engine="single", blocks=(0, 3))
    other = gdl.shard(gdl.load("tictactoe"), "playouts", count=100, engine="single", blocks=(3, 7))
    with pytest.raises(ValueError, match="a different game"):
        gdl.merge([sound, other])
    with pytest.raises(ValueError, match=r"^a.json breaks off.*\n\nhelp: "):
        gdl.merge({"a.json": sound[:100]})
    with pytest.raises(ValueError, match="was made by gdl 0.0.7"):
        gdl.merge([sound.replace(gdl.__version__, "0.0.7")])
    overlapping = gdl.shard(NIM, "playouts", count=100, engine="single", blocks=(2, 5))
    with pytest.raises(ValueError, match="both have the blocks 2..3"):
        gdl.merge([sound, overlapping])
    with pytest.raises(ValueError, match="differ in the blocks"):
        gdl.merge([sound, sound.replace('"states": ', '"states": 1')])


@pytest.mark.parametrize("step", range(60))
def test_damaged_documents(step: int) -> None:
    """A document with a part removed is rejected or valid, and never causes a crash."""
    sound = gdl.shard(NIM, "matches", players=["first", "random"], count=4, nodes=5)
    draw = random.Random(step)
    start = draw.randrange(len(sound))
    damaged = sound[:start] + draw.choice(["", "9", "-", "[", '"', "99999999999999999999"]) + sound[start + draw.randrange(5) :]
    try:
        gdl.merge([sound, damaged])
    except ValueError as error:
        assert "\n" in str(error)
