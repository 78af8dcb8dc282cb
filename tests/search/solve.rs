//! Solutions of games. Values are the known ones and those of plain search, symmetries are proved
//! and merged, and the perfect player never does worse.

use crate::circles;
use gdl_games::{connect_four, nim, rock_paper_scissors, tictactoe};
use gdl_players::{
    Budget, Player,
    player::Random,
    search::{Perfect, Solution, SolveError},
};
use gdl_runtime::{Game, GameExt, Information, chance::Stream, gdl};

const BYTES: usize = 1 << 30;

gdl!("rulesheets/connect_four_4x4.kif");
gdl!("rulesheets/connect_four_5x4.kif");

gdl!(
    name = chase,
    rules = r"
    ; Two take turns on a ring of five; a wins by coming to where b is. b may stay, so it need not end; a may give up.
    (role a) (role b) (init (a 0)) (init (b 2)) (init (control a)) (other a b) (other b a)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 0)
    (<= (near ?x ?x) (succ ?x ?y)) (<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x))
    (<= (legal a (go ?y)) (true (control a)) (true (a ?x)) (near ?x ?y) (distinct ?x ?y))
    (<= (legal b (go ?y)) (true (control b)) (true (b ?x)) (near ?x ?y))
    (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
    (<= (next (a ?y)) (does a (go ?y))) (<= (next (b ?y)) (does b (go ?y)))
    (<= (next (a ?y)) (does a noop) (true (a ?y))) (<= (next (b ?y)) (does b noop) (true (b ?y)))
    (<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
    (<= caught (true (a ?x)) (true (b ?x)))
    (<= (legal a resign) (true (control a))) (<= (next resigned) (does a resign))
    (<= terminal caught) (<= terminal (true resigned))
    (<= (goal a 100) caught) (<= (goal b 0) caught)
    (<= (goal a 0) (true resigned)) (<= (goal b 100) (true resigned))
"
);

/// The number of moves until the value of the initial state is reached, and the value.
fn start<G: Game>(game: &G, solution: &Solution<G>, role: G::Role) -> (Option<u32>, String) {
    let solved = solution.value(&game.initial(), role).expect("it is the start");
    (solved.moves, solved.value.to_string())
}

fn solve<G: Game>(game: &G) -> Solution<G> {
    Solution::of(game, &game.initial(), BYTES, &Budget::unlimited()).expect("it is small")
}

/// The value of a state to the first role, and the number of moves until it is reached, by
/// exhaustive search.
fn brute<G: Game>(game: &G, state: &G::State) -> (i32, u32) {
    let view = game.view(state);
    let roles: Vec<G::Role> = game.roles().collect();
    if game.is_terminal_in(&view) {
        let goal = |role| i32::from(game.goal_in(&view, role).expect("a goal"));
        return (goal(roles[0]) - goal(roles[1]), 0);
    }
    let turn = usize::from(game.legal_moves_in(&view, roles[0]).len() == 1);
    let sign = if turn == 0 { 1 } else { -1 };
    let values = game.legal_moves_in(&view, roles[turn]).map(|action| {
        let joint: Vec<G::Move> = roles
            .iter()
            .map(|&role| {
                if role == roles[turn] {
                    action
                } else {
                    game.legal_moves_in(&view, role).next().expect("a move")
                }
            })
            .collect();
        let (value, moves) = brute(game, &game.apply_unchecked(state, &joint));
        (value, moves + 1)
    });
    let best = values.max_by_key(|&(value, moves)| {
        (sign * value, if sign * value > 0 { -i64::from(moves) } else { i64::from(moves) })
    });
    best.expect("a move")
}

/// Compares the values of random states with exhaustive search.
fn agree<G: Game>(game: &G, solution: &Solution<G>, from: u64, states: u64) {
    let first = game.roles().next().expect("a role");
    for seed in 0..states {
        let mut stream = Stream::new(seed, 7);
        let mut state = game.initial();
        for _ in 0..from + seed % 5 {
            let view = game.view(&state);
            if game.is_terminal_in(&view) {
                break;
            }
            let joint: Vec<_> = game
                .roles()
                .map(|role| game.random_move_in(&view, role, &mut stream).expect("a move"))
                .collect();
            state = game.apply_unchecked(&state, &joint);
        }
        let (value, moves) = brute(game, &state);
        let solved = solution.value(&state, first).expect("play comes to it");
        let expected = f64::from(value + 100) / 2.0;
        assert_eq!(
            (solved.value, solved.moves),
            (expected, (value != 0).then_some(moves)),
            "{}",
            game.state_text(&state)
        );
    }
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let game = tictactoe::game();
    let solution = solve(&game);
    // 5478 states; 765 of them are distinct under rotation and reflection of the board.
    assert_eq!((solution.len(), solution.symmetries()), (765, 8));
    for role in tictactoe::Role::ALL {
        assert_eq!(start(&game, &solution, role), (None, "50".into()));
    }
    agree(&game, &solution, 2, 60);
}

#[test]
fn nim_is_won_by_the_second() {
    let game = nim::game();
    let solution = solve(&game);
    assert_eq!(solution.symmetries(), 1);
    assert_eq!(start(&game, &solution, nim::Role::Right).1, "100");
    agree(&game, &solution, 7, 40);
}

#[test]
fn small_boards_of_connect_four_are_draws() {
    let game = connect_four_4x4::game();
    let solution = solve(&game);
    assert_eq!(solution.symmetries(), 2);
    // 161029 positions (Tromp's count), with mirror images merged.
    assert!((80_515..82_000).contains(&solution.len()), "{}", solution.len());
    assert_eq!(start(&game, &solution, connect_four_4x4::Role::Red), (None, "50".into()));
    agree(&game, &solution, 10, 40);
}

#[test]
fn what_goes_round_in_circles_is_solved() {
    let game = circles::game();
    let solution = solve(&game);
    assert_eq!(start(&game, &solution, circles::Role::Robot), (Some(4), "100".into()));
    let game = chase::game();
    let solution = solve(&game);
    // The runner can escape forever on a ring.
    assert_eq!(start(&game, &solution, chase::Role::A), (None, "50".into()));
    let caught = game.parse_state("((a 0) (b 1) (control a))").expect("a state");
    assert_eq!(solution.value(&caught, chase::Role::A).map(|s| (s.value, s.moves)), Some((100.0, Some(1))));
}

#[test]
fn what_cannot_be_solved_says_why() {
    let of = |budget| {
        let game = connect_four::game();
        Solution::of(&game, &game.initial(), 1 << 20, &budget).map(|_| ()).expect_err("it is large")
    };
    assert_eq!(of(Budget::unlimited()), SolveError::Bytes { limit: 1 << 20 });
    assert_eq!(of(Budget::of_nodes(100)), SolveError::Budget);
    let game = rock_paper_scissors::game();
    let error = Solution::of(&game, &game.initial(), BYTES, &Budget::unlimited()).map(|_| ());
    assert_eq!(error, Err(SolveError::Simultaneous));
}

#[test]
fn what_solving_did_not_take_is_left_for_the_search() {
    let game = connect_four::game();
    let budget = Budget::of_nodes(20_000);
    // The states exceed the memory, which the search detects early.
    let found =
        Perfect::new().memory(1 << 16).search(&game, &game.initial(), connect_four::Role::Red, &budget);
    let tried: u64 = found.moves.iter().map(|&(_, visits, _)| visits).sum();
    assert!(tried > 18_000 && found.report.nodes <= 20_000, "{tried} and {}", found.report.nodes);
    assert!(found.report.note.is_some_and(|note| note.starts_with("not solved: the states take more than")));
}

/// The goals of the perfect player in matches against a random player, in both roles.
fn play<G: Game + Clone + 'static>(game: &G, matches: u64) -> Vec<u8> {
    let mut perfect = Perfect::new().seed(1);
    let roles: Vec<G::Role> = game.roles().collect();
    let mut goals = Vec::new();
    for number in 0..matches {
        let own = (number % 2) as usize;
        let mut random = Random::new().seed(number);
        let mut known: Vec<_> = game.roles().map(Information::new).collect();
        let mut state = game.initial();
        perfect.start(game, roles[own], &Budget::unlimited());
        while !game.is_terminal(&state) {
            let joint: Vec<G::Move> = (0..2)
                .map(|place| {
                    let budget = Budget::unlimited();
                    let chosen = if place == own {
                        perfect.choose(game, &known[place], &budget)
                    } else {
                        random.choose(game, &known[place], &budget)
                    };
                    chosen.expect("a move")
                })
                .collect();
            known.iter_mut().for_each(|known| known.step(game, &state, &joint));
            state = game.apply(&state, &joint).expect("legal moves");
        }
        goals.push(game.goal(&state, roles[own]).expect("a goal"));
    }
    goals
}

#[test]
fn the_perfect_player_never_loses() {
    assert!(play(&tictactoe::game(), 200).iter().all(|&goal| goal >= 50));
    assert!(play(&connect_four_4x4::game(), 50).iter().all(|&goal| goal >= 50));
    // As the second player it wins every match.
    let goals = play(&nim::game(), 100);
    assert!(goals.iter().skip(1).step_by(2).all(|&goal| goal == 100));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes a minute where nothing is optimised")]
fn connect_four_on_five_columns_is_a_draw() {
    let game = connect_four_5x4::game();
    let solution = solve(&game);
    assert_eq!(solution.symmetries(), 2);
    assert_eq!(start(&game, &solution, connect_four_5x4::Role::Red), (None, "50".into()));
}
