//! The clauses that are evaluated: rules in normal form, grouped by components.
//!
//! A [`Program`] has the clauses of checked [`Rules`] in negation normal form, grouped by strongly
//! connected components of relations. Each component comes after those that it depends on. Its
//! [`Layer`] is the data that its relations depend on: the rules alone, the state, or a joint move
//! too.

use super::EvalError;
use super::term::{Id, InternedTerms};
use crate::rules::{self, Formula, RelationId, Rules};
use rustc_hash::FxHashMap;

/// A term of a clause.
#[derive(Clone)]
pub(super) enum Pattern {
    Variable(usize),
    /// A term without variables.
    Ground(Id),
    /// A symbol applied to terms, at least one of them with a variable.
    Function(u32, Vec<Pattern>),
}

impl Pattern {
    pub(super) fn for_each_variable(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Ground(_) => {}
            Self::Function(_, arguments) => arguments.iter().for_each(|a| a.for_each_variable(visit)),
        }
    }
}

/// The functions of a pattern, without the variables and ground terms at its leaves.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum PatternShape {
    Leaf,
    Function(u32, Vec<PatternShape>),
}

/// The term that an atom requires at a leaf of its shape.
#[derive(Clone, Copy)]
pub(super) enum Leaf {
    Variable(usize),
    Ground(Id),
}

#[derive(Clone)]
pub(super) struct Atom {
    pub(super) relation: usize,
    pub(super) arguments: Vec<Pattern>,
    /// The leaves of the arguments, left to right.
    pub(super) leaves: Vec<Leaf>,
    /// The index in [`Program::shapes`] of the arguments' shape.
    pub(super) shape: usize,
}

/// A literal in negation normal form.
#[derive(Clone)]
pub(super) enum Goal {
    Holds(Atom),
    Fails(Atom),
    Differ(Pattern, Pattern),
    Equal(Pattern, Pattern),
    /// A disjunction of conjunctions.
    Any(Vec<Vec<Goal>>),
}

impl Goal {
    pub(super) fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        match self {
            Self::Holds(atom) => visit(atom, true),
            Self::Fails(atom) => visit(atom, false),
            Self::Differ(..) | Self::Equal(..) => {}
            Self::Any(branches) => branches.iter().flatten().for_each(|goal| goal.for_each_atom(visit)),
        }
    }
}

pub(super) struct Clause {
    /// The index of the rule in [`Rules::rules`].
    pub(super) rule: usize,
    pub(super) head: Atom,
    pub(super) body: Vec<Goal>,
    pub(super) n_variables: usize,
    /// One body for each positive atom of the head's component, with that atom in front. A
    /// disjunction around the atom is replaced by the branch that contains it. Empty if there is no
    /// such atom.
    pub(super) variants: Vec<Vec<Goal>>,
}

/// The data on which the truth of a relation depends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    Rules,
    State,
    Moves,
}

pub(super) struct Component {
    pub(super) relations: Vec<usize>,
    pub(super) clauses: Vec<Clause>,
    pub(super) layer: Layer,
    /// True if a relation depends negatively on a relation of the same component.
    pub(super) negative_cycle: bool,
}

pub(super) struct Program {
    /// The components, each after those that it depends on.
    pub(super) components: Vec<Component>,
    /// The component of each relation.
    pub(super) component_of: Vec<usize>,
    /// The components that each component depends on directly.
    dependencies: Vec<Vec<usize>>,
    /// The distinct shapes of atoms: the relation, and the shape of each argument.
    pub(super) shapes: Vec<(usize, Vec<PatternShape>)>,
}

impl Program {
    pub(super) fn new(rules: &Rules, terms: &mut InternedTerms) -> Result<Self, EvalError> {
        let mut reader = ProgramReader { terms, shapes: Vec::new(), numbers: FxHashMap::default() };
        let mut clauses = Vec::new();
        for (number, rule) in rules.rules.iter().enumerate() {
            let head = reader.atom(&rule.head)?;
            let mut body = Vec::new();
            for formula in &rule.body {
                reader.normalise(formula, false, &mut body)?;
            }
            clauses.push(Clause {
                rule: number,
                head,
                body,
                n_variables: rule.variables.len(),
                variants: Vec::new(),
            });
        }
        let edges = edges(rules.relations.len(), &clauses);
        let (component_of, members) = components(&edges);

        let mut dependencies = vec![Vec::new(); members.len()];
        let mut components: Vec<Component> = Vec::new();
        for (number, relations) in members.into_iter().enumerate() {
            let mut layer = Layer::Rules;
            for &relation in &relations {
                if relation == rules.keywords.fact.index() {
                    layer = layer.max(Layer::State);
                } else if relation == rules.keywords.does.index() {
                    layer = Layer::Moves;
                }
                for &body in edges[relation].iter().filter(|&&body| component_of[body] != number) {
                    dependencies[number].push(component_of[body]);
                    layer = layer.max(components[component_of[body]].layer);
                }
            }
            dependencies[number].sort_unstable();
            dependencies[number].dedup();
            components.push(Component { relations, clauses: Vec::new(), layer, negative_cycle: false });
        }
        for mut clause in clauses {
            let number = component_of[clause.head.relation];
            let mut internal_negation = false;
            for goal in &clause.body {
                goal.for_each_atom(&mut |atom, positive| {
                    internal_negation |= !positive && component_of[atom.relation] == number;
                });
            }
            let internal = |atom: &Atom| component_of[atom.relation] == number;
            clause.variants = variants(&clause.body, &internal);
            components[number].negative_cycle |= internal_negation;
            components[number].clauses.push(clause);
        }
        Ok(Self { components, component_of, dependencies, shapes: reader.shapes })
    }

    /// The components that a relation depends on, including its own, each after those that it
    /// depends on.
    pub(super) fn closure(&self, relation: RelationId) -> Vec<usize> {
        let mut needed = vec![false; self.components.len()];
        let mut stack = vec![self.component_of[relation.index()]];
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut needed[number], true) {
                stack.extend(&self.dependencies[number]);
            }
        }
        (0..needed.len()).filter(|&number| needed[number]).collect()
    }
}

/// The translation of terms and formulas to patterns and goals.
struct ProgramReader<'t> {
    terms: &'t mut InternedTerms,
    shapes: Vec<(usize, Vec<PatternShape>)>,
    /// The index of each shape in `shapes`.
    numbers: FxHashMap<(usize, Vec<PatternShape>), usize>,
}

impl ProgramReader<'_> {
    fn pattern(&mut self, term: &rules::Term) -> Result<Pattern, EvalError> {
        Ok(match term {
            rules::Term::Variable(variable) => Pattern::Variable(variable.index()),
            rules::Term::Constant(symbol) => Pattern::Ground(self.terms.intern(&[symbol.0])?),
            rules::Term::Function(symbol, arguments) => {
                let arguments = arguments.iter().map(|a| self.pattern(a)).collect::<Result<Vec<_>, _>>()?;
                let mut key = vec![symbol.0];
                key.extend(arguments.iter().filter_map(|a| match a {
                    Pattern::Ground(id) => Some(*id),
                    _ => None,
                }));
                if key.len() == arguments.len() + 1 {
                    Pattern::Ground(self.terms.intern(&key)?)
                } else {
                    Pattern::Function(symbol.0, arguments)
                }
            }
        })
    }

    fn atom(&mut self, atom: &rules::Atom) -> Result<Atom, EvalError> {
        let relation = atom.relation.index();
        let arguments = atom.arguments.iter().map(|a| self.pattern(a)).collect::<Result<Vec<_>, _>>()?;
        let mut leaves = Vec::new();
        let shape = (relation, arguments.iter().map(|a| shape(a, &mut leaves)).collect::<Vec<_>>());
        let shape = *self.numbers.entry(shape).or_insert_with_key(|shape| {
            self.shapes.push(shape.clone());
            self.shapes.len() - 1
        });
        Ok(Atom { relation, arguments, leaves, shape })
    }

    /// Appends the negation normal form of `formula`, or of its negation if `negative`, to `out`.
    fn normalise(&mut self, formula: &Formula, negative: bool, out: &mut Vec<Goal>) -> Result<(), EvalError> {
        match formula {
            Formula::Atom(inner) => {
                let atom = self.atom(inner)?;
                out.push(if negative { Goal::Fails(atom) } else { Goal::Holds(atom) });
            }
            Formula::Distinct(left, right) => {
                let (left, right) = (self.pattern(left)?, self.pattern(right)?);
                out.push(if negative { Goal::Equal(left, right) } else { Goal::Differ(left, right) });
            }
            Formula::Not(inner) => self.normalise(inner, !negative, out)?,
            Formula::Or(branches) if negative => {
                for branch in branches {
                    self.normalise(branch, true, out)?;
                }
            }
            Formula::Or(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    let mut goals = Vec::new();
                    self.normalise(branch, false, &mut goals)?;
                    all.push(goals);
                }
                out.push(Goal::Any(all));
            }
        }
        Ok(())
    }
}

/// Returns the id of a term without variables.
pub(super) fn ground(term: &rules::Term, terms: &mut InternedTerms) -> Result<Id, EvalError> {
    let mut reader = ProgramReader { terms, shapes: Vec::new(), numbers: FxHashMap::default() };
    match reader.pattern(term)? {
        Pattern::Ground(id) => Ok(id),
        Pattern::Variable(_) | Pattern::Function(..) => Err(EvalError::Unsafe),
    }
}

fn shape(pattern: &Pattern, leaves: &mut Vec<Leaf>) -> PatternShape {
    match pattern {
        Pattern::Variable(variable) => leaves.push(Leaf::Variable(*variable)),
        Pattern::Ground(id) => leaves.push(Leaf::Ground(*id)),
        Pattern::Function(symbol, arguments) => {
            return PatternShape::Function(*symbol, arguments.iter().map(|a| shape(a, leaves)).collect());
        }
    }
    PatternShape::Leaf
}

/// Computes [`Clause::variants`] from a body.
fn variants(goals: &[Goal], internal: &impl Fn(&Atom) -> bool) -> Vec<Vec<Goal>> {
    let mut found = Vec::new();
    for (i, goal) in goals.iter().enumerate() {
        let fronts = match goal {
            Goal::Holds(atom) if internal(atom) => vec![vec![goal.clone()]],
            Goal::Any(branches) => branches.iter().flat_map(|b| variants(b, internal)).collect(),
            _ => continue,
        };
        for mut front in fronts {
            front.extend(goals.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, g)| g.clone()));
            found.push(front);
        }
    }
    found
}

/// Returns, for each relation, the relations that its rules mention, sorted and without duplicates.
fn edges(n_relations: usize, clauses: &[Clause]) -> Vec<Vec<usize>> {
    let mut edges = vec![Vec::new(); n_relations];
    for clause in clauses {
        for goal in &clause.body {
            goal.for_each_atom(&mut |atom, _| edges[clause.head.relation].push(atom.relation));
        }
    }
    for list in &mut edges {
        list.sort_unstable();
        list.dedup();
    }
    edges
}

/// Tarjan's strongly connected components, with an explicit stack. Returns the component of each
/// node and the members of each component. A component comes after those that it depends on.
fn components(edges: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut number, mut low, mut component) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut members, mut stack, mut visited) = (Vec::new(), Vec::new(), 0);
    for root in 0..n {
        let mut path = if number[root] == NEW { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, edge)) = path.last_mut() {
            let (v, i) = (*node, *edge);
            if i == 0 {
                (number[v], low[v]) = (visited, visited);
                visited += 1;
                stack.push(v);
            }
            if let Some(&w) = edges[v].get(i) {
                *edge += 1;
                if number[w] == NEW {
                    path.push((w, 0));
                } else if component[w] == NEW {
                    low[v] = low[v].min(number[w]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == number[v] {
                let start = stack.iter().rposition(|&w| w == v).unwrap_or(0);
                let mut group = stack.split_off(start);
                group.sort_unstable();
                for &member in &group {
                    component[member] = members.len();
                }
                members.push(group);
            }
        }
    }
    (component, members)
}
