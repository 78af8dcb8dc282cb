//! The words of the language: their spelling, arity and meaning.
//!
//! Keywords are recognised in any case, whatever the case option is, since servers send whole
//! rulesheets in capitals.

use crate::Span;
use crate::diagnostic::{Code, codes};
use crate::rules::{Keywords, Relation, RelationId, Symbols};

/// A keyword or connective, or a connective of other logics that is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `<=`
    If,
    Not,
    Or,
    Distinct,
    /// `and`, which is part of KIF but not of GDL.
    And,
    /// `=`
    Equals,
    /// `=>` and `->`, which put the conclusion last. `<=>` is reported like them.
    Implies,
    Role,
    Init,
    True,
    Does,
    Next,
    Legal,
    Goal,
    Terminal,
    Base,
    Input,
    Sees,
}

/// The spellings of every word, in the order of [`Word`].
const WORDS: [(&str, Word); 20] = [
    ("<=", Word::If),
    ("not", Word::Not),
    ("or", Word::Or),
    ("distinct", Word::Distinct),
    ("and", Word::And),
    ("=", Word::Equals),
    ("=>", Word::Implies),
    ("<=>", Word::Implies),
    ("->", Word::Implies),
    ("role", Word::Role),
    ("init", Word::Init),
    ("true", Word::True),
    ("does", Word::Does),
    ("next", Word::Next),
    ("legal", Word::Legal),
    ("goal", Word::Goal),
    ("terminal", Word::Terminal),
    ("base", Word::Base),
    ("input", Word::Input),
    ("sees", Word::Sees),
];

impl Word {
    /// Returns the word spelled `name`, in any case.
    pub(super) fn find(name: &str) -> Option<Self> {
        if name.len() > "distinct".len() {
            return None;
        }
        WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(name)).map(|&(_, word)| word)
    }

    /// The number of arguments of a keyword relation; `None` for the connectives.
    pub(super) fn arity(self) -> Option<usize> {
        match self {
            Self::Role | Self::Init | Self::True | Self::Next | Self::Base => Some(1),
            Self::Does | Self::Legal | Self::Goal | Self::Input | Self::Sees => Some(2),
            Self::Terminal => Some(0),
            Self::If | Self::Not | Self::Or | Self::Distinct | Self::And | Self::Equals | Self::Implies => {
                None
            }
        }
    }

    /// The arguments of a keyword relation, for messages.
    pub(super) fn takes(self) -> &'static str {
        match self {
            Self::Role => "1 argument (role)",
            Self::Init | Self::True | Self::Next | Self::Base => "1 argument (fluent)",
            Self::Does | Self::Legal | Self::Input => "2 arguments (role, move)",
            Self::Goal => "2 arguments (role, value)",
            Self::Sees => "2 arguments (role, percept)",
            _ => "no argument",
        }
    }

    /// An example of a literal of a keyword relation, for messages.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Role => "(role white)",
            Self::Init => "(init (cell 1 1 blank))",
            Self::True => "(true (cell 1 1 blank))",
            Self::Next => "(next (cell 1 1 x))",
            Self::Base => "(base (cell 1 1 x))",
            Self::Does => "(does white noop)",
            Self::Legal => "(legal white noop)",
            Self::Input => "(input white noop)",
            Self::Goal => "(goal white 100)",
            Self::Sees => "(sees white (rolled 6))",
            _ => "terminal",
        }
    }

    /// The code for the wrong number of arguments.
    pub(super) fn arity_code(self) -> &'static Code {
        match self {
            Self::Terminal => &codes::TERMINAL_WITH_ARGUMENT,
            Self::Goal => &codes::GOAL_ARITY,
            _ if self.arity() == Some(2) => &codes::KEYWORD_ARITY_LEGAL,
            _ => &codes::KEYWORD_ARITY_NEXT,
        }
    }

    /// Returns the keyword relation of the word; `None` for connectives.
    pub(super) fn relation(self, keywords: &Keywords) -> Option<RelationId> {
        Some(match self {
            Self::Role => keywords.role,
            Self::Init => keywords.init,
            Self::True => keywords.fact,
            Self::Does => keywords.does,
            Self::Next => keywords.next,
            Self::Legal => keywords.legal,
            Self::Goal => keywords.goal,
            Self::Terminal => keywords.terminal,
            Self::Base => keywords.base,
            Self::Input => keywords.input,
            Self::Sees => keywords.sees,
            Self::If | Self::Not | Self::Or | Self::Distinct | Self::And | Self::Equals | Self::Implies => {
                return None;
            }
        })
    }
}

/// Adds the keyword relations to empty tables of symbols and relations.
pub(super) fn enter(symbols: &mut Symbols, relations: &mut Vec<Relation>) -> Keywords {
    let mut enter = |name: &str, word: Word| {
        let arity = word.arity().unwrap_or(0);
        relations.push(Relation { name: symbols.intern(name), arity, span: Span::default() });
        RelationId(relations.len() as u32 - 1)
    };
    Keywords {
        role: enter("role", Word::Role),
        init: enter("init", Word::Init),
        fact: enter("true", Word::True),
        does: enter("does", Word::Does),
        next: enter("next", Word::Next),
        legal: enter("legal", Word::Legal),
        goal: enter("goal", Word::Goal),
        terminal: enter("terminal", Word::Terminal),
        base: enter("base", Word::Base),
        input: enter("input", Word::Input),
        sees: enter("sees", Word::Sees),
    }
}
