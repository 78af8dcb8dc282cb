"""Ray on a running cluster: random games, with shards stored where all drivers can read them.

    ray job submit --address http://HEAD:8265 --working-dir . -- python cluster.py s3://bucket/runs

or, on a machine of the cluster, `python cluster.py /shared/runs`. Machines that join while it runs
get work, the work of machines that leave is done elsewhere, and a driver that is started again
continues where the last one was. The package is installed on all machines.

Ray runs the code that it receives: a program that reaches its ports runs code there. Keep the
cluster in a network of your own.
"""

from __future__ import annotations

import json
import sys

import gdl.ray
import ray

ray.init(address="auto")
store = sys.argv[1] if len(sys.argv) > 1 else None
players = ["mcts", "alphabeta:depth=4"]
document = gdl.ray.matches("breakthrough", players, n=1_000, seed=1, nodes=20_000, seconds=30, store=store)
for player in json.loads(document)["summary"]["players"]:
    low, high = player["score_interval"]
    print(f"{player['player']}: {player['score']:.3f} ({low:.3f} to {high:.3f})")
