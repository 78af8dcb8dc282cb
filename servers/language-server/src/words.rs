//! The keywords of the language, with the texts by which an editor explains and completes them.

/// A keyword of the language.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its spelling in lower case.
    pub(crate) name: &'static str,
    /// Its syntax, such as `(<= head body ..)`.
    pub(crate) usage: &'static str,
    /// Its meaning, in one sentence.
    pub(crate) meaning: &'static str,
    /// The snippet of a literal that begins with the keyword; empty if there is none.
    pub(crate) literal: &'static str,
    /// The snippet of a rule or fact that begins with the keyword; empty if there is none.
    pub(crate) form: &'static str,
}

/// All keywords.
pub(crate) const WORDS: [Word; 15] = [
    Word {
        name: "<=",
        usage: "(<= head body ..)",
        meaning: "A rule: the head holds if every literal of the body does.",
        literal: "",
        form: "(<= (${1:head})\n    (${2:body}))",
    },
    Word {
        name: "role",
        usage: "(role white)",
        meaning: "A player of the game; `random` is chance.",
        literal: "(role ${1:?role})",
        form: "(role ${1:white})",
    },
    Word {
        name: "init",
        usage: "(init (cell 1 1 blank))",
        meaning: "A fluent that holds in the initial state.",
        literal: "",
        form: "(init (${1:fluent}))",
    },
    Word {
        name: "true",
        usage: "(true (cell 1 1 blank))",
        meaning: "A fluent that holds in the current state.",
        literal: "(true (${1:fluent}))",
        form: "",
    },
    Word {
        name: "does",
        usage: "(does white noop)",
        meaning: "The move that a role makes in the current step.",
        literal: "(does ${1:?role} ${2:?move})",
        form: "",
    },
    Word {
        name: "next",
        usage: "(<= (next (cell 1 1 x)) ..)",
        meaning: "A fluent that holds in the next state. A fluent that no rule gives does not hold there.",
        literal: "",
        form: "(<= (next (${1:fluent}))\n    (true (${2:fluent})))",
    },
    Word {
        name: "legal",
        usage: "(<= (legal white noop) ..)",
        meaning: "A move that a role may make in the current state.",
        literal: "(legal ${1:?role} ${2:?move})",
        form: "(<= (legal ${1:?role} ${2:noop})\n    (${3:role} ${1:?role}))",
    },
    Word {
        name: "goal",
        usage: "(<= (goal white 100) ..)",
        meaning: "The value of a state to a role, from 0 to 100. It counts at the end of the game.",
        literal: "(goal ${1:?role} ${2:100})",
        form: "(<= (goal ${1:?role} ${2:100})\n    (${3:body}))",
    },
    Word {
        name: "terminal",
        usage: "(<= terminal ..)",
        meaning: "Holds in the states in which the game is over.",
        literal: "terminal",
        form: "(<= terminal\n    (${1:body}))",
    },
    Word {
        name: "base",
        usage: "(base (cell 1 1 x))",
        meaning: "A fluent that may hold in some state; the compiler finds these itself.",
        literal: "",
        form: "(base (${1:fluent}))",
    },
    Word {
        name: "input",
        usage: "(input white noop)",
        meaning: "A move that a role may make in some state; the compiler finds these itself.",
        literal: "",
        form: "(<= (input ${1:?role} ${2:noop})\n    (role ${1:?role}))",
    },
    Word {
        name: "sees",
        usage: "(<= (sees white (rolled 6)) ..)",
        meaning: "A percept of a role after a step. Without such rules each role perceives the joint move.",
        literal: "",
        form: "(<= (sees ${1:?role} ${2:percept})\n    (${3:body}))",
    },
    Word {
        name: "not",
        usage: "(not (p ?x))",
        meaning: "Holds if the literal does not; it binds no variable.",
        literal: "(not (${1:literal}))",
        form: "",
    },
    Word {
        name: "or",
        usage: "(or (p ?x) (q ?x))",
        meaning: "Holds if one of the literals does.",
        literal: "(or (${1:literal})\n    (${2:literal}))",
        form: "",
    },
    Word {
        name: "distinct",
        usage: "(distinct ?x ?y)",
        meaning: "Holds if the two terms differ; it binds no variable.",
        literal: "(distinct ${1:?x} ${2:?y})",
        form: "",
    },
];

impl Word {
    /// Returns the keyword with this spelling, in any case.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        WORDS.iter().find(|word| word.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether its arguments are literals instead of terms.
    pub(crate) fn is_connective(&self) -> bool {
        matches!(self.name, "<=" | "not" | "or")
    }

    /// Returns the index of its argument that is a fluent.
    pub(crate) fn fluent(&self) -> Option<usize> {
        matches!(self.name, "init" | "true" | "next" | "base").then_some(0)
    }

    /// Returns the index of its argument that is a move.
    pub(crate) fn choice(&self) -> Option<usize> {
        matches!(self.name, "does" | "legal" | "input").then_some(1)
    }
}
