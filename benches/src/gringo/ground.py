"""Grounds the program on stdin with gringo: first to measure time, then to count the result.

Prints one JSON object for each. Time is measured twice: with the rules dropped, and with the rules
stored by the solver. Relevant rules are those that `next`, `legal`, `goal`, `terminal` and `sees`
depend on. The choices of the encoding and static facts are not counted.
"""

import json
import resource
import statistics
import sys
import time
from array import array

import clingo

BYTES = 4 << 30
ROOTS = {"next", "legal", "goal", "terminal", "sees"}


class Counter(clingo.Observer):
    """An observer that stores the rules: the head of each, and the start of its body in a list."""

    def __init__(self):
        self.heads, self.starts, self.bodies = array("i"), array("q"), array("i")

    def rule(self, choice, head, body):
        if choice or body:
            for atom in head:
                self.heads.append(-atom if choice else atom)
                self.starts.append(len(self.bodies))
                self.bodies.extend(body)


def ground(program, observer):
    """Grounds the program. If there is an observer, it receives the rules instead of the solver."""
    control = clingo.Control(["--warn=none"])
    if observer:
        control.register_observer(observer, replace=True)
    start = time.process_time()
    control.add("base", [], program)
    control.ground([("base", [])])
    return time.process_time() - start, control


def count(program):
    counter = Counter()
    _, control = ground(program, counter)
    starts, bodies = counter.starts, counter.bodies
    starts.append(len(bodies))
    by_head = {}
    for rule, head in enumerate(counter.heads):
        by_head.setdefault(abs(head), []).append(rule)
    atoms = [atom for atom in control.symbolic_atoms if not atom.is_fact]
    waiting = [atom.literal for atom in atoms if atom.symbol.name in ROOTS]
    seen, relevant = set(waiting), 0
    while waiting:
        for rule in by_head.get(waiting.pop(), ()):
            relevant += counter.heads[rule] > 0
            for literal in bodies[starts[rule] : starts[rule + 1]]:
                if abs(literal) not in seen:
                    seen.add(abs(literal))
                    waiting.append(abs(literal))
    return {
        "rules": sum(head > 0 for head in counter.heads),
        "relevant": relevant,
        "atoms": len(atoms),
        "fluents": sum(atom.symbol.name == "true" for atom in atoms),
        "moves": sum(atom.symbol.name == "does" for atom in atoms),
    }


def main():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    program = sys.stdin.read()
    dropped, kept = [], []
    while len(kept) < 7 and sum(kept) < 2:
        dropped.append(ground(program, clingo.Observer())[0])
        kept.append(ground(program, None)[0])
    cost = {
        "seconds": statistics.median(dropped),
        "kept_seconds": statistics.median(kept),
        "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(cost), flush=True)
    print(json.dumps(count(program)), flush=True)


main()
