"""Jobs on many machines with Ray: playouts, perft, matches and analyses in shards.

Each function returns the document that `gdl.merge` makes of all shards, one JSON object. It equals
the document of one machine, even if processes or nodes die: their tasks are done again elsewhere.
`json.loads(document)["summary"]` has means and intervals. With a `store`, finished shards are kept,
and a restarted run continues from these.

Ray runs any code that it receives: a program that reaches its ports runs code on its machines. Run
it only inside a network that you trust.
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
    """Options of the distribution of work; the result does not depend on them."""

    seconds: float
    """The target time of a task in seconds, by default 10. The first tasks are shorter, to measure.
    """
    store: str | os.PathLike[str] | None
    """A folder for finished shards, or a location of fsspec such as `s3://bucket/runs`."""
    num_cpus: int
    """The number of processors of a task, which are its threads; by default 1."""
    pending: int | None
    """The greatest number of tasks at a time; by default two for each `num_cpus` processors of the
    cluster.
    """
    progress: bool | None
    """True shows progress; by default it is shown if stderr is a terminal."""


def playouts(game: GameLike, n: int, seed: int = 0, **how: Unpack[How]) -> str:
    """Plays random games, with the counts of `gdl playouts` for the same seed.

    Args:
        game: A `gdl.Game`, or a source for `gdl.load`.
        n: The number of games.
        seed: The seed of the random moves.
        how: The options of `How`.

    Returns:
        The document, one JSON object.

    Raises:
        ValueError: An argument is invalid. Other errors are those of `gdl.load` and of Ray.
    """
    return run(game, "playouts", {"count": n}, seed, **how)


def perft(game: GameLike, depth: int, *, prefix: int | None = None, **how: Unpack[How]) -> str:
    """Counts the sequences of 1, 2, .. `depth` joint moves.

    Args:
        game: A `gdl.Game`, or a source for `gdl.load`.
        depth: The greatest length of a sequence, in joint moves.
        prefix: The length of the sequences whose final states are the blocks of the work.
        how: The options of `How`.

    Returns:
        The document, one JSON object.

    Raises:
        ValueError: An argument is invalid. Other errors are those of `gdl.load` and of Ray.
    """
    return run(game, "perft", {"depth": depth, "prefix": prefix}, 0, **how)


def matches(
    game: GameLike, players: Sequence[str], n: int = 100, seed: int = 0, *, nodes: int = 10_000, **how: Unpack[How]
) -> str:
    """Plays matches between players, with the counts of `gdl match`.

    Args:
        game: A `gdl.Game`, or a source for `gdl.load`.
        players: One for each role except chance, such as `mcts` or `alphabeta:depth=4`.
        n: The number of matches.
        seed: The seed of players and chance.
        nodes: The node limit of a decision.
        how: The options of `How`.

    Returns:
        The document, one JSON object.

    Raises:
        ValueError: An argument is invalid. Other errors are those of `gdl.load` and of Ray.
    """
    return run(game, "matches", {"players": list(players), "count": n, "nodes": nodes}, seed, **how)


def analysis(
    rulesheets: Mapping[str, str] | str | os.PathLike[str],
    count: int = 1_000,
    seed: int = 0,
    lenient: bool = False,
    **how: Unpack[How],
) -> str:
    """Analyses rulesheets by random games.

    Args:
        rulesheets: A folder of rulesheets (`*.kif`), or their texts by name.
        count: The number of games of each rulesheet that are followed move by move.
        seed: The seed of the random moves.
        lenient: Reads rulesheets with errors as other systems do, see `gdl.load`.
        how: The options of `How`.

    Returns:
        The document, one JSON object.

    Raises:
        ValueError: An argument is invalid.
        OSError: The folder cannot be read.
    """
    return run(rulesheets, "analysis", {"count": count, "lenient": lenient}, seed, **how)


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
    """Computes all blocks of a job on the cluster.

    Ray is started on this machine if it does not run yet.

    Args:
        subject: A game or a source for `gdl.load`. For an analysis a folder of rulesheets, or their
            texts by name.
        job: The job, as for `gdl.shard`.
        options: The options of the job, as for `gdl.shard`.
        seed: The seed of all random choices.
        seconds: The target time of a task, in seconds.
        store: A folder for finished shards, or a location of fsspec.
        num_cpus: The number of processors of a task.
        pending: The greatest number of tasks at a time; by default two for each `num_cpus`
            processors of the cluster.
        progress: True shows progress; by default it is shown if stderr is a terminal.

    Returns:
        The document, one JSON object.

    Raises:
        ValueError: The job, its options or `seconds` are invalid.
        OSError: The folder of rulesheets cannot be read. Other errors are those of `gdl.load` and
            of Ray.
    """
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
    """Returns a shard, and the seconds that it took."""
    subject = _load(rules)
    start = time.perf_counter()
    return _gdl.shard(subject, request, seed, blocks, threads), time.perf_counter() - start


@lru_cache(maxsize=4)
def _load(rules: bytes) -> Game | list[tuple[str, str]]:
    """Restores the subject of the job, once in each process."""
    subject: Game | list[tuple[str, str]] = pickle.loads(rules)
    return subject


class _Pace:
    """The number of blocks of a task, estimated from the time of finished tasks."""

    def __init__(self, seconds: float) -> None:
        if not 0 < seconds < math.inf:
            raise ValueError(f"a task cannot take {seconds} seconds")
        self._seconds = seconds
        self._blocks = 1

    def size(self, left: int, slots: int) -> int:
        """Returns the number of blocks of the next task.

        Tasks shrink towards the end, so that no processor waits long for the last one.
        """
        return max(1, self._blocks // 10, min(self._blocks, left // (2 * slots)))

    def learn(self, blocks: int, seconds: float) -> None:
        """Records the time of a finished task."""
        fitting = int(blocks * self._seconds / max(seconds, 1e-4))
        if fitting > self._blocks:
            # The time of a short task is a poor estimate, so the growth is limited.
            self._blocks = max(self._blocks, min(fitting, 16 * blocks))
        elif seconds > self._seconds / 10:
            self._blocks = max(1, fitting)


class _Store:
    """The finished shards of one job: files in a folder, or objects."""

    def __init__(self, place: str, key: str) -> None:
        self._files: Any = None
        if "://" in place:
            from fsspec.core import url_to_fs

            self._files, place = url_to_fs(place)
        self._folder = f"{place.rstrip('/')}/{key}"
        if self._files is None:
            os.makedirs(self._folder, exist_ok=True)

    def read(self) -> dict[str, str]:
        """Returns the shards by name, without overlaps.

        Shards overlap if two drivers worked at the same time.
        """
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
        """Writes a shard, completely or not at all."""
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
