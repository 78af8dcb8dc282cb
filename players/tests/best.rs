//! Tests of the player for any game and its searches: puzzles against solutions, hidden information
//! against known equilibria, simultaneous moves against saddle points.
#![cfg(feature = "load")]

use gdl_players::{
    Budget, Player,
    player::Report,
    search::{Best, Equilibrium, FlatMonteCarlo, Ismcts, Mcts, Planner, Solution},
};
use gdl_runtime::{Dynamic, Game, GameExt, Information, chance::Stream, dynamic::MoveId, game::Id, load};

fn built_in(name: &str) -> Dynamic {
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/../games");
    let kinds = ["board", "puzzles", "chance"].into_iter();
    let mut texts =
        kinds.filter_map(|kind| std::fs::read_to_string(format!("{games}/{kind}/{name}.kif")).ok());
    load(&texts.next().expect("a built-in game")).expect("built-in rulesheets load")
}

/// Plays a match, or its beginning, and checks every move. Returns the joint moves, the goals, and
/// the last report of the first player.
fn play(
    game: &Dynamic,
    players: &mut [&mut dyn Player<Dynamic>],
    budget: &Budget,
    luck: u64,
    longest: usize,
) -> (Vec<Vec<MoveId>>, Vec<u8>, Report) {
    let mut known: Vec<_> = game.roles().map(Information::new).collect();
    let mut state = game.initial();
    let (mut played, mut report) = (Vec::new(), Report::default());
    let mut stream = Stream::new(luck, 5);
    let seats: Vec<_> = game.roles().filter(|&role| Some(role) != game.chance_role()).collect();
    for (&role, player) in seats.iter().zip(players.iter_mut()) {
        player.start(game, role, budget);
    }
    while !game.is_terminal(&state) && played.len() < longest {
        let view = game.view(&state);
        let joint: Vec<MoveId> = game
            .roles()
            .map(|role| match seats.iter().position(|&seat| seat == role) {
                None => game.random_move_in(&view, role, &mut stream).expect("chance has a move"),
                Some(seat) => players[seat].choose(game, &known[role.index()], budget).expect("a move"),
            })
            .collect();
        // Keeps the last report with a note, since forced moves have none.
        report = players[0].report().filter(|report| report.note.is_some()).unwrap_or(report);
        known.iter_mut().for_each(|known| known.step(game, &state, &joint));
        state = game.apply(&state, &joint).expect("a legal move");
        played.push(joint);
    }
    let goals = seats.iter().map(|&role| game.goal(&state, role).unwrap_or(0)).collect();
    (played, goals, report)
}

/// Plays a puzzle. Returns its goal and the number of moves.
fn solve(game: &Dynamic, nodes: u64) -> (u8, usize) {
    let mut player = Planner::new();
    let (played, goals, _) = play(game, &mut [&mut player], &Budget::of_nodes(nodes), 0, 300);
    (goals[0], played.len())
}

#[test]
fn puzzles_are_solved() {
    for (name, nodes) in
        [("eight_puzzle", 1 << 19), ("knights_tour", 1 << 18), ("lights_out", 1 << 19), ("sudoku", 1 << 18)]
    {
        assert_eq!(solve(&built_in(name), nodes).0, 100, "{name}");
    }
}

/// A puzzle with lower goals for longer plays; a wrong turn leads to a terminal state with goal 0.
const WALK: &str = "
    (role walker) (init (at 0)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (legal walker on) (legal walker jump) (legal walker rest)
    (<= (next (at ?n)) (does walker on) (true (at ?m)) (succ ?m ?n))
    (<= (next (at ?n)) (does walker jump) (true (at ?l)) (succ ?l ?m) (succ ?m ?n))
    (<= (next (at ?m)) (does walker rest) (true (at ?m)))
    (<= (next hurt) (does walker jump) (true (at 1)))
    (<= (next hurt) (true hurt))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (at 5))) (<= terminal (true (step 6)))
    (<= there (true (at 5)))
    (<= late (true (step 5))) (<= late (true (step 6)))
    (<= (goal walker 100) there (true (step 2)))
    (<= (goal walker 80) there (not late) (not (true (step 2))) (not (true hurt)))
    (<= (goal walker 60) there late (not (true hurt)))
    (<= (goal walker 10) there (true hurt) (not (true (step 2))))
    (<= (goal walker 0) (not there))
";

#[test]
fn the_best_that_can_be_reached_is_proved() {
    let game = load(WALK).expect("it loads");
    let role = game.roles().next().expect("a role");
    let solution = Solution::of(&game, &game.initial(), 1 << 20, &Budget::unlimited()).expect("small");
    let value = solution.value(&game.initial(), role).expect("reached").value;
    let found = Planner::new().search(&game, &game.initial(), role, &Budget::of_nodes(100_000));
    assert_eq!((found.report.value, found.report.exact), (Some(value), true));
    assert!((value - 80.0).abs() < f64::EPSILON, "five are not reached in two steps");
    // The values of up to 400 further states are exact too.
    let mut states = vec![game.initial()];
    let mut met = 0;
    while let Some(state) = states.pop() {
        if game.is_terminal(&state) || met > 400 {
            continue;
        }
        met += 1;
        let found = Planner::new().search(&game, &state, role, &Budget::of_nodes(100_000));
        let value = solution.value(&state, role).expect("reached").value;
        assert_eq!(
            (found.report.value, found.report.exact),
            (Some(value), true),
            "{}",
            game.state_text(&state)
        );
        states.extend(
            game.legal_moves(&state, role).map(|action| game.apply(&state, &[action]).expect("legal")),
        );
    }
    assert!(met > 50);
}

/// With few nodes no search sees all states, and random plans have cycles.
#[test]
fn who_has_few_nodes_comes_to_an_end_too() {
    let game = load(include_str!("../../tests/search/rulesheets/three_walks.kif")).expect("it loads");
    for (name, player) in [
        ("planner", &mut Planner::new() as &mut dyn Player<Dynamic>),
        ("best", &mut Best::new() as &mut dyn Player<Dynamic>),
    ] {
        for nodes in [1, 10, 100, 1500] {
            let (played, goals, _) = play(&game, &mut [&mut *player], &Budget::of_nodes(nodes), 0, 150);
            assert_eq!(goals, [10], "{name} of {nodes} nodes");
            // The shortest way takes two steps.
            assert!(played.len() < if nodes < 100 { 150 } else { 10 }, "{name}: {} steps", played.len());
        }
    }
}

#[test]
fn plans_keep_to_their_memory() {
    let built_in = ["eight_puzzle", "pocket_cube", "peg_solitaire"].map(|name| (name, built_in(name)));
    for (name, game) in built_in {
        let role = game.roles().next().expect("a role");
        let bytes = 1 << 20;
        let budget = Budget::of_nodes(200_000);
        let found = Planner::new().memory(bytes).search(&game, &game.initial(), role, &budget);
        assert!(found.report.bytes <= bytes as u64, "{name}: {}", found.report.bytes);
        assert!(found.action.is_some());
    }
}

#[test]
fn the_best_player_takes_what_suits_a_game_and_repeats_itself() {
    for (name, said) in [
        ("sudoku", "one role: move"),
        ("monty_hall", "one role with chance, information hidden: "),
        ("pig", "two roles in turn with chance for a fixed sum: a tree of random games"),
        ("liars_dice", "two roles in turn with chance, information hidden: "),
        ("nim", "two roles in turn for a fixed sum: solved"),
        ("reversi", "two roles in turn for a fixed sum: "),
        ("rock_paper_scissors", "two roles at the same time for a fixed sum: "),
        ("chinese_checkers", "3 roles in turn: a tree of random games"),
    ] {
        let game = built_in(name);
        let seats = game.roles().filter(|&role| Some(role) != game.chance_role()).count();
        let nodes = match name {
            "sudoku" => 1 << 18,
            "nim" => 50_000,
            _ => 100,
        };
        let go = || {
            let mut players: Vec<Best<Dynamic>> =
                (0..seats as u64).map(|seed| Best::new().seed(seed)).collect();
            let mut players: Vec<&mut dyn Player<Dynamic>> =
                players.iter_mut().map(|player| player as &mut dyn Player<Dynamic>).collect();
            play(&game, &mut players, &Budget::of_nodes(nodes), 1, 12)
        };
        let (first, second) = (go(), go());
        assert_eq!(first.0, second.0, "{name}");
        let note = first.2.note.unwrap_or_default();
        assert!(note.starts_with(said), "{name}: {note}");
    }
}

#[test]
fn what_is_left_of_a_budget_goes_into_a_proof_that_is_near() {
    let game = built_in("reversi");
    let mut proved = 0;
    for luck in 0..8 {
        let (mut stream, mut state) = (Stream::new(3, luck), game.initial());
        // After 50 steps about ten cells are empty; more if a role had to pass.
        for _ in 0..50 {
            let view = game.view(&state);
            let joint: Option<Vec<_>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            state = game.apply(&state, &joint.expect("it goes on")).expect("a legal move");
        }
        let role = game.to_play(&state).expect("a choice");
        let found = Best::new().search(&game, &state, role, &Budget::of_nodes(10_000));
        let by_proof = found.report.note.is_some_and(|note| note.ends_with("proved by alpha-beta"));
        proved += u32::from(found.report.exact && by_proof);
    }
    // The first two shares of the budget prove none of these states.
    assert!(proved >= 2, "{proved}");
}

#[test]
fn bids_are_made_by_the_search_that_wins_matches() {
    let Some(folder) = gdl_test_support::shared("rulesheets/games") else { return };
    let text = std::fs::read_to_string(folder.join("base__biddingTicTacToe.kif")).expect("a rulesheet");
    let game = load(&text).expect("a sound rulesheet");
    let role = game.roles().next().expect("a role");
    // The nodes suffice for ten matches with few nodes, and for some with more.
    let mut best = Best::new();
    best.start(&game, role, &Budget::of_nodes(1 << 20));
    let found = best.search(&game, &game.initial(), role, &Budget::of_nodes(100));
    let note = found.report.note.unwrap_or_default();
    assert!(note.starts_with("two roles at the same time for a fixed sum: alpha-beta, which won "), "{note}");
}

#[test]
fn kuhn_poker_is_played_as_theory_says() {
    let game = built_in("kuhn_poker");
    let mut player = Equilibrium::new();
    player.improve(&game, &Budget::of_nodes(20_000)).expect("a small game");
    let early = player.exploitability().expect("improved");
    player.improve(&game, &Budget::of_nodes(2_000_000)).expect("a small game");
    let late = player.exploitability().expect("improved");
    // The unit is a point; a stake is 25 points.
    assert!(late < 0.01 && late < early / 10.0, "{early} {late}");
    // In the equilibrium (Kuhn, 1950), the first player never bets with a queen, and bets with a
    // king three times as often as with a jack.
    let alice = game.parse_role("alice").expect("a role");
    let mut bets = Vec::new();
    for card in ["jack", "queen", "king"] {
        let mut information = Information::new(alice);
        let perceived = game.parse_perception(&format!("((dealt {card}))")).expect("a percept");
        information.push(game.parse_move("noop").expect("a move"), perceived);
        let strategy = player.strategy(&information).expect("a choice");
        let bet = game.parse_move("bet").expect("a move");
        bets.extend(strategy.iter().filter(|&&(action, _)| action == bet).map(|&(_, share)| share));
    }
    let [jack, queen, king] = bets[..] else { panic!("{bets:?}") };
    assert!(queen < 0.01 && (king - 3.0 * jack).abs() < 0.03 && jack < 0.34, "{bets:?}");
}

#[test]
fn one_of_very_many_moves_is_drawn() {
    let numbers: Vec<String> = (1..=150).map(|number| format!("(number {number})")).collect();
    let numbers = numbers.join(" ");
    let game = load(&format!(
        "(role ann) (role ben) (init hide) {numbers}
        (<= (legal ann (hide ?n)) (true hide) (number ?n)) (<= (legal ann noop) (not (true hide)))
        (<= (legal ben noop) (true hide)) (<= (legal ben (guess ?n)) (not (true hide)) (number ?n))
        (<= (next (hidden ?n)) (does ann (hide ?n))) (<= (next (hidden ?n)) (true (hidden ?n)))
        (<= (next (guessed ?n)) (does ben (guess ?n))) (<= (sees ann (guess ?n)) (does ben (guess ?n)))
        (<= terminal (true (guessed ?n))) (<= right (true (guessed ?n)) (true (hidden ?n)))
        (<= (goal ben 100) right) (<= (goal ben 0) (not right)) (<= (goal ann 0) right) (<= (goal ann 100) (not right))"
    ))
    .expect("a sound rulesheet");
    let ann = game.parse_role("ann").expect("a role");
    let mut player = Equilibrium::new();
    // Each move has a probability below 1 %.
    player.improve(&game, &Budget::of_nodes(100_000)).expect("a small game");
    let action = player.choose(&game, &Information::new(ann), &Budget::of_nodes(100_000)).expect("a move");
    assert!(game.is_legal(&game.initial(), ann, action));
}

#[test]
fn a_game_too_large_for_an_equilibrium_is_searched() {
    let game = built_in("battleship");
    let mut player = Equilibrium::new().memory(1 << 20);
    assert!(player.improve(&game, &Budget::of_nodes(10_000)).is_err());
    let role = game.roles().next().expect("a role");
    let action = player.choose(&game, &Information::new(role), &Budget::of_nodes(200)).expect("a move");
    assert!(game.is_legal(&game.initial(), role, action));
    let note = player.report().and_then(|report| report.note).unwrap_or_default();
    assert!(note.starts_with("no equilibrium: "), "{note}");
}

/// Plays matches against flat Monte Carlo search from both seats. Returns the number of wins.
fn wins(make: impl Fn(u64) -> Box<dyn Player<Dynamic>>, matches: u64, nodes: u64) -> u64 {
    let game = built_in("liars_dice");
    let count = |number: u64| {
        let mut own = make(number);
        let mut other = FlatMonteCarlo::new().seed(number + 1000);
        let (own, other): (&mut dyn Player<Dynamic>, &mut dyn Player<Dynamic>) = (&mut *own, &mut other);
        let seat = (number % 2) as usize;
        let mut players = if seat == 0 { [own, other] } else { [other, own] };
        u64::from(play(&game, &mut players, &Budget::of_nodes(nodes), number / 2, 300).1[seat] == 100)
    };
    (0..matches).map(count).sum()
}

#[test]
fn trees_of_information_sets_grow_before_the_first_move() {
    let game = built_in("liars_dice");
    let role = game.roles().find(|&role| Some(role) != game.chance_role()).expect("a player");
    let bytes = |nodes: u64| {
        let mut player = Ismcts::new();
        player.start(&game, role, &Budget::of_nodes(nodes));
        player.choose(&game, &Information::new(role), &Budget::of_nodes(100));
        player.report().expect("a report").bytes
    };
    assert!(bytes(2_000) > 4 * bytes(1), "{} and {}", bytes(2_000), bytes(1));
}

/// Searching each state as if all dice were visible wins 40 %.
#[test]
fn what_is_hidden_is_not_taken_to_be_known() {
    let won = wins(|seed| Box::new(Ismcts::new().seed(seed)), 120, 3000);
    assert!(won > 66, "{won} of 120");
}

/// A side is hidden by chance and seen by the guesser, who wins by guessing it.
const GUESS: &str = "
    (role guesser) (role random) (init start) (side left) (side right)
    (<= (legal random (hide ?s)) (true start) (side ?s)) (<= (legal guesser wait) (true start))
    (<= (legal random wait) (not (true start)))
    (<= (legal guesser (guess ?s)) (not (true start)) (side ?s))
    (<= (sees guesser ?s) (does random (hide ?s)))
    (<= (next (hidden ?s)) (does random (hide ?s))) (<= (next (hidden ?s)) (true (hidden ?s)))
    (<= (next (guessed ?s)) (does guesser (guess ?s)))
    (<= terminal (true (guessed ?s)))
    (<= (goal guesser 100) (true (guessed ?s)) (true (hidden ?s)))
    (<= (goal guesser 0) (true (guessed ?s)) (not (true (hidden ?s))))
    (<= (goal guesser 0) (not terminal))
";

#[test]
fn another_play_of_the_same_length_is_searched_anew() {
    let game = load(GUESS).expect("it loads");
    let guesser = game.parse_role("guesser").expect("a role");
    let mut player = Ismcts::new();
    for side in ["left", "right", "left"] {
        let joint = ["wait".to_owned(), format!("(hide {side})")];
        let joint = joint.map(|text| game.parse_move(&text).expect("a move"));
        let mut known = Information::new(guesser);
        known.step(&game, &game.initial(), &joint);
        let found = player.search(&game, &known, &Budget::of_nodes(200));
        let action = found.action.expect("a move");
        assert_eq!(game.move_text(action), format!("(guess {side})"));
    }
}

/// A matrix game with a saddle point at (middle, left) and the value 60, after a step without a
/// choice.
const SADDLE: &str = "
    (role row) (role column) (init choose)
    (up top) (up middle) (up bottom) (along left) (along right)
    (<= (legal row ?m) (true choose) (up ?m)) (<= (legal column ?m) (true choose) (along ?m))
    (<= (legal row noop) (not (true choose))) (<= (legal column noop) (not (true choose)))
    (<= (next (made ?a ?b)) (does row ?a) (does column ?b) (up ?a))
    (<= (next (over ?a ?b)) (true (made ?a ?b)))
    (<= terminal (true (over ?a ?b)))
    (worth top left 50) (worth top right 90) (worth middle left 60) (worth middle right 70) (worth bottom left 20) (worth bottom right 100)
    (minus 50 50) (minus 90 10) (minus 60 40) (minus 70 30) (minus 20 80) (minus 100 0)
    (<= (goal row ?n) (true (over ?a ?b)) (worth ?a ?b ?n))
    (<= (goal column ?m) (true (over ?a ?b)) (worth ?a ?b ?n) (minus ?n ?m))
";

#[test]
fn a_stage_with_a_saddle_point_is_proved() {
    let game = load(SADDLE).expect("it loads");
    for (role, expected, value) in [("row", "middle", 60.0), ("column", "left", 40.0)] {
        let role = game.parse_role(role).expect("a role");
        let found = Mcts::new().search(&game, &game.initial(), role, &Budget::of_nodes(2000));
        assert_eq!((found.report.value, found.report.exact), (Some(value), true));
        assert_eq!(game.move_text(found.action.expect("a move")), expected);
        assert!(found.report.nodes < 2000, "it goes on no longer than it must");
    }
}

#[test]
fn the_tree_is_kept_however_far_play_goes_on() {
    let game = built_in("connect_four");
    let mut player = Mcts::new();
    let role = game.roles().next().expect("a role");
    let found = player.search(&game, &game.initial(), role, &Budget::of_nodes(20_000));
    let line = &found.line[..4];
    let state = line.iter().fold(game.initial(), |state, joint| game.apply(&state, joint).expect("legal"));
    let again = player.search(&game, &state, role, &Budget::of_nodes(1));
    let visits: u64 = again.moves.iter().map(|tried| tried.1).sum();
    assert!(visits > 50, "{visits}");
}
