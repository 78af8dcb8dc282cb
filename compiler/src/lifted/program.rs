//! Clauses grouped into components of strongly connected relations. Each component comes after
//! those that it depends on.
//!
//! A component has a layer: its relations depend on the rules alone, on the state, or on the state
//! and the joint move. It also records whether one of its relations depends on the negation of a
//! relation of the same component.
//!
//! Grouping takes O(literals) steps and bytes, except for the variants. These copy a body for each
//! of its atoms of the head's own component; their literals are bounded by the bytes of an
//! evaluation.

use super::{
    Stop,
    clause::{Atom, Clause, Goal},
    memory::bytes_of,
};
use crate::{Limits, graph};

/// The approximate bytes of a literal of a variant.
const BYTES_PER_LITERAL: usize = 256;

/// The data on which the truth of a relation depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    Rules,
    State,
    Moves,
}

/// Relations that depend on each other.
#[derive(Debug)]
pub(super) struct Component {
    pub(super) relations: Vec<usize>,
    /// The clauses of its relations, as indexes into [`Program::clauses`].
    pub(super) clauses: Vec<usize>,
    /// The clauses that the first round evaluates. Only disjunctions in their bodies may have
    /// positive atoms of the component.
    pub(super) begin: Vec<usize>,
    /// True if some clause has a variant, so that evaluation goes on to a fixpoint.
    pub(super) is_recursive: bool,
    pub(super) layer: Layer,
    /// True if some relation depends on the negation of a relation of the same component.
    pub(super) negative_cycle: bool,
}

#[derive(Debug)]
pub(super) struct Program {
    pub(super) clauses: Vec<Clause>,
    /// For each clause and each of its positive atoms of the head's own component: the body with
    /// that atom first. Each disjunction around the atom is reduced to the branch that contains it.
    pub(super) variants: Vec<Vec<Vec<Goal>>>,
    /// The clauses of each relation.
    pub(super) clauses_of: Vec<Vec<usize>>,
    /// The components, each after those it depends on.
    pub(super) components: Vec<Component>,
    /// The component of each relation.
    pub(super) component_of: Vec<usize>,
    /// The components that each component depends on directly.
    dependencies: Vec<Vec<usize>>,
}

impl Program {
    /// Groups clauses over `relations` relations. A relation in `given` has at least the layer
    /// given there, whatever its clauses depend on.
    ///
    /// # Errors
    /// Returns an error if the variants exceed the bytes of an evaluation.
    pub(super) fn new(
        clauses: Vec<Clause>,
        relations: usize,
        given: &[(usize, Layer)],
        limits: &Limits,
    ) -> Result<Self, Stop> {
        let mut edges = vec![Vec::new(); relations];
        for clause in &clauses {
            for goal in &clause.body {
                goal.for_each_atom(&mut |atom, _| edges[clause.head.relation].push(atom.relation));
            }
        }
        edges.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        let mut component_of = vec![0; relations];
        let mut components: Vec<Component> = Vec::new();
        graph::components(
            relations,
            |relation, out| out.extend(&edges[relation]),
            |members| {
                let mut relations = members.to_vec();
                relations.sort_unstable();
                relations.iter().for_each(|&relation| component_of[relation] = components.len());
                components.push(Component {
                    relations,
                    clauses: Vec::new(),
                    begin: Vec::new(),
                    is_recursive: false,
                    layer: Layer::Rules,
                    negative_cycle: false,
                });
            },
        );
        let mut own = vec![Layer::Rules; relations];
        given.iter().for_each(|&(relation, layer)| own[relation] = layer);
        let mut dependencies = vec![Vec::new(); components.len()];
        for number in 0..components.len() {
            let mut layer = Layer::Rules;
            for &relation in &components[number].relations {
                layer = layer.max(own[relation]);
                for &body in &edges[relation] {
                    dependencies[number].push(component_of[body]);
                    layer = layer.max(components[component_of[body]].layer);
                }
            }
            dependencies[number].sort_unstable();
            dependencies[number].dedup();
            components[number].layer = layer;
        }
        let mut clauses_of = vec![Vec::new(); relations];
        let mut program_variants = Vec::with_capacity(clauses.len());
        let mut room = bytes_of(limits) / BYTES_PER_LITERAL;
        for (i, clause) in clauses.iter().enumerate() {
            let number = component_of[clause.head.relation];
            let (mut internal_negation, mut internal, mut literals) = (false, 0, 0);
            for goal in &clause.body {
                goal.for_each_atom(&mut |atom, positive| {
                    let is_internal = component_of[atom.relation] == number;
                    internal_negation |= !positive && is_internal;
                    internal += usize::from(positive && is_internal);
                });
                literals += goal.size();
            }
            room = room.checked_sub(internal * literals).ok_or(Stop::Bytes)?;
            let is_internal = |atom: &Atom| component_of[atom.relation] == number;
            let variants = variants(&clause.body, &is_internal);
            let component = &mut components[number];
            component.is_recursive |= !variants.is_empty();
            component.negative_cycle |= internal_negation;
            component.clauses.push(i);
            if !clause.body.iter().any(|goal| matches!(goal, Goal::Holds(atom) if is_internal(atom))) {
                component.begin.push(i);
            }
            program_variants.push(variants);
            clauses_of[clause.head.relation].push(i);
        }
        let variants = program_variants;
        Ok(Self { clauses, variants, clauses_of, components, component_of, dependencies })
    }

    pub(super) fn layer(&self, relation: usize) -> Layer {
        self.components[self.component_of[relation]].layer
    }

    /// The components of some relations and all components that these depend on, in dependency
    /// order.
    pub(super) fn closure(&self, relations: &[usize]) -> Vec<usize> {
        let mut needed = vec![false; self.components.len()];
        let mut stack: Vec<usize> = relations.iter().map(|&relation| self.component_of[relation]).collect();
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut needed[number], true) {
                stack.extend(&self.dependencies[number]);
            }
        }
        (0..needed.len()).filter(|&number| needed[number]).collect()
    }
}

/// Builds the variants of a body: see [`Program::variants`].
fn variants(goals: &[Goal], internal: &impl Fn(&Atom) -> bool) -> Vec<Vec<Goal>> {
    let mut found = Vec::new();
    for (i, goal) in goals.iter().enumerate() {
        let fronts = match goal {
            Goal::Holds(atom) if internal(atom) => vec![vec![goal.clone()]],
            Goal::Any(branches, _) => branches.iter().flat_map(|b| variants(b, internal)).collect(),
            _ => continue,
        };
        for mut front in fronts {
            front.extend(goals.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, g)| g.clone()));
            found.push(front);
        }
    }
    found
}
