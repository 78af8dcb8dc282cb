//! Perft against independent numbers: published counts, and games written by hand in `reference/`,
//! which share no code with the compiler.

use crate::reference;
use gdl_games::{Entry, Visitor, visit};
use gdl_runtime::{
    Game, GameExt,
    chance::Stream,
    lanes::Isa,
    load, perft,
    perft::{Perft, divide},
    playouts::PlayoutMode,
};

/// Counts the move sequences of a built-in game in its compiled form, up to a depth.
struct Count(usize);

impl Visitor for Count {
    type Output = Vec<u128>;

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
        self,
        game: G,
        _: &'static Entry,
    ) -> Vec<u128> {
        let counts = perft(&game, self.0);
        assert_eq!(Perft::new(&game).runs(), PlayoutMode::Lanes);
        let single: Vec<u128> = Perft::new(&game).engine(PlayoutMode::Single).take(self.0).collect();
        assert_eq!(single, counts, "one at a time");
        if self.0 > 1 {
            let divided: u128 = divide(&game, self.0).iter().map(|(_, count)| count).sum();
            assert_eq!(Some(&divided), counts.last(), "divide adds up");
        }
        counts
    }
}

/// Checks the compiled game and the table against the same counts.
fn check(name: &str, expected: &[u64]) {
    let expected: Vec<u128> = expected.iter().map(|&count| count.into()).collect();
    assert_eq!(visit(name, Count(expected.len())).expect("built in"), expected, "{name}, compiled");
    let text = gdl_games::find(name).expect("built in").text;
    let table = load(text).expect("built-in rulesheets load");
    assert_eq!(perft(&table, expected.len()), expected, "{name}, table");
    for &isa in Isa::ALL {
        let counts: Vec<u128> = Perft::new(&table).isa(isa).take(expected.len()).collect();
        assert_eq!(counts, expected, "{name}, {isa:?}");
    }
}

const TIC_TAC_TOE: [u64; 10] = [9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872, 0];

#[test]
fn tic_tac_toes() {
    assert_eq!(reference::tictactoe::perft(7), TIC_TAC_TOE[..7]);
    for name in ["tictactoe", "tictactoe_stanford", "tictactoe_led"] {
        check(name, &TIC_TAC_TOE);
    }
}

/// The published numbers of complete games, wins of the first player and draws, by a walk of the
/// game tree.
#[test]
fn tic_tac_toe_has_255168_games() {
    fn walk<G: Game>(game: &G, state: &G::State, games: &mut [u64; 3]) {
        let view = game.view(state);
        let roles: Vec<G::Role> = game.roles().collect();
        if game.is_terminal_in(&view) {
            games[match game.goal_in(&view, roles[0]) {
                Some(100) => 0,
                Some(50) => 1,
                _ => 2,
            }] += 1;
            return;
        }
        for x in game.legal_moves_in(&view, roles[0]) {
            for o in game.legal_moves_in(&view, roles[1]) {
                walk(game, &game.apply_unchecked(state, &[x, o]), games);
            }
        }
    }
    struct Walk;
    impl Visitor for Walk {
        type Output = [u64; 3];

        fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
            self,
            game: G,
            _: &'static Entry,
        ) -> [u64; 3] {
            let mut games = [0; 3];
            walk(&game, &game.initial(), &mut games);
            games
        }
    }
    for name in ["tictactoe", "tictactoe_stanford", "tictactoe_led"] {
        let games = visit(name, Walk).expect("built in");
        assert_eq!(games, [131_184, 46_080, 77_904], "{name}");
        assert_eq!(games.iter().sum::<u64>(), 255_168);
    }
}

#[test]
fn connect_four() {
    check("connect_four", &reference::connect_four::perft(6));
    // Published counts for greater depths.
    check("connect_four", &[7, 49, 343, 2401, 16_807, 117_649, 823_536]);
}

#[test]
fn breakthrough() {
    check("breakthrough", &reference::breakthrough::perft::<8>(3));
    check("breakthrough", &[22, 484, 11_132, 256_036]);
    check("breakthrough_small", &reference::breakthrough::perft::<6>(4));
}

#[test]
fn checkers() {
    // Published counts are by whole turns.
    assert_eq!(reference::checkers::perft_by_turns(7), [7, 49, 302, 1469, 7361, 36_768, 179_740]);
    check("checkers", &reference::checkers::perft(6));
}

#[test]
fn pentago() {
    // No line of five is possible before move five.
    let counts = [36, 36 * 8, 36 * 8 * 35, 36 * 8 * 35 * 8];
    assert_eq!(reference::pentago::perft(4), counts);
    check("pentago", &counts);
}

/// Perft counts the moves of chance like those of players.
#[test]
fn games_of_chance() {
    assert_eq!(reference::monty_hall::perft(4), [9, 12, 24, 0]);
    check("monty_hall", &reference::monty_hall::perft(4));
    check("liars_dice", &reference::liars_dice::perft(5));
    // 36 rolls, each followed by a non-empty ascending sequence of bids and a doubt.
    let ends: u64 = 36 * (2_u64.pow(12) - 1);
    let walked: u64 = (2..=14).map(reference::liars_dice::ends).sum();
    assert_eq!(walked, ends);
}

#[test]
fn reversi() {
    check("reversi", &reference::reversi::perft(5));
    // Published counts for greater depths.
    check("reversi", &[4, 12, 56, 244, 1396, 8200]);
}

/// The largest number of sequences that single mode counts.
const MOST_SINGLE: u128 = 20_000;

/// Lanes and single mode give the same counts, from the initial state and from the middle of a
/// game.
#[test]
fn engines_agree() {
    for entry in gdl_games::LIST {
        let game = load(entry.text).expect("built-in rulesheets load");
        let mut stream = Stream::new(5, 0);
        let mut state = game.initial();
        for depth in [4, 3, 3, 3] {
            // Single mode is slow for wide games, so the counts of lanes bound its depth.
            let lanes = Perft::from(&game, state.clone()).take(depth);
            let counts: Vec<u128> = lanes.take_while(|&count| count <= MOST_SINGLE).collect();
            let depth = counts.len();
            let single = Perft::from(&game, state.clone()).engine(PlayoutMode::Single);
            assert_eq!(single.take(depth).collect::<Vec<u128>>(), counts, "{}", entry.name);
            let single = Perft::from(&game, state.clone()).engine(PlayoutMode::Single);
            let parts = Perft::from(&game, state.clone()).divide(depth);
            assert_eq!(parts, single.divide(depth), "{}", entry.name);
            assert_eq!(
                parts.iter().map(|(_, count)| count).sum::<u128>(),
                counts[depth - 1],
                "{}",
                entry.name
            );
            let view = game.view(&state);
            if game.is_terminal_in(&view) {
                break;
            }
            let joint: Option<Vec<_>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            let Some(joint) = joint else { break };
            state = game.apply_unchecked(&state, &joint);
        }
    }
}
