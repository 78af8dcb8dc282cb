//! The sum of a puzzle's subgames: each is looked at apart, and what is aimed at in the puzzle is as far as it is in them together.
//!
//! An aim is a tree of conditions on single groups: all of some must hold, or any. All take the sum of their steps, as if no move
//! changed two groups, and any the least. So the way to the aim is found where the subgames' own ways can be gone in turn; elsewhere
//! the distance is a measure of promise like any other. Only a state from which some subgame never comes to what it must is lost.

use super::{
    factors::{Factors, Support},
    gates::{Lanes, NONE},
    subgame::{NEVER, Subgame, Target},
    sweep::End,
};
use crate::search::meter::Meter;
use std::{collections::BTreeMap, sync::Arc};

/// An aim of more parts than this takes too long to look at.
const MOST_PARTS: usize = 256;

/// What must be reached.
enum Aim {
    /// A target, by number.
    Target(usize),
    All(Vec<Aim>),
    Any(Vec<Aim>),
}

/// The distances of states from an aim.
pub(super) struct Sum {
    factors: Arc<Factors>,
    aim: Aim,
    subgames: Vec<Subgame>,
    /// The targets in the order of the subgames: the place of each in that.
    places: Vec<usize>,
    may: Vec<Lanes>,
}

impl Sum {
    /// Of the subgames from a state on, with a goal of so much aimed at. None if no group has to do with that, or there is too much
    /// to look at.
    pub(super) fn new(factors: &Arc<Factors>, root: &[u64], aim: u8) -> Option<Self> {
        let &(_, goal) = factors.goals.iter().find(|&&(value, _)| value == aim)?;
        let mut targets: Vec<Target> = Vec::new();
        let aim = aim_of(factors, goal, &mut targets, &mut { MOST_PARTS })?;
        let mut subgames = Vec::new();
        let mut places = vec![0; targets.len()];
        let mut place = 0;
        for group in 0..factors.groups.len() as u32 {
            let own: Vec<usize> =
                (0..targets.len()).filter(|&number| targets[number].group == group).collect();
            if own.is_empty() {
                continue;
            }
            for &number in &own {
                places[number] = place;
                place += 1;
            }
            let own = own.into_iter().map(|number| targets[number].clone()).collect();
            subgames.push(Subgame::new(factors, group, own, root));
        }
        let (factors, may) = (factors.clone(), Vec::new());
        (!subgames.is_empty()).then(|| Self { factors, aim, subgames, places, may })
    }

    /// If all subgames have so few states that the fluents that must change tell as much.
    pub(super) fn is_trivial(&self) -> bool {
        const FEW: usize = 16;
        self.subgames.iter().all(|subgame| subgame.len() < FEW)
    }

    /// Looks at the subgames until all is known of them, the meter has counted so many nodes more, or there is no room for them in so
    /// many bytes.
    pub(super) fn go_on(&mut self, meter: &mut Meter, nodes: u64, bytes: usize) -> End {
        let end = meter.nodes() + nodes;
        let Some(mut left) = bytes.checked_sub(self.bytes_beside()) else { return End::Full };
        let Self { factors, subgames, may, .. } = self;
        may.resize(2 * factors.graph.nodes(), NONE);
        for subgame in subgames.iter_mut() {
            let end = subgame.go_on(factors, may, meter, end, left);
            if end != End::Done {
                return end;
            }
            left = left.saturating_sub(subgame.bytes());
        }
        End::Done
    }

    /// How many subgames there are.
    pub(super) fn len(&self) -> usize {
        self.subgames.len()
    }

    /// How far a state is from the aim; [`NEVER`] if it is known to be lost.
    pub(super) fn distance(&self, row: &[u64]) -> u16 {
        let known: Vec<u16> = self.subgames.iter().flat_map(|subgame| subgame.distances(row)).collect();
        measure(&self.aim, &|target| known[self.places[target]])
    }

    /// Bytes in use, or about to be.
    pub(super) fn bytes(&self) -> usize {
        self.bytes_beside() + self.subgames.iter().map(Subgame::bytes).sum::<usize>()
    }

    /// Bytes of what is not of one subgame.
    fn bytes_beside(&self) -> usize {
        self.factors.bytes() + 2 * self.factors.graph.nodes() * size_of::<Lanes>()
    }
}

/// The conditions on single groups of which a signal is made up, and how.
fn aim_of(factors: &Factors, signal: u32, targets: &mut Vec<Target>, left: &mut usize) -> Option<Aim> {
    *left = left.checked_sub(1)?;
    let is_all = signal & 1 == 0;
    let parts = match factors.support(signal) {
        // Clocks tell nothing about the groups.
        Support::Nothing => return Some(Aim::All(Vec::new())),
        Support::Group(_) => vec![signal],
        Support::Groups => {
            let parts = factors.conjuncts(signal & !1).into_iter();
            parts.map(|part| part ^ u32::from(!is_all)).collect()
        }
    };
    let mut aims = Vec::new();
    let mut of_groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for part in parts {
        if let Support::Group(group) = factors.support(part) {
            of_groups.entry(group).or_default().push(part);
        } else {
            aims.push(aim_of(factors, part, targets, left)?);
        }
    }
    for (group, signals) in of_groups {
        let target = Target { group, is_all, signals };
        let place = targets.iter().position(|known| *known == target).unwrap_or(targets.len());
        if place == targets.len() {
            targets.push(target);
        }
        aims.push(Aim::Target(place));
    }
    Some(if is_all { Aim::All(aims) } else { Aim::Any(aims) })
}

/// The distance of an aim, given that of each target.
fn measure(aim: &Aim, of: &impl Fn(usize) -> u16) -> u16 {
    match aim {
        Aim::Target(target) => of(*target),
        Aim::All(aims) => aims.iter().fold(0, |sum, aim| {
            let more = measure(aim, of);
            if sum == NEVER || more == NEVER { NEVER } else { sum.saturating_add(more).min(NEVER - 1) }
        }),
        Aim::Any(aims) => aims.iter().map(|aim| measure(aim, of)).min().unwrap_or(NEVER),
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use crate::{player::Budget, search::planner::outlook::Outlook};
    use gdl_runtime::{Dynamic, Game, GameExt, game::Id, load};
    use std::collections::HashMap;

    /// Two walkers on a line with a pit at its end; `goal` is what is aimed at.
    fn walkers(rules: &str, goal: &str) -> Dynamic {
        let text = format!(
            "(role player) (walker ann) (walker bob) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 pit)
            (init (at ann 0)) (init (at bob 1)) (other ann bob) (other bob ann)
            (<= (there ?w) (true (at ?w 3))) (<= all {goal}) (<= terminal all)
            (<= (goal player 100) all) (<= (goal player 0) (not all))
            (<= (next (at ?w ?n)) (forth ?w) (true (at ?w ?m)) (succ ?m ?n))
            (<= (next (at ?w ?m)) (back ?w) (true (at ?w ?n)) (succ ?m ?n) (distinct ?n pit))
            (<= (next (at ?w 0)) (back ?w) (true (at ?w 0))) (<= (next (at ?w pit)) (true (at ?w pit)))
            (<= (next (at ?w ?n)) (true (at ?w ?n)) (not (moved ?w)))
            (<= (moved ?w) (forth ?w)) (<= (moved ?w) (back ?w)) {rules}"
        );
        load(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A move is one walker's.
    const SERIAL: &str =
        "(<= (legal player (forth ?w)) (walker ?w)) (<= (legal player (back ?w)) (walker ?w))
        (<= (forth ?w) (does player (forth ?w))) (<= (back ?w) (does player (back ?w)))";

    /// A move is both walkers'.
    const PARALLEL: &str = "(way forth) (way back) (way stay)
        (<= (legal player (go ?a ?b)) (way ?a) (way ?b))
        (<= (forth ann) (does player (go forth ?b))) (<= (forth bob) (does player (go ?a forth)))
        (<= (back ann) (does player (go back ?b))) (<= (back bob) (does player (go ?a back)))";

    /// One walker goes forth at even steps only, and not without end.
    const TIMED: &str =
        "(init (beat 0)) (<= (next (beat 1)) (true (beat 0))) (<= (next (beat 0)) (true (beat 1)))
        (<= (legal player (forth ann)) (true (beat 0))) (legal player (forth bob))
        (<= (legal player (back ?w)) (walker ?w))
        (<= (forth ?w) (does player (forth ?w))) (<= (back ?w) (does player (back ?w)))";

    /// For all states that play comes to: what the sum of subgames says, and how many moves it takes.
    fn distances(game: &Dynamic) -> Vec<(u16, Option<u16>)> {
        let table = game.table().expect("a small game");
        let factors = Factors::new(table, Outlook::new(table).expect("a puzzle").clocks());
        let initial = game.initial();
        let mut sum =
            Sum::new(&Arc::new(factors.expect("two walkers")), initial.as_ref(), 100).expect("a goal");
        assert_eq!(sum.len(), 2);
        let mut meter = Meter::new(&Budget::unlimited(), u64::MAX);
        assert_eq!(sum.go_on(&mut meter, u64::MAX / 2, usize::MAX), End::Done);
        let role = game.roles().next().expect("a role");
        let mut states = vec![initial.clone()];
        let mut numbers = HashMap::from([(initial.as_ref().to_vec(), 0)]);
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(state) = states.get(next).cloned() {
            if !game.is_terminal(&state) {
                for action in game.legal_moves(&state, role) {
                    let after = game.apply(&state, &[action]).expect("legal");
                    let number = *numbers.entry(after.as_ref().to_vec()).or_insert(states.len());
                    if number == states.len() {
                        states.push(after);
                    }
                    edges.push((next, number));
                }
            }
            next += 1;
        }
        let is_won = |state| game.is_terminal(state) && game.goal(state, role) == Some(100);
        let mut true_ones: Vec<Option<u16>> = states.iter().map(|state| is_won(state).then_some(0)).collect();
        for _ in 0..states.len() {
            for &(from, to) in &edges {
                let through = true_ones[to].map(|distance| distance + 1);
                true_ones[from] = match (true_ones[from], through) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        assert!(role.index() == 0 && states.len() > 8);
        states.iter().map(|state| sum.distance(state.as_ref())).zip(true_ones).collect()
    }

    #[test]
    fn steps_of_subgames_in_turn_add_up_to_the_moves_of_the_puzzle() {
        for goal in
            ["(there ann) (there bob)", "(or (there ann) (there bob))", "(there ann) (not (true (at bob 1)))"]
        {
            let game = walkers(SERIAL, goal);
            let mut lost = 0;
            for (sum, truth) in distances(&game) {
                lost += usize::from(sum == NEVER);
                assert_eq!(sum, truth.unwrap_or(NEVER), "{goal}");
            }
            // Where one walker is enough none gets into the pit.
            assert_eq!(lost == 0, goal.starts_with("(or"), "{goal}");
        }
    }

    #[test]
    fn the_puzzle_is_over_where_a_subgame_ends_it() {
        let rules = format!("{SERIAL} (<= terminal (true (at bob 0)))");
        let distances = distances(&walkers(&rules, "(there ann) (there bob)"));
        for (sum, truth) in distances {
            assert_eq!(sum, truth.unwrap_or(NEVER));
        }
    }

    #[test]
    fn what_a_sum_calls_lost_is_lost() {
        for rules in [PARALLEL, TIMED] {
            let distances = distances(&walkers(rules, "(there ann) (there bob)"));
            assert!(distances.iter().any(|&(sum, _)| sum == NEVER));
            for (sum, truth) in distances {
                assert_eq!(sum == NEVER, truth.is_none());
                assert_eq!(sum == 0, truth == Some(0));
            }
        }
    }

    #[test]
    fn clocks_of_which_only_the_goal_speaks_are_left_open() {
        const BEAT: &str =
            "(init (beat 0)) (<= (next (beat 1)) (true (beat 0))) (<= (next (beat 0)) (true (beat 1)))";
        let both = "(true (at ann 3)) (true (at bob 3))";
        for goal in [
            format!("{both} (true (beat 1))"),
            "(or (at_beat ann) (at_beat bob)) (true (at ann 2))".to_owned(),
        ] {
            let rules = "(<= (at_beat ?w) (there ?w) (true (beat 1))) (<= (at_beat ?w) (true (at ?w 2)) (true (beat 0)))";
            let all = distances(&walkers(&format!("{SERIAL} {BEAT} {rules}"), &goal));
            assert!(all.iter().any(|&(sum, _)| sum == NEVER));
            for (sum, truth) in all {
                assert!(sum != NEVER || truth.is_none(), "{goal}");
            }
        }
    }

    #[test]
    fn clocks_on_which_a_subgame_depends_are_a_part_of_it() {
        let game = walkers(TIMED, "(there ann) (true (at bob 1))");
        let all = distances(&game);
        // Ann goes three steps at every second move, from a move at which she may.
        assert_eq!(all[0], (5, Some(5)));
    }
}
