//! Checked rules: the output of [`check`](crate::check), and the input of grounding and evaluation.
//!
//! Every rule of a [`Rules`] value is safe: positive literals bind all its variables. Keywords are
//! used consistently, nesting is bounded, and roles are ground. Symbols are interned. With case
//! folding, spellings that differ in case alone share a symbol, which is printed as first spelled.

use crate::diagnostic::Span;
use rustc_hash::FxHashMap;

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into its table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// The name of a relation, a function or an object.
    Symbol
    /// A relation, identified by name and arity; an index into [`Rules::relations`].
    RelationId
    /// A variable of one rule, an index into [`Rule::variables`].
    Variable
}

/// The table of interned names.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Vec<String>,
    ids: FxHashMap<String, Symbol>,
    sensitive: bool,
}

impl Symbols {
    /// True if spellings that differ in ASCII case alone are one symbol.
    #[must_use]
    pub fn folds_case(&self) -> bool {
        !self.sensitive
    }

    /// Creates an empty table. Spellings that differ in ASCII case alone are one symbol unless
    /// `sensitive`.
    #[must_use]
    pub fn new(sensitive: bool) -> Self {
        Self { sensitive, ..Self::default() }
    }

    /// Returns the symbol spelled `name`, and adds it if it is new. The first spelling is printed.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let key = if self.sensitive { name.to_owned() } else { name.to_ascii_lowercase() };
        *self.ids.entry(key).or_insert_with(|| {
            self.names.push(name.to_owned());
            Symbol(self.names.len() as u32 - 1)
        })
    }

    /// Returns the symbol spelled `name`, if there is one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Symbol> {
        let key = if self.sensitive { name.to_owned() } else { name.to_ascii_lowercase() };
        self.ids.get(&key).copied()
    }

    /// The first spelling of each symbol, in the order of symbols.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The symbol's first spelling.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }
}

/// A term, possibly with variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// `?x`
    Variable(Variable),
    /// `x`; also a function without arguments, since `(x)` and `x` are the same.
    Constant(Symbol),
    /// `(f x y)`, with at least one argument.
    Function(Symbol, Vec<Term>),
}

impl Term {
    /// Calls `visit` for every occurrence of a variable, left to right.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Constant(_) => {}
            Self::Function(_, arguments) => arguments.iter().for_each(|a| a.for_each_variable(visit)),
        }
    }

    /// The number of symbols and variables in the term.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Variable(_) | Self::Constant(_) => 1,
            Self::Function(_, arguments) => 1 + arguments.iter().map(Self::size).sum::<usize>(),
        }
    }

    /// Returns false only if no values of the variables make the terms equal. Each occurrence of a
    /// variable counts as a variable of its own, so true may be wrong.
    #[must_use]
    pub fn may_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Variable(_), _) | (_, Self::Variable(_)) => true,
            (Self::Constant(left), Self::Constant(right)) => left == right,
            (Self::Function(left, inner), Self::Function(right, others)) => {
                left == right
                    && inner.len() == others.len()
                    && inner.iter().zip(others).all(|(left, right)| left.may_equal(right))
            }
            _ => false,
        }
    }
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// The arguments, one for each place of the relation.
    pub arguments: Vec<Term>,
    /// The place in the text.
    pub span: Span,
}

/// A literal of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// An atom.
    Atom(Atom),
    /// `distinct`: holds if the terms differ.
    Distinct(Term, Term),
    /// `not`: holds if the formula does not.
    Not(Box<Formula>),
    /// `or`: holds if one of the formulas does. There is at least one.
    Or(Vec<Formula>),
}

impl Formula {
    /// The number of connectives, names and variables in the formula.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Atom(atom) => 1 + atom.arguments.iter().map(Term::size).sum::<usize>(),
            Self::Distinct(left, right) => 1 + left.size() + right.size(),
            Self::Not(inner) => 1 + inner.size(),
            Self::Or(branches) => 1 + branches.iter().map(Self::size).sum::<usize>(),
        }
    }

    /// Calls `visit` for every atom, with true if it is inside an odd number of `not`.
    pub fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        self.walk(false, visit);
    }

    fn walk<'a>(&'a self, negative: bool, visit: &mut impl FnMut(&'a Atom, bool)) {
        match self {
            Self::Atom(atom) => visit(atom, negative),
            Self::Distinct(..) => {}
            Self::Not(inner) => inner.walk(!negative, visit),
            Self::Or(branches) => branches.iter().for_each(|b| b.walk(negative, visit)),
        }
    }

    /// Calls `visit` for every occurrence of a variable.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Atom(atom) => atom.arguments.iter().for_each(|t| t.for_each_variable(visit)),
            Self::Distinct(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::Not(inner) => inner.for_each_variable(visit),
            Self::Or(branches) => branches.iter().for_each(|b| b.for_each_variable(visit)),
        }
    }
}

/// `(<= head body..)`; a fact is a rule with an empty body.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The head: the atom that follows from the body.
    pub head: Atom,
    /// The literals that must all hold; order has no meaning.
    pub body: Vec<Formula>,
    /// The names of the rule's variables, with their question marks, by first occurrence.
    pub variables: Vec<String>,
    /// The place of the whole form.
    pub span: Span,
}

/// A relation's name and arity.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The name.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: usize,
    /// The place of its first use.
    pub span: Span,
}

/// The keyword relations of the language. They exist in every [`Rules`], used or not.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names are the keywords of the language, except for one")]
pub struct Keywords {
    pub role: RelationId,
    pub init: RelationId,
    /// `true`, which is a reserved word of Rust: the fluents that hold in a state.
    pub fact: RelationId,
    pub does: RelationId,
    pub next: RelationId,
    pub legal: RelationId,
    pub goal: RelationId,
    pub terminal: RelationId,
    pub base: RelationId,
    pub input: RelationId,
    pub sees: RelationId,
}

impl Keywords {
    /// Returns whether a relation is a keyword.
    #[must_use]
    pub fn contains(&self, relation: RelationId) -> bool {
        let Self { role, init, fact, does, next, legal, goal, terminal, base, input, sees } = *self;
        [role, init, fact, does, next, legal, goal, terminal, base, input, sees].contains(&relation)
    }
}

/// A checked rulesheet.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The interned names.
    pub symbols: Symbols,
    /// The relations, by [`RelationId`].
    pub relations: Vec<Relation>,
    /// The keyword relations.
    pub keywords: Keywords,
    /// The players: ground terms, in the order of the text, each once.
    pub roles: Vec<Term>,
    /// All facts and rules, including `role` facts, in the order of the text.
    pub rules: Vec<Rule>,
    /// True if terms grow with each step or each application of a rule, so that grounding would
    /// never end.
    pub grows: bool,
    /// The comment lines at the start of the file, without semicolons: the game's documentation.
    pub documentation: Vec<String>,
}

impl Rules {
    /// The role of chance: the one called `random`, in upper or lower case unless symbols are
    /// case-sensitive. It is chance in every rulesheet, with or without percepts.
    #[must_use]
    pub fn chance(&self) -> Option<&Term> {
        let random = Term::Constant(self.symbols.find("random")?);
        self.roles.iter().find(|role| **role == random)
    }

    /// True if there are rules for `sees`. Without them each role perceives the joint move.
    #[must_use]
    pub fn has_percepts(&self) -> bool {
        self.rules.iter().any(|rule| rule.head.relation == self.keywords.sees)
    }

    /// The relation's name.
    #[must_use]
    pub fn relation_name(&self, relation: RelationId) -> &str {
        self.symbols.name(self.relations[relation.index()].name)
    }

    /// The fact that declares a role.
    #[must_use]
    pub fn declaration(&self, role: usize) -> Option<&Rule> {
        self.about(self.keywords.role, role).next()
    }

    /// The rules for a relation, in the order of the text, if the first argument of the head is the
    /// role or a variable.
    pub fn about(&self, relation: RelationId, role: usize) -> impl Iterator<Item = &Rule> {
        let role = &self.roles[role];
        let may_be = move |term: &Term| matches!(term, Term::Variable(_)) || term == role;
        self.rules
            .iter()
            .filter(move |rule| rule.head.relation == relation)
            .filter(move |rule| rule.head.arguments.first().is_some_and(may_be))
    }

    /// Prints an atom of a rule as KIF, with the names of its variables.
    #[must_use]
    pub fn display_atom(&self, rule: &Rule, atom: &Atom) -> String {
        let mut text = String::new();
        self.push_call(rule, self.relation_name(atom.relation), &atom.arguments, &mut text);
        text
    }

    /// Prints a term of a rule as KIF, with the names of its variables.
    #[must_use]
    pub fn display_term(&self, rule: &Rule, term: &Term) -> String {
        let mut text = String::new();
        self.push_term(rule, term, &mut text);
        text
    }

    fn push_term(&self, rule: &Rule, term: &Term, out: &mut String) {
        match term {
            Term::Variable(variable) => out.push_str(&rule.variables[variable.index()]),
            Term::Constant(symbol) => out.push_str(self.symbols.name(*symbol)),
            Term::Function(symbol, inner) => self.push_call(rule, self.symbols.name(*symbol), inner, out),
        }
    }

    fn push_call(&self, rule: &Rule, name: &str, arguments: &[Term], out: &mut String) {
        if arguments.is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for argument in arguments {
            out.push(' ');
            self.push_term(rule, argument, out);
        }
        out.push(')');
    }
}
