//! The code of a program: the components to fill for each purpose, and the code of their clauses
//! and of the procedures that the clauses call.
//!
//! A [`LiftedCode`] is made from a program, the relations that are called instead of filled, and
//! the sizes of the others. It fills the tables of a [`Memory`].

use super::{
    Relations, Stop, fixpoint,
    machine::Machine,
    memory::Memory,
    plan::{Effort, Planner, Procedures, Step},
    program::{Layer, Program},
    table::{Measure, Store},
};

/// The code that evaluates a program in each state.
#[derive(Debug)]
pub(super) struct LiftedCode {
    procedures: Procedures,
    /// The plan of each clause.
    plans: Vec<ClausePlan>,
    pub(super) phases: Phases,
}

/// The code of a clause that is filled: of the clause itself and of each of its variants.
#[derive(Debug, Default)]
struct ClausePlan {
    whole: Vec<Step>,
    variants: Vec<Vec<Step>>,
}

/// The components to fill: `observe` for a state without its goals. The other lists are in addition
/// to `observe`: `score` for the goals, `advance` for a step and `perceive` for percepts.
#[derive(Debug, Default)]
pub(super) struct Phases {
    pub(super) observe: Vec<usize>,
    pub(super) score: Vec<usize>,
    pub(super) advance: Vec<usize>,
    pub(super) perceive: Vec<usize>,
}

impl LiftedCode {
    /// Plans a program: `demanded` relations are called and all others filled. Adds the indexes
    /// that the code needs to `store`.
    ///
    /// # Errors
    /// Returns an error if planning exceeds its steps or the code exceeds its bytes.
    pub(super) fn new(
        program: &Program,
        k: &Relations,
        demanded: &[bool],
        measures: &[Measure],
        store: &mut Store,
        effort: &Effort,
    ) -> Result<Self, Stop> {
        let phases = Phases::new(program, k, demanded);
        let mut procedures = Procedures::default();
        let mut planner = Planner { program, demanded, measures, store, procedures: &mut procedures, effort };
        let plans = plans(&mut planner, &phases)?;
        planner.procedures_from(0)?;
        Ok(Self { procedures, plans, phases })
    }

    /// Fills components; the components that they depend on must be filled. `fixed` has tables in
    /// addition to those of the memory, and marks their relations.
    ///
    /// # Errors
    /// Returns an error if the steps or bytes of the memory are exceeded, or if the rules leave an
    /// atom undefined.
    pub(super) fn fill(
        &self,
        program: &Program,
        fixed: Option<(&Store, &[bool])>,
        memory: &mut Memory,
        components: &[usize],
    ) -> Result<(), Stop> {
        let Self { procedures, plans, .. } = self;
        for &component in components {
            fixpoint::fill(program, component, memory, |memory, clause, variant| {
                let plan = &plans[clause];
                let code = variant.map_or(&plan.whole, |variant| &plan.variants[variant]);
                Machine { program, procedures, fixed, memory }.run_clause(clause, code)
            })?;
        }
        Ok(())
    }
}

impl Phases {
    fn new(program: &Program, k: &Relations, demanded: &[bool]) -> Self {
        let filled = |relations: &[usize]| -> Vec<usize> {
            let is_filled = |&number: &usize| {
                let component = &program.components[number];
                component.layer != Layer::Rules
                    && !component.clauses.is_empty()
                    && !component.relations.iter().any(|&relation| demanded[relation])
            };
            program.closure(relations).into_iter().filter(is_filled).collect()
        };
        let observe = filled(&[k.legal, k.terminal]);
        let besides = |relation: usize| {
            filled(&[relation]).into_iter().filter(|number| !observe.contains(number)).collect()
        };
        Self { score: besides(k.goal), advance: besides(k.next), perceive: besides(k.sees), observe }
    }
}

/// Plans the clauses that are filled. Other clauses get an empty plan.
fn plans(planner: &mut Planner<'_>, phases: &Phases) -> Result<Vec<ClausePlan>, Stop> {
    let program = planner.program;
    let mut plans = Vec::new();
    plans.resize_with(program.clauses.len(), ClausePlan::default);
    let Phases { observe, score, advance, perceive } = phases;
    for &component in observe.iter().chain(score).chain(advance).chain(perceive) {
        for &clause in &program.components[component].clauses {
            let variants = 0..program.variants[clause].len();
            plans[clause] = ClausePlan {
                whole: planner.kept(clause, None)?,
                variants: variants.map(|v| planner.kept(clause, Some(v))).collect::<Result<_, _>>()?,
            };
        }
    }
    Ok(plans)
}
