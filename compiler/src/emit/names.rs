//! Rust names for KIF names.
//!
//! The KIF texts of a vocabulary become valid identifiers in Rust's case conventions, unique within
//! a [`Namespace`]. The names are deterministic, and the skeleton of a faulty rulesheet uses the
//! same rules.

use crate::rules::{RelationId, Rules, Term};
use gdl_format::term;
use std::collections::{BTreeMap, BTreeSet};

/// The spelling of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `white_king`: modules, functions, parameters.
    Snake,
    /// `WHITE_KING`: constants.
    Upper,
    /// `WhiteKing`: types and variants.
    Camel,
}

/// The strict and reserved keywords of every edition so far, without weak ones such as `union`.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// The words that replace operators in names.
const OPERATORS: &[(char, &str)] = &[
    ('+', "plus"),
    ('*', "times"),
    ('/', "slash"),
    ('<', "less"),
    ('>', "greater"),
    ('=', "equal"),
    ('!', "bang"),
    ('&', "and"),
    ('|', "or"),
    ('~', "tilde"),
    ('^', "caret"),
    ('%', "percent"),
    ('#', "hash"),
    ('@', "at"),
    ('$', "dollar"),
];

/// The number of bytes beyond which a name gets no further words of its text. A longer first word
/// is cut. Collisions get numbers.
const LONGEST: usize = 80;

/// Spells a KIF text as one Rust identifier. Parentheses and spaces separate words as hyphens do.
#[must_use]
pub fn spell(text: &str, style: Style) -> String {
    let words = words(text);
    let mut name = String::new();
    for word in &words {
        if name.len() + word.len() > LONGEST && !name.is_empty() {
            break;
        }
        // Words are ASCII.
        let word = &word[..word.len().min(LONGEST)];
        match style {
            Style::Snake | Style::Upper => {
                if !name.is_empty() {
                    name.push('_');
                }
                name.push_str(word);
            }
            Style::Camel => {
                // Without the underscore, `a_1_2` and `a_12` would both become `A12`.
                let digits = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
                if digits(name.chars().last()) && digits(word.chars().next()) {
                    name.push('_');
                }
                let mut letters = word.chars();
                name.extend(letters.next().map(|c| c.to_ascii_uppercase()));
                name.extend(letters);
            }
        }
    }
    if style == Style::Upper {
        name.make_ascii_uppercase();
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if name == "_" {
        name.push('_');
    }
    if KEYWORDS.binary_search(&name.as_str()).is_ok() {
        name.push('_');
    }
    name
}

/// Splits a text into lower-case words: at characters that no identifier contains, at underscores,
/// and between a small letter and a capital.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_small = false;
    let letters: Vec<char> = text.chars().collect();
    for (i, &letter) in letters.iter().enumerate() {
        let operator = OPERATORS.iter().find(|(c, _)| *c == letter).map(|(_, name)| *name);
        // A hyphen at the start of a name, or alone, is a minus. Otherwise it joins two words.
        let starts = i == 0 || matches!(letters[i - 1], ' ' | '(');
        let operator = if letter == '-' && starts { Some("minus") } else { operator };
        let cut = !letter.is_ascii_alphanumeric() || (letter.is_ascii_uppercase() && after_small);
        if cut && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        } else if let Some(operator) = operator {
            words.push(operator.to_owned());
        }
        after_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A set of names that are assigned at most once.
#[derive(Clone, Debug, Default)]
pub struct Namespace {
    taken: BTreeSet<String>,
    /// For each name that was not free, the first number that may be free; smaller ones are taken.
    numbers: BTreeMap<String, usize>,
}

impl Namespace {
    /// Creates a namespace in which the `reserved` names are taken.
    #[must_use]
    pub fn new(reserved: &[&str]) -> Self {
        Self { taken: reserved.iter().map(|&name| name.to_owned()).collect(), numbers: BTreeMap::new() }
    }

    /// Assigns `name`, or the first free one of `name_2`, `name_3`, and so on. A `reserved` name
    /// gets an underscore first. O(log names) for each try; each number is tried at most once for a
    /// name, in all calls together.
    pub fn take(&mut self, name: &str, reserved: &[&str]) -> String {
        let mut candidate = name.to_owned();
        if reserved.contains(&name) {
            candidate.push('_');
        }
        if self.taken.insert(candidate.clone()) {
            return candidate;
        }
        let name = name.trim_end_matches('_');
        let number = self.numbers.entry(name.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{name}_{number}");
            *number += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// Splits a canonical KIF text into its head and arguments: `(mark 1 (a b))` into `mark` and `1`,
/// `(a b)`. `noop` has no arguments.
#[must_use]
pub fn split(text: &str) -> (&str, Vec<&str>) {
    let mut parts = term::parts(text);
    let arguments = parts.split_off(1);
    (parts[0], arguments)
}

/// Returns true if the text is the canonical form of an `i64`: `7` and `-7`, but neither `07` nor
/// `+7`.
#[must_use]
pub fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

/// A KIF name without arguments, with its position in the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The Rust name.
    pub name: String,
    /// The KIF text.
    pub text: String,
    /// The position of the text in the vocabulary.
    pub index: usize,
}

/// The KIF names with one head and number of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructor {
    /// The Rust name.
    pub name: String,
    /// The KIF name.
    pub head: String,
    /// The Rust name of each argument, and true if all its values are integers.
    pub parameters: Vec<(String, bool)>,
    /// The KIF text of one of the names.
    pub example: String,
    /// The number of names.
    pub count: usize,
}

/// The Rust names of a list of moves, fluents or percepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The names without arguments, in the order of the vocabulary.
    pub constants: Vec<Constant>,
    /// The names with arguments, by head and number of arguments.
    pub constructors: Vec<Constructor>,
}

/// The names of associated items that each id has already, from its traits or from the macro.
pub const RESERVED: &[&str] =
    &["ALL", "all", "clone", "cmp", "eq", "fmt", "from_index", "from_str", "hash", "index", "parse"];

/// The maximum number of constants that are emitted, since each adds to rustc's time. Texts without
/// a constant still parse.
pub const MAX_CONSTANTS: usize = 2_000;

/// Finds names for a list of KIF texts. `hints` has the names of arguments.
#[must_use]
pub fn name<'t>(texts: impl IntoIterator<Item = &'t str>, hints: &Hints) -> Named {
    struct Group {
        integers: Vec<bool>,
        example: String,
        count: usize,
    }
    let mut constants = Vec::new();
    let mut groups: BTreeMap<(&str, usize), Group> = BTreeMap::new();
    let mut space = Namespace::default();
    for (index, text) in texts.into_iter().enumerate() {
        let (head, arguments) = split(text);
        if arguments.is_empty() {
            if constants.len() < MAX_CONSTANTS {
                let name = space.take(&spell(head, Style::Upper), RESERVED);
                constants.push(Constant { name, text: text.to_owned(), index });
            }
            continue;
        }
        let group = groups.entry((head, arguments.len())).or_insert_with(|| Group {
            integers: vec![true; arguments.len()],
            example: text.to_owned(),
            count: 0,
        });
        group.count += 1;
        for (integer, argument) in group.integers.iter_mut().zip(&arguments) {
            *integer &= is_integer(argument);
        }
    }
    let mut constructors = Vec::new();
    let mut previous = None;
    for ((head, arity), group) in groups {
        // For equal heads, the map is sorted by arity, and the smallest arity gets the plain name.
        let name = spell(head, Style::Snake);
        let name = if previous == Some(head) { format!("{name}_{arity}") } else { name };
        previous = Some(head);
        let parameters = hints.parameters(head, arity).into_iter().zip(group.integers).collect();
        constructors.push(Constructor {
            name: space.take(&name, RESERVED),
            head: head.to_owned(),
            parameters,
            example: group.example,
            count: group.count,
        });
    }
    Named { constants, constructors }
}

/// The names of arguments that the rules suggest, by head and number of arguments.
#[derive(Clone, Debug, Default)]
pub struct Hints(BTreeMap<(String, usize), Vec<Option<String>>>);

impl Hints {
    /// Collects the variables in the heads of the rules of `relations`; the argument at `position`
    /// is the KIF name.
    #[must_use]
    pub fn new(rules: &Rules, relations: &[RelationId], position: usize) -> Self {
        let mut hints = Self::default();
        for rule in &rules.rules {
            if !relations.contains(&rule.head.relation) {
                continue;
            }
            let Some(Term::Function(symbol, arguments)) = rule.head.arguments.get(position) else { continue };
            let key = (rules.symbols.name(*symbol).to_owned(), arguments.len());
            let names = hints.0.entry(key).or_insert_with(|| vec![None; arguments.len()]);
            for (name, argument) in names.iter_mut().zip(arguments) {
                if let (None, Term::Variable(variable)) = (&name, argument) {
                    *name = Some(rule.variables[variable.index()].clone());
                }
            }
        }
        hints
    }

    /// Returns the names of the parameters of a constructor.
    fn parameters(&self, head: &str, arity: usize) -> Vec<String> {
        let names = self.0.get(&(head.to_owned(), arity));
        let mut space = Namespace::default();
        (0..arity)
            .map(|i| {
                let name = names.and_then(|names| names[i].as_deref());
                let name = name.map_or_else(|| format!("argument_{}", i + 1), |n| spell(n, Style::Snake));
                space.take(&name, &[])
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn names_follow_rust() {
        for (text, snake, upper, camel) in [
            ("mark", "mark", "MARK", "Mark"),
            ("moveTo", "move_to", "MOVE_TO", "MoveTo"),
            ("white_king", "white_king", "WHITE_KING", "WhiteKing"),
            ("a-b", "a_b", "A_B", "AB"),
            ("move", "move_", "MOVE", "Move"),
            ("self", "self_", "SELF", "Self_"),
            ("1", "_1", "_1", "_1"),
            ("-", "minus", "MINUS", "Minus"),
            ("+", "plus", "PLUS", "Plus"),
            ("c++", "c_plus_plus", "C_PLUS_PLUS", "CPlusPlus"),
            ("-1", "minus_1", "MINUS_1", "Minus1"),
            ("a_1_2", "a_1_2", "A_1_2", "A1_2"),
            ("(player 1)", "player_1", "PLAYER_1", "Player1"),
            ("_", "__", "__", "__"),
            ("TicTacToe", "tic_tac_toe", "TIC_TAC_TOE", "TicTacToe"),
        ] {
            assert_eq!(spell(text, Style::Snake), snake, "{text}");
            assert_eq!(spell(text, Style::Upper), upper, "{text}");
            assert_eq!(spell(text, Style::Camel), camel, "{text}");
        }
    }

    #[test]
    fn texts_are_split() {
        assert_eq!(split("noop"), ("noop", vec![]));
        assert_eq!(split("(mark 1 (a b) ())"), ("mark", vec!["1", "(a b)", "()"]));
    }

    #[test]
    fn integers_are_canonical() {
        assert!(["0", "7", "-7", "123"].into_iter().all(is_integer));
        assert!(!["07", "+7", "-0", "x", "", "99999999999999999999"].into_iter().any(is_integer));
    }

    #[test]
    fn collisions_get_numbers() {
        let texts = ["(mark 1 x)", "(mark 1 2 3)", "(mark 2 y)", "(Mark 1)", "a-b", "a_b", "all"];
        let named = name(texts, &Hints::default());
        let constants: Vec<_> = named.constants.iter().map(|c| (c.name.as_str(), c.index)).collect();
        assert_eq!(constants, [("A_B", 4), ("A_B_2", 5), ("ALL_", 6)]);
        let constructors: Vec<_> = named.constructors.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(constructors, ["mark", "mark_2", "mark_3"]);
        assert_eq!(named.constructors[1].count, 2);
        let parameters = [("argument_1".to_owned(), true), ("argument_2".to_owned(), false)];
        assert_eq!(named.constructors[1].parameters, parameters);
    }

    #[test]
    fn long_words_are_cut_and_stay_distinct() {
        let long = "x".repeat(LONGEST);
        let texts = [long.clone(), format!("{long}y"), format!("({long}z 1)"), format!("({long}y 1)")];
        let named = name(texts.iter().map(String::as_str), &Hints::default());
        let constants: Vec<_> = named.constants.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(constants, [long.to_uppercase(), format!("{}_2", long.to_uppercase())]);
        let constructors: Vec<_> = named.constructors.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(constructors, [long.clone(), format!("{long}_2")]);
        assert_eq!(spell(&long.repeat(9), Style::Camel).len(), LONGEST);
    }

    /// Equal names continue from the last number, without trying all numbers before it.
    #[test]
    fn names_alike_are_numbered_in_order() {
        let mut space = Namespace::default();
        let names = ["all", "all", "b", "b", "b_2", "b", "b_"].map(|name| space.take(name, &["all"]));
        assert_eq!(names, ["all_", "all_2", "b", "b_2", "b_2_2", "b_3", "b_"]);
        (4..1_000).for_each(|number| assert_eq!(space.take("b", &[]), format!("b_{number}")));
        assert_eq!(space.numbers["b"], 1_000);
    }
}
