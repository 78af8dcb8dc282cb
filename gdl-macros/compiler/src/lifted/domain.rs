//! What can ever hold, be done and be perceived: the names that the rows of bits are made of.
//!
//! The terms of the fluents, moves and percepts are found from the clauses, once the relations that depend on the rules
//! alone are filled. They are those of the least model of the [`relaxed`](super::clause::relaxed)
//! clauses, as in planning without delete lists (Bonet and Geffner 2001): every state that play can reach is
//! a part of it, by induction over the moves that lead there, since each clause that gives something in a
//! state gives it there too. It is what grounding finds too, but only atoms are kept and not the instances that make
//! them, and a clause stops at the first proof of an atom. If even that takes too much, `base` and
//! `input` are taken at their word where the rules have them, unless sample states show more.
//!
//! There are [`ATTEMPTS`] attempts at most, each with its part of the fuel and as many bytes as an evaluation may take, which
//! are given back.

use super::{
    Stop,
    clause::{self, Clause},
    memory::Memory,
    program::{Layer, Program},
    survey::{OF_RULES, Survey},
};
use crate::{Limits, datalog::terms::TermId, rules::Rules};

/// Terms, without names yet.
#[derive(Debug, Default)]
pub(super) struct Domain {
    pub(super) fluents: Vec<TermId>,
    /// Role and move.
    pub(super) moves: Vec<(TermId, TermId)>,
    /// Role and percept.
    pub(super) percepts: Vec<(TermId, TermId)>,
    /// Why fluents and moves are those of `base` and `input`, if they are.
    pub(super) declared: Option<Stop>,
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

/// Which part of [`Limits::fuel`] one attempt may take.
const FUEL_SHARE: u64 = 5;

/// Attempts, each with weaker clauses than the one before; the last is with all clauses and all fuel.
const ATTEMPTS: usize = 4;

/// Tuples from which on a relation is not worth its cost.
const VAST: u32 = 20_000;

/// What the domain is sought in.
pub(super) struct Search<'s, 'p> {
    pub(super) rules: &'s Rules,
    pub(super) relaxed: &'s [Clause],
    /// Which relations depend on the state or the moves; their tables are empty afterwards.
    pub(super) dynamic: &'s [bool],
    pub(super) survey: &'s mut Survey<'p>,
    pub(super) limits: &'s Limits,
}

impl Search<'_, '_> {
    /// The domain by the relaxed clauses, or as the rules declare it if that takes too much.
    pub(super) fn run(mut self) -> Result<Domain, Stop> {
        match self.reachable() {
            Err(stop) if stop.is_excess() => self.declared(stop),
            domain => domain,
        }
    }

    /// The domain by the relaxed clauses, or if that takes too much by weaker ones that do without relations that
    /// grew vast.
    fn reachable(&mut self) -> Result<Domain, Stop> {
        let Self { rules, relaxed, dynamic, ref mut survey, limits } = *self;
        let k = &rules.keywords;
        let (fact, does, legal, next, sees) =
            (k.fact.index(), k.does.index(), k.legal.index(), k.next.index(), k.sees.index());
        // What depends on time is all one here, and stays so where a negation that made it depend is gone.
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
                declared: None,
            });
            (0..dynamic.len()).filter(|&r| is_timed[r]).for_each(|r| memory.store.drop_table(r));
            if is_last || !matches!(domain, Err(Stop::Fuel | Stop::Bytes)) {
                return domain;
            }
            let is_weaker = clause::drop_demands(&mut weaker, &is_timed, &vast);
            attempt = if is_weaker { attempt + 1 } else { ATTEMPTS };
        }
    }

    /// The domain as `base` and `input` have it, if they are there and that is enough; otherwise what stood in the way before.
    fn declared(&mut self, excess: Stop) -> Result<Domain, Stop> {
        let Self { rules, survey, .. } = self;
        let k = &rules.keywords;
        let (base, input, init) = (k.base.index(), k.input.index(), k.init.index());
        survey.fill_all(&[base, input], Layer::Rules, OF_RULES).map_err(|_| excess)?;
        let mut fluents = singles(&survey.memory, base);
        let moves = pairs(&survey.memory, input);
        if fluents.is_empty() || moves.is_empty() || rules.has_percepts() {
            return Err(excess);
        }
        fluents.extend(singles(&survey.memory, init));
        Ok(Domain { fluents, moves, percepts: Vec::new(), declared: Some(excess) })
    }
}
