//! The memory of alpha-beta between searches: the roles and their payoffs, the transposition table,
//! and the frames of each ply.

use super::value::worth;
use crate::search::{memory::Memory, options::Options, payoff::Payoff};
use gdl_runtime::{Game, GameExt, game::Id};

/// The data that is reused from search to search.
pub(super) struct Engine<G: Game> {
    pub(super) role: usize,
    /// The role whose goal is subtracted from the role's own.
    pub(super) rival: Option<usize>,
    /// All other roles except chance, and chance if there is one.
    pub(super) others: Vec<usize>,
    pub(super) chance: Vec<usize>,
    pub(super) payoff: Payoff,
    /// The least and the greatest value of a terminal state.
    pub(super) range: (i32, i32),
    pub(super) memory: Memory,
    pub(super) frames: Vec<PlyFrame<G>>,
    /// The history score of each role's moves.
    pub(super) history: Vec<u32>,
    pub(super) moves: usize,
    pub(super) goals: Vec<f32>,
}

/// The buffers of a ply.
pub(super) struct PlyFrame<G: Game> {
    pub(super) state: G::State,
    pub(super) view: G::View,
    /// True if the view is already that of the state.
    pub(super) is_seen: bool,
    pub(super) options: Options<G>,
    /// The ordered moves, each with its rank: those of the role in `own`, and those of another role
    /// in `other` if no third role has a choice. `own` has the indices of moves, `other` their
    /// places among the legal moves.
    pub(super) own: Vec<(u32, u32)>,
    pub(super) other: Vec<(u32, u32)>,
    pub(super) killers: [u32; 2],
}

/// The number that stands for no move.
pub(super) const NONE: u32 = u32::MAX;

impl<G: Game> Engine<G> {
    pub(super) fn new(game: &G, role: G::Role, bytes: usize, is_paranoid: bool) -> Self {
        let shape = game.shape();
        let chance = game.chance_role().map(Id::index);
        let role = role.index();
        let others: Vec<usize> = (0..shape.roles).filter(|&r| r != role && Some(r) != chance).collect();
        let rival = match others[..] {
            [rival] if !is_paranoid => Some(rival),
            _ => None,
        };
        let payoff = Payoff::new(game);
        let mut engine = Self {
            role,
            rival,
            others,
            chance: chance.filter(|&chance| chance != role).into_iter().collect(),
            range: (0, 0),
            payoff,
            memory: Memory::new(bytes, shape.state_words(), 2),
            frames: Vec::new(),
            history: vec![0; shape.roles * shape.moves],
            moves: shape.moves,
            goals: vec![0.0; shape.roles],
        };
        let (least, greatest) = engine.payoff.range(role);
        engine.range = match rival.map(|rival| engine.payoff.range(rival)) {
            Some((low, high)) => (worth(least, Some(high)), worth(greatest, Some(low))),
            None => (worth(least, None), worth(greatest, None)),
        };
        engine
    }

    /// Adds frames up to a ply.
    pub(super) fn frame(&mut self, game: &G, ply: usize) {
        while self.frames.len() <= ply {
            self.frames.push(PlyFrame {
                state: game.new_state(),
                view: game.new_view(),
                is_seen: false,
                options: Options::new(game),
                own: Vec::new(),
                other: Vec::new(),
                killers: [NONE; 2],
            });
        }
    }

    pub(super) fn is_for(&self, game: &G, role: G::Role, bytes: usize) -> bool {
        let shape = game.shape();
        self.role == role.index()
            && self.moves == shape.moves
            && self.goals.len() == shape.roles
            && self.memory.fits(bytes, shape.state_words())
    }

    pub(super) fn value(&self, view: &[u64]) -> i32 {
        let rival = self.rival.map(|rival| self.payoff.goal(view, rival));
        worth(self.payoff.goal(view, self.role), rival)
    }
}
