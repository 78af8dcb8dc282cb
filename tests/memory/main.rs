//! Players keep to their memory limit. An allocator that fails past a number of bytes checks this,
//! independently of the players' own reports.

use cap::Cap;
use gdl_games::dynamic;
use gdl_players::{
    Budget, Player,
    search::{AlphaBeta, Best, Equilibrium, Ismcts, Mcts, Perfect, Planner, Solution, SolveError},
};
use gdl_runtime::{Dynamic, Game, GameExt, Information, chance::Stream, game::Id, load};
use std::{
    alloc::System,
    sync::{Mutex, PoisonError},
};

/// The allocator of this program, which counts its memory.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// A lock that runs one test at a time, since the memory limit holds for the whole program.
static TURN: Mutex<()> = Mutex::new(());

/// The bytes that players may take, and those of lanes, samples and other data that a search does
/// not grow.
const GIVEN: usize = 2 << 20;
const BESIDE: usize = 3 << 18;

/// The bytes of sampling a small game before it is solved, including lanes.
const LOOK: usize = 5 << 15;

/// A number of nodes whose search would exceed the limit if it kept every state.
const NODES: u64 = 12_000;

/// One of each kind of player that stores results of its search.
fn players() -> Vec<Box<dyn Player<Dynamic>>> {
    vec![
        Box::new(AlphaBeta::new().memory(GIVEN)),
        Box::new(Mcts::new().memory(GIVEN)),
        Box::new(Mcts::new().memory(GIVEN).single().decoupled()),
        Box::new(Ismcts::new().memory(GIVEN)),
        Box::new(Equilibrium::new().memory(GIVEN)),
        Box::new(Perfect::new().memory(GIVEN)),
        Box::new(Planner::new().memory(GIVEN)),
        Box::new(Best::new().memory(GIVEN)),
    ]
}

/// Searches before a match and at its first moves, which reuse earlier results.
fn play(game: &Dynamic, player: &mut dyn Player<Dynamic>, nodes: u64) {
    let budget = Budget::of_nodes(nodes);
    let role = game.roles().find(|&role| Some(role) != game.chance_role()).expect("a role that plays");
    let mut known = Information::new(role);
    let (mut state, mut stream) = (game.initial(), Stream::new(1, 1));
    player.start(game, role, &budget);
    for _ in 0..2 {
        let chosen = player.choose(game, &known, &budget).expect("a move");
        let view = game.view(&state);
        let other = |role| game.random_move_in(&view, role, &mut stream).expect("a move");
        let mut joint: Vec<_> = game.roles().map(other).collect();
        joint[role.index()] = chosen;
        known.step(game, &state, &joint);
        state = game.apply(&state, &joint).expect("legal moves");
    }
}

/// Plays a game by one player after the other, each within its memory limit.
fn bound(name: &str, game: &Dynamic, players: impl Fn() -> Vec<Box<dyn Player<Dynamic>>>) {
    // Data that a game caches at its first search stays with the game.
    for mut player in players() {
        play(game, &mut *player, 3000);
    }
    for mut player in players() {
        // If the allocator aborts, this is the last line of the output.
        eprintln!("{} in {name}", player.name());
        HEAP.set_limit(HEAP.allocated() + GIVEN + BESIDE).expect("more than is taken");
        play(game, &mut *player, NODES);
        drop(player);
        HEAP.set_limit(usize::MAX).expect("no limit");
    }
}

#[test]
fn players_keep_to_their_memory() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for name in ["connect_four", "eight_puzzle", "goofspiel", "phantom_tictactoe"] {
        bound(name, &dynamic(name).expect("a built-in game"), players);
    }
}

#[test]
fn goal_values_are_read_without_memory() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let game = dynamic("tictactoe").expect("a built-in game");
    let joint = game.joint(&game.initial(), game.parse_move("(mark 2 2)").expect("a move")).expect("legal");
    let view = game.view(&game.apply(&game.initial(), &joint).expect("legal"));
    // Lists of this length would exceed the limit; other threads of the test program allocate less.
    let mut kept = Vec::with_capacity(1 << 16);
    HEAP.set_limit(HEAP.allocated() + BESIDE / 2).expect("more than is taken");
    for _ in 0..kept.capacity() / 2 {
        kept.extend(game.roles().map(|role| game.goals_in(&view, role)));
    }
    HEAP.set_limit(usize::MAX).expect("no limit");
    assert!(kept.into_iter().all(|goals| goals.eq([50])));
}

/// A walk north or east on a square board with ten thousand states.
fn walk() -> Dynamic {
    let after: Vec<String> = (0..99).map(|place| format!("(after {place} {})", place + 1)).collect();
    let rules = "(role walker) (init (x 0)) (init (y 0))
        (<= (legal walker east) (true (x ?a)) (after ?a ?b))
        (<= (legal walker north) (true (y ?a)) (after ?a ?b))
        (<= (next (x ?b)) (does walker east) (true (x ?a)) (after ?a ?b))
        (<= (next (y ?b)) (does walker north) (true (y ?a)) (after ?a ?b))
        (<= (next (x ?a)) (does walker north) (true (x ?a)))
        (<= (next (y ?a)) (does walker east) (true (y ?a)))
        (<= terminal (true (x 99)) (true (y 99)))
        (<= (goal walker 100) (true (x 99)) (true (y 99)))
        (<= (goal walker 0) (true (x ?a)) (after ?a ?b))
        (<= (goal walker 0) (true (x 99)) (true (y ?a)) (after ?a ?b))";
    load(&(after.concat() + rules)).expect("it loads")
}

#[test]
fn solutions_keep_to_their_bytes_however_many() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let game = walk();
    let solve = |bytes| Solution::of(&game, &game.initial(), bytes, &Budget::unlimited());
    drop(solve(1 << 22));
    let mut solved = 0;
    let limits: Vec<usize> = (8..64).map(|step| step << 15).collect();
    for &bytes in &limits {
        eprintln!("a solution in {bytes} bytes");
        // Three sixteenths of the bytes are for sampling, which takes little here.
        HEAP.set_limit(HEAP.allocated() + bytes / 16 * 13 + LOOK).expect("more than is taken");
        let solution = solve(bytes);
        HEAP.set_limit(usize::MAX).expect("no limit");
        match solution {
            Ok(solution) => solved += usize::from(solution.len() == 10_000),
            Err(error) => assert_eq!(error, SolveError::Bytes { limit: bytes }),
        }
    }
    // Bytes per state have an upper and a lower bound.
    assert!((10..50).contains(&solved), "{solved}");
}
