//! From what a role knows to a move: in come a belief and a search of one state, out goes what most states speak for.

use super::Found;
use crate::{
    game::{Game, Id},
    player::{Belief, Budget, InformationOf},
};
use std::time::Instant;

/// States that are searched where several are possible.
const WORLDS: usize = 8;

/// Searches the states that fit the information. One state is searched with the whole budget. Of many, some are
/// drawn and searched with a share each; a move counts by how often it was tried there, or once where the search finds
/// nothing but a move (Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001). Where there
/// is only one legal move nothing is searched.
pub(crate) fn vote<G: Game>(
    game: &G,
    belief: &mut Belief<G>,
    information: &InformationOf<G>,
    budget: &Budget,
    mut search: impl FnMut(&G::State, &Budget) -> Found<G>,
) -> Found<G> {
    let start = Instant::now();
    belief.follow(game, information);
    let Some(world) = belief.draw() else { return Found::only(None) };
    let world = world.clone();
    let mut legal = game.legal(&world, information.role());
    let first = legal.next();
    if first.is_none() || legal.next().is_none() {
        return Found::only(first);
    }
    if let Some(state) = belief.state() {
        let mut found = search(state, budget);
        found.action = found.action.or(first);
        return found;
    }
    let mut total = Found::only(first);
    let mut votes: Vec<(G::Move, f64, f64, u64)> = Vec::new();
    let worlds = WORLDS.min(belief.worlds().len());
    let mut value = 0.0;
    for number in 0..worlds {
        if budget.is_spent() {
            break;
        }
        let state = if number == 0 { world.clone() } else { belief.draw().unwrap_or(&world).clone() };
        let found = search(&state, &budget.share(1.0 / (worlds - number) as f64, total.report.nodes));
        let tried = found.moves.iter().map(|&(_, visits, _)| visits).sum::<u64>();
        let alone = found.action.map(|action| (action, 1, found.report.value.unwrap_or(0.0)));
        let ballot = if tried == 0 { alone.into_iter().collect() } else { found.moves };
        for (action, visits, worth) in ballot {
            let share = visits as f64 / tried.max(1) as f64;
            let place = votes.iter().position(|vote| vote.0 == action).unwrap_or_else(|| {
                votes.push((action, 0.0, 0.0, 0));
                votes.len() - 1
            });
            votes[place].1 += share;
            votes[place].2 += share * worth;
            votes[place].3 += visits;
        }
        value += found.report.value.unwrap_or(0.0);
        let report = &mut total.report;
        report.nodes += found.report.nodes;
        report.playouts += found.report.playouts;
        report.cutoffs += found.report.cutoffs;
        report.table_hits += found.report.table_hits;
        report.depth = report.depth.max(found.report.depth);
        report.bytes = report.bytes.max(found.report.bytes);
        report.value = Some(value / (number + 1) as f64);
    }
    votes.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.2.total_cmp(&a.2)).then(a.0.index().cmp(&b.0.index())));
    total.action = votes.first().map(|vote| vote.0).or(first);
    total.moves = votes.iter().map(|&(action, share, sum, visits)| (action, visits, sum / share)).collect();
    total.report.seconds = start.elapsed().as_secs_f64();
    total
}
