//! Puzzles: counts of states by distance from the initial state. The rulesheet, a version written
//! by hand in `reference/`, and published numbers agree.

use crate::{built_in, reference, reference::Position};
use gdl_runtime::{Game, GameExt};
use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

/// The number of a rulesheet's layers to visit: `in_debug` in a debug build, otherwise all.
fn depth(in_debug: usize) -> usize {
    if cfg!(debug_assertions) { in_debug } else { usize::MAX }
}

/// The numbers of states whose distance from the initial state is 0, 1, 2 and so on, up to `depth`.
/// Also returns the least distance of a state with the goal 100. Step counters are ignored.
///
/// States are stored as hashes of 64 bits. If two of millions collided, a count would be too small;
/// the probability is below one in a million.
fn layers(name: &str, depth: usize) -> (Vec<u64>, Option<usize>) {
    let game = built_in(name);
    let role = game.roles().next().expect("a player");
    let counts_moves = |fluent| game.fluent_text(fluent).starts_with("(step ");
    let arrangement = |state: &_| {
        let mut hasher = DefaultHasher::new();
        game.fluents(state)
            .filter(|&fluent| !counts_moves(fluent))
            .for_each(|fluent| fluent.hash(&mut hasher));
        hasher.finish()
    };
    let mut layer = vec![game.initial()];
    let mut seen = HashSet::from([arrangement(&layer[0])]);
    let (mut counts, mut shortest) = (Vec::new(), None);
    while !layer.is_empty() {
        let is_solved = |state: &_| game.goal(state, role) == Some(100);
        if shortest.is_none() && layer.iter().any(is_solved) {
            shortest = Some(counts.len());
        }
        counts.push(layer.len() as u64);
        if counts.len() > depth {
            break;
        }
        let mut next = Vec::new();
        for state in layer.iter().filter(|state| !game.is_terminal(state)) {
            for action in game.legal_moves(state, role) {
                let state = game.apply_unchecked(state, &[action]);
                if seen.insert(arrangement(&state)) {
                    next.push(state);
                }
            }
        }
        layer = next;
    }
    (counts, shortest)
}

/// All 181,440 arrangements. The solution is one of the two farthest from the initial state.
#[test]
fn eight_puzzle() {
    let known = reference::eight_puzzle::layers(usize::MAX);
    assert_eq!((known.len() - 1, known.last(), known.iter().sum()), (31, Some(&2), 181_440));
    let (counts, shortest) = layers("eight_puzzle", depth(12));
    assert_eq!(counts, known[..counts.len()]);
    assert!(cfg!(debug_assertions) || shortest == Some(31), "{shortest:?}");
}

#[test]
fn towers_of_hanoi() {
    let known = reference::towers_of_hanoi::layers();
    assert_eq!((known.len() - 1, known.iter().sum()), (127, 3_u64.pow(7)));
    assert_eq!(layers("towers_of_hanoi", usize::MAX), (known, Some(127)));
}

/// The known counts in the half-turn metric, which do not depend on the initial state.
#[test]
fn pocket_cube() {
    let known = [1, 9, 54, 321, 1847, 9992, 50_136, 227_536, 870_072, 1_887_748, 623_800, 2644];
    assert_eq!(known.iter().sum::<u64>(), 3_674_160);
    assert_eq!(reference::pocket_cube::layers(5), known[..6]);
    let (counts, shortest) = layers("pocket_cube", if cfg!(debug_assertions) { 4 } else { 6 });
    assert_eq!((&counts[..], shortest), (&known[..counts.len()], None));
}

/// All positions of the pocket cube. The solution is in the last layer.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes half a minute even in a release build")]
fn pocket_cube_in_full() {
    let (counts, shortest) = layers("pocket_cube", usize::MAX);
    assert_eq!((counts.iter().sum(), shortest), (3_674_160_u64, Some(11)));
}

/// The numbers of distinct positions after each number of jumps, with mirror images counted
/// separately.
#[test]
fn peg_solitaire() {
    let known = [1, 4, 12, 60, 296, 1338, 5648, 21_842, 77_559, 249_690];
    let checked = if cfg!(debug_assertions) { 6 } else { 9 };
    assert_eq!(reference::peg_solitaire::layers(checked), known[..=checked]);
    let checked = if cfg!(debug_assertions) { 5 } else { 8 };
    assert_eq!(layers("peg_solitaire", checked).0, known[..=checked]);
}

/// Returns whether some play from a state ends with the goal 100. Depth-first search in the order
/// of moves that visits no state twice.
fn has_solution<G: Game>(game: &G, role: G::Role, state: &G::State, seen: &mut HashSet<String>) -> bool {
    if game.is_terminal(state) {
        return game.goal(state, role) == Some(100);
    }
    let moves: Vec<_> = game.legal_moves(state, role).collect();
    moves.into_iter().any(|action| {
        let next = game.apply_unchecked(state, &[action]);
        seen.insert(game.state_text(&next)) && has_solution(game, role, &next, seen)
    })
}

#[test]
fn peg_solitaire_can_be_solved() {
    let game = built_in("peg_solitaire");
    let role = game.roles().next().expect("a player");
    assert!(has_solution(&game, role, &game.initial(), &mut HashSet::new()));
}

#[test]
fn sokoban() {
    assert_eq!(reference::sokoban::shortest(), Some(50));
    let known = reference::sokoban::layers(usize::MAX);
    let (counts, shortest) = layers("sokoban", usize::MAX);
    assert_eq!((&counts[..], shortest), (&known[..], Some(50)));
}

/// Plays the moves and asserts that only the last one solves the puzzle.
fn solve(name: &str, moves: impl IntoIterator<Item = String>) {
    let game = built_in(name);
    let role = game.roles().next().expect("a player");
    let mut state = game.initial();
    for text in moves {
        assert!(!game.is_terminal(&state), "{name}");
        assert_eq!(game.goal(&state, role), Some(0), "{name}");
        let action = game.parse_move(&text).expect("a move");
        state = game.apply(&state, &[action]).expect("a legal move");
    }
    assert!(game.is_terminal(&state), "{name}");
    assert_eq!(game.goal(&state, role), Some(100), "{name}");
}

/// Plays shortest solutions that other programs found.
#[test]
fn shortest_solutions_solve() {
    let slides =
        "13 12 22 21 31 32 22 23 33 32 22 12 11 21 31 32 22 23 13 12 11 21 22 23 13 12 11 21 22 32 33";
    let places = slides.split(' ').map(|place| place.split_at(1));
    solve("eight_puzzle", places.map(|(x, y)| format!("(slide {x} {y})")));
    let turns = "up 1,front 1,up 3,right 1,up 3,front 2,right 1,up 3,right 1,front 1,up 2".split(',');
    solve("pocket_cube", turns.map(|turn| format!("(turn {turn})")));
}

#[test]
fn sudoku_has_one_solution() {
    let grid = reference::sudoku::Grid::default();
    let [solution] = &grid.solutions()[..] else { panic!("one solution") };
    let rows = ["254367198", "376189425", "189542673", "492736581", "617895342", "538214769", "763921854"];
    assert_eq!(*solution, format!("{}941658237825473916", rows.concat()));

    // Written digit by digit, the solution solves the rulesheet.
    let cells = solution.chars().enumerate();
    let texts = cells.map(|(cell, digit)| format!("(write {} {} {digit})", cell % 9 + 1, 9 - cell / 9));
    let open: Vec<String> = grid.moves().into_iter().map(|(text, _)| text).collect();
    solve("sudoku", texts.filter(|text| open.contains(text)));
}
