//! The domain: all fluents that can ever hold, and all moves and percepts that can ever occur. They
//! name the bits of rows.
//!
//! The domain is computed from the clauses, once the relations that depend on the rules alone are
//! filled. It is the least model of the [`relaxed`](super::clause::relaxed) clauses, as in planning
//! without delete lists (Bonet and Geffner 2001). Every state that play can reach is a subset of
//! the model, by induction over the moves that lead there. A clause that derives an atom in a state
//! derives it in the model too. Grounding finds the same atoms, but here no instances are kept, and
//! a clause stops at the first proof of an atom. If even this search exceeds the limits, `base` and
//! `input` are trusted, provided that the rules have both and no percepts. Sample states that
//! contradict them are an error.
//!
//! In some games terms grow as long as the game lasts. Their least model is infinite, so names are
//! found step by step ([`Search::layered`]). Each layer has the atoms that may hold after a number
//! of steps, again without negation. The search ends when a layer repeats. Otherwise it ends before
//! there are more than [`NAMES`] names, and later steps have no answer.
//!
//! There are at most [`ATTEMPTS`] attempts. Each has its share of the fuel, and the bytes of an
//! evaluation, which it frees afterwards.

use super::{
    Relations, Stop,
    clause::{self, Clause},
    memory::Memory,
    program::{Layer, Program},
    survey::{OF_RULES, Survey},
};
use crate::{Limits, datalog::terms::TermId, rules::Rules};
use rustc_hash::FxHashSet;

/// The terms of a domain, not named yet.
#[derive(Debug, Default)]
pub(super) struct Domain {
    pub(super) fluents: Vec<TermId>,
    /// Pairs of role and move.
    pub(super) moves: Vec<(TermId, TermId)>,
    /// Pairs of role and percept.
    pub(super) percepts: Vec<(TermId, TermId)>,
    /// The exceeded limit, if fluents and moves are taken from `base` and `input` because of it.
    pub(super) declared: Option<Stop>,
    /// The number of steps that were searched, if later steps may have more fluents and moves.
    pub(super) steps: Option<usize>,
}

/// The tuples of a relation of two arguments.
pub(super) fn pairs(memory: &Memory, relation: usize) -> Vec<(TermId, TermId)> {
    let table = &memory.store.tables[relation];
    (0..table.len()).map(|i| (table.tuple(i)[0], table.tuple(i)[1])).collect()
}

/// The tuples of a relation of one argument.
pub(super) fn singles(memory: &Memory, relation: usize) -> Vec<TermId> {
    let table = &memory.store.tables[relation];
    (0..table.len()).map(|i| table.tuple(i)[0]).collect()
}

/// The share of [`Limits::fuel`] that an attempt before the last may take: one part in this number.
const FUEL_SHARE: u64 = 5;

/// The greatest number of attempts. Each has weaker clauses than the one before, except for the
/// last, which has all clauses and all fuel.
const ATTEMPTS: usize = 4;

/// The number of tuples beyond which literals for a relation may be dropped.
const VAST: u32 = 20_000;

/// The greatest number of names of a game in which terms grow, so that rows of bits stay short.
const NAMES: usize = 1 << 16;

/// The greatest number of fluents of all layers together, in a game in which terms grow.
const LAYERED: usize = 1 << 20;

/// The data of the search for the domain.
pub(super) struct Search<'s, 'p> {
    pub(super) rules: &'s Rules,
    pub(super) relaxed: &'s [Clause],
    /// For each relation, whether it depends on the state or the moves. The tables of these
    /// relations are empty after the search.
    pub(super) dynamic: &'s [bool],
    pub(super) survey: &'s mut Survey<'p>,
    pub(super) limits: &'s Limits,
}

impl Search<'_, '_> {
    /// Computes the domain: layer by layer if terms grow without bound, otherwise from the relaxed
    /// clauses. If the relaxed clauses exceed the limits, `base` and `input` declare the domain.
    pub(super) fn run(mut self) -> Result<Domain, Stop> {
        if self.rules.grows {
            return self.layered();
        }
        match self.reachable() {
            Err(stop) if stop.is_excess() => self.declared(stop),
            domain => domain,
        }
    }

    /// Finds the domain by the relaxed clauses. If that exceeds the limits, tries again with
    /// literals for vast relations dropped.
    fn reachable(&mut self) -> Result<Domain, Stop> {
        let Self { rules, relaxed, dynamic, ref mut survey, limits } = *self;
        let k = &rules.keywords;
        let (fact, does, legal, next, sees) =
            (k.fact.index(), k.does.index(), k.legal.index(), k.next.index(), k.sees.index());
        // All relations that depend on time are one layer here, including those that depend on time
        // only by dropped negations.
        let is_timed: Vec<bool> = (0..dynamic.len()).map(|r| dynamic[r] || r == does).collect();
        let given: Vec<(usize, Layer)> =
            (0..dynamic.len()).filter(|&r| is_timed[r]).map(|r| (r, Layer::State)).collect();
        let short = Limits { fuel: limits.fuel / FUEL_SHARE, ..limits.clone() };
        let mut weaker = relaxed.to_vec();
        let mut attempt = 1;
        loop {
            let is_last = attempt == ATTEMPTS;
            let (clauses, limits) = if is_last { (relaxed, limits) } else { (&*weaker, &short) };
            let program = Program::new(clauses.to_vec(), rules.relations.len(), &given, limits)?;
            let mut inner = Survey::new(&program, rules, std::mem::take(&mut survey.memory), limits);
            inner.demanded.clone_from(&survey.demanded);
            let result = inner.fill_all(&[fact, does, sees], Layer::State, OF_RULES);
            let memory = &mut survey.memory;
            *memory = inner.memory;
            let is_asked = |r: usize| [fact, does, legal, next, sees].contains(&r);
            let vast: Vec<bool> =
                (0..dynamic.len()).map(|r| !is_asked(r) && memory.store.tables[r].len() > VAST).collect();
            let domain = result.map(|()| Domain {
                fluents: singles(memory, fact),
                moves: pairs(memory, does),
                percepts: pairs(memory, sees),
                ..Domain::default()
            });
            (0..dynamic.len()).filter(|&r| is_timed[r]).for_each(|r| memory.store.drop_table(r));
            if is_last || !matches!(domain, Err(Stop::Fuel | Stop::Bytes)) {
                return domain;
            }
            let is_weaker = clause::drop_demands(&mut weaker, &is_timed, &vast);
            attempt = if is_weaker { attempt + 1 } else { ATTEMPTS };
        }
    }

    /// Takes the domain from `base` and `input`. Returns the earlier error, `excess`, if they are
    /// missing or cannot be filled, or if the rules have percepts. A cancellation is returned as
    /// such.
    fn declared(&mut self, excess: Stop) -> Result<Domain, Stop> {
        let Self { rules, survey, .. } = self;
        let k = &rules.keywords;
        let (base, input, init) = (k.base.index(), k.input.index(), k.init.index());
        survey.fill_all(&[base, input], Layer::Rules, OF_RULES).map_err(|stop| match stop {
            Stop::Cancelled(_) => stop,
            _ => excess,
        })?;
        let mut fluents = singles(&survey.memory, base);
        let moves = pairs(&survey.memory, input);
        if fluents.is_empty() || moves.is_empty() || rules.has_percepts() {
            return Err(excess);
        }
        fluents.extend(singles(&survey.memory, init));
        Ok(Domain { fluents, moves, declared: Some(excess), ..Domain::default() })
    }

    /// Finds the domain step by step.
    fn layered(&mut self) -> Result<Domain, Stop> {
        let Self { rules, relaxed, dynamic, ref mut survey, limits } = *self;
        let k = Relations::of(&rules.keywords);
        let init = rules.keywords.init.index();
        let is_timed: Vec<bool> = (0..dynamic.len()).map(|r| dynamic[r] || r == k.does).collect();
        let given: Vec<(usize, Layer)> =
            (0..dynamic.len()).filter(|&r| is_timed[r]).map(|r| (r, Layer::State)).collect();
        // A `next` fluent holds in the following layer.
        let clauses: Vec<Clause> =
            relaxed.iter().filter(|clause| clause.head.relation != k.fact).cloned().collect();
        let short = Limits { fuel: limits.fuel / FUEL_SHARE, ..limits.clone() };
        let program = Program::new(clauses, rules.relations.len(), &given, &short)?;
        let mut inner = Survey::new(&program, rules, std::mem::take(&mut survey.memory), &short);
        inner.demanded.clone_from(&survey.demanded);
        let mut names = Layers::default();
        let mut layer = singles(&inner.memory, init);
        let mut stop = None;
        while stop.is_none() && names.add_fluents(&mut layer) {
            inner.next_state();
            inner.give(k.fact, layer.iter().map(|&fluent| vec![fluent]));
            match inner.fill_all(&[k.does, k.next, k.sees], Layer::State, OF_RULES) {
                Ok(()) => {
                    names.add_moves(&pairs(&inner.memory, k.does), &pairs(&inner.memory, k.sees));
                    layer = singles(&inner.memory, k.next);
                }
                Err(found) => stop = Some(found),
            }
        }
        let memory = &mut survey.memory;
        *memory = inner.memory;
        (0..dynamic.len()).filter(|&r| is_timed[r]).for_each(|r| memory.store.drop_table(r));
        match stop {
            Some(stop) if !stop.is_excess() || names.steps == 0 => Err(stop),
            _ => Ok(names.into_domain(stop.is_some())),
        }
    }
}

/// The names found so far, layer by layer.
#[derive(Default)]
struct Layers {
    fluents: FxHashSet<TermId>,
    moves: FxHashSet<(TermId, TermId)>,
    percepts: FxHashSet<(TermId, TermId)>,
    /// The layers so far, each sorted, to detect repetition.
    known: FxHashSet<Vec<TermId>>,
    /// The number of fluents of all layers together.
    kept: usize,
    /// The number of layers that were added.
    steps: usize,
    is_full: bool,
}

impl Layers {
    /// Adds the fluents that may hold after `steps` steps. Returns false if the layer is known, or
    /// if it would exceed a limit.
    fn add_fluents(&mut self, layer: &mut Vec<TermId>) -> bool {
        layer.sort_unstable();
        layer.dedup();
        let new = layer.iter().filter(|fluent| !self.fluents.contains(fluent)).count();
        let size = self.fluents.len() + self.moves.len() + self.percepts.len();
        self.is_full = size + new > NAMES || self.kept + layer.len() > LAYERED;
        if self.is_full || !self.known.insert(layer.clone()) {
            return false;
        }
        self.kept += layer.len();
        self.steps += 1;
        self.fluents.extend(layer.iter());
        true
    }

    fn add_moves(&mut self, moves: &[(TermId, TermId)], percepts: &[(TermId, TermId)]) {
        self.moves.extend(moves);
        self.percepts.extend(percepts);
    }

    fn into_domain(self, is_cut: bool) -> Domain {
        fn sorted<T: Ord>(set: FxHashSet<T>) -> Vec<T> {
            let mut list: Vec<T> = set.into_iter().collect();
            list.sort_unstable();
            list
        }
        Domain {
            fluents: sorted(self.fluents),
            moves: sorted(self.moves),
            percepts: sorted(self.percepts),
            declared: None,
            steps: (is_cut || self.is_full).then(|| self.steps.saturating_sub(1)),
        }
    }
}
