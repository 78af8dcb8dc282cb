"""Shards: parts of a job that many machines share, and their merged result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from . import _gdl
from ._gdl import Game
from ._load import GameLike, game_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Subject: TypeAlias = "GameLike | Mapping[str, str]"
"""A game or a source for `gdl.load`. For an analysis a folder of rulesheets, or their texts by
name.
"""
Job: TypeAlias = Literal["playouts", "perft", "matches", "analysis"]
"""A job that can be divided into shards."""


def shard(
    subject: Subject,
    job: Job,
    *,
    seed: int = 0,
    blocks: tuple[int, int] | None = None,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    **options: object,
) -> str:
    """Computes a range of blocks of a job.

    The document is the same on every machine and in every run. The GIL is released. Ctrl-C, or an
    exception of `progress`, cancels the work.

    Args:
        subject: A game or a source for `gdl.load`. For an analysis a folder of rulesheets
            (`*.kif`), or their texts by name.
        job: `playouts`, `perft`, `matches` or `analysis`.
        seed: The seed of all random choices.
        blocks: The first block and the one after the last; by default all. `(0, 0)` computes none,
            and the document then has the number of `blocks`.
        threads: The number of threads; 0 means one for each processor. The document does not depend
            on it.
        progress: A function that is called with the number of blocks done, several times a second.
        options: Those of the job. `playouts`: `count`, by default a million, and `engine`, `lanes`
            or `single`. `perft`: `depth` and `prefix`. `matches`: `players`, `count` and `nodes`.
            `analysis`: `count` and `lenient`.

    Returns:
        The document, one JSON object.

    Raises:
        ValueError: The job or the range of blocks is invalid.
        OSError: The folder cannot be read. Other errors are those of `gdl.load`.
    """
    import json  # not at the top: few want it, and it takes time to import

    request = json.dumps({"kind": job, **options})
    return _gdl.shard(given(subject, job), request, seed, blocks, threads, progress)


def merge(documents: Iterable[str] | Mapping[str, str]) -> str:
    """Merges documents of one game, job and seed into one.

    The result does not depend on their order. With all blocks it does not depend on the division
    into shards either.

    Args:
        documents: Shards and merged documents. A mapping has their names for messages as keys.

    Returns:
        The document, one JSON object. Its `missing` has the ranges of missing blocks, and its
        `summary` means and intervals.

    Raises:
        ValueError: A document is not a shard, is of another game, job, seed or version, or has
            blocks that overlap without being equal.
        TypeError: `documents` is one text instead of a list.
    """
    if isinstance(documents, str):
        raise TypeError("expected the documents as a list")
    named = documents.items() if hasattr(documents, "items") else ((f"document {i}", text) for i, text in enumerate(documents, 1))
    return _gdl.merge(list(named))


def given(subject: Subject, job: Job) -> Game | list[tuple[str, str]]:
    """Returns the subject of a job for the Rust half: a game, or rulesheets in the order of their
    names.
    """
    if isinstance(subject, Game):
        return subject
    if isinstance(subject, Mapping):
        return sorted(subject.items(), key=lambda item: item[0].encode())
    return _gdl.rulesheets(subject) if job == "analysis" else game_of(subject)
