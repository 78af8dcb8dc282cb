//! Sample states, for which plans are made.
//!
//! A random playout from the initial state lasts for [`SAMPLES`] states or until [`SAMPLE_FUEL`]
//! steps are spent. Relations that turn out to be too large to fill are marked in the survey. The
//! goal values of each state must be integers from 0 to 255. If fluents and moves were taken from
//! `base` and `input`, these must declare all fluents and legal moves of the states.

use super::{
    Relations, Stop,
    domain::{self, Domain},
    memory::Memory,
    program::Layer,
    survey::{OF_STATE, Survey},
    table::Measure,
};
use crate::{
    datalog::terms::TermId,
    rules::{Rules, Symbols},
    vocabulary::goal_value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of states of one random game that are measured before plans are made.
const SAMPLES: usize = 12;

/// The steps after which no further state is measured.
const SAMPLE_FUEL: u64 = 5_000_000;

/// A state, and the joint move that is made there.
pub(super) struct Sample {
    pub(super) state: Vec<TermId>,
    /// Pairs of a role and its move.
    pub(super) joint: Vec<Vec<TermId>>,
}

/// The checks of a sample state.
pub(super) struct Guard<'a> {
    k: &'a Relations,
    roles: &'a [TermId],
    role_set: FxHashSet<TermId>,
    symbols: &'a Symbols,
    declared: Option<Declared>,
}

/// The names that `base` and `input` declare, and the limit that was exceeded without them.
struct Declared {
    fluents: FxHashSet<TermId>,
    moves: FxHashSet<(TermId, TermId)>,
    excess: Stop,
}

impl<'a> Guard<'a> {
    pub(super) fn new(rules: &'a Rules, k: &'a Relations, roles: &'a [TermId], domain: &Domain) -> Self {
        let declared = domain.declared.map(|excess| Declared {
            fluents: domain.fluents.iter().copied().collect(),
            moves: domain.moves.iter().copied().collect(),
            excess,
        });
        Self { k, roles, role_set: roles.iter().copied().collect(), symbols: &rules.symbols, declared }
    }

    /// Checks that goal values are integers from 0 to 255 and that legal moves are declared.
    fn see(&self, memory: &Memory) -> Result<(), Stop> {
        let is_role = |(role, _): &(TermId, TermId)| self.role_set.contains(role);
        let mut goals = domain::pairs(memory, self.k.goal).into_iter().filter(is_role);
        if goals.any(|(_, value)| goal_value(value, &memory.terms, self.symbols).is_none()) {
            return Err(Stop::NoValue);
        }
        let Some(Declared { moves, excess, .. }) = &self.declared else { return Ok(()) };
        let mut legal = domain::pairs(memory, self.k.legal).into_iter().filter(is_role);
        if legal.all(|pair| moves.contains(&pair)) { Ok(()) } else { Err(*excess) }
    }

    /// The successor state. Fails if one of its fluents is not declared.
    fn follow(&self, memory: &Memory) -> Result<Vec<TermId>, Stop> {
        let next = domain::singles(memory, self.k.next);
        match &self.declared {
            Some(Declared { fluents, excess, .. }) if !next.iter().all(|id| fluents.contains(id)) => {
                Err(*excess)
            }
            _ => Ok(next),
        }
    }
}

/// Plays a random game and measures all views, averaged over its states. Returns the measures and
/// the states. Relations that turn out to be too large to fill are marked in the survey.
pub(super) fn measure(
    survey: &mut Survey<'_>,
    guard: &Guard<'_>,
    initial: &[TermId],
) -> Result<(Vec<Measure>, Vec<Sample>), Stop> {
    let Guard { k, roles, .. } = guard;
    let mut sums: Vec<Measure> = Vec::new();
    let mut list = Vec::new();
    let mut state = initial.to_vec();
    let start = survey.fuel();
    // A linear congruential generator (Knuth), since the choice of moves hardly matters.
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for samples in 1..=SAMPLES {
        survey.next_state();
        survey.give(k.fact, state.iter().map(|&fluent| vec![fluent]));
        let seen = [k.legal, k.goal, k.terminal, k.next, k.sees];
        let mut result = survey.fill_all(&seen, Layer::State, OF_STATE);
        let mut legal: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
        for (role, action) in domain::pairs(&survey.memory, k.legal) {
            legal.entry(role).or_default().push(action);
        }
        let mut joint = Vec::new();
        for &role in *roles {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if let Some(mine) = legal.get(&role) {
                joint.push(vec![role, mine[(random >> 33) as usize % mine.len()]]);
            }
        }
        let over = joint.len() < roles.len() || survey.memory.store.tables[k.terminal].len() > 0;
        survey.give(k.does, joint.iter().cloned());
        if result.is_ok() {
            result = survey.fill_all(&[k.next, k.sees], Layer::Moves, OF_STATE);
            // No step follows a terminal state.
            if over && matches!(result, Err(Stop::Undecided(_))) {
                break;
            }
        }
        match result {
            // A later state that exceeds the limits ends the samples; play may still fail there.
            Err(stop) if samples > 1 && stop.is_excess() => break,
            result => result.and_then(|()| guard.see(&survey.memory))?,
        }
        let measures = survey.measured();
        sums.resize_with(measures.len(), Measure::default);
        sums.iter_mut().zip(measures).for_each(|(sum, measure)| sum.add(measure, samples));
        let is_last = over || start - survey.fuel() > SAMPLE_FUEL;
        let next = if is_last { Vec::new() } else { guard.follow(&survey.memory)? };
        list.push(Sample { state: std::mem::replace(&mut state, next), joint });
        if is_last {
            break;
        }
    }
    sums.resize_with(survey.measured().len(), Measure::default);
    Ok((sums, list))
}
