"""Ray on one machine: a hundred million random games of a rulesheet, and intervals of their means.

    python one_machine.py mygame.kif --count 100_000_000 --store runs

A restarted run continues where it stopped.
"""

from __future__ import annotations

import argparse
import json

import gdl.ray

parser = argparse.ArgumentParser()
parser.add_argument("game", nargs="?", default="connect_four")
parser.add_argument("--count", type=int, default=100_000_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--store")
arguments = parser.parse_args()

document = gdl.ray.playouts(arguments.game, arguments.count, arguments.seed, store=arguments.store)
summary = json.loads(document)["summary"]
print(f"{summary['playouts']:,} games of {summary['mean_length']:.3f} moves")
for role, goal in summary["goals"].items():
    if goal is not None:
        low, high = summary["intervals"][role]
        print(f"{role}: {goal:.4f} ({low:.4f} to {high:.4f})")
