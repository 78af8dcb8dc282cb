//! Reading of Epilog: from a text to a tree.
//!
//! Epilog has rules for one state (views), and operations that change it, such as `mark(M,N) ::
//! control(R) ==> cell(M,N,R) & ~cell(M,N,b)`. Only the player named by `control` moves, and facts
//! that no operation deletes stay. The translation writes the same game in the shape of KIF. A fact
//! of the state becomes `true`. An operation becomes a relation that holds when the move is made.
//! Its additions become rules for `next`, and its deletions become relations that end the
//! persistence of a fact. The other players have one move, `noop`. Each node has the place of the
//! text that it comes from.
//!
//! The translation has the semantics of the reference interpreter. Case is significant. A name that
//! heads a rule is a view, and all other names are facts of the state. A variable that is unbound
//! at a `~` stands for any value, and `distinct` of such a variable fails. Additions take
//! precedence over deletions. An operation becomes a fact if none of its heads matches. Constructs
//! that KIF lacks become facts if their values are bounded (`values`); otherwise they are rejected.
//! Apart from these, O(sentences · literals).

mod clause;
mod lints;
mod rules;
mod sheet;
mod usage;
mod values;

use super::expressions::{What, read as expressions};
use super::{
    dialect::Syntax,
    tree::{Kind, NodeId, Tree},
};
use crate::diagnostic::{Diagnostic, Source, Span, codes};
use crate::limits::Limits;
use clause::{EpilogClause, EpilogLiteral, Shape, Term};

/// Reads a text of Epilog. Returns its translation and the diagnostics.
pub(super) fn read(source: &Source, limits: &Limits) -> (Tree, Vec<Diagnostic>) {
    let mut expressions = expressions(source, Syntax::Epilog, limits);
    let found = std::mem::take(&mut expressions.found);
    let mut tree = Tree { syntax: Syntax::Epilog, broken: expressions.broken, ..Tree::default() };
    // The sign that begins a comment is not part of the span.
    let inner = |comment: &Span| Span { start: comment.start + 1, ..*comment };
    tree.comments = expressions.comments.iter().map(inner).collect();
    let sheet = sheet::Sheet::new(source, &expressions, found);
    if let Some(fault) = rules::mixed(&sheet) {
        tree.broken = true;
        return (tree, vec![fault]);
    }
    let mut said = full_stops(source, &expressions);
    // A definition that seems missing may be in a sentence that could not be read.
    if !expressions.broken {
        usage::check(&sheet, &mut said);
        lints::check(&sheet, &mut said);
    }
    let (clauses, mut found) = rules::translate(sheet, limits);
    tree.broken |= found.iter().any(|fault| fault.severity == crate::Severity::Error);
    for clause in &clauses {
        // Later rules are dropped, since the checks report that the limit of rules is exceeded.
        if tree.forms.len() > limits.max_rules {
            break;
        }
        let form = form(&mut tree, clause);
        tree.forms.push(form);
    }
    found.extend(said);
    (tree, found)
}

/// Reports names that end in a full stop, which Epilog reads as a part of the name.
fn full_stops(source: &Source, expressions: &super::expressions::Expressions) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for &sentence in &expressions.sentences {
        let mut waiting = vec![sentence];
        while let Some(id) = waiting.pop() {
            let expression = expressions.get(id);
            waiting.extend(&expression.parts);
            let text = source.slice(expression.span);
            if expression.what == What::Name && text.len() > 1 && text.ends_with('.') {
                let stop = Span { start: expression.span.end - 1, ..expression.span };
                let message = format!("`{text}` is a name that ends in a full stop");
                found.push(
                    Diagnostic::new(&codes::FULL_STOP, stop, message).help("remove it").suggest(stop, ""),
                );
            }
        }
    }
    found
}

fn form(tree: &mut Tree, clause: &EpilogClause) -> NodeId {
    if clause.body.is_empty() {
        return term(tree, &clause.head);
    }
    let place = Span { end: clause.span.start, ..clause.span };
    let mut nodes = vec![tree.add(Kind::Symbol, "<=", place), term(tree, &clause.head)];
    for literal in &clause.body {
        let node = match literal {
            EpilogLiteral::Positive(atom) => term(tree, atom),
            EpilogLiteral::Negative(atom) => not(tree, atom.span, |tree| term(tree, atom)),
            EpilogLiteral::Distinct(left, right) => distinct(tree, left, right),
            EpilogLiteral::Equal(left, right) => not(tree, left.span, |tree| distinct(tree, left, right)),
        };
        nodes.push(node);
    }
    tree.list(&nodes, clause.span)
}

fn not(tree: &mut Tree, span: Span, inner: impl FnOnce(&mut Tree) -> NodeId) -> NodeId {
    let not = tree.add(Kind::Symbol, "not", span);
    let inner = inner(tree);
    tree.list(&[not, inner], span)
}

fn distinct(tree: &mut Tree, left: &Term, right: &Term) -> NodeId {
    let nodes = [tree.add(Kind::Symbol, "distinct", left.span), term(tree, left), term(tree, right)];
    tree.list(&nodes, left.span)
}

fn term(tree: &mut Tree, written: &Term) -> NodeId {
    match &written.shape {
        Shape::Variable(name) => tree.add(Kind::Variable, &format!("?{name}"), written.span),
        Shape::Name(name) => tree.add(Kind::Symbol, name, written.span),
        Shape::Call(name, arguments) => {
            let mut nodes = vec![tree.add(Kind::Symbol, name, written.span)];
            nodes.extend(arguments.iter().map(|argument| term(tree, argument)));
            tree.list(&nodes, written.span)
        }
    }
}
