//! Monte Carlo tree search: reproducible trees, correct proofs and balanced mixed strategies.

use crate::circles;
use gdl_games::{breakthrough_small, connect_four, monty_hall, nim, rock_paper_scissors, tictactoe};
use gdl_players::{
    Budget, Player,
    search::{AlphaBeta, FlatMonteCarlo, Mcts, SearchResult},
};
use gdl_runtime::{Cancel, Game, GameExt, Information, chance::Stream, gdl};

/// The results of a search, except for the time.
fn timeless<G: Game>(found: &SearchResult<G>, game: &G) -> String {
    let mut report = found.describe(game);
    report.seconds = 0.0;
    format!("{:?} {report:?}", found.action)
}

#[test]
fn the_same_seed_grows_the_same_tree() {
    let game = connect_four::game();
    let red = connect_four::Role::Red;
    for nodes in [1, 10, 300, 2000] {
        let run = |seed| Mcts::new().seed(seed).search(&game, &game.initial(), red, &Budget::of_nodes(nodes));
        let found = run(5);
        assert_eq!(timeless(&found, &game), timeless(&run(5), &game));
        assert_eq!(found.report.nodes, nodes);
        // From 64 nodes on, playouts run in lanes, so each node has many.
        assert!(if nodes < 64 { found.report.playouts == nodes } else { found.report.playouts > 8 * nodes });
        assert!(nodes < 300 || timeless(&found, &game) != timeless(&run(6), &game));
    }
}

#[test]
fn trees_keep_to_their_memory() {
    let game = breakthrough_small::game();
    for bytes in [0, 10_000, 200_000] {
        let mut search = Mcts::new().seed(1).memory(bytes).single();
        let found =
            search.search(&game, &game.initial(), breakthrough_small::Role::White, &Budget::of_nodes(5000));
        // The root always takes memory.
        assert!(found.report.bytes <= (bytes as u64).max(2000), "{}", found.report.bytes);
        assert_eq!((found.report.nodes, found.report.playouts), (5000, 5000));
        assert!(found.action.is_some());
    }
}

#[test]
fn threads_share_the_work() {
    let game = connect_four::game();
    for search in [Mcts::new().seed(3).threads(4), Mcts::new().seed(3).threads(4).single().root_parallel()] {
        let mut search = search;
        let found = search.search(&game, &game.initial(), connect_four::Role::Red, &Budget::of_nodes(4000));
        assert_eq!(found.report.nodes, 4000);
        let visits: u64 = found.moves.iter().map(|&(_, visits, _)| visits).sum();
        assert!((3990..=4000).contains(&visits), "{visits}");
        // The middle column is best.
        assert_eq!(game.move_text(found.action.expect("a move")), "(drop 4)");
    }
}

#[test]
fn what_is_proved_is_right() {
    let game = tictactoe::game();
    let mut proved = 0;
    let mut plain = AlphaBeta::new();
    for seed in 0..40 {
        let mut stream = Stream::new(seed, 1);
        let mut state = game.initial();
        for _ in 0..seed % 7 {
            let view = game.view(&state);
            let joint: Vec<_> = game
                .roles()
                .map(|role| game.random_move_in(&view, role, &mut stream).expect("a move"))
                .collect();
            state = game.apply_unchecked(&state, &joint);
            if game.is_terminal(&state) {
                break;
            }
        }
        if game.is_terminal(&state) {
            continue;
        }
        for role in tictactoe::Role::ALL {
            let found = Mcts::new().seed(seed).single().search(&game, &state, role, &Budget::of_nodes(4000));
            let exact = plain.search(&game, &state, role, &Budget::unlimited());
            if found.report.exact {
                proved += 1;
                assert_eq!(found.report.value, exact.report.value, "{}", game.state_text(&state));
            }
        }
    }
    assert!(proved > 20, "{proved}");
}

#[test]
fn states_that_are_met_again_are_proved_once() {
    // Most of nim's 768 states are reached by hundreds of paths.
    let game = nim::game();
    let found = Mcts::new().seed(1).search(&game, &game.initial(), nim::Role::Left, &Budget::of_nodes(5000));
    assert_eq!((found.report.value, found.report.exact), (Some(0.0), true), "{}", found.report);
}

#[test]
fn trees_of_games_that_go_round_in_circles_are_trees() {
    let game = circles::game();
    let mut search = Mcts::new().seed(1).memory(1 << 20);
    let found = search.search(&game, &game.initial(), circles::Role::Robot, &Budget::of_nodes(3000));
    assert_eq!((found.report.value, found.report.exact), (Some(100.0), true), "{}", found.report);
}

gdl!(
    name = pennies,
    rules = r"
    ; Matching pennies: even wins if both show the same.
    (role even) (role odd) (init start) (side heads) (side tails)
    (<= (legal ?r ?s) (role ?r) (side ?s))
    (<= (next same) (does even ?s) (does odd ?s)) (<= (next done) (does even ?s))
    (<= terminal (true done))
    (<= (goal even 100) (true same)) (<= (goal even 0) (not (true same)))
    (<= (goal odd 0) (true same)) (<= (goal odd 100) (not (true same)))
"
);

/// Each move's share of a role's visits, in move order.
fn shares<G: Game>(game: &G, role: G::Role, seed: u64) -> Vec<f64> {
    let mut found =
        Mcts::new().seed(seed).single().search(game, &game.initial(), role, &Budget::of_nodes(20_000));
    found.moves.sort_by_key(|&(action, _, _)| action);
    let all: u64 = found.moves.iter().map(|&(_, visits, _)| visits).sum();
    found.moves.iter().map(|&(_, visits, _)| visits as f64 / all as f64).collect()
}

#[test]
fn matching_pennies_come_out_even() {
    let game = pennies::game();
    for role in pennies::Role::ALL {
        for seed in 0..3 {
            let shares = shares(&game, role, seed);
            assert!(shares.iter().all(|share| (share - 0.5).abs() < 0.06), "{shares:?}");
        }
    }
    // The move is drawn from the mixed strategy.
    let moves = (0..100).map(|seed| {
        let found = Mcts::new().seed(seed).search(
            &game,
            &game.initial(),
            pennies::Role::Even,
            &Budget::of_nodes(500),
        );
        found.action.expect("a move")
    });
    let heads = moves.filter(|&action| action == pennies::Move::HEADS).count();
    assert!((25..=75).contains(&heads), "{heads}");
}

#[test]
fn rock_paper_and_scissors_are_as_good_as_each_other() {
    let game = rock_paper_scissors::game();
    let shares = shares(&game, rock_paper_scissors::Role::Alice, 1);
    assert!(shares.iter().all(|share| (share - 1.0 / 3.0).abs() < 0.1), "{shares:?}");
}

#[test]
fn the_candidate_changes_doors() {
    // Two thirds of the cars are at the other door, although the candidate sees none.
    let game = monty_hall::game();
    let mut changed = 0;
    for seed in 0..20 {
        let mut stream = Stream::new(seed, 3);
        let mut state = game.initial();
        let mut known = Information::new(monty_hall::Role::Candidate);
        let mut player = Mcts::new().seed(seed).single();
        while !game.is_terminal(&state) {
            let view = game.view(&state);
            let drawn =
                game.random_move_in(&view, monty_hall::Role::Random, &mut stream).expect("chance moves");
            let own = player.choose(&game, &known, &Budget::of_nodes(400)).expect("a move");
            changed += u32::from(game.move_text(own) == "switch");
            let joint: Vec<_> =
                game.roles().map(|r| if r == monty_hall::Role::Random { drawn } else { own }).collect();
            known.step(&game, &state, &joint);
            state = game.apply(&state, &joint).expect("legal moves");
        }
    }
    assert!(changed >= 18, "{changed}");
}

#[test]
fn flat_monte_carlo_takes_a_win() {
    let game = tictactoe::game();
    let state = "((cell 1 1 x) (cell 1 2 x) (cell 1 3 b) (cell 2 1 o) (cell 2 2 o) (cell 2 3 b) (cell 3 1 b)
        (cell 3 2 b) (cell 3 3 b) (control xplayer))";
    let state = game.parse_state(state).expect("a state");
    for nodes in [20, 200] {
        let mut search = FlatMonteCarlo::new().seed(1);
        let found = search.search(&game, &state, tictactoe::Role::Xplayer, &Budget::of_nodes(nodes));
        assert_eq!(game.move_text(found.action.expect("a move")), "(mark 1 3)");
        assert_eq!((found.report.value, found.report.nodes), (Some(100.0), nodes));
    }
}

gdl!(
    name = answers,
    rules = r"
    ; Whatever white says, black must answer with its fourth word, and the end comes two moves later.
    (role white) (role black) (init (step 0))
    (word 1) (word 2) (word 3) (word 4) (word 5) (word 6) (word 7) (word 8) (word 9) (word 10)
    (word 11) (word 12) (word 13) (word 14) (word 15) (word 16) (word 17) (word 18) (word 19) (word 20)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (legal white (say ?w)) (true (step 0)) (word ?w))
    (<= (legal black (say ?w)) (true (step 1)) (word ?w))
    (<= (legal white noop) (not (true (step 0))))
    (<= (legal black noop) (not (true (step 1))))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (next (said ?w)) (does white (say ?w)))
    (<= (next (said ?w)) (true (said ?w)))
    (<= (next answered) (does black (say 4)))
    (<= (next answered) (true answered))
    (<= terminal (true (step 4)))
    (<= (goal white 0) (true answered))
    (<= (goal white 100) (not (true answered)))
    (<= (goal black 100) (true answered))
    (<= (goal black 0) (not (true answered)))
"
);

/// The number of nodes until white is proved to lose.
fn nodes_until_lost<G: Game>(game: &G, mut search: Mcts<G>) -> u64 {
    let white = game.roles().next().expect("white");
    let found = search.search(game, &game.initial(), white, &Budget::of_nodes(20_000));
    assert_eq!((found.report.value, found.report.exact), (Some(0.0), true));
    found.report.nodes
}

#[test]
fn an_answer_that_was_good_before_is_tried_first() {
    let game = answers::game();
    let learnt = nodes_until_lost(&game, Mcts::new().seed(4));
    let unlearned = nodes_until_lost(&game, Mcts::new().seed(4).unlearned());
    assert!(2 * learnt < unlearned, "{learnt} {unlearned}");
}

/// The result of a search of connect four after an earlier search before the first move. Also
/// returns whether the result reports decisive games. `before` and `nodes` are the budgets in
/// nodes.
fn found_after(mut search: Mcts<connect_four::ConnectFour>, before: u64, nodes: u64) -> (String, bool) {
    let (game, role) = (connect_four::game(), connect_four::Role::Red);
    if before > 0 {
        search.start(&game, role, &Budget::of_nodes(before));
    }
    let mut found = search.search(&game, &game.initial(), role, &Budget::of_nodes(nodes));
    let says_so = found.report.note.take().is_some_and(|note| note == "a tree of decisive games");
    (timeless(&found, &game), says_so)
}

#[test]
fn searches_of_a_thousand_nodes_play_decisive_games_and_trees_stay_with_one_kind() {
    for (before, nodes, is_decisive) in
        [(0, 999, false), (0, 1000, true), (9_999, 1000, false), (10_000, 1000, true), (10_000, 999, true)]
    {
        let found = found_after(Mcts::new().seed(3), before, nodes);
        let uniform = found_after(Mcts::new().seed(3).uniform(), before, nodes);
        assert_eq!(found.0 != uniform.0, is_decisive, "{before} and {nodes} nodes");
        assert_eq!((found.1, uniform.1), (is_decisive, false), "{before} and {nodes} nodes");
        assert_eq!(found, found_after(Mcts::new().seed(3), before, nodes));
    }
}

#[test]
fn a_cancelled_search_still_has_a_move() {
    let game = connect_four::game();
    let cancel = Cancel::default();
    let budget = Budget::of_nodes(u64::MAX).cancelled_by(&cancel);
    std::thread::scope(|scope| {
        let run = || {
            Mcts::new().seed(1).threads(2).search(&game, &game.initial(), connect_four::Role::Red, &budget)
        };
        let search = scope.spawn(run);
        cancel.cancel();
        assert!(search.join().expect("no panic").action.is_some());
    });
}
