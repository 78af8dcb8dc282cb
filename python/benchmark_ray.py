"""The work of two Ray workers compared with one, by processor time.

    python benchmark_ray.py [SECONDS]

The time of a run is the sum of the processor times of its driver and its busiest worker. One worker
and two play the same games.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import gdl
import gdl.ray
import ray


def seconds_of(pid: int) -> float:
    """Returns the processor time of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@ray.remote
def process(_: int) -> int:
    """Returns the id of the process."""
    time.sleep(0.2)
    return os.getpid()


def measure(workers: int, game: gdl.Game, count: int, task: float) -> tuple[str, float, float, float]:
    """Returns the result, and the processor times of the driver, the busiest worker and all."""
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, object_store_memory=80 << 20)
    gdl.ray.playouts(game, 1_000_000, progress=False)  # Every worker loads the game.
    pids = set(ray.get([process.remote(i) for i in range(4 * workers)]))
    before = {pid: seconds_of(pid) for pid in pids}
    start = time.process_time()
    result = gdl.ray.playouts(game, count, seed=1, seconds=task, progress=False)
    driver = time.process_time() - start
    spent = [seconds_of(pid) - before[pid] for pid in pids]
    ray.shutdown()
    return result, driver, max(spent), sum(spent)


def main() -> None:
    """Measures and prints."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 40.0
    game = gdl.load("connect_four")
    count = round(seconds * 2_000_000 / game.playouts(2_000_000, threads=1).cpu_seconds)
    results: list[Any] = []
    for workers in (1, 2):
        result, driver, busiest, all_together = measure(workers, game, count, max(0.5, seconds / 20))
        results.append((result, driver + busiest))
        print(
            f"{workers} worker{'s' * (workers > 1)}: driver {driver:.2f} s, busiest worker {busiest:.2f} s, "
            f"workers together {all_together:.2f} s of processor time"
        )
    assert results[0][0] == results[1][0]
    playouts = json.loads(results[0][0])["summary"]["playouts"]
    print(f"{playouts:,} playouts, the same result; speed-up {results[0][1] / results[1][1]:.2f}")


if __name__ == "__main__":
    main()
