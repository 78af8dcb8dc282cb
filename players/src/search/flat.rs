//! Flat Monte Carlo: finds the move with the best mean goal in random games.

use super::{
    SearchResult,
    meter::Meter,
    mind::MatchMemory,
    rollouts::{RolloutKind, Rollouts},
};
use crate::player::{Budget, Player, Report};
use gdl_runtime::{Game, GameExt, Information, chance::Stream};

/// A search that plays random games after each legal move, the same number for each, without a
/// tree.
///
/// The moves of other roles and of chance are drawn at random. A node of the budget is a state from
/// which random games start: one game, or hundreds in lanes.
///
/// ```
/// use gdl_players::{Budget, search::FlatMonteCarlo};
/// use gdl_runtime::{Game, GameExt, gdl};
///
/// gdl!(name = doors, rules = r"
///     (role guest) (init shut)
///     (legal guest left) (legal guest right)
///     (<= (next (went ?d)) (does guest ?d)) (<= terminal (true (went ?d)))
///     (<= (goal guest 100) (true (went right))) (<= (goal guest 0) (not (true (went right))))
/// ");
///
/// let game = doors::game();
/// let found = FlatMonteCarlo::new().seed(1).search(&game, &game.initial(), doors::Role::Guest, &Budget::of_nodes(10));
/// assert_eq!(game.move_text(found.action.unwrap()), "right");
/// assert_eq!(found.report.value, Some(100.0));
/// ```
#[derive(Debug)]
pub struct FlatMonteCarlo<G: Game> {
    seed: u64,
    in_lanes: bool,
    searches: u64,
    mind: MatchMemory<G>,
}

impl<G: Game> FlatMonteCarlo<G> {
    /// The number of nodes of a search whose budget has no limit.
    pub const DEFAULT_NODES: u64 = 10_000;

    /// Creates a search that plays hundreds of games at once in lanes if possible.
    #[must_use]
    pub fn new() -> Self {
        Self { seed: 0, in_lanes: true, searches: 0, mind: MatchMemory::new(0) }
    }

    /// Sets the seed of the random games and of the samples of hidden states; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.mind = MatchMemory::new(seed);
        self
    }

    /// Plays one random game for each node, even where lanes could play hundreds at once.
    #[must_use]
    pub fn single(mut self) -> Self {
        self.in_lanes = false;
        self
    }

    /// Searches a state for a role.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> SearchResult<G> {
        let mut view = game.new_view();
        game.observe_without_goals(state, &mut view);
        let moves: Vec<G::Move> = game.legal_moves_in(&view, role).collect();
        let first = moves.first().copied().filter(|_| !game.is_terminal_in(&view));
        if first.is_none() || budget.is_spent() {
            return SearchResult::only(first);
        }
        let mut found = SearchResult::only(first);
        let mut meter = Meter::new(budget, Self::DEFAULT_NODES);
        let in_lanes = self.in_lanes && budget.nodes().is_none_or(|nodes| nodes > 64);
        let mut rollouts =
            Rollouts::new(game, RolloutKind::of(in_lanes), self.seed.wrapping_add(self.searches << 32), 0);
        let mut stream = Stream::new(self.seed, u64::MAX / 2 + self.searches);
        self.searches += 1;
        let mut sums = vec![(0_u64, 0.0_f64); moves.len()];
        let mut batch: Vec<(usize, G::State)> = Vec::new();
        let mut means = Vec::new();
        let mut next = 0;
        loop {
            while batch.len() < rollouts.batch() && meter.tick() {
                let joint: Option<Vec<G::Move>> = game
                    .roles()
                    .map(|r| {
                        if r == role { Some(moves[next]) } else { game.random_move_in(&view, r, &mut stream) }
                    })
                    .collect();
                let Some(joint) = joint else { return found };
                batch.push((next, game.apply_unchecked(state, &joint)));
                next = (next + 1) % moves.len();
            }
            if batch.is_empty() {
                break;
            }
            let states: Vec<&G::State> = batch.iter().map(|(_, state)| state).collect();
            found.report.playouts += rollouts.play(&states, &mut means);
            let roles = game.shape().roles;
            for ((place, _), judged) in batch.drain(..).zip(means.chunks(roles)) {
                sums[place].0 += 1;
                sums[place].1 += f64::from(judged[gdl_runtime::game::Id::index(role)]);
            }
        }
        let tried = moves.iter().zip(&sums).filter(|(_, (visits, _))| *visits > 0);
        found.moves = tried.map(|(&action, &(visits, sum))| (action, visits, sum / visits as f64)).collect();
        found.moves.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        if let Some(&(action, _, value)) = found.moves.first() {
            found.action = Some(action);
            found.report.value = Some(value);
        }
        found.report.depth = 1;
        found.report.nodes = meter.nodes();
        found.report.seconds = meter.seconds();
        found
    }
}

impl<G: Game> Default for FlatMonteCarlo<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for FlatMonteCarlo<G> {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        MatchMemory::decide(self, |player| &mut player.mind, Self::search, game, information, budget)
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}
