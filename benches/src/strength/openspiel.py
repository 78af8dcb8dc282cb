"""OpenSpiel's MCTS with a line protocol: lists moves, makes moves, and searches by time."""

import sys
import time

import pyspiel

GAME = pyspiel.load_game(sys.argv[1])
LEAST = 20


def main() -> None:
    state, rate, seed = GAME.new_initial_state(), 0.0, 0
    for line in sys.stdin:
        word, *rest = line.split()
        answer = "ok"
        if word == "new":
            state = GAME.new_initial_state()
        elif word == "look" and state.is_terminal():
            answer = "over " + " ".join(str(value) for value in state.returns())
        elif word == "look":
            player = state.current_player()
            moves = (f"{action}:{state.action_to_string(player, action)}" for action in state.legal_actions())
            answer = f"{player} " + " ".join(moves)
        elif word == "play":
            state.apply_action(int(rest[0]))
        elif word == "think":
            seconds, seed = float(rest[0]), seed + 1
            simulations = max(LEAST, int(rate * seconds))
            evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
            bot = pyspiel.MCTSBot(GAME, evaluator, 2.0, simulations, 1000, True, seed, False)
            start = time.process_time()
            answer = str(bot.step(state))
            used = time.process_time() - start
            # A search that ends early by a proof does not show the speed.
            if rate == 0.0 or used > 0.3 * seconds:
                rate = simulations / max(used, 1e-6)
        print(answer, flush=True)


main()
