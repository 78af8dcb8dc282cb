//! The clauses that the translation makes: terms with their places, literals, clauses.

use crate::Span;
use std::collections::BTreeSet;

/// A term. Equality ignores places.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) shape: Shape,
    pub(super) span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Variable(String),
    Name(String),
    /// A function or relation with at least one argument.
    Call(String, Vec<Term>),
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape
    }
}

impl Eq for Term {}

impl Term {
    pub(super) fn variable(name: impl Into<String>, span: Span) -> Self {
        Self { shape: Shape::Variable(name.into()), span }
    }

    pub(super) fn name(name: impl Into<String>, span: Span) -> Self {
        Self { shape: Shape::Name(name.into()), span }
    }

    /// Creates a call, or a name if there are no arguments.
    pub(super) fn call(name: impl Into<String>, arguments: Vec<Self>, span: Span) -> Self {
        let name = name.into();
        Self {
            shape: if arguments.is_empty() { Shape::Name(name) } else { Shape::Call(name, arguments) },
            span,
        }
    }

    /// The name that the term starts with, and its arguments; `None` for a variable.
    pub(super) fn parts(&self) -> Option<(&str, &[Self])> {
        match &self.shape {
            Shape::Variable(_) => None,
            Shape::Name(name) => Some((name, &[])),
            Shape::Call(name, arguments) => Some((name, arguments)),
        }
    }

    pub(super) fn arguments(&self) -> &[Self] {
        self.parts().map_or(&[], |(_, arguments)| arguments)
    }

    pub(super) fn variables(&self, into: &mut BTreeSet<String>) {
        match &self.shape {
            Shape::Variable(name) => {
                into.insert(name.clone());
            }
            Shape::Name(_) => {}
            Shape::Call(_, arguments) => arguments.iter().for_each(|argument| argument.variables(into)),
        }
    }

    pub(super) fn has(&self, variable: &str) -> bool {
        match &self.shape {
            Shape::Variable(name) => name == variable,
            Shape::Name(_) => false,
            Shape::Call(_, arguments) => arguments.iter().any(|argument| argument.has(variable)),
        }
    }

    /// Replaces a variable by a term.
    pub(super) fn replace(&mut self, variable: &str, term: &Self) {
        match &mut self.shape {
            Shape::Variable(name) if name == variable => self.shape = term.shape.clone(),
            Shape::Variable(_) | Shape::Name(_) => {}
            Shape::Call(_, arguments) => {
                arguments.iter_mut().for_each(|argument| argument.replace(variable, term));
            }
        }
    }

    /// Returns the most general unifier of two terms: variables and their values, to be applied in
    /// order. Returns `None` if they do not unify.
    pub(super) fn unify(&self, other: &Self) -> Option<Vec<(String, Self)>> {
        let mut bindings: Vec<(String, Self)> = Vec::new();
        let mut waiting = vec![(self.clone(), other.clone())];
        while let Some((mut left, mut right)) = waiting.pop() {
            for (variable, term) in &bindings {
                left.replace(variable, term);
                right.replace(variable, term);
            }
            match (&left.shape, &right.shape) {
                _ if left == right => {}
                (Shape::Variable(name), _) if !right.has(name) => bindings.push((name.clone(), right)),
                (_, Shape::Variable(name)) if !left.has(name) => bindings.push((name.clone(), left)),
                (Shape::Call(a, xs), Shape::Call(b, ys)) if a == b && xs.len() == ys.len() => {
                    waiting.extend(xs.iter().cloned().zip(ys.iter().cloned()));
                }
                _ => return None,
            }
        }
        Some(bindings)
    }
}

#[derive(Clone, Debug)]
pub(super) enum EpilogLiteral {
    Positive(Term),
    Negative(Term),
    Distinct(Term, Term),
    /// Equality of two terms.
    Equal(Term, Term),
}

impl EpilogLiteral {
    pub(super) fn terms(&self) -> impl Iterator<Item = &Term> {
        let (first, second) = match self {
            Self::Positive(atom) | Self::Negative(atom) => (atom, None),
            Self::Distinct(left, right) | Self::Equal(left, right) => (left, Some(right)),
        };
        [Some(first), second].into_iter().flatten()
    }

    pub(super) fn replace(&mut self, variable: &str, term: &Term) {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => atom.replace(variable, term),
            Self::Distinct(left, right) | Self::Equal(left, right) => {
                left.replace(variable, term);
                right.replace(variable, term);
            }
        }
    }
}

/// A rule, or a fact if its body is empty.
#[derive(Clone, Debug)]
pub(super) struct EpilogClause {
    pub(super) head: Term,
    pub(super) body: Vec<EpilogLiteral>,
    /// The place of the sentence that it comes from.
    pub(super) span: Span,
    /// True for a declaration, which only bounds values and is not part of the game.
    pub(super) declares: bool,
}
