//! The names of a game, and the numbers of its terms.
//!
//! Fluents, moves and percepts are numbered in the bytewise order of their KIF text. Every engine
//! uses these numbers, for fluents in states and moves in joint moves.

use crate::{
    Rules,
    datalog::terms::{TermId, Terms},
    rules::Symbols,
};

/// The names of a game. Roles are in file order, the other lists in the bytewise order of KIF text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The players.
    pub roles: Vec<String>,
    /// The fluents that may hold in a state.
    pub fluents: Vec<String>,
    /// The moves that any role may make: the union over the roles.
    pub moves: Vec<String>,
    /// The percepts that any role may receive: the union over the roles.
    pub percepts: Vec<String>,
    /// The role that stands for chance, an index into [`Vocabulary::roles`].
    pub chance: Option<u32>,
}

impl Vocabulary {
    /// Creates the names of a game with these roles. The lists of fluents, moves and percepts must
    /// be sorted.
    pub(crate) fn new(
        rules: &Rules,
        terms: &Terms,
        roles: &[TermId],
        [fluents, moves, percepts]: [Vec<String>; 3],
    ) -> Self {
        let roles = roles.iter().map(|&role| terms.text(role, &rules.symbols)).collect();
        let chance = rules.chance().and_then(|chance| rules.roles.iter().position(|role| role == chance));
        Self { roles, fluents, moves, percepts, chance: chance.map(|role| role as u32) }
    }
}

/// A map from terms to numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(Vec<u32>);

impl Numbers {
    /// Numbers each term of a list by its place. O(all terms).
    pub(crate) fn new(list: &[TermId], terms: &Terms) -> Self {
        let mut numbers = vec![u32::MAX; terms.len()];
        (0..).zip(list).for_each(|(number, term)| numbers[term.index()] = number);
        Self(numbers)
    }

    /// Returns the number of a term, which must have one.
    pub(crate) fn at(&self, term: TermId) -> u32 {
        self.0[term.index()]
    }

    /// Returns the number of a term, if it has one.
    pub(crate) fn of(&self, term: TermId) -> Option<usize> {
        self.0.get(term.index()).copied().filter(|&number| number != u32::MAX).map(|number| number as usize)
    }
}

/// Terms in the order of their texts, with texts and numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    pub(crate) terms: Vec<TermId>,
    pub(crate) texts: Vec<String>,
    pub(crate) numbers: Numbers,
}

impl NameTable {
    /// Numbers the terms of a list, which may contain duplicates.
    pub(crate) fn new(mut list: Vec<TermId>, terms: &Terms, symbols: &Symbols) -> Self {
        list.sort_unstable();
        list.dedup();
        let mut titled: Vec<(String, TermId)> =
            list.into_iter().map(|term| (terms.text(term, symbols), term)).collect();
        titled.sort_unstable();
        let (texts, list): (Vec<String>, Vec<TermId>) = titled.into_iter().unzip();
        Self { numbers: Numbers::new(&list, terms), terms: list, texts }
    }
}

/// The best goal value of the language.
pub(crate) const BEST_GOAL: u8 = 100;

/// Returns the goal value of a term, an integer from 0 to 255; `None` for other terms. Values above
/// [`BEST_GOAL`] are reported, and played as they are.
pub(crate) fn goal_value(term: TermId, terms: &Terms, symbols: &Symbols) -> Option<u8> {
    let text = terms.arguments(term).is_empty().then(|| symbols.name(terms.symbol(term)))?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}
