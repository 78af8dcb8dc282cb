//! Rules as the text states them: terms, literals, and the order in which a body is evaluated.

use crate::{
    Error,
    kif::{self, Form},
};
use std::collections::{BTreeMap, BTreeSet};

/// A term of a rule or a fact. A constant is a function without arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Term {
    Variable(usize),
    Function(usize, Vec<Term>),
}

/// A relation with arguments.
#[derive(Clone)]
pub(crate) struct Atom {
    pub(crate) relation: usize,
    pub(crate) arguments: Vec<Term>,
}

/// A literal in negation normal form.
#[derive(Clone)]
pub(crate) enum Literal {
    Holds(Atom),
    Fails(Atom),
    Equal(Term, Term),
    Differ(Term, Term),
    /// One of the conjunctions holds.
    Any(Vec<Vec<Literal>>),
}

impl Literal {
    /// Visits all atoms, with true for each positive one.
    pub(crate) fn for_each_atom(&self, visit: &mut impl FnMut(&Atom, bool)) {
        match self {
            Self::Holds(atom) => visit(atom, true),
            Self::Fails(atom) => visit(atom, false),
            Self::Equal(..) | Self::Differ(..) => {}
            Self::Any(branches) => branches.iter().flatten().for_each(|literal| literal.for_each_atom(visit)),
        }
    }
}

/// A rule: its head holds where its body does.
pub(crate) struct Rule {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Literal>,
    pub(crate) n_variables: usize,
}

impl Rule {
    /// Reorders the body so that the variables of each test are bound before it.
    pub(crate) fn ordered(self) -> Result<Self, Error> {
        let mut bound = BTreeSet::new();
        let body = ordered(self.body, &mut bound);
        match body.filter(|_| are_bound(&self.head.arguments, &bound)) {
            Some(body) => Ok(Self { body, ..self }),
            None => Err(Error::Refused("a variable of a rule is unbound".to_owned())),
        }
    }
}

/// Returns the literals in an order in which each can be decided, and adds the variables that they
/// bind to `bound`. Returns `None` if there is no such order.
fn ordered(mut literals: Vec<Literal>, bound: &mut BTreeSet<usize>) -> Option<Vec<Literal>> {
    let mut order = Vec::new();
    while !literals.is_empty() {
        let is_decided = |literal: &Literal| match literal {
            Literal::Fails(atom) => are_bound(&atom.arguments, bound),
            Literal::Equal(left, right) | Literal::Differ(left, right) => are_bound([left, right], bound),
            Literal::Holds(_) | Literal::Any(_) => false,
        };
        if let Some(place) = literals.iter().position(is_decided) {
            order.push(literals.remove(place));
            continue;
        }
        let next = literals.iter().enumerate().find_map(|(place, literal)| match literal {
            Literal::Holds(atom) => {
                let mut after = bound.clone();
                atom.arguments.iter().for_each(|term| variables(term, &mut |v| after.extend([v])));
                Some((place, literal.clone(), after))
            }
            Literal::Any(branches) => {
                let mut all = Vec::new();
                let mut after: Option<BTreeSet<usize>> = None;
                for branch in branches {
                    let mut bound = bound.clone();
                    all.push(ordered(branch.clone(), &mut bound)?);
                    after = Some(after.map_or(bound.clone(), |after| &after & &bound));
                }
                Some((place, Literal::Any(all), after.unwrap_or_else(|| bound.clone())))
            }
            _ => None,
        });
        let (place, literal, after) = next?;
        literals.remove(place);
        order.push(literal);
        *bound = after;
    }
    Some(order)
}

fn are_bound<'t>(terms: impl IntoIterator<Item = &'t Term>, bound: &BTreeSet<usize>) -> bool {
    let mut all = true;
    terms.into_iter().for_each(|term| variables(term, &mut |variable| all &= bound.contains(&variable)));
    all
}

fn variables(term: &Term, visit: &mut impl FnMut(usize)) {
    match term {
        Term::Variable(variable) => visit(*variable),
        Term::Function(_, arguments) => arguments.iter().for_each(|term| variables(term, visit)),
    }
}

/// The symbols of a rulesheet, in their first spelling.
#[derive(Default)]
pub(crate) struct Names {
    case_sensitive: bool,
    spellings: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    fn key(&self, symbol: &str) -> String {
        if self.case_sensitive { symbol.to_owned() } else { symbol.to_ascii_lowercase() }
    }

    fn insert(&mut self, symbol: &str) -> usize {
        let (key, number) = (self.key(symbol), self.spellings.len());
        let known = *self.numbers.entry(key).or_insert(number);
        if known == number {
            self.spellings.push(symbol.to_owned());
        }
        known
    }

    /// Parses a ground term whose symbols are known.
    pub(crate) fn term(&self, text: &str) -> Result<Term, Error> {
        let forms = kif::read(text)?;
        let term = |form| ground(form, &|symbol| self.numbers.get(&self.key(symbol)).copied());
        match &forms[..] {
            [form] => term(form).ok_or_else(|| Error::Refused(format!("`{text}` is not of this game"))),
            _ => Err(Error::Refused(format!("`{text}` is not a term"))),
        }
    }

    /// The KIF text of a ground term.
    pub(crate) fn text(&self, term: &Term) -> String {
        match term {
            Term::Variable(variable) => format!("?{variable}"),
            Term::Function(name, arguments) if arguments.is_empty() => self.spellings[*name].clone(),
            Term::Function(name, arguments) => {
                let arguments = arguments.iter().map(|term| format!(" {}", self.text(term)));
                format!("({}{})", self.spellings[*name], arguments.collect::<String>())
            }
        }
    }
}

fn ground(form: &Form<'_>, number: &impl Fn(&str) -> Option<usize>) -> Option<Term> {
    match form {
        Form::Symbol(symbol) => Some(Term::Function(number(symbol)?, Vec::new())),
        Form::List(forms) => {
            let (Form::Symbol(symbol), arguments) = forms.split_first()? else { return None };
            let arguments = arguments.iter().map(|form| ground(form, number));
            Some(Term::Function(number(symbol)?, arguments.collect::<Option<_>>()?))
        }
    }
}

/// The indices of the relations that are keywords; `fact` is `true`.
pub(crate) struct Keywords {
    pub(crate) init: usize,
    pub(crate) fact: usize,
    pub(crate) does: usize,
    pub(crate) next: usize,
    pub(crate) legal: usize,
    pub(crate) goal: usize,
    pub(crate) terminal: usize,
    pub(crate) sees: usize,
}

/// A rulesheet translated to rules.
pub(crate) struct Rulesheet {
    pub(crate) names: Names,
    /// The index of each relation. Equal names with different arities are different relations.
    pub(crate) relations: BTreeMap<(String, usize), usize>,
    pub(crate) keywords: Keywords,
    pub(crate) roles: Vec<Term>,
    pub(crate) rules: Vec<Rule>,
}

impl Rulesheet {
    pub(crate) fn read(text: &str, case_sensitive: bool) -> Result<Self, Error> {
        let names = Names { case_sensitive, ..Names::default() };
        let mut reader = Reader { names, relations: BTreeMap::new(), variables: Vec::new() };
        let mut keyword = |name: &str, arity| reader.relation(name, arity);
        let keywords = Keywords {
            init: keyword("init", 1),
            fact: keyword("true", 1),
            does: keyword("does", 2),
            next: keyword("next", 1),
            legal: keyword("legal", 2),
            goal: keyword("goal", 2),
            terminal: keyword("terminal", 0),
            sees: keyword("sees", 2),
        };
        let role = reader.relation("role", 1);
        let (mut roles, mut rules) = (Vec::new(), Vec::new());
        for form in kif::read(text)? {
            let rule = reader.rule(&form)?;
            if rule.head.relation == keywords.fact || rule.head.relation == keywords.does {
                return Err(Error::Refused("`true` and `does` stand in bodies alone".to_owned()));
            }
            if rule.head.relation == role && rule.body.is_empty() && !roles.contains(&rule.head.arguments[0])
            {
                roles.push(rule.head.arguments[0].clone());
            }
            rules.push(rule);
        }
        Ok(Self { names: reader.names, relations: reader.relations, keywords, roles, rules })
    }
}

/// The translation of forms to rules.
struct Reader {
    names: Names,
    relations: BTreeMap<(String, usize), usize>,
    /// The variables of the current rule.
    variables: Vec<String>,
}

impl Reader {
    fn relation(&mut self, name: &str, arity: usize) -> usize {
        let number = self.relations.len();
        *self.relations.entry((self.names.key(name), arity)).or_insert(number)
    }

    fn rule(&mut self, form: &Form<'_>) -> Result<Rule, Error> {
        self.variables.clear();
        let (head, literals) = match form {
            Form::List(forms) if matches!(forms[0], Form::Symbol("<=")) => (&forms[1], &forms[2..]),
            _ => (form, &[][..]),
        };
        let head = self.atom(head)?;
        let mut body = Vec::new();
        for literal in literals {
            self.literal(literal, true, &mut body)?;
        }
        Ok(Rule { head, body, n_variables: self.variables.len() })
    }

    /// Adds literals that are equivalent to a form, or to its negation.
    fn literal(&mut self, form: &Form<'_>, is_positive: bool, out: &mut Vec<Literal>) -> Result<(), Error> {
        let (symbol, arguments) = split(form)?;
        match (self.names.key(symbol).as_str(), arguments) {
            ("not", [inner]) => self.literal(inner, !is_positive, out)?,
            ("or", branches) if is_positive => {
                let mut all = Vec::new();
                for branch in branches {
                    let mut literals = Vec::new();
                    self.literal(branch, true, &mut literals)?;
                    all.push(literals);
                }
                out.push(Literal::Any(all));
            }
            ("or", branches) => {
                for branch in branches {
                    self.literal(branch, false, out)?;
                }
            }
            ("distinct", [left, right]) => {
                let (left, right) = (self.term(left)?, self.term(right)?);
                let literal = if is_positive { Literal::Differ } else { Literal::Equal };
                out.push(literal(left, right));
            }
            _ => {
                let atom = self.atom(form)?;
                out.push(if is_positive { Literal::Holds(atom) } else { Literal::Fails(atom) });
            }
        }
        Ok(())
    }

    fn atom(&mut self, form: &Form<'_>) -> Result<Atom, Error> {
        let (symbol, arguments) = split(form)?;
        if ["not", "or", "distinct", "<=", "and"].contains(&self.names.key(symbol).as_str())
            || symbol.starts_with('?')
        {
            return Err(Error::Refused(format!("`{symbol}` is no relation here")));
        }
        let relation = self.relation(symbol, arguments.len());
        let arguments = arguments.iter().map(|form| self.term(form)).collect::<Result<_, _>>()?;
        Ok(Atom { relation, arguments })
    }

    fn term(&mut self, form: &Form<'_>) -> Result<Term, Error> {
        let (symbol, arguments) = split(form)?;
        if symbol.starts_with('?') && arguments.is_empty() {
            let key = self.names.key(symbol);
            let known = self.variables.iter().position(|variable| *variable == key);
            return Ok(Term::Variable(known.unwrap_or_else(|| {
                self.variables.push(key);
                self.variables.len() - 1
            })));
        }
        let name = self.names.insert(symbol);
        let arguments = arguments.iter().map(|form| self.term(form)).collect::<Result<_, _>>()?;
        Ok(Term::Function(name, arguments))
    }
}

/// The first symbol of a form, and the forms after it.
fn split<'f, 't>(form: &'f Form<'t>) -> Result<(&'t str, &'f [Form<'t>]), Error> {
    match form {
        Form::Symbol(symbol) => Ok((symbol, &[])),
        Form::List(forms) => match &forms[0] {
            Form::Symbol(symbol) => Ok((symbol, &forms[1..])),
            Form::List(_) => Err(Error::Refused("a list begins with a list".to_owned())),
        },
    }
}
