//! Decisive play: a variant of a game's table with fewer legal moves. The role on turn makes a move
//! that wins at once, if it has one. Otherwise it avoids moves that lose at once or let the next
//! role win at once, if it has others ([`gdl_compiler::optimize::decisive`]).
//!
//! Both tables have the same states, so random games can continue from the states of a search. The
//! tables differ only in their lanes.
//!
//! A table is made only if that takes an estimated [`MOST_STEPS`] steps or fewer.

use gdl_compiler::{
    Limits, Observer, Options, Phase,
    emit::{lanes::Lanes, table},
    meter::Meter,
    optimize,
    propnet::{Net, Outputs, Signal, Vocabulary},
};
use gdl_runtime::{
    Cancel, bits,
    engine::{Circuit, Table},
    vocabulary::Texts,
};
use std::{any::Any, ops::ControlFlow, sync::Arc, time::Duration};

/// The maximum estimated number of steps for making a table: a quarter of a second.
const MOST_STEPS: u64 = 30_000_000;

/// The approximate number of steps for each pair of a gate and a move, and the nanoseconds of a
/// step.
const STEPS: u64 = 20;
const NANOSECONDS: u64 = 8;

/// The picoseconds that a search takes for each operation in each step of a random game.
const PICOSECONDS: u64 = 450;

/// Estimates the time to make the table of decisive play. Returns `None` if that takes more than
/// [`MOST_STEPS`] steps, or the game has no lanes. O(roles).
pub(crate) fn cost(game: &Table) -> Option<Duration> {
    game.lanes()?;
    let (observe, advance) = game.gates();
    let moves: usize = (0..game.shape().roles).map(|role| game.vocabulary().moves_of(role).len()).sum();
    let steps = (moves as u64).saturating_mul((observe + advance) as u64).saturating_mul(STEPS);
    (steps <= MOST_STEPS).then(|| Duration::from_nanos(steps * NANOSECONDS))
}

/// The table of decisive play, and the estimated time for each node of a search with that table.
#[derive(Debug)]
pub(crate) struct Decisive {
    pub(crate) table: Table,
    pub(crate) node: Duration,
}

/// Returns the table of decisive play, and makes it on the first call. Returns `None` if the game
/// has none, making it would take longer than `time`, or `cancel` is triggered.
pub(crate) fn within<'t>(game: &'t Table, time: Option<Duration>, cancel: &Cancel) -> Option<&'t Decisive> {
    let is_late = || time.is_some_and(|time| cost(game).is_none_or(|cost| cost > time));
    if game.derived().get().is_none() {
        if is_late() {
            return None;
        }
        let made = decisive(game, cancel).map(|made| Arc::new(made) as Arc<dyn Any + Send + Sync>);
        if made.is_none() && cancel.is_cancelled() {
            // A later search may still make it.
            return None;
        }
        game.derived().get_or_init(|| made);
    }
    made(game)
}

/// Returns the table of decisive play if it was made before.
pub(crate) fn made(game: &Table) -> Option<&Decisive> {
    game.derived().get()?.as_deref()?.downcast_ref()
}

/// Makes the table of decisive play. Returns `None` if the game has none, or if making it exceeds
/// the limits or is cancelled.
fn decisive(game: &Table, cancel: &Cancel) -> Option<Decisive> {
    cost(game)?;
    let limits = Limits { fuel: 2 * MOST_STEPS, ..Limits::network() };
    let cancel = cancel.clone();
    let observer =
        Observer::new(
            move |_| {
                if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
    let mut meter = Meter::new(&Options { limits, observer, ..Options::default() }, Phase::Optimize);
    // A table does not store which fluents exclude each other. `optimize` proves this again and
    // uses it.
    let net = optimize::optimize(net(game), &mut meter);
    let optimize::Decisive { phases, length } = optimize::decisive(&net, &mut meter)?;
    let lanes = Lanes::of(&net, Some(&phases), None, &mut meter)?;
    let operations = lanes.operations() / phases.nets.len() * length;
    let bytes = table::table(&net, Some(&lanes), &mut meter)?;
    let node = Duration::from_nanos(operations as u64 * PICOSECONDS / 1000);
    Some(Decisive { table: Table::decode(&bytes).ok()?, node })
}

/// Builds the net of a table, without percepts, which playouts in lanes do not need.
fn net(game: &Table) -> Net {
    let (vocabulary, shape) = (game.vocabulary(), game.shape());
    let texts = |texts: &Texts| texts.iter().map(str::to_owned).collect();
    let names = Vocabulary {
        roles: texts(vocabulary.roles()),
        fluents: texts(vocabulary.fluents()),
        moves: texts(vocabulary.moves()),
        percepts: Vec::new(),
        chance: vocabulary.chance().map(|role| role as u32),
    };
    let moves = |role| vocabulary.moves_of(role).iter().map(move |&action| (role as u32, action));
    let initial = (0..shape.fluents).map(|fluent| bits::test(game.initial(), fluent)).collect();
    let mut net = Net::new(names, initial, (0..shape.roles).flat_map(moves).collect());
    let [observe, advance] = game.circuits();
    let mut seen = signals(observe, &mut net).into_iter();
    let legal =
        (0..shape.roles).map(|role| vocabulary.moves_of(role).iter().copied().zip(&mut seen).collect());
    let legal = legal.collect();
    let goal =
        (0..shape.roles).map(|role| vocabulary.goals_of(role).iter().copied().zip(&mut seen).collect());
    let goal = goal.collect();
    let terminal = seen.next().unwrap_or(Signal::FALSE);
    let next = signals(advance, &mut net);
    net.outputs = Outputs { next, legal, goal, terminal, sees: None };
    net
}

/// Adds the gates of a circuit to a net with the same inputs. Returns the circuit's outputs.
fn signals(circuit: &Circuit, net: &mut Net) -> Vec<Signal> {
    let mut signals: Vec<Signal> =
        (0..circuit.inputs() as u32).map(|gate| Signal::new(gate, false)).collect();
    let of = |signals: &[Signal], code: u32| signals[code as usize / 2].negate_if(code % 2 == 1);
    for gate in 0..circuit.size() {
        let signal = net.and(circuit.gate(gate).map(|code| of(&signals, code)).to_vec());
        signals.push(signal);
    }
    circuit.outputs().iter().map(|&code| of(&signals, code)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::{Game, GameExt, engine::RowLeaves, lanes::Isa, load, playouts::Tally};
    use std::sync::Arc;

    const TICTACTOE: &str = include_str!("../../games/board/tictactoe.kif");

    fn loaded(text: &str) -> Arc<Table> {
        Arc::new(load(text).expect("a sound rulesheet").table().expect("a small game").clone())
    }

    /// Plays random games by a table after some moves of tic-tac-toe, and returns their tally.
    fn tally(table: &Table, marks: &[[u8; 2]]) -> Tally {
        let game = load(TICTACTOE).expect("a sound rulesheet");
        let mut state = game.initial();
        for [x, y] in marks {
            let mark = game.parse_move(&format!("(mark {x} {y})")).expect("a move");
            state = game.apply_one(&state, mark).expect("a legal move");
        }
        let mut leaves = RowLeaves::new(table, Isa::Portable, 20).expect("it plays in lanes");
        let phase = leaves.phase(state.as_ref()).expect("play comes to it");
        leaves.play(phase, &[state.as_ref()], 1, 1).remove(0)
    }

    #[test]
    fn lines_are_made_and_prevented() {
        let table = loaded(TICTACTOE);
        let decisive = &within(&table, None, &Cancel::default()).expect("it has decisive play").table;
        assert_eq!((decisive.shape(), decisive.initial()), (table.shape(), table.initial()));
        // Each role has a line with two of its marks and an empty cell; the role on turn completes
        // its line.
        let open = [[1, 1], [3, 3], [1, 2], [3, 2]];
        assert_eq!(tally(decisive, &open).roles[0].wins, 512);
        assert_eq!(tally(decisive, &[&open[..], &[[2, 2]]].concat()).roles[1].wins, 512);
        let plain = tally(&table, &open).roles[0].wins;
        assert!(plain < 500, "{plain}");
        // X threatens three lines, so no move of O helps, and all legal moves stay.
        let fork = [[1, 1], [1, 2], [3, 3], [2, 3], [3, 1]];
        assert_eq!(tally(decisive, &fork).roles[0].wins, 512);
        // Over the whole game, more games are drawn.
        let [plain, decisive] = [&table, decisive].map(|table| tally(table, &[]).roles[0].draws);
        assert!(decisive > 2 * plain, "{decisive} {plain}");
    }

    #[test]
    fn a_table_is_made_once_and_in_time() {
        let (table, go, stop) = (loaded(TICTACTOE), Cancel::default(), Cancel::default());
        stop.cancel();
        assert!(cost(&table).is_some_and(|cost| cost < Duration::from_millis(10)));
        assert!(within(&table, Some(Duration::ZERO), &go).is_none());
        // After a cancellation it can still be made.
        assert!(within(&table, None, &stop).is_none() && made(&table).is_none());
        let first: *const Decisive = within(&table, Some(Duration::from_secs(1)), &go).expect("enough time");
        assert!(std::ptr::eq(first, within(&table, Some(Duration::ZERO), &stop).expect("made before")));
        assert!(std::ptr::eq(first, made(&table.clone()).expect("shared")));
    }

    #[test]
    fn what_is_too_large_or_has_no_turns_has_none() {
        let reversi = loaded(include_str!("../../games/board/reversi.kif"));
        let go = Cancel::default();
        assert!(cost(&reversi).is_none() && within(&reversi, None, &go).is_none());
        let alone = "(role p) (init (at 0)) (succ 0 1) (succ 1 2) (legal p wait)
            (<= (legal p go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (true (at ?x)) (does p wait))
            (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does p go))
            (<= terminal (true (at 2))) (<= (goal p 100) (true (at 2))) (<= (goal p 0) (not (true (at 2))))";
        assert!(within(&loaded(alone), None, &go).is_none());
    }
}
