//! Terms that grow without bound: GDL095 and GDL096 within rules, GDL098 and GDL099 through time.
//!
//! The check uses the graph of argument places (as for weak acyclicity, Fagin et al. 2005). Its
//! nodes are the arguments of relations, of fluents and of moves, and the variables of rules. A
//! body literal passes the values of its places to its variables, and a head passes the values of
//! its variables to its places. The weight of an edge is the depth that a value gains. A cycle of
//! positive weight makes ever deeper terms, unless another literal restricts one of its variables
//! to finitely many values. `next` and `init` fill the places of `true`, and `legal` fills those of
//! `does`.
//!
//! A set of places without such a cycle is finite if only finite places feed it. Every cycle found
//! is an error, or a warning if play does not need its relations. The limits of grounding bound the
//! remaining growth. The graph has an edge for each variable of the text; [`EFFORT`], [`ROUNDS`]
//! and [`CYCLES`] bound the search.

use super::scene::Scene;
use crate::Diagnostics;
use crate::diagnostic::{Diagnostic, codes};
use crate::graph;
use crate::rules::{Atom, Formula, RelationId, Symbol, Term, Variable};
use crate::syntax::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most rounds of the search for cycles. Each round removes all nodes that depend on finite
/// parts alone.
const ROUNDS: usize = 32;

/// The most edges that all searches for cycles visit. Other cycles are left to the limits of
/// grounding.
const EFFORT: usize = 5_000_000;

/// The most rules of a cycle that a message labels.
const SHOWN: usize = 12;

/// The number of cycles after which only one is searched for in each further part.
const CYCLES: usize = 20;

/// An argument of a relation, or of the fluents or moves of one function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ArgumentPlace {
    relation: RelationId,
    function: Option<(Symbol, usize)>,
    argument: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GrowthNode {
    /// A place of this relation, or a union (`None`): finite if all its sources are finite.
    All(Option<RelationId>),
    /// A variable: finite if one of its sources is finite.
    Any,
}

#[derive(Clone, Copy, PartialEq)]
struct GrowthEdge {
    from: usize,
    to: usize,
    weight: i32,
    /// The rule and the variable of an edge from a variable into a head.
    head: Option<(usize, Variable)>,
}

/// Reports terms that grow. Returns the relations whose places grow.
pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) -> FxHashSet<RelationId> {
    let mut builder = Builder::build(scene);
    let mut growing = FxHashSet::default();
    for cycle in builder.graph.cycles() {
        if !builder.is_certain(&cycle) {
            continue;
        }
        let graph = &builder.graph;
        let grown: Vec<RelationId> = cycle
            .iter()
            .filter_map(|edge| match graph.nodes[edge.to] {
                GrowthNode::All(relation) => relation,
                GrowthNode::Any => None,
            })
            .collect();
        if let Some(diagnostic) = report(scene, graph, &cycle) {
            let is_needed = grown.iter().any(|&relation| scene.is_needed(relation));
            diagnostics.push(if is_needed { diagnostic } else { diagnostic.harmless() });
        }
        growing.extend(grown);
    }
    growing
}

fn report(scene: &Scene<'_>, graph: &GrowthGraph, cycle: &[GrowthEdge]) -> Option<Diagnostic> {
    let heads = || cycle.iter().filter(|edge| edge.head.is_some());
    let main = heads().find(|edge| edge.weight > 0).or_else(|| heads().next())?;
    let (rule, variable) = main.head?;
    let form = scene.form(rule);
    let term = parent(scene, form.head, &form.rule.variables[variable.index()]);
    let keywords = &scene.rules.keywords;
    let through_time = cycle.iter().any(
        |edge| matches!(graph.nodes[edge.to], GrowthNode::All(Some(relation)) if relation == keywords.fact),
    );
    let mut rules: Vec<usize> = heads().filter_map(|edge| Some(edge.head?.0)).collect();
    rules.sort_unstable();
    rules.dedup();
    let text = scene.quote(term);
    let (code, message, help) = if through_time {
        let list = scene.arguments(term).len() > 1;
        let code = if list { &codes::HISTORY_GROWTH } else { &codes::STATE_TERM_GROWTH };
        let message = format!("fluents grow without bound through `{text}`");
        (code, message, "bound the variable by a relation that lists its values, such as `(succ ?x ?y)`")
    } else {
        let one = rules.len() == 1;
        let code =
            if one { &codes::RECURSION_FUNCTION_GROWTH } else { &codes::RECURSION_FUNCTION_GROWTH_MUTUAL };
        let message = format!("`{text}` grows without bound: the recursion never ends");
        (code, message, "bound the variable by a literal that is not recursive")
    };
    let mut diagnostic = Diagnostic::new(code, scene.span(term), message)
        .note("deeper with each application of the rule")
        .help(help);
    for other in rules.into_iter().filter(|&other| other != rule).take(SHOWN) {
        diagnostic = diagnostic.label(scene.name(scene.form(other).head), "by way of this rule");
    }
    Some(diagnostic)
}

/// Returns the most deeply nested list at or below `node` that has the variable as an argument.
fn parent(scene: &Scene<'_>, node: NodeId, variable: &str) -> NodeId {
    fn deepest(scene: &Scene<'_>, node: NodeId, variable: &str, depth: usize, best: &mut (usize, NodeId)) {
        for &child in scene.arguments(node) {
            if scene.text(child).eq_ignore_ascii_case(variable) && depth > best.0 {
                *best = (depth, node);
            }
            deepest(scene, child, variable, depth + 1, best);
        }
    }
    let mut best = (0, node);
    deepest(scene, node, variable, 0, &mut best);
    best.1
}

#[derive(Default)]
struct GrowthGraph {
    nodes: Vec<GrowthNode>,
    edges: Vec<GrowthEdge>,
}

struct Builder<'a> {
    scene: &'a Scene<'a>,
    graph: GrowthGraph,
    places: FxHashMap<ArgumentPlace, usize>,
    /// Relations with a head that has a variable in place of a whole fluent or move.
    open: FxHashSet<RelationId>,
}

impl<'a> Builder<'a> {
    fn build(scene: &'a Scene<'a>) -> Self {
        let mut builder = Self {
            scene,
            graph: GrowthGraph::default(),
            places: FxHashMap::default(),
            open: FxHashSet::default(),
        };
        for form in scene.forms() {
            for (i, argument) in form.rule.head.arguments.iter().enumerate() {
                let relation = builder.filled(form.rule.head.relation);
                if builder.has_fluent(relation, i) && matches!(argument, Term::Variable(_)) {
                    builder.open.insert(relation);
                }
            }
        }
        for (rule, form) in scene.forms().enumerate() {
            if !form.rule.variables.is_empty() {
                builder.rule(rule, &form.rule.head, &form.rule.body, form.rule.variables.len());
            }
        }
        builder
    }

    /// Returns whether the growth along the cycle certainly never ends. It may end if literals of
    /// the cycle are joined with others through variables that change on the way, such as a counter
    /// with a last value. Then the limits of grounding decide.
    fn is_certain(&mut self, cycle: &[GrowthEdge]) -> bool {
        for (i, edge) in cycle.iter().enumerate() {
            let Some((rule, variable)) = edge.head else { continue };
            let place = cycle[(i + cycle.len() - 1) % cycle.len()].from;
            let rule = &self.scene.rules.rules[rule];
            let mut holders = rule.body.iter().filter(|formula| {
                let mut holds = false;
                formula.for_each_variable(&mut |v| holds |= v == variable);
                holds && !matches!(formula, Formula::Not(_) | Formula::Distinct(..))
            });
            let (Some(Formula::Atom(atom)), None) = (holders.next(), holders.next()) else { return false };
            let inside = self.occurrences(atom);
            let head = self.occurrences(&rule.head);
            if inside.iter().filter(|(_, v, _)| *v == variable).any(|&(p, ..)| p != place) {
                return false;
            }
            let mut joined = vec![false; rule.variables.len()];
            for formula in rule.body.iter().filter(|formula| !matches!(formula, Formula::Not(_))) {
                if !matches!(formula, Formula::Atom(other) if std::ptr::eq(other, atom)) {
                    formula.for_each_variable(&mut |v| joined[v.index()] = true);
                }
            }
            let kept: FxHashSet<_> = head.into_iter().collect();
            if inside.iter().any(|at| at.1 != variable && joined[at.1.index()] && !kept.contains(at)) {
                return false;
            }
        }
        true
    }

    /// Returns the relation that a relation fills: `true` for `next` and `init`, `does` for
    /// `legal`, otherwise itself.
    fn filled(&self, relation: RelationId) -> RelationId {
        let keywords = &self.scene.rules.keywords;
        if relation == keywords.next || relation == keywords.init {
            keywords.fact
        } else if relation == keywords.legal {
            keywords.does
        } else {
            relation
        }
    }

    /// Returns whether the argument is a whole fluent or move.
    fn has_fluent(&self, relation: RelationId, argument: usize) -> bool {
        let keywords = &self.scene.rules.keywords;
        (relation == keywords.fact && argument == 0) || (relation == keywords.does && argument == 1)
    }

    fn node(&mut self, node: GrowthNode) -> usize {
        self.graph.nodes.push(node);
        self.graph.nodes.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize, weight: i32) {
        self.graph.edges.push(GrowthEdge { from, to, weight, head: None });
    }

    fn place(&mut self, place: ArgumentPlace) -> usize {
        if let Some(&node) = self.places.get(&place) {
            return node;
        }
        let node = self.node(GrowthNode::All(Some(place.relation)));
        self.places.insert(place, node);
        if place.function.is_some() {
            let argument = usize::from(place.relation == self.scene.rules.keywords.does);
            let whole = self.place(ArgumentPlace { function: None, argument, ..place });
            self.edge(node, whole, 1);
            if self.open.contains(&place.relation) {
                self.edge(whole, node, -1);
            }
        }
        node
    }

    /// Returns every occurrence of a variable in the atom: the node of its place, the variable and
    /// its depth.
    fn occurrences(&mut self, atom: &Atom) -> Vec<(usize, Variable, i32)> {
        let relation = self.filled(atom.relation);
        let mut found = Vec::new();
        for (argument, term) in atom.arguments.iter().enumerate() {
            match term {
                Term::Function(symbol, inner) if self.has_fluent(relation, argument) => {
                    for (argument, term) in inner.iter().enumerate() {
                        let function = Some((*symbol, inner.len()));
                        self.term(ArgumentPlace { relation, function, argument }, term, &mut found);
                    }
                }
                _ => self.term(ArgumentPlace { relation, function: None, argument }, term, &mut found),
            }
        }
        found
    }

    fn term(&mut self, place: ArgumentPlace, term: &Term, found: &mut Vec<(usize, Variable, i32)>) {
        fn walk(node: usize, term: &Term, depth: i32, found: &mut Vec<(usize, Variable, i32)>) {
            match term {
                Term::Variable(variable) => found.push((node, *variable, depth)),
                Term::Constant(_) => {}
                Term::Function(_, arguments) => {
                    for term in arguments {
                        walk(node, term, depth + 1, found);
                    }
                }
            }
        }
        if !matches!(term, Term::Constant(_)) {
            walk(self.place(place), term, 0, found);
        }
    }

    fn rule(&mut self, rule: usize, head: &Atom, body: &[Formula], variables: usize) {
        let first = self.graph.nodes.len();
        self.graph.nodes.resize(first + variables, GrowthNode::Any);
        for formula in body {
            match formula {
                Formula::Atom(atom) => {
                    for (place, variable, depth) in self.occurrences(atom) {
                        self.edge(place, first + variable.index(), -depth);
                    }
                }
                Formula::Or(_) => self.union(formula, first),
                Formula::Not(_) | Formula::Distinct(..) => {}
            }
        }
        for (place, variable, weight) in self.occurrences(head) {
            let from = first + variable.index();
            self.graph.edges.push(GrowthEdge { from, to: place, weight, head: Some((rule, variable)) });
        }
    }

    /// Adds a union for each variable of an `or`. The union gets the values of all branches.
    fn union(&mut self, formula: &Formula, first: usize) {
        let mut atoms = Vec::new();
        formula.for_each_atom(&mut |atom, negative| {
            if !negative {
                atoms.push(atom);
            }
        });
        let mut unions: FxHashMap<Variable, usize> = FxHashMap::default();
        for atom in atoms {
            for (place, variable, depth) in self.occurrences(atom) {
                let union = *unions.entry(variable).or_insert_with(|| {
                    self.graph.nodes.push(GrowthNode::All(None));
                    let union = self.graph.nodes.len() - 1;
                    self.graph.edges.push(GrowthEdge {
                        from: union,
                        to: first + variable.index(),
                        weight: 0,
                        head: None,
                    });
                    union
                });
                self.edge(place, union, -depth);
            }
        }
    }
}

impl GrowthGraph {
    /// Finds cycles of positive weight in the parts of the graph that only finite places feed.
    fn cycles(&self) -> Vec<Vec<GrowthEdge>> {
        let mut outgoing = vec![Vec::new(); self.nodes.len()];
        // The number of edges into each node whose source is not known to be finite.
        let mut missing = vec![0_usize; self.nodes.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            outgoing[edge.from].push(i);
            missing[edge.to] += 1;
        }
        let mut finite = vec![false; self.nodes.len()];
        let mut done: FxHashSet<usize> = FxHashSet::default();
        let (mut found, mut effort) = (Vec::new(), EFFORT);
        let mut new: Vec<usize> = (0..self.nodes.len()).filter(|&node| missing[node] == 0).collect();
        for _ in 0..ROUNDS {
            while let Some(node) = new.pop() {
                if std::mem::replace(&mut finite[node], true) {
                    continue;
                }
                for &edge in &outgoing[node] {
                    let to = self.edges[edge].to;
                    missing[to] = missing[to].saturating_sub(1);
                    if missing[to] == 0 || self.nodes[to] == GrowthNode::Any {
                        new.push(to);
                    }
                }
            }
            new = self.round(&finite, &mut done, &mut found, &mut effort);
            if new.is_empty() {
                break;
            }
        }
        found
    }

    /// Searches the parts that only finite places feed. Adds the cycles of growing parts to
    /// `found`, and returns the nodes of the other parts, which are finite.
    fn round(
        &self,
        finite: &[bool],
        done: &mut FxHashSet<usize>,
        found: &mut Vec<Vec<GrowthEdge>>,
        effort: &mut usize,
    ) -> Vec<usize> {
        let live = |edge: &&GrowthEdge| !finite[edge.from] && !finite[edge.to];
        let mut targets = vec![Vec::new(); self.nodes.len()];
        for edge in self.edges.iter().filter(live) {
            targets[edge.from].push(edge.to);
        }
        let component = graph::component_of(targets.len(), |node, out| out.extend(&targets[node]));
        let mut fed = vec![false; self.nodes.len()];
        let mut inside: Vec<Vec<GrowthEdge>> = vec![Vec::new(); self.nodes.len()];
        for edge in self.edges.iter().filter(live) {
            if component[edge.from] == component[edge.to] {
                inside[component[edge.to]].push(*edge);
            } else {
                fed[component[edge.to]] = true;
            }
        }
        let mut members = vec![Vec::new(); self.nodes.len()];
        for node in (0..self.nodes.len()).filter(|&node| !finite[node]) {
            members[component[node]].push(node);
        }
        let mut bounded = Vec::new();
        for (id, nodes) in members.into_iter().enumerate() {
            let Some(&first) = nodes.first() else { continue };
            if fed[id] || done.contains(&first) {
                continue;
            }
            let mut edges = std::mem::take(&mut inside[id]);
            while let Some(cycle) = Self::positive_cycle(&nodes, &edges, effort) {
                // Another cycle of the same part is another fault.
                edges.retain(|edge| edge.weight <= 0 || !cycle.contains(edge));
                done.insert(first);
                found.push(cycle);
                if found.len() >= CYCLES {
                    break;
                }
            }
            if !done.contains(&first) {
                bounded.extend(nodes);
            }
        }
        bounded
    }

    /// Returns a cycle of positive weight among `edges`, which join `nodes`. Bellman-Ford for
    /// longest paths, stopped as soon as the last improvements close a cycle.
    fn positive_cycle(nodes: &[usize], edges: &[GrowthEdge], effort: &mut usize) -> Option<Vec<GrowthEdge>> {
        if edges.iter().all(|edge| edge.weight <= 0) {
            return None;
        }
        let local: FxHashMap<usize, usize> = nodes.iter().copied().zip(0..).collect();
        let mut length = vec![0_i64; nodes.len()];
        let mut last: Vec<Option<usize>> = vec![None; nodes.len()];
        loop {
            *effort = effort.checked_sub(edges.len())?;
            let mut changed = false;
            for (i, edge) in edges.iter().enumerate() {
                let (from, to) = (local[&edge.from], local[&edge.to]);
                let longer = length[from] + i64::from(edge.weight);
                if longer > length[to] {
                    length[to] = longer;
                    last[to] = Some(i);
                    changed = true;
                }
            }
            if !changed {
                return None;
            }
            if let Some(cycle) = closed(&last, edges, &local) {
                return Some(cycle);
            }
        }
    }
}

/// Returns the cycle of the last improvements, if there is one.
fn closed(
    last: &[Option<usize>],
    edges: &[GrowthEdge],
    local: &FxHashMap<usize, usize>,
) -> Option<Vec<GrowthEdge>> {
    // For each node, the start of the walk that reached it first. A walk that meets its own mark
    // has closed a cycle.
    let mut mark = vec![usize::MAX; last.len()];
    for start in 0..last.len() {
        let mut node = start;
        while mark[node] == usize::MAX {
            mark[node] = start;
            match last[node] {
                Some(edge) => node = local[&edges[edge].from],
                None => break,
            }
        }
        if mark[node] != start || last[node].is_none() {
            continue;
        }
        let (end, mut cycle) = (node, Vec::new());
        while let Some(edge) = last[node] {
            cycle.push(edges[edge]);
            node = local[&edges[edge].from];
            if node == end {
                cycle.reverse();
                return Some(cycle);
            }
        }
    }
    None
}
