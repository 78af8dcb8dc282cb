"""Checks recorded positions against the reference semantics in clingo.

Each line on stdin is a JSON object: `text`, a rulesheet, and `positions`, in the order of play. The
program prints one line for each rulesheet: `ok`, or the difference. The first argument is the
folder of the reference.
"""

import json
import sys

sys.path.insert(0, sys.argv[1])
import clingo
import kif
import kif2asp


class Game:
    def __init__(self, text):
        converter = kif2asp.Conv(kif.parse(text))
        # The choices of possible fluents and moves are dropped, since each state is given as facts.
        self.program = "\n".join(l for l in converter.run().split("\n") if not l.startswith("{k_"))
        self.converter = converter
        self.names = {mangled: name for (_, name), mangled in converter.N.m.items()}

    def kif(self, symbol):
        name = self.names[symbol.name]
        return f"({name} {' '.join(map(self.kif, symbol.arguments))})" if symbol.arguments else name

    def asp(self, text):
        return self.converter.term(kif.parse(text)[0])

    def solve(self, facts):
        control = clingo.Control(["--warn=none"])
        control.add("base", [], "\n".join([self.program, *(fact + "." for fact in facts)]))
        control.ground([("base", [])])
        models = []
        control.solve(on_model=lambda model: models.append(model.symbols(atoms=True)))
        (model,) = models
        found = {}
        for atom in model:
            if atom.name.startswith("k_"):
                found.setdefault(atom.name, []).append([self.kif(a) for a in atom.arguments])
        return found


def of_roles(roles, pairs):
    """Returns the atoms of each role, sorted."""
    return [sorted({what for who, what in pairs if who == role}) for role in roles]


def compare(game, roles, position, before):
    """Returns the difference between a position and its model, and the fluents of the successor."""
    facts = [f"k_true({game.asp(fluent)})" for fluent in position["fluents"]]
    model = game.solve(facts)
    start = model.get("k_init", [])
    after = {}
    if position["joint"]:
        pairs = zip(roles, position["joint"])
        moves = [f"k_does({game.asp(role)},{game.asp(move)})" for role, move in pairs]
        after = game.solve(facts + moves)
    goals = [(role, int(value)) for role, value in model.get("k_goal", [])]
    found = {
        "fluents": sorted(fluent for (fluent,) in (start if before is None else before)),
        "terminal": "k_terminal" in model,
        "legal": of_roles(roles, model.get("k_legal", [])),
        "goals": of_roles(roles, goals),
        "percepts": of_roles(roles, after.get("k_sees", [])) if position["joint"] else [],
    }
    for key, value in found.items():
        if value != position[key]:
            return f"{key}: {value} but recorded {position[key]} in {position}", None
    return "", after.get("k_next", []) if position["joint"] else None


for line in sys.stdin:
    case = json.loads(line)
    verdict = "ok"
    try:
        game, before = Game(case["text"]), None
        for position in case["positions"]:
            differs, before = compare(game, case["roles"], position, before)
            if differs:
                verdict = differs
                break
    except Exception as error:
        verdict = f"{type(error).__name__}: {error}"
    print(verdict.replace("\n", " "), flush=True)
