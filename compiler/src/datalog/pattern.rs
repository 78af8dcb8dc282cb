//! Terms with variables: reading them from rules, matching them, and finding the terms they denote.
//!
//! Variables are numbers, and a row of terms has their values. A [`Pattern`] denotes a term under a
//! row. A [`Match`] decomposes a term and writes to the row. The bound variables are known
//! beforehand at each point, so rows need not be cleared.

use super::terms::{Oversized, TermId, Terms};
use crate::rules::{Symbol, Term};

/// A term of a clause, with or without variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Variable(u32),
    /// A term without variables.
    Ground(TermId),
    /// A symbol applied to terms, with at least one variable in them.
    Function(Symbol, Vec<Pattern>),
}

/// The cost of looking a function's term up among all terms, as a number of variables.
pub(crate) const FUNCTION: usize = 8;

impl Pattern {
    /// Converts a rule's term into a pattern. Variables keep their numbers.
    ///
    /// # Errors
    /// Returns an error if a part without variables exceeds the limits on terms.
    pub(crate) fn of(term: &Term, terms: &mut Terms) -> Result<Self, Oversized> {
        let (symbol, arguments) = match term {
            Term::Variable(variable) => return Ok(Self::Variable(variable.0)),
            Term::Constant(symbol) => return Ok(Self::Ground(terms.intern(*symbol, &[])?)),
            Term::Function(symbol, arguments) => (*symbol, Self::of_all(arguments, terms)?),
        };
        let ground = |argument: &Self| if let Self::Ground(term) = argument { Some(*term) } else { None };
        Ok(match arguments.iter().map(ground).collect::<Option<Vec<_>>>() {
            Some(ground) => Self::Ground(terms.intern(symbol, &ground)?),
            None => Self::Function(symbol, arguments),
        })
    }

    /// Converts a rule's terms into patterns.
    ///
    /// # Errors
    /// Returns an error as [`Pattern::of`] does.
    pub(crate) fn of_all(list: &[Term], terms: &mut Terms) -> Result<Vec<Self>, Oversized> {
        list.iter().map(|term| Self::of(term, terms)).collect()
    }

    /// The cost of reading the pattern, as a number of variables.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Variable(_) | Self::Ground(_) => 1,
            Self::Function(_, arguments) => FUNCTION + arguments.iter().map(Self::size).sum::<usize>(),
        }
    }

    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Ground(_) => {}
            Self::Function(_, arguments) => arguments.iter().for_each(|a| a.for_each_variable(visit)),
        }
    }

    /// Returns whether all variables of the pattern are `bound`.
    pub(crate) fn is_bound(&self, bound: &[bool]) -> bool {
        let mut all = true;
        self.for_each_variable(&mut |variable| all &= bound[variable as usize]);
        all
    }

    /// The pattern with each variable renamed by `name`.
    pub(crate) fn rename(&self, name: &mut impl FnMut(u32) -> u32) -> Self {
        match self {
            Self::Variable(variable) => Self::Variable(name(*variable)),
            Self::Ground(term) => Self::Ground(*term),
            Self::Function(symbol, arguments) => {
                Self::Function(*symbol, arguments.iter().map(|a| a.rename(name)).collect())
            }
        }
    }

    /// The pattern with each variable replaced by its value. A [`Pattern::Function`] stays one even
    /// if it has no variables afterwards.
    pub(crate) fn substitute(&self, values: &[Self]) -> Self {
        match self {
            Self::Variable(variable) => values[*variable as usize].clone(),
            Self::Ground(term) => Self::Ground(*term),
            Self::Function(symbol, arguments) => {
                Self::Function(*symbol, arguments.iter().map(|a| a.substitute(values)).collect())
            }
        }
    }

    /// Looks up the term of the pattern in a row that binds all its variables. Returns `None` if
    /// the term does not exist. The stack is left as it was.
    #[inline]
    pub(crate) fn find(&self, terms: &Terms, row: &[TermId], stack: &mut Vec<TermId>) -> Option<TermId> {
        match self {
            Self::Variable(variable) => Some(row[*variable as usize]),
            Self::Ground(term) => Some(*term),
            Self::Function(symbol, arguments) => {
                Self::with_found(arguments, terms, row, stack, |found| terms.find(*symbol, found)).flatten()
            }
        }
    }

    /// Calls `look` with the terms that the patterns denote in `row`. Returns `None` without
    /// calling it if one of these terms does not exist. The stack is left as it was.
    pub(crate) fn with_found<T>(
        patterns: &[Self],
        terms: &Terms,
        row: &[TermId],
        stack: &mut Vec<TermId>,
        look: impl FnOnce(&[TermId]) -> T,
    ) -> Option<T> {
        let start = stack.len();
        for pattern in patterns {
            let Some(term) = pattern.find(terms, row, stack) else {
                stack.truncate(start);
                return None;
            };
            stack.push(term);
        }
        let result = look(&stack[start..]);
        stack.truncate(start);
        Some(result)
    }

    /// Returns whether both patterns denote the same term in a row that binds all their variables.
    /// The term need not exist yet. The stack is left as it was.
    pub(crate) fn equals(
        &self,
        other: &Self,
        terms: &Terms,
        row: &[TermId],
        stack: &mut Vec<TermId>,
    ) -> bool {
        if let (Self::Function(f, xs), Self::Function(g, ys)) = (self, other) {
            return f == g
                && xs.len() == ys.len()
                && xs.iter().zip(ys).all(|(x, y)| x.equals(y, terms, row, stack));
        }
        match (self.find(terms, row, stack), other.find(terms, row, stack)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }
}

/// The operation that matches a term, given the variables that are already bound.
#[derive(Clone, Debug)]
pub(crate) enum Match {
    /// Binds the variable to the term.
    Bind(u32),
    /// The term must equal the variable's value.
    Check(u32),
    Ground(TermId),
    Function(Symbol, Vec<Match>),
}

impl Match {
    /// Builds the match for a pattern, and marks the variables that it binds.
    pub(crate) fn of(pattern: &Pattern, bound: &mut [bool]) -> Self {
        match pattern {
            Pattern::Ground(term) => Self::Ground(*term),
            Pattern::Variable(variable) => {
                let is_known = std::mem::replace(&mut bound[*variable as usize], true);
                if is_known { Self::Check(*variable) } else { Self::Bind(*variable) }
            }
            Pattern::Function(symbol, arguments) => Self::Function(*symbol, Self::of_all(arguments, bound)),
        }
    }

    /// Builds the matches of consecutive terms with the patterns.
    pub(crate) fn of_all(patterns: &[Pattern], bound: &mut [bool]) -> Vec<Self> {
        patterns.iter().map(|pattern| Self::of(pattern, bound)).collect()
    }

    /// Matches a term and writes to the row. Returns false if it does not fit.
    pub(crate) fn fits(&self, term: TermId, terms: &Terms, row: &mut [TermId]) -> bool {
        match self {
            Self::Bind(variable) => {
                row[*variable as usize] = term;
                true
            }
            Self::Check(variable) => row[*variable as usize] == term,
            Self::Ground(known) => *known == term,
            Self::Function(symbol, parts) => {
                let arguments = terms.arguments(term);
                terms.symbol(term) == *symbol
                    && arguments.len() == parts.len()
                    && Self::all_fit(parts, arguments, terms, row)
            }
        }
    }

    /// Matches terms one by one. Returns false at the first that does not fit.
    pub(crate) fn all_fit(list: &[Self], values: &[TermId], terms: &Terms, row: &mut [TermId]) -> bool {
        list.iter().zip(values).all(|(part, &value)| part.fits(value, terms, row))
    }
}
