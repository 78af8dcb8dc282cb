//! The vote on a move: each state of a belief is searched by itself, and the move with the most
//! votes is made.

use super::SearchResult;
use crate::player::{Belief, Budget};
use gdl_runtime::{Game, GameExt, Information, game::Id};
use std::time::Instant;

/// The maximum number of states that are searched if several are possible.
const WORLDS: usize = 8;

/// Searches the states that are consistent with the information and lets them vote. A single state
/// is searched with the whole budget. Up to [`WORLDS`] states share it equally; if there are more,
/// [`WORLDS`] of them are drawn.
///
/// A vote has the weight of its state, split over the moves by their visits. If the search has no
/// visits or an exact value, the whole vote is for its best move (Ginsberg, "GIB: imperfect
/// information in a computationally challenging game", 2001). If there is only one legal move,
/// nothing is searched.
pub(crate) fn vote<G: Game>(
    game: &G,
    belief: &mut Belief<G>,
    information: &Information<G>,
    budget: &Budget,
    mut search: impl FnMut(&G::State, &Budget) -> SearchResult<G>,
) -> SearchResult<G> {
    let start = Instant::now();
    belief.follow(game, information);
    let Some(world) = belief.draw() else { return SearchResult::only(None) };
    let world = world.clone();
    let mut legal = game.legal_moves(&world, information.role());
    let first = legal.next();
    if first.is_none() || legal.next().is_none() {
        return SearchResult::only(first);
    }
    if let Some(state) = belief.state() {
        let mut found = search(state, budget);
        found.action = found.action.or(first);
        return found;
    }
    let mut total = SearchResult::only(first);
    let mut votes: Vec<(G::Move, f64, f64, u64)> = Vec::new();
    let mut worlds: Vec<(G::State, f64)> = Vec::new();
    if belief.worlds().len() <= WORLDS {
        worlds.extend(belief.worlds().iter().map(|(state, weight)| (state.clone(), *weight as f64)));
    } else {
        worlds.extend((0..WORLDS).filter_map(|_| belief.draw().map(|state| (state.clone(), 1.0))));
    }
    let (mut value, mut weights) = (0.0, 0.0);
    let count = worlds.len();
    for (number, (state, weight)) in worlds.into_iter().enumerate() {
        if budget.is_spent() {
            break;
        }
        let found = search(&state, &budget.share(1.0 / (count - number) as f64, total.report.nodes));
        let tried = found.moves.iter().map(|&(_, visits, _)| visits).sum::<u64>();
        let alone = found.action.map(|action| (action, 1, found.report.value.unwrap_or(0.0)));
        let ballot: Vec<_> =
            if tried == 0 || found.report.exact { alone.into_iter().collect() } else { found.moves };
        let all = ballot.iter().map(|&(_, visits, _)| visits).sum::<u64>().max(1);
        for (action, visits, worth) in ballot {
            let share = weight * visits as f64 / all as f64;
            let place = votes.iter().position(|vote| vote.0 == action).unwrap_or_else(|| {
                votes.push((action, 0.0, 0.0, 0));
                votes.len() - 1
            });
            votes[place].1 += share;
            votes[place].2 += share * worth;
            votes[place].3 += visits;
        }
        value += weight * found.report.value.unwrap_or(0.0);
        weights += weight;
        let report = &mut total.report;
        report.nodes += found.report.nodes;
        report.playouts += found.report.playouts;
        report.cutoffs += found.report.cutoffs;
        report.table_hits += found.report.table_hits;
        report.depth = report.depth.max(found.report.depth);
        report.bytes = report.bytes.max(found.report.bytes);
        report.value = Some(value / weights);
    }
    votes.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.2.total_cmp(&a.2)).then(a.0.index().cmp(&b.0.index())));
    total.action = votes.first().map(|vote| vote.0).or(first);
    total.moves = votes
        .iter()
        .map(|&(action, share, sum, visits)| (action, visits, if share > 0.0 { sum / share } else { 0.0 }))
        .collect();
    total.report.seconds = start.elapsed().as_secs_f64();
    total
}
