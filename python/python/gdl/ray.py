"""Work of many machines by Ray: playouts, perft, matches and analyses in shards.

Each function returns the document that `gdl.merge` makes of all shards, one JSON object, and it is the same as that of one machine,
whatever dies meanwhile: `json.loads(document)["summary"]` has means and intervals. Tasks that a dead process or node had are done again
elsewhere. With a `store` finished shards are kept, and a run whose driver died goes on where it was when it is started again.

Ray runs what it is sent: a program that reaches its ports runs code on its machines. It belongs into a network that one trusts.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import sys
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypedDict

import ray

from . import _gdl
from ._progress import Bar
from ._shard import Job, Subject, given, merge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from ._gdl import Game
    from ._load import GameLike


class How(TypedDict, total=False):
    """How work is shared out; the result does not depend on it."""

    seconds: float
    """What a task is to take, about: 10 s unless told otherwise. The first ones are shorter and measure."""
    store: str | os.PathLike[str] | None
    """A folder, or a place that fsspec knows, such as `s3://bucket/runs`, where finished shards are kept."""
    num_cpus: int
    """Processors of a task, which are its threads: 1 unless told otherwise."""
    pending: int | None
    """The most tasks that are handed out at a time: two for each processor of the cluster unless told otherwise."""
    progress: bool | None
    """Whether progress is shown: if stderr is a terminal unless told otherwise."""


def playouts(game: GameLike, n: int, seed: int = 0, **how: Unpack[How]) -> str:
    """`n` random games: the numbers of `gdl playouts`, for the same seed."""
    return run(game, "playouts", {"count": n}, seed, **how)


def perft(game: GameLike, depth: int, *, prefix: int | None = None, **how: Unpack[How]) -> str:
    """The numbers of sequences of 1, 2, .. `depth` joint moves. The work is cut by the states after `prefix` of them."""
    return run(game, "perft", {"depth": depth, "prefix": prefix}, 0, **how)


def matches(
    game: GameLike, players: Sequence[str], n: int = 100, seed: int = 0, *, nodes: int = 10_000, **how: Unpack[How]
) -> str:
    """`n` matches between players such as `mcts` or `alphabeta:depth=4`, one for each role but chance: what `gdl match` counts."""
    return run(game, "matches", {"players": list(players), "count": n, "nodes": nodes}, seed, **how)


def analysis(
    rulesheets: Mapping[str, str] | str | os.PathLike[str], count: int = 1_000, seed: int = 0, **how: Unpack[How]
) -> str:
    """What each rulesheet is like, given by a folder (`*.kif`) or as texts by name; `count` random games of each are followed."""
    return run(rulesheets, "analysis", {"count": count}, seed, **how)


def run(
    subject: Subject,
    job: Job,
    options: Mapping[str, object],
    seed: int = 0,
    *,
    seconds: float = 10.0,
    store: str | os.PathLike[str] | None = None,
    num_cpus: int = 1,
    pending: int | None = None,
    progress: bool | None = None,
) -> str:
    """Does all blocks of a job, as `gdl.shard` takes it."""
    handed = given(subject, job)
    request = json.dumps({"kind": job, **options})
    header = _gdl.shard(handed, request, seed, (0, 0))
    kept = None if store is None else _Store(os.fspath(store), hashlib.sha256(header.encode()).hexdigest()[:32])
    done = {} if kept is None else kept.read()
    merged = json.loads(merge({"the job": header, **done}))
    gaps = [(start, end) for start, end in reversed(merged["missing"])]
    left = sum(end - start for start, end in gaps)
    if left == 0:
        return merge({"the job": header, **done})

    if not ray.is_initialized():
        ray.init()
    shown = Bar(merged["blocks"], "blocks") if (sys.stderr.isatty() if progress is None else progress) else None
    work = _work.options(num_cpus=num_cpus)
    # The rules travel to each machine once.
    rules = ray.put(pickle.dumps(handed))
    pace = _Pace(seconds)
    tasks: dict[Any, tuple[int, int]] = {}
    try:
        while gaps or tasks:
            # A cluster may grow and shrink.
            slots = max(1, int(ray.cluster_resources().get("CPU", 1) / num_cpus))  # type: ignore[no-untyped-call]
            while gaps and len(tasks) < (2 * slots if pending is None else pending):
                start, end = gaps.pop()
                stop = min(end, start + pace.size(sum(b - a for a, b in gaps) + end - start, slots))
                if stop < end:
                    gaps.append((stop, end))
                tasks[work.remote(rules, request, seed, (start, stop), num_cpus)] = (start, stop)
            ready, _ = ray.wait(list(tasks), num_returns=1, timeout=10)
            for task in ready:
                text, took = ray.get(task)
                start, stop = tasks.pop(task)
                name = f"{start}-{stop}.json"
                done[name] = text
                if kept is not None:
                    kept.write(name, text)
                pace.learn(stop - start, took)
                left -= stop - start
                if shown is not None:
                    shown(merged["blocks"] - left)
    finally:
        for task in tasks:
            ray.cancel(task, force=True)
        if shown is not None:
            shown.close()
    return merge({"the job": header, **done})


@ray.remote(max_retries=-1)
def _work(rules: bytes, request: str, seed: int, blocks: tuple[int, int], threads: int) -> tuple[str, float]:
    """A shard, and the seconds that it took."""
    subject = _load(rules)
    start = time.perf_counter()
    return _gdl.shard(subject, request, seed, blocks, threads), time.perf_counter() - start


@lru_cache(maxsize=4)
def _load(rules: bytes) -> Game | list[tuple[str, str]]:
    """What the job is about, made once in each process."""
    subject: Game | list[tuple[str, str]] = pickle.loads(rules)
    return subject


class _Pace:
    """How many blocks a task gets: what others took tells it."""

    def __init__(self, seconds: float) -> None:
        if not 0 < seconds < math.inf:
            raise ValueError(f"a task cannot take {seconds} seconds")
        self._seconds = seconds
        self._blocks = 1

    def size(self, left: int, slots: int) -> int:
        """The blocks of the next task. Towards the end they get fewer, so that no processor waits long for the last one."""
        return max(1, self._blocks // 10, min(self._blocks, left // (2 * slots)))

    def learn(self, blocks: int, seconds: float) -> None:
        """A task took so long."""
        fitting = int(blocks * self._seconds / max(seconds, 1e-4))
        if fitting > self._blocks:
            # What takes no time says little.
            self._blocks = max(self._blocks, min(fitting, 16 * blocks))
        elif seconds > self._seconds / 10:
            self._blocks = max(1, fitting)


class _Store:
    """Finished shards of one job: files in a folder, or objects."""

    def __init__(self, place: str, key: str) -> None:
        self._files: Any = None
        if "://" in place:
            from fsspec.core import url_to_fs

            self._files, place = url_to_fs(place)
        self._folder = f"{place.rstrip('/')}/{key}"
        if self._files is None:
            os.makedirs(self._folder, exist_ok=True)

    def read(self) -> dict[str, str]:
        """The shards by name. Of those that overlap, as where two drivers were at work, some that do not."""
        if self._files is None:
            names = os.listdir(self._folder)
        elif self._files.exists(self._folder):
            names = [path.rsplit("/", 1)[-1] for path in self._files.ls(self._folder, detail=False)]
        else:
            names = []
        ranges = []
        for name in names:
            first, _, behind = name.removesuffix(".json").partition("-")
            if name.endswith(".json") and first.isdecimal() and behind.isdecimal():
                ranges.append((int(first), int(behind), name))
        done: dict[str, str] = {}
        last = 0
        for start, end, name in sorted(ranges):
            if start >= last:
                done[name] = self._text(f"{self._folder}/{name}")
                last = end
        return done

    def _text(self, path: str) -> str:
        if self._files is not None:
            return str(self._files.cat_file(path).decode())
        with open(path, encoding="utf-8") as file:
            return file.read()

    def write(self, name: str, text: str) -> None:
        """Keeps a shard, all of it or nothing."""
        path = f"{self._folder}/{name}"
        if self._files is not None:
            self._files.pipe_file(path, text.encode())
            return
        half = f"{path}.{os.getpid()}.part"
        with open(half, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
