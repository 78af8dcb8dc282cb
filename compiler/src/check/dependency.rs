//! Permitted dependencies: GDL047 to GDL049 and GDL054 to GDL058, and GDL094 for negation cycles.
//!
//! Relations are the nodes, `head <- literal` the edges. `true` and `next` are different nodes, and
//! so are `does` and `legal`. So dependencies through time are not cycles. A negation cycle between
//! relations is only a warning here, since the ground rules decide whether an atom depends on its
//! own negation.
//!
//! O(literals): searches for negation cycles visit disjoint parts of the graph, and each of nine
//! restrictions takes one more search. A message names at most [`SHOWN`] relations of a path.

use super::scene::Scene;
use crate::diagnostic::{Code, Diagnostic, Edit, codes};
use crate::graph;
use crate::rules::{Formula, RelationId};
use crate::{Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most relations of a path that a message names, and the most places that it labels.
const SHOWN: usize = 12;

/// Joins the names of a path by `arrow`. The middle of a long path is left out.
fn joined<'n>(path: &[usize], name: impl Fn(usize) -> &'n str, arrow: &str) -> String {
    let quoted = |nodes: &[usize]| {
        let names: Vec<String> = nodes.iter().map(|&node| format!("`{}`", name(node))).collect();
        names.join(arrow)
    };
    match path {
        [start @ .., last] if start.len() > SHOWN => {
            let (shown, hidden) = start.split_at(SHOWN - 1);
            let hidden = hidden.len();
            format!("{}{arrow}.. {hidden} more ..{arrow}`{}`", quoted(shown), name(*last))
        }
        _ => quoted(path),
    }
}

/// The first literal by which a relation depends on another, positively or negatively.
#[derive(Clone, Copy)]
struct DependencyEdge {
    to: RelationId,
    negative: bool,
    /// The place of the other relation's name in the literal.
    span: Span,
    rule: usize,
}

pub(super) struct Dependencies {
    edges: Vec<Vec<DependencyEdge>>,
    /// The targets of `edges`, by relation.
    targets: Vec<Vec<usize>>,
}

impl Dependencies {
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let mut edges: Vec<Vec<DependencyEdge>> = vec![Vec::new(); scene.rules.relations.len()];
        let mut known: FxHashSet<(RelationId, RelationId, bool)> = FxHashSet::default();
        for (rule, form) in scene.forms().enumerate() {
            let head = form.rule.head.relation;
            for (formula, &node) in form.rule.body.iter().zip(form.body) {
                let mut places = Vec::new();
                scene.atoms(formula, node, &mut |_, node| places.push(scene.name(node)));
                let mut places = places.into_iter();
                formula.for_each_atom(&mut |atom, negative| {
                    let span = places.next().unwrap_or_default();
                    let to = atom.relation;
                    if known.insert((head, to, negative)) {
                        edges[head.index()].push(DependencyEdge { to, negative, span, rule });
                    }
                });
            }
        }
        let targets = edges.iter().map(|edges| edges.iter().map(|edge| edge.to.index()).collect()).collect();
        Self { edges, targets }
    }

    /// The index of each relation's strongly connected component.
    pub(super) fn components(&self) -> Vec<usize> {
        graph::component_of(self.targets.len(), |node, out| out.extend(&self.targets[node]))
    }

    fn edge(&self, from: usize, to: usize) -> Option<DependencyEdge> {
        self.edges[from].iter().find(|edge| edge.to.index() == to).copied()
    }
}

pub(super) fn check(scene: &Scene<'_>, is_lenient: bool, diagnostics: &mut Diagnostics) -> Dependencies {
    let dependencies = Dependencies::new(scene);
    restrictions(scene, &dependencies, is_lenient, diagnostics);
    negation_cycles(scene, &dependencies, diagnostics);
    dependencies
}

/// A relation that may not depend on another, with the codes for direct and indirect dependencies.
struct Restriction {
    source: RelationId,
    target: RelationId,
    direct: &'static Code,
    indirect: &'static Code,
    help: &'static str,
}

fn restrictions(
    scene: &Scene<'_>,
    dependencies: &Dependencies,
    is_lenient: bool,
    diagnostics: &mut Diagnostics,
) {
    let k = scene.rules.keywords;
    let restriction =
        |source, target, direct, indirect, help| Restriction { source, target, direct, indirect, help };
    let before = "use `true` or another relation: this is decided before the players move";
    let start = "use relations that are the same in every state";
    let all = [
        restriction(
            k.init,
            k.fact,
            &codes::INIT_DEPENDS_ON_TRUE,
            &codes::INIT_DEPENDS_ON_TRUE_INDIRECT,
            start,
        ),
        restriction(k.init, k.does, &codes::INIT_DEPENDS_ON_DOES, &codes::INIT_DEPENDS_ON_DOES, start),
        restriction(k.base, k.fact, &codes::BASE_DEPENDS_ON_TRUE, &codes::BASE_DEPENDS_ON_TRUE, start),
        restriction(k.base, k.does, &codes::BASE_DEPENDS_ON_TRUE, &codes::BASE_DEPENDS_ON_TRUE, start),
        restriction(k.input, k.fact, &codes::INPUT_DEPENDS_ON_DOES, &codes::INPUT_DEPENDS_ON_DOES, start),
        restriction(k.input, k.does, &codes::INPUT_DEPENDS_ON_DOES, &codes::INPUT_DEPENDS_ON_DOES, start),
        restriction(k.legal, k.does, &codes::LEGAL_DEPENDS_ON_DOES, &codes::LEGAL_DEPENDS_ON_DOES, before),
        restriction(
            k.goal,
            k.does,
            &codes::GOAL_DEPENDS_ON_DOES_INDIRECT,
            &codes::GOAL_DEPENDS_ON_DOES_INDIRECT,
            before,
        ),
        restriction(
            k.terminal,
            k.does,
            &codes::TERMINAL_DEPENDS_ON_DOES,
            &codes::TERMINAL_DEPENDS_ON_DOES,
            before,
        ),
    ];
    for restriction in &all {
        // A restricted relation on the path has its own message.
        let may = |node: usize| {
            !all.iter().any(|r| {
                r.target == restriction.target && r.source.index() == node && r.source != restriction.source
            })
        };
        let (source, target) = (restriction.source.index(), restriction.target.index());
        if let Some(path) = graph::path(&dependencies.targets, source, target, may) {
            let fault = restricted(scene, dependencies, restriction, &path);
            let is_assumed = is_lenient && [k.legal, k.goal, k.terminal].contains(&restriction.source);
            diagnostics.push(if is_assumed {
                fault.harmless().note("assumed: `does` never holds there")
            } else {
                fault
            });
        }
    }
}

fn restricted(
    scene: &Scene<'_>,
    dependencies: &Dependencies,
    restriction: &Restriction,
    path: &[usize],
) -> Diagnostic {
    let name = |node: usize| scene.relation_name(RelationId(node as u32));
    let source = scene.relation_name(restriction.source);
    let target = scene.relation_name(restriction.target);
    let code = if path.len() == 2 { restriction.direct } else { restriction.indirect };
    let mut message = format!("`{source}` may not depend on `{target}`");
    if path.len() > 2 {
        message.push_str(": ");
        message.push_str(&joined(path, name, " <- "));
    }
    let mut edges = path.windows(2).filter_map(|pair| Some((pair[0], dependencies.edge(pair[0], pair[1])?)));
    let first = edges.next().map(|(_, edge)| edge);
    let mut diagnostic = Diagnostic::new(code, first.map(|edge| edge.span), message).help(restriction.help);
    // A rule for `init` that reads the state or the moves is probably meant for `next`.
    if let (Some(edge), true) = (first, restriction.source == scene.rules.keywords.init && path.len() == 2) {
        let head = scene.name(scene.form(edge.rule).head);
        let help = format!("{}, or write `next`", restriction.help);
        diagnostic = diagnostic.help(help).suggest(head, "next");
    }
    if path.len() == 2 && target == "does" {
        diagnostic = if source == "input" {
            vacuous(scene, diagnostic, first)
        } else {
            remembered(scene, diagnostic, restriction.source)
        };
    }
    if path.len() > 2 {
        diagnostic = diagnostic.note(format!("`{source}` depends on `{}`", name(path[1])));
    }
    for (from, edge) in edges.take(SHOWN) {
        let text = format!("`{}` depends on `{}`", name(from), scene.relation_name(edge.to));
        diagnostic = diagnostic.label(edge.span, text);
    }
    diagnostic
}

/// Suggests removing a rule that derives `input` from `does` with the same arguments.
fn vacuous(scene: &Scene<'_>, diagnostic: Diagnostic, edge: Option<DependencyEdge>) -> Diagnostic {
    let Some(form) = edge.map(|edge| scene.form(edge.rule)) else { return diagnostic };
    let does = scene.rules.keywords.does;
    let says_nothing = form.rule.body.iter().any(|formula| {
        matches!(formula, Formula::Atom(atom)
            if atom.relation == does && atom.arguments == form.rule.head.arguments)
    });
    if !says_nothing {
        return diagnostic;
    }
    diagnostic
        .help("remove it: only legal moves are made, and the compiler finds these itself")
        .suggest(scene.whole_form(form), "")
}

/// Suggests a fluent that keeps the moves of the last step, for rules that are evaluated before the
/// players move.
fn remembered(scene: &Scene<'_>, diagnostic: Diagnostic, source: RelationId) -> Diagnostic {
    const NAME: &str = "did";
    const RULE: &str = "(<= (next (did ?role ?move)) (does ?role ?move))";
    let Some(&last) = scene.forms.last() else { return diagnostic };
    if ![scene.rules.keywords.legal, scene.rules.keywords.terminal, scene.rules.keywords.goal]
        .contains(&source)
    {
        return diagnostic;
    }
    let mut edits = Vec::new();
    if scene.rules.symbols.find(NAME).is_none() {
        edits.push(Edit::insert(scene.span(last).end, format!("\n{RULE}")));
    } else if !scene.forms.iter().any(|&form| scene.text(form) == RULE) {
        return diagnostic;
    }
    scene.for_each_atom(&mut |form, atom, node, in_body| {
        if in_body && form.rule.head.relation == source && atom.relation == scene.rules.keywords.does {
            edits.push(Edit { span: scene.name(node), text: format!("true ({NAME}") });
            edits.push(Edit::insert(scene.span(node).end, ")"));
        }
    });
    let help = format!(
        "keep the moves of the last step in a fluent, `{RULE}`: this is decided before the players move"
    );
    diagnostic.help(help).suggest_all(edits)
}

/// Reports the first negation cycle of each component.
fn negation_cycles(scene: &Scene<'_>, dependencies: &Dependencies, diagnostics: &mut Diagnostics) {
    let component = dependencies.components();
    let mut first: FxHashMap<usize, (usize, DependencyEdge)> = FxHashMap::default();
    let mut order = Vec::new();
    for (from, edges) in dependencies.edges.iter().enumerate() {
        for edge in edges.iter().filter(|edge| edge.negative && component[edge.to.index()] == component[from])
        {
            let known = first.entry(component[from]).or_insert_with(|| {
                order.push(component[from]);
                (from, *edge)
            });
            if edge.rule < known.1.rule {
                *known = (from, *edge);
            }
        }
    }
    let name = |node: usize| scene.relation_name(RelationId(node as u32));
    for id in order {
        let (from, edge) = first[&id];
        let to = edge.to.index();
        let rest = if from == to {
            vec![from]
        } else {
            let inside = |node: usize| component[node] == id;
            graph::path(&dependencies.targets, to, from, inside).unwrap_or_default()
        };
        let mut text = format!("`{}` -not-> ", name(from));
        text += &joined(&rest, name, " -> ");
        let mut diagnostic = Diagnostic::new(
            &codes::UNSTRATIFIED_LEGAL,
            edge.span,
            format!("negation cycle between relations: {text}"),
        )
        .note(format!("`{}` depends on this negation", name(from)))
        .help("allowed as long as no ground atom depends on its own negation");
        for pair in rest.windows(2).take(SHOWN) {
            if let Some(edge) = dependencies.edge(pair[0], pair[1]) {
                let text = format!("`{}` depends on `{}`", name(pair[0]), name(pair[1]));
                diagnostic = diagnostic.label(edge.span, text);
            }
        }
        diagnostics.push(diagnostic);
    }
}
