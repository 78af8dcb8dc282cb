//! Checked rules as a logic program for gringo.
//!
//! The encoding is that of Schiffel, "Grounding GDL Game Descriptions" (2017): possible fluents and
//! possible moves are choices. So gringo cannot simplify atoms that depend on the state or the
//! moves, and it outputs the rules of the propositional net. An `or` is multiplied out, `distinct`
//! is `!=`.

use super::{
    part::{Part, write_rule},
    split::split,
};
use gdl_compiler::{
    Rules,
    rules::{Atom, Formula, Term},
};

/// The most rules that one rule may become when its `or`s are multiplied out.
const MAX_ALTERNATIVES: usize = 4096;

/// The program, with its rules split if `splits` is true. Returns `None` if some rule has too many
/// alternatives or variables.
///
/// Keywords keep their names; `rN` is the relation, `fN` the function and `cN` the constant with
/// that number.
#[must_use]
pub fn program(rules: &Rules, splits: bool) -> Option<String> {
    let mut text =
        String::from("{true(F)} :- init(F).\n{true(F)} :- next(F).\n{does(R,M)} :- legal(R,M), role(R).\n");
    let mut helpers = 0;
    for rule in &rules.rules {
        if rule.variables.len() > u64::BITS as usize {
            return None;
        }
        let head = positive(rules, &rule.head);
        for body in all(rules, &rule.body, false)? {
            if splits {
                split(&head, body, &mut helpers, &mut text);
            } else {
                write_rule(&head.text, &body, &mut text);
            }
        }
    }
    Some(text)
}

/// The disjuncts of a formula or, if `negated`, of its negation. Each is a body.
fn bodies(rules: &Rules, formula: &Formula, negated: bool) -> Option<Vec<Vec<Part>>> {
    let part = match formula {
        Formula::Atom(atom) if negated => {
            let Part { text, variables, .. } = positive(rules, atom);
            Part { text: format!("not {text}"), variables, binds: false }
        }
        Formula::Atom(atom) => positive(rules, atom),
        Formula::Distinct(left, right) => {
            let sign = if negated { "=" } else { "!=" };
            let text = format!("{}{sign}{}", term(left), term(right));
            Part { text, variables: variables(formula), binds: false }
        }
        Formula::Not(inner) => return bodies(rules, inner, !negated),
        Formula::Or(branches) if negated => return all(rules, branches, true),
        Formula::Or(branches) => {
            let branches: Option<Vec<_>> = branches.iter().map(|b| bodies(rules, b, false)).collect();
            return branches.map(|branches| branches.concat());
        }
    };
    Some(vec![vec![part]])
}

/// The disjuncts of a conjunction of formulas or, if `negated`, of their negations.
fn all(rules: &Rules, formulas: &[Formula], negated: bool) -> Option<Vec<Vec<Part>>> {
    let mut product: Vec<Vec<Part>> = vec![Vec::new()];
    for formula in formulas {
        let factors = bodies(rules, formula, negated)?;
        if product.len() * factors.len() > MAX_ALTERNATIVES {
            return None;
        }
        product = product
            .iter()
            .flat_map(|body| {
                factors.iter().map(|factor| {
                    let news = factor.iter().filter(|part| !body.contains(part));
                    body.iter().chain(news).cloned().collect()
                })
            })
            .collect();
    }
    Some(product)
}

fn positive(rules: &Rules, atom: &Atom) -> Part {
    let keywords = &rules.keywords;
    let name = [
        (keywords.role, "role"),
        (keywords.init, "init"),
        (keywords.fact, "true"),
        (keywords.does, "does"),
        (keywords.next, "next"),
        (keywords.legal, "legal"),
        (keywords.goal, "goal"),
        (keywords.terminal, "terminal"),
        (keywords.sees, "sees"),
    ]
    .iter()
    .find(|(relation, _)| *relation == atom.relation)
    .map_or_else(|| format!("r{}", atom.relation.0), |(_, name)| (*name).to_owned());
    let text = call(name, &atom.arguments);
    Part { text, variables: variables(&Formula::Atom(atom.clone())), binds: true }
}

/// The variables of a literal, one bit each.
fn variables(literal: &Formula) -> u64 {
    let mut mask = 0;
    literal.for_each_variable(&mut |variable| mask |= 1 << variable.index());
    mask
}

fn term(term: &Term) -> String {
    match term {
        Term::Variable(variable) => format!("V{}", variable.0),
        Term::Constant(symbol) => format!("c{}", symbol.0),
        Term::Function(symbol, arguments) => call(format!("f{}", symbol.0), arguments),
    }
}

fn call(name: String, arguments: &[Term]) -> String {
    if arguments.is_empty() {
        return name;
    }
    let arguments: Vec<String> = arguments.iter().map(term).collect();
    format!("{name}({})", arguments.join(","))
}
