//! Translation of a sheet to clauses of KIF. This module translates views and the bodies of all
//! rules; its submodules translate operations and players.

mod operations;
mod players;

pub(super) use players::mixed;

use super::super::expressions::{Id, Literal as Signed, What};
use super::super::infix::MOST_LITERALS;
use super::clause::{EpilogClause, EpilogLiteral, Shape, Term};
use super::sheet::{Sheet, Symbol, symbol};
use super::values::{self, Count, Made, Operation};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::limits::Limits;
use std::collections::{BTreeMap, BTreeSet};

/// The built-in relations of the reference interpreter that are not compiled.
const BUILTINS: [&str; 25] = [
    "mutex",
    "symleq",
    "symless",
    "matches",
    "submatches",
    "quotient",
    "remainder",
    "first",
    "last",
    "rest",
    "sort",
    "append",
    "reverse",
    "length",
    "sum",
    "range",
    "mean",
    "map",
    "member",
    "exists",
    "setofall",
    "evaluate",
    "abs",
    "round",
    "random",
];

/// Returns whether the reference interpreter evaluates atoms of this name itself.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
        || Operation::find(name).is_some()
        || matches!(name, "same" | "distinct" | "countofall")
}

/// The translation of a body so far, from left to right: the bound variables and the literals.
#[derive(Default)]
struct Body {
    bound: BTreeSet<String>,
    literals: Vec<EpilogLiteral>,
    /// The substitutions that `same` made, in order.
    aliases: Vec<(String, Term)>,
}

struct Translation<'s> {
    sheet: Sheet<'s>,
    clauses: Vec<EpilogClause>,
    made: Made,
    /// The relation for each kind (such as `view` or `op`), name and arity.
    relations: BTreeMap<(&'static str, String, usize), String>,
    taken: BTreeSet<String>,
    /// The number of relations that were made for parts of rules.
    parts: usize,
    /// The maximum number of clauses, [`Limits::max_rules`]. One more is kept, so that the excess
    /// is reported.
    limit: usize,
    /// True while translating a declaration, whose clauses only bound values.
    declares: bool,
    /// The operations that each operation calls, with the places.
    calls: BTreeMap<Symbol, Vec<(Symbol, Span)>>,
    /// Facts that are added or hold at the start.
    facts: BTreeMap<Symbol, Span>,
    /// Facts that are deleted.
    deleted: BTreeSet<Symbol>,
}

/// Translates a sheet. Returns its clauses in the order of the text, and the diagnostics.
pub(super) fn translate(sheet: Sheet<'_>, limits: &Limits) -> (Vec<EpilogClause>, Vec<Diagnostic>) {
    let mut taken: BTreeSet<String> =
        ["role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input", "sees"]
            .into_iter()
            .chain(["distinct", "not", "or", "and", "noop"])
            .map(str::to_owned)
            .collect();
    taken.extend(sheet.names.iter().cloned());
    let mut translation = Translation {
        sheet,
        clauses: Vec::new(),
        made: Made::default(),
        relations: BTreeMap::new(),
        taken,
        parts: 0,
        limit: limits.max_rules,
        declares: false,
        calls: BTreeMap::new(),
        facts: BTreeMap::new(),
        deleted: BTreeSet::new(),
    };
    translation.all();
    let Translation { mut clauses, made, mut sheet, .. } = translation;
    if sheet.found.iter().all(|fault| fault.severity != crate::Severity::Error) {
        match values::facts(&clauses, &made) {
            Ok(facts) => clauses.extend(facts),
            Err(unbounded) => sheet.fault(
                &codes::UNBOUNDED_VALUE,
                unbounded.span,
                unbounded.message,
                "bind it by an earlier relation, or declare the facts by `base`",
            ),
        }
    }
    clauses.retain(|clause| !clause.declares);
    (clauses, sheet.found)
}

impl Translation<'_> {
    fn all(&mut self) {
        self.made.legal = self.view_relation("legal", 1);
        let views = std::mem::take(&mut self.sheet.views);
        // Views for `init` show which facts hold at the start.
        for view in &views {
            let (name, arguments) = view.head.parts().unwrap_or_default();
            if name == "init"
                && let [fact] = arguments
            {
                if matches!(fact.shape, Shape::Variable(_)) {
                    let message = "a variable for a whole fact is not supported";
                    self.sheet.fault(
                        &codes::UNBOUNDED_VALUE,
                        fact.span,
                        message,
                        "write a rule for each fact that holds at the start",
                    );
                }
                self.facts.entry(symbol(fact)).or_insert(fact.span);
            }
        }
        let called: Vec<&str> = ["base", "action"].into_iter().filter(|name| self.is_called(name)).collect();
        for view in &views {
            let (name, arguments) = view.head.parts().unwrap_or_default();
            if let ("goal", [_, Term { shape: Shape::Name(value), span }]) = (name, arguments) {
                self.check_value(value, *span);
            }
            self.declares = matches!(name, "base" | "action") && !called.contains(&name);
            if self.declares && name == "action" {
                continue;
            }
            let head = self.view_atom(&view.head);
            let bodies = match view.body {
                None => vec![Vec::new()],
                Some(body) => match self.alternatives(body, false) {
                    Some(bodies) => bodies,
                    None => continue,
                },
            };
            for body in bodies {
                self.rule(head.clone(), Vec::new(), &body, view.span);
            }
        }
        self.declares = false;
        self.sheet.views = views;
        let operations = std::mem::take(&mut self.sheet.operations);
        for operation in &operations {
            let made = self.operation_atom(&operation.head);
            self.effects(operation.body, &[Vec::new()], &made, &symbol(&operation.head), operation.span);
        }
        self.unmatched(&operations);
        self.sheet.operations = operations;
        self.check_calls();
        self.frame();
        self.players();
    }

    /// Returns whether some rule reads a view.
    fn is_called(&self, name: &str) -> bool {
        let expressions = self.sheet.expressions;
        expressions.sentences.iter().any(|&sentence| {
            let sentence = expressions.get(sentence);
            let mut waiting: Vec<Id> = sentence.parts.iter().skip(1).copied().collect();
            while let Some(id) = waiting.pop() {
                let expression = expressions.get(id);
                if matches!(expression.what, What::Call | What::Name) {
                    if self.sheet.source.slice(expression.sign) == name {
                        return matches!(sentence.what, What::If | What::Operation);
                    }
                } else {
                    waiting.extend(&expression.parts);
                }
            }
            false
        })
    }

    fn fresh(&mut self, name: &str) -> String {
        let mut fresh = name.to_owned();
        while self.taken.contains(&fresh) {
            fresh.push('_');
        }
        self.taken.insert(fresh.clone());
        fresh
    }

    /// Returns the name of the relation for a kind, name and arity. Creates it on first use.
    fn relation(&mut self, kind: &'static str, name: &str, arity: usize) -> String {
        let key = (kind, name.to_owned(), arity);
        if let Some(relation) = self.relations.get(&key) {
            return relation.clone();
        }
        let prefix = if kind.is_empty() { String::new() } else { format!("{kind}_") };
        let relation = self.fresh(&format!("{prefix}{name}"));
        self.relations.insert(key, relation.clone());
        relation
    }

    /// Returns the relation of a view, which has the view's own name if possible. `legal` and
    /// `goal` mean something else in KIF, so these views get other names.
    fn view_relation(&mut self, name: &str, arity: usize) -> String {
        let other = match (name, arity) {
            ("role" | "init" | "base", 1) | ("terminal", 0) => return name.to_owned(),
            ("legal", 1) => "legal_move",
            ("goal", 2) => "goal_value",
            _ => {
                let keyword = [
                    "role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input",
                    "sees", "distinct", "not", "or", "and",
                ];
                let mut same = self.sheet.defined.range((name.to_owned(), 0)..);
                let is_first = same.next().is_some_and(|(other, first)| other == name && *first == arity);
                if is_first && !keyword.contains(&name) {
                    return name.to_owned();
                }
                name
            }
        };
        let key = ("view", name.to_owned(), arity);
        if let Some(relation) = self.relations.get(&key) {
            return relation.clone();
        }
        let relation = self.fresh(other);
        self.relations.insert(key, relation.clone());
        relation
    }

    fn view_atom(&mut self, atom: &Term) -> Term {
        let (name, arguments) = atom.parts().unwrap_or_default();
        let relation = self.view_relation(name, arguments.len());
        Term::call(relation, arguments.to_vec(), atom.span)
    }

    fn operation_atom(&mut self, atom: &Term) -> Term {
        let (name, arguments) = atom.parts().unwrap_or_default();
        let relation = self.relation("op", name, arguments.len());
        Term::call(relation, arguments.to_vec(), atom.span)
    }

    fn add(&mut self, head: Term, body: Vec<EpilogLiteral>, span: Span) {
        if self.clauses.len() <= self.limit {
            self.clauses.push(EpilogClause { head, body, span, declares: self.declares });
        }
    }

    /// Returns the alternatives of a formula. A formula under `~` stays one literal, which holds if
    /// no values of its unbound variables satisfy the formula.
    fn alternatives(&mut self, id: Id, negated: bool) -> Option<Vec<Vec<Signed>>> {
        let expressions = self.sheet.expressions;
        let found = expressions.alternatives_outside(id, negated, MOST_LITERALS);
        if found.is_none() {
            let span = expressions.get(id).span;
            let message =
                format!("the body has more than {MOST_LITERALS} literals when it is multiplied out");
            self.sheet.fault(&codes::OR_EXPLOSION, span, message, "move parts of it into separate relations");
        }
        found
    }

    /// Adds a rule with the literals `before` and `body`, unless its body can never hold or has a
    /// fault.
    fn rule(&mut self, mut head: Term, before: Vec<EpilogLiteral>, body: &[Signed], span: Span) {
        let mut bound = BTreeSet::new();
        head.variables(&mut bound);
        before.iter().flat_map(EpilogLiteral::terms).for_each(|term| term.variables(&mut bound));
        let mut state = Body { bound, literals: before, ..Body::default() };
        for &literal in body {
            if self.literal(literal, &mut head, &mut state).is_none() {
                return;
            }
        }
        if self.bind(&head, &mut state) {
            self.add(head, state.literals, span);
        }
    }

    /// Adds a domain for each variable that no positive literal binds. Returns false if a variable
    /// has no domain.
    fn bind(&mut self, head: &Term, state: &mut Body) -> bool {
        let mut bound = BTreeSet::new();
        for literal in &state.literals {
            if let EpilogLiteral::Positive(atom) = literal {
                let arguments = atom.arguments();
                let is_table = atom.parts().and_then(|(name, _)| self.made.tables.get(name)).copied();
                let is_count = atom.parts().is_some_and(|(name, _)| self.made.counts.contains_key(name));
                // A table binds only its result, if it has one.
                let binding = match is_table {
                    Some(operation) if operation.has_result() => &arguments[arguments.len() - 1..],
                    Some(_) => &[],
                    None if is_count => &arguments[arguments.len() - 1..],
                    None => arguments,
                };
                binding.iter().for_each(|argument| argument.variables(&mut bound));
            }
        }
        let mut needed = BTreeSet::new();
        head.variables(&mut needed);
        state.literals.iter().flat_map(EpilogLiteral::terms).for_each(|term| term.variables(&mut needed));
        let (relation, arguments) = head.parts().unwrap_or_default();
        let relation = relation.to_owned();
        let mut domains = Vec::new();
        for variable in needed.difference(&bound) {
            let place =
                arguments.iter().position(|argument| argument.shape == Shape::Variable(variable.clone()));
            let is_state = matches!(relation.as_str(), "next" | "init") || relation == self.made.legal;
            let Some(place) = place.filter(|_| !is_state) else {
                if self.declares {
                    return false;
                }
                let span = place_of(head, variable).or_else(|| {
                    state
                        .literals
                        .iter()
                        .flat_map(EpilogLiteral::terms)
                        .find_map(|term| place_of(term, variable))
                });
                let message = format!("nothing binds the variable `{}`", shown(variable));
                self.sheet.fault(
                    &codes::UNBOUNDED_VALUE,
                    span.unwrap_or(head.span),
                    message,
                    "add a literal that binds it to values",
                );
                return false;
            };
            domains.push((variable.clone(), place));
        }
        for (variable, place) in domains.into_iter().rev() {
            let domain = self.relation("values", &format!("{relation}_{}", place + 1), 1);
            self.made.domains.insert(domain.clone(), (relation.clone(), place));
            let span = place_of(head, &variable).unwrap_or(head.span);
            state.literals.insert(
                0,
                EpilogLiteral::Positive(Term::call(domain, vec![Term::variable(variable, span)], span)),
            );
        }
        true
    }

    /// Appends the translation of a literal of the sheet to `state`. Returns `None` if the literal
    /// can never hold or has a fault.
    fn literal(&mut self, (id, negated): Signed, head: &mut Term, state: &mut Body) -> Option<()> {
        let expressions = self.sheet.expressions;
        let expression = expressions.get(id);
        match expression.what {
            What::Variable => {
                self.sheet.dead(expression.span, "a variable is not a literal, so this rule never fires");
                return None;
            }
            What::Name | What::Call => {}
            What::And | What::Or | What::Not => return self.absent(id, state),
            _ => {
                let message =
                    format!("`{}` is not allowed in a body", self.sheet.source.slice(expression.sign));
                self.sheet.fault(
                    &codes::MISPLACED_SIGN,
                    expression.sign,
                    message,
                    "write literals, joined by `&`",
                );
                return None;
            }
        }
        let name = self.sheet.source.slice(expression.sign).to_owned();
        if name == "countofall" && expression.parts.len() == 4 {
            if negated {
                return self.absent(id, state);
            }
            return self.count(id, state);
        }
        let mut atom = self.sheet.term(id)?;
        for (variable, term) in &state.aliases {
            atom.replace(variable, term);
        }
        let mut open = BTreeSet::new();
        atom.variables(&mut open);
        open.retain(|variable| !state.bound.contains(variable));
        let arguments = atom.arguments().to_vec();
        match (name.as_str(), arguments.as_slice()) {
            ("true", []) => return (!negated).then_some(()),
            ("same", [left, right]) if !negated => return Self::same(left, right, head, state),
            ("same" | "distinct", [left, right]) => {
                let differ = (name == "distinct") != negated;
                let Some(bindings) = left.unify(right) else { return differ.then_some(()) };
                if bindings.is_empty() || !open.is_empty() {
                    // Terms that unify count as equal, whatever the unbound variables are.
                    return (!differ).then_some(());
                }
                let pair = (left.clone(), right.clone());
                state.literals.push(if differ {
                    EpilogLiteral::Distinct(pair.0, pair.1)
                } else {
                    EpilogLiteral::Equal(pair.0, pair.1)
                });
                return Some(());
            }
            _ => {}
        }
        if let Some(operation) = Operation::find(&name).filter(|_| arguments.len() >= 2) {
            return self.compute(operation, &name, &atom, &open, negated, id, state);
        }
        if is_builtin(&name) {
            let message = format!("this use of Epilog's `{name}` is not supported");
            self.sheet.fault(
                &codes::UNKNOWN_BUILTIN,
                expression.sign,
                message,
                "write the cases as facts of another relation",
            );
            return None;
        }
        let Some(asked) = self.asked(&atom) else { return negated.then_some(()) };
        if !negated {
            state.bound.extend(open);
            state.literals.push(EpilogLiteral::Positive(asked));
        } else if open.is_empty() {
            state.literals.push(EpilogLiteral::Negative(asked));
        } else {
            return self.absent(id, state);
        }
        Some(())
    }

    /// Returns the translation of an atom of the sheet; `None` if nothing defines it.
    fn asked(&mut self, atom: &Term) -> Option<Term> {
        let (name, arguments) = atom.parts()?;
        if !self.sheet.names.contains(name) {
            return Some(Term::call("true", vec![atom.clone()], atom.span));
        }
        let defined = self.sheet.defined.contains(&(name.to_owned(), arguments.len()));
        defined.then(|| {
            if name == "init" && arguments.len() == 1 {
                let asked = self.relation("", "initially", 1);
                return Term::call(asked, arguments.to_vec(), atom.span);
            }
            self.view_atom(atom)
        })
    }

    /// Unifies two terms, and applies the substitution to the head and the literals so far.
    fn same(left: &Term, right: &Term, head: &mut Term, state: &mut Body) -> Option<()> {
        for (variable, term) in left.unify(right)? {
            head.replace(&variable, &term);
            for literal in &mut state.literals {
                literal.replace(&variable, &term);
            }
            let mut inner = BTreeSet::new();
            term.variables(&mut inner);
            if state.bound.remove(&variable) {
                state.bound.extend(inner);
            }
            state.aliases.push((variable, term));
        }
        Some(())
    }

    #[allow(clippy::too_many_arguments, reason = "all that is known of the literal")]
    fn compute(
        &mut self,
        operation: Operation,
        name: &str,
        atom: &Term,
        open: &BTreeSet<String>,
        negated: bool,
        id: Id,
        state: &mut Body,
    ) -> Option<()> {
        let arguments = atom.arguments();
        let inputs = if operation.has_result() { &arguments[..arguments.len() - 1] } else { arguments };
        let is_open = |term: &Term| {
            let mut variables = BTreeSet::new();
            term.variables(&mut variables);
            !variables.is_disjoint(open)
        };
        let complex = inputs.iter().any(|input| matches!(input.shape, Shape::Call(..)));
        if complex || inputs.iter().any(is_open) {
            // An operation fails if an input is unbound or not a number.
            return negated.then_some(());
        }
        if negated && !open.is_empty() {
            return self.absent(id, state);
        }
        let relation = self.relation("", name, arguments.len());
        self.made.tables.insert(relation.clone(), operation);
        let table = Term::call(relation, arguments.to_vec(), atom.span);
        state.bound.extend(open.iter().cloned());
        state.literals.push(if negated {
            EpilogLiteral::Negative(table)
        } else {
            EpilogLiteral::Positive(table)
        });
        Some(())
    }

    /// Adds a literal that holds if no values of a formula's unbound variables satisfy it: the
    /// negation of a new relation of the bound variables.
    fn absent(&mut self, id: Id, state: &mut Body) -> Option<()> {
        let part = self.part(id, state)?;
        state.literals.push(EpilogLiteral::Negative(part));
        Some(())
    }

    /// Adds a relation of the bound variables in a formula, which holds if some values of the other
    /// variables satisfy the formula.
    fn part(&mut self, id: Id, state: &Body) -> Option<Term> {
        let expressions = self.sheet.expressions;
        let span = expressions.get(id).span;
        let mut names = Vec::new();
        self.variables_of(id, &mut names);
        names.retain(|name| state.bound.contains(name));
        let outer: Vec<Term> = names.into_iter().map(|name| Term::variable(name, span)).collect();
        self.parts += 1;
        let relation = self.fresh(&format!("part_{}", self.parts));
        let head = Term::call(relation, outer, span);
        for body in self.alternatives(id, false)? {
            self.rule(head.clone(), Vec::new(), &body, span);
        }
        Some(head)
    }

    /// The variables of an expression, each once, in the order of the text.
    fn variables_of(&self, id: Id, into: &mut Vec<String>) {
        let expression = self.sheet.expressions.get(id);
        if expression.what == What::Variable {
            let name = self.sheet.source.slice(expression.span).to_owned();
            if !into.contains(&name) {
                into.push(name);
            }
        }
        for &part in &expression.parts {
            self.variables_of(part, into);
        }
    }

    /// Translates `countofall(template, formula, number)`, the number of instances of a template
    /// for which a formula holds.
    fn count(&mut self, id: Id, state: &mut Body) -> Option<()> {
        let expressions = self.sheet.expressions;
        let expression = expressions.get(id);
        let &[_, template, formula, number] = expression.parts.as_slice() else { return None };
        let number = self.sheet.term(number)?;
        let mut all = Vec::new();
        self.variables_of(template, &mut all);
        let counted: Vec<String> = all.iter().filter(|name| !state.bound.contains(*name)).cloned().collect();
        self.variables_of(formula, &mut all);
        let outer: Vec<String> = all.into_iter().filter(|name| state.bound.contains(name)).collect();
        self.parts += 1;
        let base = format!("count_{}", self.parts);
        let count = Count {
            holds: self.fresh(&format!("{base}_holds")),
            outer: outer.len(),
            counted: counted.len(),
            step: self.fresh(&format!("{base}_step")),
            item: self.fresh(&format!("{base}_item")),
            succ: self.relation("", "count_succ", 2),
        };
        let total = self.fresh(&base);
        let span = expression.span;
        let variable = |name: &String| Term::variable(name.clone(), span);
        let before: Vec<Term> = outer.iter().map(variable).collect();
        let tuple: Vec<Term> = counted.iter().map(variable).collect();
        let holds = Term::call(&count.holds, [before.clone(), tuple.clone()].concat(), span);
        for body in self.alternatives(formula, false)? {
            self.rule(holds.clone(), Vec::new(), &body, span);
        }
        // Counting goes from item to item, with the number found so far.
        let (i, j, n, m) = ("I'", "J'", "N'", "M'");
        let step = |place: Term, number: Term| {
            Term::call(&count.step, [before.clone(), vec![place, number]].concat(), span)
        };
        let name = |name: &str| Term::name(name, span);
        let var = |name: &str| Term::variable(name, span);
        let guard: Vec<EpilogLiteral> = state
            .literals
            .iter()
            .filter(|literal| matches!(literal, EpilogLiteral::Positive(_)))
            .cloned()
            .collect();
        let mut first = Body { literals: guard, ..Body::default() };
        let start = step(name("0"), name("0"));
        // Arguments that no literal so far binds are arguments of the head, which callers bind.
        // Their domains are the values that calls of the count pass.
        let mut known = BTreeSet::new();
        first.literals.iter().flat_map(EpilogLiteral::terms).for_each(|term| term.variables(&mut known));
        self.made.counts.insert(total.clone(), count.clone());
        for (k, name) in outer.iter().enumerate() {
            if !known.contains(name) {
                let domain = self.relation("values", &format!("{total}_{}", k + 1), 1);
                self.made.domains.insert(domain.clone(), (total.clone(), k));
                first.literals.push(EpilogLiteral::Positive(Term::call(domain, vec![var(name)], span)));
            }
        }
        if first.literals.is_empty() && !outer.is_empty() {
            return None;
        }
        self.add(start, first.literals, span);
        let item = Term::call(&count.item, [vec![var(i), var(j)], tuple].concat(), span);
        let counted = vec![EpilogLiteral::Positive(item), EpilogLiteral::Positive(step(var(i), var(n)))];
        let succ = Term::call(&count.succ, vec![var(n), var(m)], span);
        let more =
            [counted.clone(), vec![EpilogLiteral::Positive(holds.clone()), EpilogLiteral::Positive(succ)]]
                .concat();
        self.add(step(var(j), var(m)), more, span);
        self.add(step(var(j), var(n)), [counted, vec![EpilogLiteral::Negative(holds)]].concat(), span);
        let mut open = BTreeSet::new();
        number.variables(&mut open);
        state.bound.extend(open);
        state.literals.push(EpilogLiteral::Positive(Term::call(
            total,
            [before, vec![number]].concat(),
            span,
        )));
        Some(())
    }
}

/// The place where a variable first occurs in a term.
fn place_of(term: &Term, variable: &str) -> Option<Span> {
    match &term.shape {
        Shape::Variable(name) => (name == variable).then_some(term.span),
        Shape::Name(_) => None,
        Shape::Call(_, arguments) => arguments.iter().find_map(|argument| place_of(argument, variable)),
    }
}

/// The name of a variable as the author wrote it.
fn shown(variable: &str) -> &str {
    if variable.starts_with("_'") { "_" } else { variable }
}
