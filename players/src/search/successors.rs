//! The successors of a state where a search ends: each is made on request, and so is its view if
//! that costs nothing.
//!
//! The first successor is made alone, since often a search needs no other. With the second all are
//! made in one pass of the lanes, if their number makes this faster. They are the same, so a search
//! finds the same.

use super::options::Options;
use gdl_runtime::{
    Game, GameExt,
    engine::{RowBatch, RowExpansion},
    game::Id,
    lanes::Isa,
};

/// States whose successors are made alone, since to set up lanes takes some time too: up to
/// milliseconds for large nets.
const ALONE: u32 = 500;

/// The successors of one state at a time.
pub(crate) struct Successors<'g, G> {
    game: &'g G,
    /// The number of remaining states whose successors are made alone; `None` if those of all are.
    alone: Option<u32>,
    lanes: Option<Lanes<'g>>,
    /// The number of successors of the state that were requested.
    asked: u32,
    is_made: bool,
}

/// All successors of a state.
struct Lanes<'g> {
    expansion: RowExpansion<'g>,
    batch: RowBatch,
    /// As many as can be made alone while a pass runs.
    least: u64,
}

impl<'g, G: Game> Successors<'g, G> {
    /// For a search on behalf of a role. Lanes may not tell the goals of chance, so if that
    /// searches all are made alone.
    pub(crate) fn new(game: &'g G, role: usize) -> Self {
        let is_chance = game.chance_role().is_some_and(|chance| chance.index() == role);
        let alone = (!is_chance).then_some(ALONE);
        Self { game, alone, lanes: None, asked: 0, is_made: false }
    }

    /// The next successors are those of another state.
    #[inline]
    pub(crate) fn begin(&mut self) {
        (self.asked, self.is_made) = (0, false);
    }

    /// Writes the successor of the joint move that was made up of a state's options. True if what
    /// is seen of it was written too.
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

    /// Makes all successors, if that takes less time, there is room for them and play comes to the
    /// state.
    fn make(&mut self, state: &G::State, view: &G::View, joints: u64) {
        match &mut self.alone {
            Some(0) => {}
            Some(left) => {
                *left -= 1;
                if *left == 0 {
                    self.lanes = Lanes::new(self.game);
                }
                return;
            }
            None => return,
        }
        let Some(Lanes { expansion, batch, least }) = &mut self.lanes else { return };
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

impl<'g> Lanes<'g> {
    /// Returns `None` if the game cannot be stepped in lanes.
    fn new<G: Game>(game: &'g G) -> Option<Self> {
        let isa = Isa::best();
        let expansion = RowExpansion::new(game.table()?, isa)?;
        let least = if isa == Isa::Portable { 24 } else { 6 };
        Some(Self { expansion, batch: RowBatch::new(game.shape()), least })
    }
}
