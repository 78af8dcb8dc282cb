//! The successors of a state at the last depth of a search: each is computed on request, with its
//! view if that costs nothing.
//!
//! The first successor is computed alone, since a search often needs no other. The second request
//! computes all of them in one pass of the lanes, if their number makes this faster. The results
//! are equal, so the search is not affected.

use super::options::Options;
use gdl_runtime::{
    Game, GameExt,
    engine::{RowBatch, RowExpansion},
    game::Id,
    lanes::Isa,
};

/// The number of states whose successors are computed alone before lanes are set up. The setup
/// takes up to milliseconds for large circuits.
const ALONE: u32 = 500;

/// The generator of a state's successors.
pub(crate) struct Successors<'g, G> {
    game: &'g G,
    /// The number of further states whose successors are computed alone; `None` if lanes are never
    /// used.
    alone: Option<u32>,
    lanes: Option<SuccessorLanes<'g>>,
    /// The number of requested successors of the state.
    asked: u32,
    is_made: bool,
}

/// The lanes that compute all successors of a state in one pass.
struct SuccessorLanes<'g> {
    expansion: RowExpansion<'g>,
    batch: RowBatch,
    /// The least number of successors for which a pass is faster.
    least: u64,
}

impl<'g, G: Game> Successors<'g, G> {
    /// Creates a generator for the search of a role. Lanes may lack the goals of chance, so they
    /// are not used if chance is the role.
    pub(crate) fn new(game: &'g G, role: usize) -> Self {
        let is_chance = game.chance_role().is_some_and(|chance| chance.index() == role);
        let alone = (!is_chance).then_some(ALONE);
        Self { game, alone, lanes: None, asked: 0, is_made: false }
    }

    /// Begins with another state.
    #[inline]
    pub(crate) fn begin(&mut self) {
        (self.asked, self.is_made) = (0, false);
    }

    /// Writes the successor by the current joint move of `options`. Returns true if its view was
    /// written too.
    #[inline]
    pub(crate) fn write(
        &mut self,
        (state, view): (&G::State, &G::View),
        options: &Options<G>,
        (successor, seen): (&mut G::State, &mut G::View),
    ) -> bool {
        if self.asked == 1 {
            self.make(state, view, options.joints());
        }
        self.asked += 1;
        if self.is_made
            && let Some(lanes) = &self.lanes
        {
            let lane = options.number();
            lanes.batch.state(lane, successor.as_mut());
            lanes.batch.view(lane, seen.as_mut());
            return true;
        }
        successor.clone_from(state);
        self.game.advance(successor, options.joint());
        false
    }

    /// Computes all successors in lanes if that is faster, they fit into a pass, and play reaches
    /// the state.
    fn make(&mut self, state: &G::State, view: &G::View, joints: u64) {
        match &mut self.alone {
            Some(0) => {}
            Some(left) => {
                *left -= 1;
                if *left == 0 {
                    self.lanes = SuccessorLanes::new(self.game);
                }
                return;
            }
            None => return,
        }
        let Some(SuccessorLanes { expansion, batch, least }) = &mut self.lanes else { return };
        if !(*least..=RowExpansion::LANES as u64).contains(&joints) {
            return;
        }
        let Some(phase) = expansion.phase(state.as_ref()) else { return };
        expansion.start(phase);
        expansion.push_legal(state.as_ref(), view.as_ref(), 0);
        expansion.advance_without_goals(batch);
        self.is_made = true;
    }
}

impl<'g> SuccessorLanes<'g> {
    /// Sets lanes up. Returns `None` if the game cannot be stepped in lanes.
    fn new<G: Game>(game: &'g G) -> Option<Self> {
        let isa = Isa::best();
        let expansion = RowExpansion::new(game.table()?, isa)?;
        let least = if isa == Isa::Portable { 24 } else { 6 };
        Some(Self { expansion, batch: RowBatch::new(game.shape()), least })
    }
}
