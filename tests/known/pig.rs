//! The value of pig: the probability that the player to move wins. It is computed by value
//! iteration from the last turn back, and by a walk of the rulesheet's states.

use crate::beginning_with;
use gdl_runtime::{Dynamic, Game, GameExt, load};
use std::collections::BTreeMap;

/// The points that win, and the number of turns after which a game is a draw.
const POINTS: usize = 100;
const TURNS: usize = 200;

/// The probability that the player to move wins under perfect play with `turns` turns left. Indexed
/// by the points of the mover and of the other player, both from `low`. A draw counts one half.
fn win_chances(low: usize, turns: usize) -> Vec<Vec<f64>> {
    let size = POINTS - low;
    let mut values = vec![vec![0.5; size]; size];
    for _ in 0..turns {
        let before = values.clone();
        for (own, values) in values.iter_mut().enumerate() {
            for (other, value) in values.iter_mut().enumerate() {
                // Iterates from the largest sum of the turn down. `after` has the values of the
                // next six sums, where a sum that reaches `POINTS` wins by holding.
                let mut after = [1.0; 6];
                for sum in (0..size - own).rev() {
                    let roll = (1.0 - before[other][own] + after[1..].iter().sum::<f64>()) / 6.0;
                    let hold = 1.0 - before[other][own + sum];
                    after.rotate_right(1);
                    after[0] = if sum == 0 { roll } else { hold.max(roll) };
                }
                *value = after[0];
            }
        }
    }
    values
}

/// Returns the probability that alice wins from a state, memoised by the state's text.
fn walk(game: &Dynamic, state: &<Dynamic as Game>::State, known: &mut BTreeMap<String, f64>) -> f64 {
    let text = game.state_text(state);
    if let Some(&value) = known.get(&text) {
        return value;
    }
    let roles: Vec<_> = game.roles().collect();
    let value = if game.is_terminal(state) {
        f64::from(game.goal(state, roles[0]).expect("a goal")) / 100.0
    } else {
        let moves: Vec<Vec<_>> = roles.iter().map(|&role| game.legal_moves(state, role).collect()).collect();
        let mover =
            moves.iter().position(|moves| game.move_text(moves[0]) != "noop").expect("one role is in turn");
        // At 100 points, a roll may lead back to the same state. That cycle gains nothing, since
        // holding wins.
        known.insert(text.clone(), f64::from(u8::from(mover == 1)));
        let values = moves[mover].iter().map(|&action| {
            let joint: Vec<_> =
                (0..roles.len()).map(|role| if role == mover { action } else { moves[role][0] }).collect();
            walk(game, &game.apply(state, &joint).expect("legal moves"), known)
        });
        match mover {
            0 => values.fold(0.0, f64::max),
            1 => values.fold(1.0, f64::min),
            _ => values.sum::<f64>() / moves[mover].len() as f64,
        }
    };
    known.insert(text, value);
    value
}

/// Compares endgames of the rulesheet with value iteration, over all states of the last turns.
#[test]
fn ends_are_worth_the_same() {
    for (alice, bob, left) in [(96, 97, 6), (98, 94, 5), (91, 99, 4)] {
        let turns = TURNS - left;
        let mover = ["alice", "bob"][turns % 2];
        let init = format!(
            "(init (score alice {alice})) (init (score bob {bob})) (init (sum 0)) (init (turns {turns})) (init (control {mover}))"
        );
        let game = load(&beginning_with("pig", &init)).expect("it loads");
        let value = walk(&game, &game.initial(), &mut BTreeMap::new());
        let low = alice.min(bob);
        let values = win_chances(low, left);
        let expected = match mover {
            "alice" => values[alice - low][bob - low],
            _ => 1.0 - values[bob - low][alice - low],
        };
        assert!((value - expected).abs() < 1e-9, "{alice} to {bob}: {value}, {expected}");
    }
}

/// The first player wins 53.06% of games (Neller and Presser, Optimal Play of the Dice Game Pig,
/// 2004).
#[test]
#[cfg_attr(debug_assertions, ignore = "a debug build takes seconds")]
fn beginning_is_worth_53_of_100() {
    let value = win_chances(0, TURNS)[0][0];
    assert!((value - 0.5306).abs() < 5e-5, "{value}");
}
