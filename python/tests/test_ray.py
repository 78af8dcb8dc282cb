"""Ray gives the result of one machine after failures, and does not repeat stored shards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gdl
import pytest

ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'gdl[ray]'")
import gdl.ray
from gdl.ray import _Pace, _Store
from ray.cluster_utils import Cluster

# Ray warns of future changes, and keeps sockets until the process ends.
pytestmark = pytest.mark.filterwarnings("ignore")

GAME = gdl.load("connect_four")
COUNT = 400_000
"""The number of games: seconds of work with the engine `single`."""
OPTIONS: dict[str, Any] = {"count": COUNT, "engine": "single"}
TASK = 0.25
"""Seconds of a task, so that a run has dozens of tasks."""


@pytest.fixture(scope="module")
def expected() -> str:
    """Returns the result of one machine."""
    return gdl.merge([gdl.shard(GAME, "playouts", seed=7, **OPTIONS)])


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster of a head that does no work and two nodes."""
    args = {"include_dashboard": False, "object_store_memory": 80 << 20}
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **args})
    cluster.test_nodes = [cluster.add_node(num_cpus=1, object_store_memory=80 << 20) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def run(store: Path | str | None = None) -> str:
    return gdl.ray.run(GAME, "playouts", OPTIONS, 7, seconds=TASK, store=store)


def stored(folder: Path) -> dict[str, int]:
    """Returns the shards of a store and their modification times."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*/*.json")}


def blocks_of(names: Any) -> int:
    ends = [name.removesuffix(".json").split("-") for name in names]
    return sum(int(end) - int(start) for start, end in ends)


def descendants(pid: int) -> list[int]:
    """Returns the descendants of a process."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, new = [], [pid]
    while new:
        new = [child for parent in new for child in children.get(parent, [])]
        found += new
    return found


def workers_at_work(pid: int) -> list[int]:
    """Returns Ray's workers with a task of ours; Ray names processes by their task."""

    def title(pid: int) -> bytes:
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return b""

    return [child for child in descendants(pid) if title(child).startswith(b"ray::_work")]


def until(condition: Any, seconds: float = 60.0) -> Any:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError("it did not come to it in time")


def while_running(store: Path, deed: Any) -> tuple[str, Any]:
    """Starts a run, calls a function after some shards are stored, and returns both results."""
    outcome: list[Any] = []

    def wait_and_do() -> None:
        until(lambda: len(stored(store)) >= 4)
        outcome.append((deed(), len(stored(store))))

    thread = threading.Thread(target=wait_and_do)
    thread.start()
    result = run(store)
    thread.join()
    (done, at_that_time) = outcome[0]
    assert at_that_time < len(stored(store)), "it was in the middle of the run"
    return result, done


def test_killed_workers(cluster: Any, expected: str, tmp_path: Path) -> None:
    def kill() -> int:
        victims: set[int] = set()
        for _ in range(3):
            victim = until(lambda: set(workers_at_work(os.getpid())) - victims).pop()
            os.kill(victim, signal.SIGKILL)
            victims.add(victim)
        return len(victims)

    result, killed = while_running(tmp_path, kill)
    assert killed == 3
    assert result == expected


def test_killed_node(cluster: Any, expected: str, tmp_path: Path) -> None:
    def kill() -> None:
        until(lambda: len(workers_at_work(os.getpid())) == 2)
        cluster.remove_node(cluster.test_nodes[0], allow_graceful=False)

    result, _ = while_running(tmp_path, kill)
    assert result == expected
    until(lambda: ray.cluster_resources()["CPU"] == 1)


DRIVER = f"""
import sys, gdl, gdl.ray, ray
ray.init(address=sys.argv[1], log_to_driver=False)
gdl.ray.run(gdl.load("connect_four"), "playouts", {OPTIONS}, 7, seconds={TASK}, store=sys.argv[2])
"""


def test_killed_driver(cluster: Any, expected: str, tmp_path: Path) -> None:
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, cluster.address, str(tmp_path)])
    until(lambda: len(stored(tmp_path)) >= 6)
    driver.send_signal(signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL
    before = stored(tmp_path)
    blocks = json.loads(expected)["blocks"]
    assert 0 < blocks_of(before) < blocks, "it was in the middle of the run"

    assert run(tmp_path) == expected
    after = stored(tmp_path)
    assert {name: after[name] for name in before} == before, "what was finished is as it was"
    # The second run computed exactly the missing shards.
    assert blocks_of(after.keys() - before.keys()) == blocks - blocks_of(before)

    # A finished run repeats nothing.
    assert run(tmp_path) == expected
    assert stored(tmp_path) == after


def test_kin(cluster: Any, tmp_path: Path) -> None:
    game = gdl.load("tictactoe")
    assert gdl.ray.playouts(game, 50_000, seed=3) == gdl.merge([gdl.shard(game, "playouts", count=50_000, seed=3)])
    counted = json.loads(gdl.ray.perft(game, 5, seconds=0.01))
    assert counted["summary"]["counts"] == game.perft(5)
    players = ["random", "alphabeta:depth=2"]
    played = gdl.ray.matches(game, players, 9, seed=4, nodes=100, num_cpus=1, pending=1)
    assert played == gdl.merge([gdl.shard(game, "matches", players=players, count=9, nodes=100, seed=4)])
    texts = {name: gdl.load(name).kif for name in ["nim", "tictactoe"]}
    assert gdl.ray.analysis(texts, 10, seed=5) == gdl.merge([gdl.shard(texts, "analysis", count=10, seed=5)])
    # Ray sends rules of any kind, once to each process.
    rules = gdl.loads(game.kif.replace("xplayer", "cross"))
    assert "cross" in json.loads(gdl.ray.playouts(rules, 1000))["summary"]["wins"]
    with pytest.raises(ValueError, match="takes 2 players"):
        gdl.ray.matches(game, ["random"])


def test_stores(tmp_path: Path) -> None:
    """A finished run computes nothing, so it needs no cluster."""
    whole = gdl.shard(GAME, "playouts", seed=7, count=64, engine="single")
    options: dict[str, Any] = {"count": 64, "engine": "single"}
    header = gdl.shard(GAME, "playouts", seed=7, blocks=(0, 0), **options)
    import hashlib

    key = hashlib.sha256(header.encode()).hexdigest()[:32]
    for place in [str(tmp_path), f"memory://{tmp_path.name}"]:
        if "://" in place:
            pytest.importorskip("fsspec", reason="fsspec is not installed")
        store = _Store(place, key)
        assert store.read() == {}
        store.write("0-4.json", whole)
        # Another driver was at work too: one of two overlapping shards is enough.
        store.write("2-3.json", "not read")
        assert store.read() == {"0-4.json": whole}
        assert gdl.ray.run(GAME, "playouts", options, 7, store=place) == gdl.merge([whole])
        assert not ray.is_initialized()
    (tmp_path / key / "0-4.json").write_text(whole[:50])
    with pytest.raises(ValueError, match=r"0-4.json breaks off"):
        gdl.ray.run(GAME, "playouts", options, 7, store=tmp_path)


def test_pace() -> None:
    """Tasks grow to the requested length and shrink towards the end, which changes nothing else."""
    pace = _Pace(10.0)
    sizes = []
    for _ in range(8):
        size = pace.size(10**9, 2)
        sizes.append(size)
        pace.learn(size, size / 1000)
    assert sizes == [1, 16, 256, 4096, 10_000, 10_000, 10_000, 10_000]
    pace.learn(1, 0.001)
    assert pace.size(10**9, 2) == 10_000
    assert [pace.size(left, 2) for left in [40_000, 20_000, 4_000, 4]] == [10_000, 5_000, 1_000, 1_000]
    pace.learn(10_000, 20.0)
    assert pace.size(10**9, 2) == 5_000
    with pytest.raises(ValueError, match="cannot take 0 seconds"):
        _Pace(0)


def test_cluster_file() -> None:
    """The example agrees with Ray's own schema."""
    jsonschema, yaml = (pytest.importorskip(name, reason=f"{name} is not installed") for name in ("jsonschema", "yaml"))
    folder = Path(__file__).parents[1] / "examples" / "ray"
    schema = Path(ray.__file__).parent / "autoscaler" / "ray-schema.json"
    jsonschema.validate(yaml.safe_load((folder / "cluster.yaml").read_text()), json.loads(schema.read_text()))
