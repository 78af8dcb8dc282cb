//! The sentences of a sheet of Epilog by kind, and the names that they define.

use super::super::expressions::{Expressions, Id, What};
use super::clause::Term;
use crate::diagnostic::{Diagnostic, Source, Span, codes};
use std::collections::{BTreeMap, BTreeSet};

/// A rule or fact about the current state.
pub(super) struct ViewRule {
    pub(super) head: Term,
    pub(super) body: Option<Id>,
    pub(super) span: Span,
}

/// A rule of an operation, with its conditions and effects as the body.
pub(super) struct Operation {
    pub(super) head: Term,
    pub(super) body: Id,
    pub(super) span: Span,
}

/// A name with a number of arguments.
pub(super) type Symbol = (String, usize);

pub(super) struct Sheet<'s> {
    pub(super) source: &'s Source,
    pub(super) expressions: &'s Expressions,
    pub(super) views: Vec<ViewRule>,
    pub(super) operations: Vec<Operation>,
    /// The names and arities of the heads of rules and facts.
    pub(super) defined: BTreeSet<Symbol>,
    /// The names and arities of the heads of operations, with their places.
    pub(super) operated: BTreeMap<Symbol, Span>,
    /// The names in `defined` and `operated`, without their arities.
    pub(super) names: BTreeSet<String>,
    pub(super) found: Vec<Diagnostic>,
    blanks: usize,
}

impl<'s> Sheet<'s> {
    pub(super) fn new(source: &'s Source, expressions: &'s Expressions, found: Vec<Diagnostic>) -> Self {
        let mut sheet = Self {
            source,
            expressions,
            views: Vec::new(),
            operations: Vec::new(),
            defined: BTreeSet::new(),
            operated: BTreeMap::new(),
            names: BTreeSet::new(),
            found,
            blanks: 0,
        };
        for &sentence in &expressions.sentences {
            sheet.sentence(sentence);
        }
        sheet
    }

    pub(super) fn fault(
        &mut self,
        code: &'static crate::diagnostic::Code,
        span: Span,
        message: impl Into<String>,
        help: &str,
    ) {
        self.found.push(Diagnostic::new(code, span, message).help(help));
    }

    fn sentence(&mut self, id: Id) {
        let expressions = self.expressions;
        let sentence = expressions.get(id);
        let span = sentence.span;
        match sentence.what {
            What::Name | What::Call => self.view(id, None, span),
            What::If => self.view(sentence.parts[0], Some(sentence.parts[1]), span),
            What::Operation => {
                let Some(head) = self.head(sentence.parts[0]) else { return };
                let symbol = symbol(&head);
                self.names.insert(symbol.0.clone());
                self.operated.entry(symbol).or_insert(head.span);
                self.operations.push(Operation { head, body: sentence.parts[1], span });
            }
            What::Define => {
                let message = "function definitions are not supported";
                self.fault(
                    &codes::UNKNOWN_BUILTIN,
                    sentence.sign,
                    message,
                    "write a relation with one more argument",
                );
            }
            What::Arrow => {
                let message = "a transition is allowed only in an operation";
                self.fault(
                    &codes::MISPLACED_SIGN,
                    sentence.sign,
                    message,
                    "write the move and `::` before it",
                );
            }
            _ => self.dead(span, "this sentence has no head, so it has no effect"),
        }
    }

    pub(super) fn dead(&mut self, span: Span, message: &str) {
        self.fault(
            &codes::DEAD_SENTENCE,
            span,
            message,
            "write a rule such as `p(X) :- q(X) & r(X)`, or remove it",
        );
    }

    fn view(&mut self, head: Id, body: Option<Id>, span: Span) {
        let Some(head) = self.head(head) else { return };
        let symbol = symbol(&head);
        self.names.insert(symbol.0.clone());
        self.defined.insert(symbol);
        self.views.push(ViewRule { head, body, span });
    }

    fn head(&mut self, id: Id) -> Option<Term> {
        let expression = self.expressions.get(id);
        if matches!(expression.what, What::Name | What::Call) {
            return self.term(id);
        }
        self.dead(expression.span, "this is not a head, so the rule has no effect");
        None
    }

    /// Reads a term. Reports a fault and returns `None` if the expression is something else.
    pub(super) fn term(&mut self, id: Id) -> Option<Term> {
        let expressions = self.expressions;
        let expression = expressions.get(id);
        let (span, text) = (expression.span, self.source.slice(expression.span));
        Some(match expression.what {
            What::Name => Term::name(text, span),
            What::Variable if text == "_" => {
                self.blanks += 1;
                Term::variable(format!("_'{}", self.blanks), span)
            }
            What::Variable => Term::variable(text, span),
            What::Call => {
                let name = self.source.slice(expression.sign);
                let arguments: Option<Vec<Term>> =
                    expression.parts[1..].iter().map(|&part| self.term(part)).collect();
                Term::call(name, arguments?, span)
            }
            _ => {
                let message = format!("`{}` is not allowed in a term", self.source.slice(expression.sign));
                self.fault(
                    &codes::MISPLACED_SIGN,
                    expression.sign,
                    message,
                    "write a name, a variable or a name with arguments",
                );
                return None;
            }
        })
    }
}

/// The name and arity of a term that is not a variable; the default for a variable.
pub(super) fn symbol(term: &Term) -> Symbol {
    term.parts().map_or_else(Symbol::default, |(name, arguments)| (name.to_owned(), arguments.len()))
}
