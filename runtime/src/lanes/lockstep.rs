//! Lockstep: a block of games in lanes that shows every step. Playouts show only counts.

use super::{Choice, FLUENTS, Player};
use crate::{
    bits,
    simd::{Isa, LANES},
    stats::Tally,
    table::Table,
};
use std::fmt;

/// Random games in 512 lanes; all lanes make a move at the same time.
///
/// These are exactly the games that [`Playouts`](crate::Playouts) plays with
/// [`PlayoutMode::Lanes`](crate::playouts::PlayoutMode). A lane whose game has ended starts another
/// one, as long as some are left. If players take turns, the lane first waits for the phase of the
/// initial state.
///
/// ```
/// use gdl_runtime::{Game, GameExt, engine::Lockstep, game::Id, gdl, lanes::Isa};
///
/// gdl!(name = walk, rules = r"
///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y)) (legal robot wait)
///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
///     (<= (next (at ?x)) (does robot wait) (true (at ?x)))
///     (<= terminal (true (at 2))) (goal robot 100)
/// ");
///
/// fn main() {
///     let game = walk::game();
///     let mut games = Lockstep::new(game.table().unwrap(), Isa::best(), true, 7, 0, 512, 100).unwrap();
///     assert!(games.step() && games.has_started(17) && games.has_moved(17));
///     let mut state = game.new_state();
///     games.state(17, state.as_mut());
///     let went = games.joint(17)[0] == walk::Move::GO.index();
///     assert_eq!(game.state_text(&state), if went { "((at 1))" } else { "((at 0))" });
///     while games.step() {}
///     assert_eq!(games.finish().playouts, 512);
/// }
/// ```
pub struct Lockstep<'t> {
    player: Player<'t>,
    games: u64,
}

impl fmt::Debug for Lockstep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockstep").field("games", &self.games).finish_non_exhaustive()
    }
}

impl<'t> Lockstep<'t> {
    /// The number of lanes.
    pub const LANES: usize = LANES;

    /// Creates the first `games` games of a block, before their start. They run straight-line code
    /// if `straight` is true and there is some. Returns `None` if the table cannot be played in
    /// lanes (see [`Playouts::engine`](crate::Playouts::engine)) or `max_length` is 0.
    #[must_use]
    pub fn new(
        table: &'t Table,
        isa: Isa,
        straight: bool,
        seed: u64,
        block: u64,
        games: u64,
        max_length: u64,
    ) -> Option<Self> {
        let lanes = table.lanes().filter(|_| max_length > 0)?;
        let mut player = Player::new(lanes, isa, straight, seed, max_length);
        player.start(block, games);
        Some(Self { player, games })
    }

    /// Makes a move in every lane with a running game, and starts games. Returns false and does
    /// nothing if all games have ended.
    pub fn step(&mut self) -> bool {
        let goes_on = !self.player.is_over();
        if goes_on {
            self.player.go_on(1);
        }
        goes_on
    }

    /// Returns true if the lane made a move in the last step. Otherwise the lane has no running
    /// game.
    ///
    /// # Panics
    /// Panics if there is no such lane, like the other methods.
    #[must_use]
    pub fn has_moved(&self, lane: usize) -> bool {
        self.player.playing.lane(lane)
    }

    /// Returns true if a game started in the lane in the last step. The lane's move in that step is
    /// then the first of the game.
    #[must_use]
    pub fn has_started(&self, lane: usize) -> bool {
        self.player.starts.last().lane(lane)
    }

    /// The positions of the moves that a lane's roles made in the last step.
    #[must_use]
    pub fn joint(&self, lane: usize) -> Vec<usize> {
        let Player { lanes, phases, phase, .. } = &self.player;
        let before = if *phase == phases.start { phases.end } else { *phase };
        let phase = &lanes.phases[before - 1];
        let made = |role: &Choice| {
            let mut slots = role.slots();
            let place = slots.position(|slot| self.player.slots[slot].lane(lane));
            role.moves[place.unwrap_or(0)] as usize
        };
        phase.roles.iter().map(made).collect()
    }

    /// Writes the state of a lane after its last move; some state if the lane has no game.
    pub fn state(&self, lane: usize, state: &mut [u64]) {
        state.fill(0);
        for fluent in 0..self.player.lanes.shape.fluents {
            if self.player.slots[FLUENTS as usize + fluent].lane(lane) {
                bits::set(state, fluent);
            }
        }
    }

    /// Plays the remaining games and returns the tally of all.
    #[must_use]
    pub fn finish(mut self) -> Tally {
        self.player.go_on(u64::MAX);
        self.player.count(self.games);
        self.player.tally
    }
}
