//! Players on the built-in games: moves are legal under any budget, and equal for equal seeds.

use gdl_games::{Entry, Visitor, compiled, visit};
use gdl_players::{
    Budget, Player,
    player::{Belief, First, Random},
    search::{AlphaBeta, Best, Equilibrium, FlatMonteCarlo, Ismcts, Mcts, Perfect, Planner},
};
use gdl_runtime::{Cancel, Game, GameExt, Information, chance::Stream};

/// The number of joint moves after which a match is abandoned.
const MAX_LENGTH: usize = 300;

/// A constructor of players from a seed.
type Maker<G> = fn(u64) -> Box<dyn Player<G>>;

/// One of each kind of player.
fn players<G: Game + 'static>() -> Vec<Maker<G>> {
    vec![
        |_| Box::new(First::new()),
        |seed| Box::new(Random::new().seed(seed)),
        |seed| Box::new(AlphaBeta::new().seed(seed).memory(1 << 16)),
        |seed| Box::new(AlphaBeta::greedy().seed(seed)),
        |seed| Box::new(Mcts::new().seed(seed).memory(1 << 20)),
        |seed| Box::new(FlatMonteCarlo::new().seed(seed)),
        |seed| Box::new(Perfect::new().seed(seed).memory(1 << 20)),
        |seed| Box::new(AlphaBeta::paranoid().seed(seed).memory(1 << 16).depth(2)),
        |seed| Box::new(Best::new().seed(seed).memory(1 << 20)),
        |seed| Box::new(Planner::new().seed(seed).memory(1 << 20)),
        |seed| Box::new(Ismcts::new().seed(seed).memory(1 << 20)),
        |seed| Box::new(Equilibrium::new().seed(seed).memory(1 << 20)),
    ]
}

/// Plays a match, tests every move, and returns all joint moves.
fn play<G: Game>(game: &G, players: &mut [Box<dyn Player<G>>], budget: &Budget) -> Vec<Vec<G::Move>> {
    let mut known: Vec<_> = game.roles().map(Information::new).collect();
    let mut state = game.initial();
    let mut played = Vec::new();
    // Chance has no player.
    let mut stream = Stream::new(5, 5);
    for (role, player) in game.roles().zip(players.iter_mut()) {
        player.start(game, role, budget);
    }
    while !game.is_terminal(&state) && played.len() < MAX_LENGTH {
        let view = game.view(&state);
        let joint: Vec<G::Move> = (game.roles().zip(players.iter_mut().zip(&known)))
            .map(|(role, (player, known))| {
                if Some(role) == game.chance_role() {
                    return game.random_move_in(&view, role, &mut stream).expect("chance has a move");
                }
                player.choose(game, known, budget).unwrap_or_else(|| panic!("{} gave up", player.name()))
            })
            .collect();
        known.iter_mut().for_each(|known| known.step(game, &state, &joint));
        state = game.apply(&state, &joint).unwrap_or_else(|error| panic!("{}: {error}", players[0].name()));
        played.push(joint);
    }
    players.iter_mut().zip(&known).for_each(|(player, known)| player.stop(game, known));
    played
}

/// Runs a visitor on every built-in game that is compiled in.
fn on_all_games<V: Visitor + Clone>(visitor: &V) {
    for entry in compiled() {
        visit(entry.name, visitor.clone()).expect("it is listed");
    }
}

#[derive(Clone)]
struct Legal;

impl Visitor for Legal {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, _: &'static Entry) {
        let cancel = Cancel::default();
        cancel.cancel();
        for make in players() {
            // The player takes every role in turn, against random players.
            for (seat, _) in game.roles().enumerate() {
                let mut players: Vec<Box<dyn Player<G>>> =
                    game.roles().map(|role| Box::new(Random::new().seed(role_seed(role))) as _).collect();
                players[seat] = make(1);
                play(&game, &mut players, &Budget::of_nodes(20));
            }
            let mut spent: Vec<_> = game.roles().map(|_| make(1)).collect();
            play(&game, &mut spent, &Budget::unlimited().cancelled_by(&cancel));
        }
    }
}

fn role_seed(role: impl gdl_runtime::game::Id) -> u64 {
    role.index() as u64
}

#[test]
fn every_player_makes_legal_moves_in_every_game() {
    on_all_games(&Legal);
}

#[derive(Clone)]
struct Same;

impl Visitor for Same {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, entry: &'static Entry) {
        for make in players() {
            let budget = Budget::of_nodes(50);
            let match_of = |seed| {
                let mut players: Vec<_> = game.roles().map(|role| make(seed + role_seed(role))).collect();
                play(&game, &mut players, &budget)
            };
            assert_eq!(match_of(3), match_of(3), "{}", entry.name);
        }
    }
}

#[test]
fn the_same_seed_and_nodes_make_the_same_match() {
    on_all_games(&Same);
}

#[test]
fn beliefs_follow_play_from_any_point() {
    let game = gdl_games::liars_dice::game();
    let mut stream = Stream::new(9, 9);
    for round in 0..50 {
        let mut state = game.initial();
        let mut known: Vec<_> = game.roles().map(Information::new).collect();
        let mut beliefs: Vec<Belief<_>> = (0..3).map(|_| Belief::new(round)).collect();
        while !game.is_terminal(&state) {
            let view = game.view(&state);
            let joint: Vec<_> = game
                .roles()
                .map(|role| game.random_move_in(&view, role, &mut stream).expect("a move"))
                .collect();
            known.iter_mut().for_each(|known| known.step(&game, &state, &joint));
            state = game.apply(&state, &joint).expect("legal moves");
            for (known, belief) in known.iter().zip(&mut beliefs) {
                assert!(belief.follow(&game, known));
                assert!(belief.worlds().iter().any(|(world, _)| *world == state));
                let mut late = Belief::new(0);
                assert!(late.follow(&game, known));
                assert_eq!(late.worlds(), belief.worlds());
            }
        }
    }
}

#[test]
fn beliefs_go_back_with_the_play_and_refuse_what_cannot_be() {
    use gdl_games::tictactoe::{self, Move, Role};
    let game = tictactoe::game();
    let mark = |x, y| Move::mark(x, y).expect("on the board");
    let information = |moves: &[Move]| {
        let mut information = Information::new(Role::Xplayer);
        let mut state = game.initial();
        for (ply, &action) in moves.iter().enumerate() {
            let joint = if ply % 2 == 0 { [action, Move::NOOP] } else { [Move::NOOP, action] };
            information.step(&game, &state, &joint);
            state = game.apply_unchecked(&state, &joint);
        }
        (information, state)
    };
    let mut belief = Belief::new(0);
    let (long, state) = information(&[mark(1, 1), mark(2, 2), mark(3, 3)]);
    assert!(belief.follow(&game, &long));
    assert_eq!(belief.state(), Some(&state));
    let (short, state) = information(&[mark(1, 1)]);
    assert!(belief.follow(&game, &short));
    assert_eq!(belief.state(), Some(&state));
    let (wrong, _) = information(&[mark(1, 1), mark(1, 1)]);
    assert!(!belief.follow(&game, &wrong));
    assert_eq!(First::new().choose(&game, &wrong, &Budget::unlimited()), None);
    assert!(belief.follow(&game, &long));
}

#[test]
fn a_belief_before_the_first_move_is_of_the_game_at_hand() {
    let games =
        ["towers_of_hanoi", "eight_puzzle"].map(|name| gdl_games::dynamic(name).expect("a built-in game"));
    let mut belief = Belief::new(1);
    for game in &games {
        let role = game.roles().next().expect("a role");
        assert!(belief.follow(game, &Information::new(role)));
        assert_eq!(belief.state(), Some(&game.initial()));
    }
}
