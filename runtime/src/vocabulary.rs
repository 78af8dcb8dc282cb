//! The vocabulary of a game: its roles, fluents, moves and percepts as KIF texts, and their
//! numbers.
//!
//! The number of a name is its position in its list. Roles are in the order of the rulesheet.
//! Fluents, moves and percepts are in bytewise order of their texts, so a text is found by binary
//! search.

use crate::kif;
use gdl_format::shape::Shape;
use std::ops::Index;

/// A list of texts in one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    buffer: Box<str>,
    /// The end of each text in the buffer.
    ends: Box<[u32]>,
    /// True if the texts are in strictly ascending bytewise order.
    sorted: bool,
}

impl Texts {
    /// Creates a list of `texts`, in their order.
    pub fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut buffer = String::new();
        let mut ends = Vec::new();
        for text in texts {
            buffer.push_str(text.as_ref());
            ends.push(buffer.len() as u32);
        }
        let mut list = Self { buffer: buffer.into(), ends: ends.into(), sorted: true };
        list.sorted = (1..list.len()).all(|i| list[i - 1] < list[i]);
        list
    }

    /// The number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no texts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at a position.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<&str> {
        let end = *self.ends.get(position)? as usize;
        let start = if position == 0 { 0 } else { self.ends[position - 1] as usize };
        Some(&self.buffer[start..end])
    }

    /// The texts, in their order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        (0..self.len()).map(|position| &self[position])
    }

    /// Returns true if the texts are in strictly ascending bytewise order.
    #[must_use]
    pub fn is_sorted(&self) -> bool {
        self.sorted
    }

    /// The position of exactly this text. O(log n) comparisons in a sorted list, otherwise O(n).
    #[must_use]
    pub fn position(&self, text: &str) -> Option<usize> {
        if !self.sorted {
            return self.iter().position(|t| t == text);
        }
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self[middle].cmp(text) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The position of a text in any spacing. If no text has exactly this spelling, case is ignored
    /// and the first match is returned.
    ///
    /// Takes as long as [`Texts::position`] for a text spelt as in the list, and O(n) for another
    /// case and for unknown texts.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<usize> {
        self.position(text).or_else(|| {
            let text = kif::normalise(text);
            self.position(&text).or_else(|| self.iter().position(|t| t.eq_ignore_ascii_case(&text)))
        })
    }
}

/// Serialised as a list of strings.
#[cfg(feature = "serde")]
impl serde::Serialize for Texts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Index<usize> for Texts {
    type Output = str;

    fn index(&self, position: usize) -> &str {
        let end = self.ends[position] as usize;
        let start = if position == 0 { 0 } else { self.ends[position - 1] as usize };
        &self.buffer[start..end]
    }
}

/// The names of a game and, for each role, the moves, goal values and percepts that it may ever
/// have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    roles: Texts,
    fluents: Texts,
    moves: Texts,
    role_moves: Vec<Box<[u32]>>,
    role_goals: Vec<Box<[u8]>>,
    chance: Option<usize>,
    percepts: Texts,
    /// `None` if each role perceives the joint move.
    role_percepts: Option<Vec<Box<[u32]>>>,
}

impl Vocabulary {
    /// Creates a vocabulary. `role_moves` has an ascending list of positions in `moves` for each
    /// role, `role_goals` an ascending list of values. There is no chance, and each role perceives
    /// the joint move.
    ///
    /// # Panics
    /// Panics if `fluents` or `moves` are not sorted, or if a list per role is missing, not
    /// ascending, or names a move that does not exist.
    #[must_use]
    pub fn new(
        roles: Texts,
        fluents: Texts,
        moves: Texts,
        role_moves: Vec<Vec<u32>>,
        role_goals: Vec<Vec<u8>>,
    ) -> Self {
        assert!(fluents.is_sorted() && moves.is_sorted(), "names out of order");
        assert!(role_moves.len() == roles.len() && role_goals.len() == roles.len(), "one list per role");
        assert!(are_positions(&role_moves, &moves), "moves of a role out of order or unknown");
        assert!(role_goals.iter().all(|list| list.is_sorted_by(|a, b| a < b)), "goals out of order");
        Self {
            roles,
            fluents,
            moves,
            role_moves: role_moves.into_iter().map(Into::into).collect(),
            role_goals: role_goals.into_iter().map(Into::into).collect(),
            chance: None,
            percepts: Texts::new::<&str>([]),
            role_percepts: None,
        }
    }

    /// Makes a role stand for chance, which draws its legal moves uniformly.
    ///
    /// # Panics
    /// Panics if there is no such role.
    #[must_use]
    pub fn with_chance(mut self, role: usize) -> Self {
        assert!(role < self.roles.len(), "chance is not a role");
        self.chance = Some(role);
        self
    }

    /// Adds the percepts of rules with `sees`: `role_percepts` has an ascending list of positions
    /// in `percepts` for each role.
    ///
    /// # Panics
    /// Panics if `percepts` are not sorted, or if a list per role is missing, not ascending, or
    /// names a percept that does not exist.
    #[must_use]
    pub fn with_percepts(mut self, percepts: Texts, role_percepts: Vec<Vec<u32>>) -> Self {
        assert!(percepts.is_sorted(), "names out of order");
        assert!(role_percepts.len() == self.roles.len(), "one list per role");
        assert!(are_positions(&role_percepts, &percepts), "percepts of a role out of order or unknown");
        self.percepts = percepts;
        self.role_percepts = Some(role_percepts.into_iter().map(Into::into).collect());
        self
    }

    /// The sizes of a game with these names. O(roles).
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape {
            roles: self.roles.len(),
            fluents: self.fluents.len(),
            moves: self.moves.len(),
            goals: self.role_goals.iter().map(|goals| goals.len()).sum(),
            percepts: self.percepts.len(),
        }
    }

    /// The roles, in the order of the rulesheet.
    #[must_use]
    pub fn roles(&self) -> &Texts {
        &self.roles
    }

    /// The fluents, in bytewise order.
    #[must_use]
    pub fn fluents(&self) -> &Texts {
        &self.fluents
    }

    /// The moves of all roles, in bytewise order.
    #[must_use]
    pub fn moves(&self) -> &Texts {
        &self.moves
    }

    /// The percepts of all roles, in bytewise order.
    #[must_use]
    pub fn percepts(&self) -> &Texts {
        &self.percepts
    }

    /// The role that stands for chance, which rulesheets call `random`. Returns `None` if the game
    /// has no chance.
    #[must_use]
    pub fn chance(&self) -> Option<usize> {
        self.chance
    }

    /// Returns true if the rules have `sees`; otherwise each role perceives the joint move.
    #[must_use]
    pub fn has_percepts(&self) -> bool {
        self.role_percepts.is_some()
    }

    /// The percepts a role may ever have, as ascending positions in [`Vocabulary::percepts`].
    ///
    /// # Panics
    /// Panics if there is no such role.
    #[must_use]
    pub fn percepts_of(&self, role: usize) -> &[u32] {
        self.role_percepts.as_ref().map_or(&[], |lists| &lists[role])
    }

    /// The moves a role may ever make, as ascending positions in [`Vocabulary::moves`].
    ///
    /// # Panics
    /// Panics if there is no such role.
    #[must_use]
    pub fn moves_of(&self, role: usize) -> &[u32] {
        &self.role_moves[role]
    }

    /// The goal values a role may ever have, ascending.
    ///
    /// # Panics
    /// Panics if there is no such role.
    #[must_use]
    pub fn goals_of(&self, role: usize) -> &[u8] {
        &self.role_goals[role]
    }
}

/// Returns true if every list is ascending and within `texts`.
fn are_positions(lists: &[Vec<u32>], texts: &Texts) -> bool {
    let known = |list: &Vec<u32>| list.last().is_none_or(|&last| (last as usize) < texts.len());
    lists.iter().all(|list| list.is_sorted_by(|a, b| a < b) && known(list))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_however_they_are_spaced_and_spelt() {
        let texts = Texts::new(["(mark 1 1)", "(mark 1 10)", "(mark 1 2)", "noop"]);
        assert!(texts.is_sorted());
        assert_eq!(texts.position("(mark 1 2)"), Some(2));
        assert_eq!(texts.position("( mark 1 2 )"), None);
        assert_eq!(texts.find("( mark  1\n2 )"), Some(2));
        assert_eq!(texts.find("(MARK 1 10)"), Some(1));
        assert_eq!(texts.find("NoOp"), Some(3));
        assert_eq!(texts.find("nope"), None);
        assert_eq!(texts.find(""), None);
        assert_eq!(texts.get(1), Some("(mark 1 10)"));
        assert_eq!(texts.get(4), None);
    }

    #[test]
    fn an_exact_spelling_wins() {
        let texts = Texts::new(["A", "a"]);
        assert_eq!(texts.find(" a "), Some(1));
        assert_eq!(texts.find("A"), Some(0));
    }

    #[test]
    fn roles_need_no_order() {
        let texts = Texts::new(["white", "black"]);
        assert!(!texts.is_sorted());
        assert_eq!(texts.find("black"), Some(1));
        assert_eq!(texts.find("White"), Some(0));
    }
}
