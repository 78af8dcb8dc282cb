//! Reading of infix GDL: from a text to a tree.
//!
//! `head(X) :- p(X, y) & ~q(X)` is the list `(<= (head ?X) (p ?X y) (not (q ?X)))`, and each node
//! has the place of its source. Words that begin with a capital letter or `_` are variables; each
//! `_` is a variable of its own. `or(..)` and `|` are the same, as are `not(..)` and `~`. `&`
//! inside `|` or `~` is multiplied out into separate rules. [`translate`] turns sentences of infix
//! GDL that stand in a text of KIF into forms. O(bytes), and [`MOST_LITERALS`] for each rule that
//! is multiplied out.

use super::expressions::{Expressions, Id, Literal, What, read as expressions};
use super::{
    dialect::Syntax,
    tree::{Kind, Node, NodeId, Tree},
    writer::{BLANK, Writer},
};
use crate::diagnostic::{Diagnostic, Edit, Source, Span, codes};
use crate::limits::Limits;

/// The most literals of a body when `&` is multiplied out over `|`.
pub(super) const MOST_LITERALS: usize = 2_000;

/// Reads a text of infix GDL. Returns the tree and the diagnostics.
pub(super) fn read(source: &Source, limits: &Limits) -> (Tree, Vec<Diagnostic>) {
    let mut expressions = expressions(source, Syntax::Infix, limits);
    let found = std::mem::take(&mut expressions.found);
    let mut reader =
        InfixReader { source, expressions: &expressions, tree: Tree::default(), found, blanks: 0 };
    reader.tree.syntax = Syntax::Infix;
    reader.tree.broken = expressions.broken;
    // The sign that begins a comment is not part of the span.
    let inner = |comment: &Span| Span { start: comment.start + 1, ..*comment };
    reader.tree.comments = expressions.comments.iter().map(inner).collect();
    if let Some(operation) =
        expressions.sentences.iter().find(|&&id| expressions.get(id).what == What::Operation)
    {
        reader.tree.broken = true;
        let sign = expressions.get(*operation).sign;
        let message = "this looks like an Epilog operation, but the text is infix GDL";
        let fault = Diagnostic::new(&codes::INFIX_SYNTAX, sign, message)
            .help("write `next(..) :- does(Role, ..)`, or a whole rulesheet of Epilog");
        return (reader.tree, vec![fault]);
    }
    for &sentence in &expressions.sentences {
        reader.sentence(sentence);
    }
    (reader.tree, reader.found)
}

/// Returns the edits that translate the sentences at the start of `text[start..]` into KIF. Empty
/// if the first one is not a sentence of infix GDL.
pub(super) fn translate(text: &str, start: usize) -> Vec<Edit> {
    let source = Source::new("", &text[start..]);
    let limits = Limits { max_nesting: DEEPEST, ..Limits::default() };
    let (tree, found) = read(&source, &limits);
    // The edits also fix faults that only concern the spelling of a sign.
    let first_bad = found
        .iter()
        .filter(|fault| fault.edits.is_empty())
        .filter_map(|fault| fault.span)
        .map(|span| span.start)
        .min()
        .unwrap_or(u32::MAX);
    let mut edits: Vec<Edit> = Vec::new();
    for &form in &tree.forms {
        let mut span = tree.node(form).span;
        // A variable alone is not a sentence, and a word alone may be prose.
        let has_head = tree.children(form).get(1).is_some_and(|&head| tree.node(head).kind != Kind::Variable);
        let is_sentence =
            tree.children(form).first().is_some_and(|&word| tree.text(word, &source) != "<=") || has_head;
        if span.end > first_bad || !is_sentence {
            break;
        }
        let behind = &source.text()[span.end as usize..];
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        let is_closed = behind[blanks..].starts_with('.');
        if is_closed {
            span.end += blanks as u32 + 1;
        }
        let rest = source.text()[span.end as usize..].trim_start_matches([' ', '\t']);
        if !(is_closed || rest.is_empty() || rest.starts_with(['\n', '\r', ';', '%'])) {
            break;
        }
        let mut written = String::new();
        let rename = |_: &Kind, name: &str| name.replace(BLANK, "_");
        Writer { tree: &tree, source: &source, rename }.kif(form, &mut written);
        let span = Span { start: span.start + start as u32, end: span.end + start as u32 };
        edits.push(Edit { span, text: written });
    }
    edits
}

/// The deepest nesting of lists that is translated.
const DEEPEST: usize = 64;

struct InfixReader<'s> {
    source: &'s Source,
    expressions: &'s Expressions,
    tree: Tree,
    found: Vec<Diagnostic>,
    /// The number of anonymous variables so far.
    blanks: usize,
}

impl InfixReader<'_> {
    fn fault(&mut self, diagnostic: Diagnostic) {
        self.tree.broken = true;
        self.found.push(diagnostic);
    }

    fn misplaced(&mut self, span: Span, help: &str) {
        let message = format!("unexpected `{}`", self.source.slice(span));
        self.fault(Diagnostic::new(&codes::MISPLACED_SIGN, span, message).help(help));
    }

    fn sentence(&mut self, id: Id) {
        let expressions = self.expressions;
        let sentence = expressions.get(id);
        match sentence.what {
            What::If => {
                let (head, body) = (sentence.parts[0], sentence.parts[1]);
                self.rule(head, body, sentence.sign, sentence.span);
            }
            What::And | What::Or => self.misplaced(sentence.sign, "write a head and `:-` before it"),
            _ => {
                let form = self.literal(id);
                self.tree.forms.extend(form);
            }
        }
    }

    fn rule(&mut self, head: Id, body: Id, sign: Span, span: Span) {
        let expressions = self.expressions;
        let conjuncts: Vec<Id> = match expressions.get(body).what {
            What::And => expressions.get(body).parts.clone(),
            _ => vec![body],
        };
        if conjuncts.iter().all(|&part| self.is_plain(part)) {
            let Some(head) = self.literal(head) else { return };
            let body: Option<Vec<NodeId>> = conjuncts.iter().map(|&part| self.literal(part)).collect();
            self.finish(head, body, sign, span);
            return;
        }
        let Some(alternatives) = expressions.alternatives(body, false, MOST_LITERALS) else {
            let message =
                format!("the body has more than {MOST_LITERALS} literals when it is multiplied out");
            self.fault(
                Diagnostic::new(&codes::OR_EXPLOSION, sign, message)
                    .help("move parts of it into separate relations"),
            );
            return;
        };
        for literals in alternatives {
            let Some(head) = self.literal(head) else { return };
            let body = literals.iter().map(|&literal| self.signed(literal)).collect();
            self.finish(head, body, sign, span);
        }
    }

    fn finish(&mut self, head: NodeId, body: Option<Vec<NodeId>>, sign: Span, span: Span) {
        let Some(mut body) = body else { return };
        let arrow = self.tree.add(Kind::Symbol, "<=", sign);
        body.splice(0..0, [arrow, head]);
        let form = self.tree.list(&body, span);
        self.tree.forms.push(form);
    }

    fn signed(&mut self, (id, negated): Literal) -> Option<NodeId> {
        let inner = self.literal(id)?;
        if !negated {
            return Some(inner);
        }
        let span = self.expressions.get(id).span;
        let not = self.tree.add(Kind::Symbol, "not", Span { end: span.start, ..span });
        Some(self.tree.list(&[not, inner], span))
    }

    /// Returns whether a literal has no `&` inside.
    fn is_plain(&self, id: Id) -> bool {
        let expression = self.expressions.get(id);
        match expression.what {
            What::And => false,
            What::Not | What::Or => expression.parts.iter().all(|&part| self.is_plain(part)),
            _ => true,
        }
    }

    /// Adds the node of a literal or term.
    fn literal(&mut self, id: Id) -> Option<NodeId> {
        let expressions = self.expressions;
        let expression = expressions.get(id);
        let word = match expression.what {
            What::Name => {
                self.tree.nodes.push(Node { kind: Kind::Symbol, span: expression.span });
                return Some(NodeId(self.tree.nodes.len() as u32 - 1));
            }
            What::Variable => {
                let text = self.source.slice(expression.span);
                let name = if text == "_" {
                    self.blanks += 1;
                    format!("?{BLANK}{}", self.blanks)
                } else {
                    format!("?{text}")
                };
                return Some(self.tree.add(Kind::Variable, &name, expression.span));
            }
            What::Call => None,
            What::Not => Some("not"),
            What::Or => Some("or"),
            What::And => {
                self.misplaced(expression.sign, "join the literals of a body by `&`");
                return None;
            }
            What::Cons | What::Arrow | What::Define | What::If | What::Operation => {
                let help = match expression.what {
                    What::If => "close the rule before it, and write a separate rule",
                    What::Operation | What::Arrow => {
                        "write `next(..) :- does(Role, ..)`, or a whole rulesheet of Epilog"
                    }
                    _ => "remove it",
                };
                self.misplaced(expression.sign, help);
                return None;
            }
        };
        let mut nodes = Vec::new();
        nodes.extend(word.map(|word| self.tree.add(Kind::Symbol, word, expression.sign)));
        for &part in &expression.parts {
            nodes.push(self.literal(part)?);
        }
        Some(self.tree.list(&nodes, expression.span))
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[track_caller]
    fn assert_translated(text: &str, forms: &[&str]) {
        let edits = translate(text, 0);
        let found: Vec<&str> = edits.iter().map(|edit| edit.text.as_str()).collect();
        assert_eq!(found, forms, "{text}");
    }

    #[test]
    fn statements_become_forms() {
        assert_translated("role(white).", &["(role white)"]);
        assert_translated("terminal :- true(pile(0))", &["(<= terminal (true (pile 0)))"]);
        assert_translated(
            "legal(X, take(N)) :-\n  true(control(X)) & % whose turn\n  ~p(_, _Y), \\+ q(_)\n& not(r(N)) .\n",
            &["(<= (legal ?X (take ?N)) (true (control ?X)) (not (p ?_1 ?_Y)) (not (q ?_2)) (not (r ?N)))"],
        );
        assert_translated("a(1)\nb(2). ; c\nc(3) (d 4) e(5)", &["(a 1)", "(b 2)"]);
    }

    #[test]
    fn what_is_no_statement_is_left_alone() {
        for text in [
            "",
            "(p 1)",
            "p(",
            "p(1",
            "p()",
            "p(1 2)",
            "P(1)",
            "p(1) :-",
            "p(1) :- ~",
            "p(é)",
            ":- p(1)",
            "?x",
            "word",
            "p(X) :- q(Y), X is Y+1.",
            "p(1) is q(2)",
        ] {
            assert_translated(text, &[]);
        }
        let deep = format!("{}x{}", "f(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_translated(&deep, &[]);
    }
}
