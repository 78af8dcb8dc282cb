//! Games in lanes, compared with the table. On every instruction set, each watched lane makes legal
//! moves and reaches the state of single steps. Tallies match the games played.

use gdl_runtime::{
    Dynamic, Game, GameExt, Playouts,
    bits::BitBox,
    dynamic::{MoveId, RoleId},
    engine::{Lockstep, Table},
    game::Id,
    lanes::Isa,
    playouts::Tally,
};

/// The check of some lanes of a block against the table.
struct Watch<'g> {
    game: &'g Dynamic,
    max_length: u64,
    lanes: Vec<Lane>,
}

/// The game of a watched lane.
struct Lane {
    number: usize,
    state: BitBox,
    /// The number of moves made; `None` if the lane has no game.
    length: Option<u64>,
}

/// The step of each watched lane: its joint move and state, or `None` if it did not move.
type Trace = Vec<Option<(Vec<usize>, BitBox)>>;

impl<'g> Watch<'g> {
    fn new(game: &'g Dynamic, max_length: u64, every: usize) -> Self {
        let lanes = (0..Lockstep::LANES).step_by(every);
        let lanes = lanes.map(|number| Lane { number, state: game.initial(), length: None }).collect();
        Self { game, max_length, lanes }
    }

    /// Checks a step, and counts the games that ended.
    fn look(&mut self, name: &str, games: &Lockstep<'_>, tally: &mut Tally, trace: &mut Trace) {
        let game = self.game;
        for lane in &mut self.lanes {
            if let Some(length) = lane.length
                && (games.has_started(lane.number) || !games.has_moved(lane.number))
            {
                finish(game, lane, length == self.max_length, tally);
                lane.length = None;
            }
            if games.has_started(lane.number) {
                assert!(lane.length.is_none());
                lane.state = game.initial();
                lane.length = Some(0);
            }
            if !games.has_moved(lane.number) {
                if lane.length.take().is_some() {
                    finish(game, lane, false, tally);
                }
                trace.push(None);
                continue;
            }
            let joint = games.joint(lane.number);
            let moves: Vec<MoveId> = joint.iter().map(|&position| MoveId::from_index(position)).collect();
            let next = game.apply(&lane.state, &moves);
            lane.state = next.unwrap_or_else(|error| panic!("{name}: {error}"));
            let length = lane.length.as_mut().expect("a lane that moves has a game");
            *length += 1;
            let mut state = game.new_state();
            games.state(lane.number, state.as_mut());
            assert_eq!(game.state_text(&state), game.state_text(&lane.state), "{name}, lane {}", lane.number);
            trace.push(Some((joint, state)));
        }
    }
}

/// Counts a finished game, using the table's view of its last state.
fn finish(game: &Dynamic, lane: &Lane, is_long: bool, tally: &mut Tally) {
    tally.playouts += 1;
    tally.states += lane.length.unwrap_or(0);
    let view = game.view(&lane.state);
    let chance = game.chance_role();
    if !game.is_terminal_in(&view) {
        let stuck = game.roles().any(|role| game.legal_moves_in(&view, role).len() == 0);
        assert!(is_long || stuck, "a game that is not over goes on");
        tally.too_long += u64::from(is_long);
        tally.stuck += u64::from(!is_long);
        return;
    }
    let goals: Vec<Option<u8>> = game.roles().map(|role| game.goal_in(&view, role)).collect();
    let players: Vec<RoleId> = game.roles().filter(|&role| Some(role) != chance).collect();
    if players.iter().any(|role| goals[role.index()].is_none()) {
        tally.unscored += 1;
        return;
    }
    let best = players.iter().filter_map(|role| goals[role.index()]).max();
    let best = if players.len() == 1 { Some(100) } else { best };
    let shared = players.iter().filter(|role| goals[role.index()] == best).count();
    for role in game.roles() {
        let entry = &mut tally.roles[role.index()];
        let goal = u64::from(goals[role.index()].unwrap_or(0));
        entry.goals += goal;
        entry.squares += goal * goal;
        if Some(role) != chance {
            let first = goals[role.index()] == best;
            entry.wins += u64::from(first && shared == 1);
            entry.draws += u64::from(first && shared > 1);
            entry.losses += u64::from(!first);
        }
    }
}

/// The number of gates of a game's table.
///
/// # Panics
/// Panics if the game has no table.
#[must_use]
pub fn gates(game: &Dynamic) -> usize {
    let (observe, advance) = game.table().expect("a table").gates();
    observe + advance
}

/// Plays one game in each lane on each instruction set, and watches as many lanes as `work` allows.
/// `table` may have straight-line code for the same net; the code is checked too. Returns false if
/// the game does not play in lanes.
///
/// # Panics
/// Panics if lanes and table differ.
#[must_use]
pub fn agree(name: &str, game: &Dynamic, table: &Table, max_length: u64, work: usize) -> bool {
    // A step of a lane costs the table a step, a view and two state texts.
    let per_lane = 3 * (gates(game) + 500) * max_length.min(70) as usize;
    let every = (Lockstep::LANES * per_lane).div_ceil(work).clamp(1, Lockstep::LANES);
    let count = if every == 1 { 700 } else { Lockstep::LANES as u64 };
    let mut first: Option<(Trace, Tally)> = None;
    let isas = Isa::ALL.iter().rev().filter(|isa| isa.is_available());
    for (isa, straight) in isas.flat_map(|isa| [(isa, false), (isa, true)]) {
        if straight && !table.has_straight_lanes(*isa) {
            continue;
        }
        let Some(mut games) = Lockstep::new(table, *isa, straight, 3, 5, count, max_length) else {
            return false;
        };
        let mut watch = Watch::new(game, max_length, every);
        let mut trace = Trace::new();
        let mut tally = games_counted(game);
        if let Some((expected, total)) = &first {
            // Other instruction sets need no new check: their traces are compared with the first.
            while games.step() {
                trace.extend(watch.lanes.iter().map(|lane| {
                    games.has_moved(lane.number).then(|| {
                        let mut state = game.new_state();
                        games.state(lane.number, state.as_mut());
                        (games.joint(lane.number), state)
                    })
                }));
            }
            assert!(trace == *expected, "{name}, {isa:?}, {straight}");
            assert_eq!(games.finish(), *total, "{name}, {isa:?}, {straight}");
            continue;
        }
        while games.step() {
            watch.look(name, &games, &mut tally, &mut trace);
        }
        for lane in &mut watch.lanes {
            if let Some(length) = lane.length {
                finish(game, lane, length == max_length, &mut tally);
            }
        }
        let total = games.finish();
        assert_eq!(total.playouts, count, "{name}");
        if every == 1 {
            assert_eq!(total, tally, "{name}");
        }
        first = Some((trace, total));
    }
    true
}

/// A tally with no games, to add to.
fn games_counted(game: &Dynamic) -> Tally {
    Playouts::new(game).count(0).run().tally
}
