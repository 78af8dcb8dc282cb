//! Minimax searches agree with a plain search without pruning.

use gdl_games::{Entry, Visitor, connect_four, find, reversi, tictactoe, visit};
use gdl_players::{
    Budget, Player,
    player::Report,
    search::{AlphaBeta, Evaluation, Linear, SearchResult, Solution},
};
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt, Loader,
    bits::BitBox,
    chance::Stream,
    game::Id,
    gdl,
    lanes::{Isa, Leaves},
    load,
};
use std::time::Duration;

/// A non-terminal state after at most `moves` random moves.
fn position<G: Game>(game: &G, moves: u64, seed: u64) -> G::State {
    let mut stream = Stream::new(seed, 0);
    let mut state = game.initial();
    for _ in 0..moves {
        let view = game.view(&state);
        let joint: Vec<_> =
            game.roles().map(|role| game.random_move_in(&view, role, &mut stream).expect("a move")).collect();
        let next = game.apply_unchecked(&state, &joint);
        if game.is_terminal(&next) {
            break;
        }
        state = next;
    }
    state
}

/// A deterministic evaluation between 20 and 80, a hash of the state.
fn judge<G: Game>(state: &G::State) -> f32 {
    let words =
        state.as_ref().iter().fold(17_u64, |sum, &word| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    20.0 + (words >> 40) as f32 / (1 << 24) as f32 * 60.0
}

/// The joint moves of some roles.
fn ways<G: Game>(game: &G, view: &G::View, roles: &[G::Role]) -> Vec<Vec<(usize, G::Move)>> {
    roles.iter().fold(vec![Vec::new()], |ways, &role| {
        let longer = |way: &Vec<_>| {
            let way = way.clone();
            game.legal_moves_in(view, role).map(move |action| {
                let mut way = way.clone();
                way.push((role.index(), action));
                way
            })
        };
        ways.iter().flat_map(longer).collect()
    })
}

/// The value of a state to a role: the role's goal minus the rival's. Without a rival it is twice
/// the role's goal minus 100.
fn minimax<G: Game>(game: &G, state: &G::State, role: G::Role, paranoid: bool, depth: u32) -> f64 {
    let others: Vec<G::Role> = game.roles().filter(|&r| r != role && Some(r) != game.chance_role()).collect();
    let chance: Vec<G::Role> = game.chance_role().into_iter().collect();
    let rival = (others.len() == 1 && !paranoid).then(|| others[0]);
    let view = game.view(state);
    if game.is_terminal_in(&view) {
        let goal = |role| f64::from(game.goal_in(&view, role).expect("a goal"));
        return rival.map_or(2.0 * goal(role) - 100.0, |rival| goal(role) - goal(rival));
    }
    if depth == 0 {
        return 2.0 * f64::from(judge::<G>(state)) - 100.0;
    }
    let worst = |own: &Vec<(usize, G::Move)>| {
        let mean = |other: &Vec<(usize, G::Move)>| {
            let values: Vec<f64> = ways(game, &view, &chance)
                .iter()
                .map(|drawn| {
                    let mut joint: Vec<(usize, G::Move)> = [&own[..], other, drawn].concat();
                    joint.sort_unstable();
                    let joint: Vec<G::Move> = joint.into_iter().map(|(_, action)| action).collect();
                    minimax(game, &game.apply_unchecked(state, &joint), role, paranoid, depth - 1)
                })
                .collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        ways(game, &view, &others).iter().map(mean).fold(f64::INFINITY, f64::min)
    };
    ways(game, &view, &[role]).iter().map(worst).fold(f64::NEG_INFINITY, f64::max)
}

struct Agrees {
    depth: u32,
    paranoid: bool,
    bytes: usize,
}

impl Visitor for Agrees {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, entry: &'static Entry) {
        let players: Vec<G::Role> = game.roles().filter(|&role| Some(role) != game.chance_role()).collect();
        for seed in 0..6 {
            let state = position(&game, seed * 2, seed);
            for &role in &players {
                let judges = move |game: &G, state: &G::State, _: &G::View, goals: &mut [f32]| {
                    // One evaluation from the role's view, complemented for the others.
                    goals.fill(100.0 - judge::<G>(state));
                    goals[role.index()] = judge::<G>(state);
                    assert_eq!(goals.len(), game.shape().roles);
                };
                let search = if self.paranoid { AlphaBeta::paranoid() } else { AlphaBeta::new() };
                let mut search = search.depth(self.depth).memory(self.bytes).evaluation(judges);
                let found = search.search(&game, &state, role, &Budget::unlimited());
                // Proved values need less depth.
                let depth = if found.report.exact { found.report.depth } else { self.depth };
                let expected = f64::midpoint(minimax(&game, &state, role, self.paranoid, depth), 100.0);
                let value = found.report.value.expect("a value");
                let same = (value - expected).abs() < 0.05;
                assert!(same, "{}, seed {seed}: {value}, not {expected}", entry.name);
                let action = found.action.expect("a move");
                assert!(game.is_legal_in(&game.view(&state), role, action));
            }
        }
    }
}

#[test]
fn alpha_beta_agrees_with_plain_minimax() {
    let games = [
        ("tictactoe", 5),
        ("tictactoe_led", 5),
        ("nim", 5),
        ("connect_four", 4),
        ("breakthrough_small", 3),
        ("rock_paper_scissors", 3),
        ("monty_hall", 4),
        ("liars_dice", 2),
        ("lights_out", 3),
    ];
    for (name, depth) in games {
        for paranoid in [false, true] {
            visit(name, Agrees { depth, paranoid, bytes: 0 }).expect("a built-in game");
            // In other games a transposition may be stored from a shallower path, which makes the
            // search deeper.
            if ["tictactoe", "connect_four", "breakthrough_small", "rock_paper_scissors"].contains(&name) {
                visit(name, Agrees { depth, paranoid, bytes: 1 << 16 }).expect("a built-in game");
            }
        }
    }
}

#[test]
fn tic_tac_toe_is_a_draw_and_wins_are_quick() {
    let game = tictactoe::game();
    let mut search = AlphaBeta::new();
    let found = search.search(&game, &game.initial(), tictactoe::Role::Xplayer, &Budget::unlimited());
    assert_eq!((found.report.value, found.report.exact, found.report.depth), (Some(50.0), true, 9));
    assert_eq!(found.line.len(), 9);
    assert!(found.report.nodes < 20_000, "{}", found.report);
    assert!(found.report.cutoffs > 0 && found.report.table_hits > 0);
    // Of a win in one move and a win in three, the search takes the shorter.
    let state = "((cell 1 1 x) (cell 1 2 x) (cell 1 3 b) (cell 2 1 o) (cell 2 2 o) (cell 2 3 b) (cell 3 1 x)
        (cell 3 2 b) (cell 3 3 o) (control xplayer))";
    let state = game.parse_state(state).expect("a state");
    let found = AlphaBeta::new().search(&game, &state, tictactoe::Role::Xplayer, &Budget::unlimited());
    assert_eq!(game.move_text(found.action.expect("a move")), "(mark 1 3)");
    assert_eq!((found.report.depth, found.report.value), (1, Some(100.0)));
}

/// A player chooses while chance draws, so the value of a choice is a mean.
#[test]
fn chance_that_draws_beside_a_player_is_averaged() {
    let game = load(
        "(role player) (role random) (init (step 0)) (succ 0 1) (succ 1 2) (number 0) (number 1) (number 2)
        (<= (legal player (take ?n)) (number ?n)) (<= (legal random (draw ?n)) (number ?n))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (<= (next (first ?n ?m)) (true (step 0)) (does player (take ?n)) (does random (draw ?m)))
        (<= (next (first ?n ?m)) (true (first ?n ?m)))
        (<= terminal (true (step 2)))
        (<= (goal player 50) (true (first 0 ?m))) (<= (goal player 0) (true (first ?n ?m)) (distinct ?n 0) (distinct ?m 2))
        (<= (goal player 100) (true (first 1 2))) (<= (goal player 90) (true (first 2 2)))",
    )
    .expect("it loads");
    let player = game.roles().next().expect("a role");
    for depth in 1..=2 {
        let judges = |_: &_, state: &<Dynamic as Game>::State, _: &_, goals: &mut [f32]| {
            goals.fill(judge::<Dynamic>(state));
        };
        let mut search = AlphaBeta::new().evaluation(judges).depth(depth);
        let found = search.search(&game, &game.initial(), player, &Budget::unlimited());
        let expected = f64::midpoint(minimax(&game, &game.initial(), player, false, depth), 100.0);
        let value = found.report.value.expect("a value");
        assert!((value - expected).abs() < 0.05, "depth {depth}: {value}, not {expected}");
    }
}

/// All moves after the first are searched with a null window; full windows take more nodes.
#[test]
fn null_windows_save_nodes() {
    let game = connect_four::game();
    let mut nodes = 0;
    for seed in 0..8 {
        let state = position(&game, 6, seed);
        let judges = |_: &_, state: &connect_four::State, _: &_, goals: &mut [f32]| {
            goals[0] = judge::<connect_four::ConnectFour>(state);
            goals[1] = 100.0 - goals[0];
        };
        let mut search = AlphaBeta::new().evaluation(judges).depth(8);
        nodes += search.search(&game, &state, connect_four::Role::Red, &Budget::unlimited()).report.nodes;
    }
    assert!(nodes < 240_000, "{nodes}");
}

#[test]
fn what_is_searched_before_the_first_move_is_known_in_it() {
    let game = connect_four::game();
    let nodes = |start: u64| {
        let alike = |_: &_, _: &connect_four::State, _: &_, goals: &mut [f32]| goals.fill(50.0);
        let mut search = AlphaBeta::new().evaluation(alike).depth(6);
        search.start(&game, connect_four::Role::Red, &Budget::of_nodes(start));
        let found = search.search(&game, &game.initial(), connect_four::Role::Red, &Budget::unlimited());
        found.report.nodes
    };
    assert!(nodes(1 << 20) * 10 < nodes(1), "{} and {}", nodes(1 << 20), nodes(1));
}

/// Learning takes at most a fifth of the budget, here about 30,000 states.
#[test]
fn what_learning_did_not_take_is_left_for_the_search() {
    let game = connect_four::game();
    let mut search = AlphaBeta::new().memory(1 << 20);
    let budget = Budget::of_nodes(200_000);
    let found = search.search(&game, &game.initial(), connect_four::Role::Red, &budget);
    assert!((169_000..171_000).contains(&found.report.nodes), "{}", found.report.nodes);
}

#[test]
fn memory_and_nodes_are_kept_to() {
    let game = connect_four::game();
    let state = position(&game, 4, 1);
    for bytes in [0, 1000, 1 << 20] {
        for nodes in [1, 2, 100, 5000] {
            let run = || {
                let mut search = AlphaBeta::new().memory(bytes);
                search.search(&game, &state, connect_four::Role::Red, &Budget::of_nodes(nodes))
            };
            let found = run();
            assert!(found.report.nodes <= nodes && found.report.bytes <= bytes as u64);
            assert!(found.action.is_some());
            let again = run();
            let mut report = again.report;
            report.seconds = found.report.seconds;
            assert_eq!((again.action, again.line, report), (found.action, found.line, found.report));
        }
    }
}

#[test]
fn a_search_can_be_ended_from_outside() {
    let game = connect_four::game();
    let cancel = Cancel::default();
    let budget = Budget::of_nodes(u64::MAX).cancelled_by(&cancel);
    std::thread::scope(|scope| {
        let search =
            scope.spawn(|| AlphaBeta::new().search(&game, &game.initial(), connect_four::Role::Red, &budget));
        cancel.cancel();
        assert!(search.join().expect("no panic").action.is_some());
    });
}

/// The move and the report of a search, without the time.
fn told<G: Game>(game: &G, mut found: SearchResult<G>) -> (Option<String>, Report) {
    found.report.seconds = 0.0;
    (found.action.map(|action| game.move_text(action).to_owned()), found.report)
}

#[test]
fn searches_find_the_same_where_there_are_no_lanes() {
    // Evaluates the text of the state, since the lifted engine may number fluents differently.
    let judges = |game: &Dynamic, state: &BitBox, _: &BitBox, goals: &mut [f32]| {
        let text = game.state_text(state);
        let sum = text.bytes().fold(17_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        let worth = 20.0 + (sum >> 8) as f32 / (1 << 24) as f32 * 60.0;
        goals.fill(100.0 - worth);
        goals[0] = worth;
    };
    for (name, nodes) in [("connect_four", 9_000), ("lights_out", 9_000), ("liars_dice", 3_000)] {
        let entry = find(name).expect("a built-in game");
        let lanes = load(entry.text).expect("it loads");
        let lifted = Loader::new().name(name).lifted().load(entry.text).expect("it loads");
        assert!(lanes.table().is_some() && lifted.table().is_none());
        let budget = Budget::of_nodes(nodes);
        for role in lanes.roles().filter(|&role| Some(role) != lanes.chance_role()) {
            let [one, other] = [&lanes, &lifted].map(|game| {
                let mut search = AlphaBeta::new().evaluation(judges);
                told(game, search.search(game, &game.initial(), role, &budget))
            });
            assert_eq!(one, other, "{name}");
        }
    }
}

#[test]
fn solutions_are_the_same_where_there_are_no_lanes() {
    for name in ["nim", "tictactoe"] {
        let text = find(name).expect("a built-in game").text;
        let lanes = load(text).expect("it loads");
        let lifted = Loader::new().name(name).lifted().load(text).expect("it loads");
        let [one, other] = [&lanes, &lifted].map(|game| {
            let solution = Solution::of(game, &game.initial(), 1 << 30, &Budget::unlimited());
            let solution = solution.expect("it is small");
            let value =
                |state: &BitBox| game.roles().map(|role| solution.value(state, role)).collect::<Vec<_>>();
            let some: Vec<_> = (0..20).map(|seed| value(&position(game, seed % 7, seed))).collect();
            (solution.len(), solution.symmetries(), some)
        });
        assert_eq!(one, other, "{name}");
    }
}

#[test]
fn something_is_learnt_by_the_clock_too() {
    // A budget that is shorter than a visit to all states.
    let game = reversi::game();
    let linear = Linear::learn(&game, 1, &Budget::within(Duration::from_millis(500)));
    let judged = |seed: u64| {
        let state = position(&game, 20, seed);
        let mut goals = [0.0; 2];
        linear.evaluate(&game, &state, &game.view(&state), &mut goals);
        goals[0]
    };
    let judged: Vec<f32> = (0..10).map(judged).collect();
    assert!(judged.iter().any(|&goal| (goal - judged[0]).abs() > 0.1), "{judged:?}");
}

#[test]
fn what_is_learnt_is_what_random_games_come_to() {
    let game = reversi::game();
    let linear = Linear::learn(&game, 1, &Budget::unlimited());
    let mut leaves = Leaves::new(&game, Isa::best(), 1000).expect("lanes");
    let (mut clear, mut right) = (0, 0);
    for seed in 0..200 {
        let state = position(&game, 10 + seed % 45, seed);
        let view = game.view(&state);
        if game.is_terminal_in(&view) {
            continue;
        }
        let phase = leaves.phase(&state).expect("play comes to it");
        let tally = leaves.play(phase, &[&state], 3, seed).remove(0);
        let mean = tally.roles[0].goals as f32 / tally.playouts as f32;
        let mut goals = [0.0; 2];
        linear.evaluate(&game, &state, &view, &mut goals);
        assert!((goals[0] + goals[1] - 100.0).abs() < 0.01);
        if (mean - 50.0).abs() > 15.0 {
            clear += 1;
            right += usize::from((mean > 50.0) == (goals[0] > 50.0));
        }
    }
    assert!(clear > 40 && 10 * right >= 8 * clear, "{right} of {clear}");
}

gdl!(
    name = draw_and_wait,
    rules = r"
    ; One of forty that are drawn does not win at once.
    (role player) (role random) (init start)
    (digit 0) (digit 1) (digit 2) (digit 3) (tens 0) (tens 10) (tens 20) (tens 30) (tens 40) (tens 50) (tens 60) (tens 70) (tens 80) (tens 90)
    (<= (legal random (draw ?t ?d)) (true start) (tens ?t) (digit ?d)) (<= (legal random wait) (not (true start)))
    (legal player wait)
    (<= (next won) (does random (draw ?t ?d)) (distinct ?t 0)) (<= (next won) (does random (draw 0 ?d)) (distinct ?d 0))
    (<= (next open) (does random (draw 0 0))) (<= (next open) (true open))
    (<= terminal (true won)) (<= (goal player 100) (true won)) (<= (goal player 0) (not (true won)))
"
);

/// An evaluation that rates every non-terminal state as nearly won.
struct Nearly;

impl<G: Game> Evaluation<G> for Nearly {
    fn evaluate(&self, _: &G, _: &G::State, _: &G::View, goals: &mut [f32]) {
        goals.fill(99.9);
    }
}

#[test]
fn a_mean_over_chance_is_no_proof_of_a_win() {
    let game = draw_and_wait::game();
    let mut search = AlphaBeta::new().depth(3).evaluation(Nearly);
    let found = search.search(&game, &game.initial(), draw_and_wait::Role::Player, &Budget::unlimited());
    assert!(!found.report.exact, "{:?}", found.report);
}
