//! Batches of states that are observed or stepped together. A batch uses lanes if the game has them
//! and they are faster, otherwise single states. The results are equal except for the legal moves
//! of terminal states, which may be missing.

use gdl_runtime::{
    Game,
    engine::{RowBatch, RowExpansion},
    lanes::Isa,
};

/// A batch processor of states.
pub(crate) struct StateBatch<'g, G: Game> {
    game: &'g G,
    lanes: Option<(RowExpansion<'g>, RowBatch)>,
    state: G::State,
    view: G::View,
}

impl<'g, G: Game> StateBatch<'g, G> {
    pub(crate) fn new(game: &'g G) -> Self {
        // Lanes that are slower than single states with all lanes in use are slower with fewer,
        // too.
        let table = game.table().filter(|table| table.preferred_lanes().is_some());
        let expansion = table.and_then(|table| RowExpansion::new(table, Isa::best()));
        let lanes = expansion.map(|expansion| (expansion, RowBatch::new(game.shape())));
        Self { game, lanes, state: game.new_state(), view: game.new_view() }
    }

    /// Writes the views of `count` states. States and views are consecutive rows.
    pub(crate) fn observe(&mut self, count: usize, states: &[u64], views: &mut Vec<u64>) {
        let width = self.game.shape().view_words();
        views.clear();
        views.resize(count * width, 0);
        let mut done = 0;
        while done < count {
            let rest = &mut views[done * width..];
            if let Some((phase, end)) = self.pass(count, states, done) {
                let Some((expansion, batch)) = &mut self.lanes else { return };
                expansion.start(phase);
                (done..end).for_each(|place| expansion.push_state(row(self.game, states, place)));
                expansion.observe(batch);
                (0..end - done).for_each(|lane| batch.view(lane, &mut rest[lane * width..][..width]));
                done = end;
            } else {
                self.state.as_mut().copy_from_slice(row(self.game, states, done));
                self.game.observe(&self.state, &mut self.view);
                rest[..width].copy_from_slice(self.view.as_ref());
                done += 1;
            }
        }
    }

    /// Writes the successor of each state by its joint move, as consecutive rows.
    pub(crate) fn advance(&mut self, states: &[u64], joints: &[G::Move], successors: &mut Vec<u64>) {
        self.follow(states, joints, successors, None);
    }

    /// Writes the successors as [`StateBatch::advance`] does, and their views. Goals of states that
    /// are not terminal may be missing.
    pub(crate) fn step(
        &mut self,
        states: &[u64],
        joints: &[G::Move],
        successors: &mut Vec<u64>,
        views: &mut Vec<u64>,
    ) {
        self.follow(states, joints, successors, Some(views));
    }

    fn follow(
        &mut self,
        states: &[u64],
        joints: &[G::Move],
        successors: &mut Vec<u64>,
        mut views: Option<&mut Vec<u64>>,
    ) {
        let shape = self.game.shape();
        let (roles, width, seen) = (shape.roles, shape.state_words(), shape.view_words());
        let count = joints.len() / roles;
        successors.clear();
        successors.resize(count * width, 0);
        if let Some(views) = &mut views {
            views.clear();
            views.resize(count * seen, 0);
        }
        let mut done = 0;
        while done < count {
            let rest = &mut successors[done * width..];
            let views = views.as_mut().map(|views| &mut views[done * seen..]);
            if let Some((phase, end)) = self.pass(count, states, done) {
                let Some((expansion, batch)) = &mut self.lanes else { return };
                expansion.start(phase);
                expansion.extend(&states[done * width..end * width], &joints[done * roles..end * roles]);
                if let Some(views) = views {
                    expansion.advance_without_goals(batch);
                    (0..end - done).for_each(|lane| batch.view(lane, &mut views[lane * seen..][..seen]));
                } else {
                    expansion.advance_only(batch);
                }
                (0..end - done).for_each(|lane| batch.state(lane, &mut rest[lane * width..][..width]));
                done = end;
            } else {
                self.state.as_mut().copy_from_slice(row(self.game, states, done));
                self.game.advance(&mut self.state, &joints[done * roles..][..roles]);
                rest[..width].copy_from_slice(self.state.as_ref());
                if let Some(views) = views {
                    self.game.observe(&self.state, &mut self.view);
                    views[..seen].copy_from_slice(self.view.as_ref());
                }
                done += 1;
            }
        }
    }

    /// Returns the turn phase of a state and the end of the states that fit into a pass with it.
    /// Returns `None` if lanes cannot process the state.
    fn pass(&self, count: usize, states: &[u64], start: usize) -> Option<(usize, usize)> {
        let (expansion, _) = self.lanes.as_ref()?;
        let phase_of = |place: usize| expansion.phase(row(self.game, states, place));
        let phase = phase_of(start)?;
        let most = count.min(start + RowExpansion::LANES);
        let end = (start + 1..most).find(|&place| phase_of(place) != Some(phase)).unwrap_or(most);
        Some((phase, end))
    }
}

/// Returns the words of one of the consecutive states.
fn row<'s, G: Game>(game: &G, states: &'s [u64], place: usize) -> &'s [u64] {
    let words = game.shape().state_words();
    &states[place * words..][..words]
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use gdl_compiler::{Options, Source, compile};
    use gdl_runtime::{Dynamic, engine::Table};

    #[test]
    fn states_go_through_lanes_unless_single_states_take_less() {
        let text = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (legal r go)
            (<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y))
            (<= terminal (true (at 2))) (goal r 50)";
        let compilation =
            compile(&Source::new("game", text), &Options::default()).expect("a sound rulesheet");
        for prefers in [true, false] {
            let mut table = Table::decode(&compilation.table).expect("a small table");
            table.prefer_lanes(prefers);
            let game = Dynamic::new(table);
            assert_eq!(StateBatch::new(&game).lanes.is_some(), prefers);
        }
    }
}
