//! Lints for Epilog: variables that occur once (GDL103), repeated sentences (GDL104, GDL105), terms
//! compared with themselves (GDL107), literals required with their negation (GDL109), and negation
//! before its variables have values (GDL152). O(text).

use super::super::expressions::{Id, What};
use super::sheet::Sheet;
use crate::Span;
use crate::diagnostic::{Diagnostic, codes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Adds diagnostics about single sentences.
pub(super) fn check(sheet: &Sheet<'_>, found: &mut Vec<Diagnostic>) {
    let mut lints = Lints { sheet, found };
    lints.duplicates();
    for &sentence in &sheet.expressions.sentences {
        lints.singletons(sentence);
        let expression = sheet.expressions.get(sentence);
        if matches!(expression.what, What::If | What::Operation) {
            let mut bound = BTreeSet::new();
            lints.variables(expression.parts[0], &mut |name, _| {
                bound.insert(name.to_owned());
            });
            lints.body(expression.parts[1], &mut bound);
        }
    }
}

struct Lints<'a, 's> {
    sheet: &'a Sheet<'s>,
    found: &'a mut Vec<Diagnostic>,
}

impl Lints<'_, '_> {
    fn text(&self, span: Span) -> &str {
        self.sheet.source.slice(span)
    }

    /// Calls `visit` with the name and the place of each variable at or below an expression.
    fn variables(&self, id: Id, visit: &mut impl FnMut(&str, Span)) {
        let expression = self.sheet.expressions.get(id);
        if expression.what == What::Variable {
            visit(self.text(expression.span), expression.span);
        }
        expression.parts.iter().for_each(|&part| self.variables(part, visit));
    }

    /// GDL104 and GDL105: sentences that repeat an earlier one, up to renaming variables.
    fn duplicates(&mut self) {
        let mut known: BTreeMap<String, Span> = BTreeMap::new();
        for (&sentence, &place) in self.sheet.expressions.sentences.iter().zip(&self.sheet.expressions.places)
        {
            let expression = self.sheet.expressions.get(sentence);
            let is_rule = matches!(expression.what, What::If | What::Operation);
            let head = if is_rule { expression.parts[0] } else { sentence };
            let name = self.sheet.expressions.get(head).sign;
            // A repeated role is an error, which has its own message.
            if self.text(name) == "role" {
                continue;
            }
            let mut variables = BTreeMap::new();
            let mut key = String::new();
            self.write(sentence, &mut key, &mut |name| {
                let next = variables.len();
                // Each blank is a variable of its own.
                let key = if name == "_" { format!("_{next}") } else { name.to_owned() };
                format!("?{}", variables.entry(key).or_insert(next))
            });
            let Some(&first) = known.get(&key) else {
                known.insert(key, name);
                continue;
            };
            let (code, what) =
                if is_rule { (&codes::DUPLICATE_RULE, "rule") } else { (&codes::DUPLICATE_FACT, "fact") };
            self.found.push(
                Diagnostic::new(code, name, format!("this {what} is given twice"))
                    .label(first, "first given here")
                    .help("remove one of them")
                    .suggest(self.sheet.source.whole_lines(place), "")
                    .machine_applicable(),
            );
        }
    }

    /// Appends an unambiguous encoding of an expression to `key`, in which `name` writes the
    /// variables.
    fn write(&self, id: Id, key: &mut String, name: &mut impl FnMut(&str) -> String) {
        let expression = self.sheet.expressions.get(id);
        match expression.what {
            What::Variable => key.push_str(&name(self.text(expression.span))),
            What::Name => key.push_str(self.text(expression.span)),
            what => {
                let _ = write!(key, "{what:?}(");
                for &part in &expression.parts {
                    self.write(part, key, name);
                    key.push(',');
                }
                key.push(')');
            }
        }
    }

    /// GDL103: variables that occur once in a sentence, in a condition. A variable in a head may
    /// have any value, and a variable in an effect has a message of its own.
    fn singletons(&mut self, sentence: Id) {
        let expression = self.sheet.expressions.get(sentence);
        if !matches!(expression.what, What::If | What::Operation) {
            return;
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        self.variables(sentence, &mut |name, _| *counts.entry(name.to_owned()).or_default() += 1);
        let mut conditions = Vec::new();
        self.conditions(expression.parts[1], expression.what == What::If, &mut conditions);
        for condition in conditions {
            let mut once = Vec::new();
            self.variables(condition, &mut |name, place| {
                if counts[name] == 1 && !name.starts_with('_') {
                    once.push((name.to_owned(), place));
                }
            });
            for (name, place) in once {
                self.found.push(
                    Diagnostic::new(
                        &codes::SINGLETON_VARIABLE,
                        place,
                        format!("variable `{name}` occurs only once"),
                    )
                    .help("write `_` if this is intentional")
                    .suggest(place, "_")
                    .machine_applicable(),
                );
            }
        }
    }

    /// Collects the atoms that conditions require, except comparisons of terms.
    fn conditions(&self, id: Id, asks: bool, into: &mut Vec<Id>) {
        let expression = self.sheet.expressions.get(id);
        match expression.what {
            What::And | What::Or => {
                expression.parts.iter().for_each(|&part| self.conditions(part, asks, into));
            }
            What::Arrow => {
                self.conditions(expression.parts[0], true, into);
                self.conditions(expression.parts[1], asks, into);
            }
            What::Call if asks && !matches!(self.text(expression.sign), "distinct" | "same") => into.push(id),
            _ => {}
        }
    }

    /// GDL107, GDL109 and GDL152: checks the literals of a body together, from left to right.
    fn body(&mut self, id: Id, bound: &mut BTreeSet<String>) {
        let expression = self.sheet.expressions.get(id);
        match expression.what {
            What::And => {
                self.contradiction(&expression.parts);
                for (i, &part) in expression.parts.iter().enumerate() {
                    self.early(part, &expression.parts[i + 1..], bound);
                    self.body(part, bound);
                }
            }
            What::Or => {
                // A variable that one branch binds is not bound in the other branches.
                for &part in &expression.parts {
                    self.body(part, &mut bound.clone());
                }
            }
            What::Arrow => {
                let mut inner = bound.clone();
                self.body(expression.parts[0], &mut inner);
                self.body(expression.parts[1], &mut inner);
            }
            What::Not => self.body(expression.parts[0], &mut bound.clone()),
            What::Call if self.text(expression.sign) == "distinct" => self.same(id),
            What::Call => self.variables(id, &mut |name, _| {
                bound.insert(name.to_owned());
            }),
            _ => {}
        }
    }

    fn same(&mut self, id: Id) {
        let expression = self.sheet.expressions.get(id);
        let &[_, left, right] = expression.parts.as_slice() else { return };
        let [mut one, mut other] = [String::new(), String::new()];
        let mut blanks = 0;
        let mut name = |name: &str| {
            blanks += 1;
            if name == "_" { format!("_{blanks}") } else { format!("?{name}") }
        };
        self.write(left, &mut one, &mut name);
        self.write(right, &mut other, &mut name);
        if one == other {
            let message = format!("`{}` is always false", self.text(expression.span));
            self.found.push(
                Diagnostic::new(&codes::DISTINCT_SAME_VARIABLE, expression.span, message)
                    .note("a term never differs from itself")
                    .help("compare two different variables"),
            );
        }
    }

    /// GDL109: literals required with their negation.
    fn contradiction(&mut self, parts: &[Id]) {
        let mut blanks = 0;
        let mut key = |id| {
            let mut key = String::new();
            self.write(id, &mut key, &mut |name| {
                blanks += 1;
                if name == "_" { format!("_{blanks}") } else { format!("?{name}") }
            });
            key
        };
        let is_atom = |id: Id| matches!(self.sheet.expressions.get(id).what, What::Name | What::Call);
        let required: BTreeMap<String, Id> =
            parts.iter().filter(|&&part| is_atom(part)).map(|&part| (key(part), part)).collect();
        let mut faults = Vec::new();
        for &part in parts {
            let expression = self.sheet.expressions.get(part);
            let [inner] = expression.parts[..] else { continue };
            if expression.what == What::Not
                && is_atom(inner)
                && let Some(&other) = required.get(&key(inner))
            {
                let place = self.sheet.expressions.get(other).span;
                faults.push((expression.span, place));
            }
        }
        for (span, place) in faults {
            let message = format!("the body requires `{}` and its negation", self.text(place));
            self.found.push(
                Diagnostic::new(&codes::CONTRADICTORY_BODY, span, message)
                    .note("this never holds")
                    .label(place, "required here")
                    .help("remove one of the two"),
            );
        }
    }

    /// GDL152: a negated literal with a variable that is unbound there, and that a later literal
    /// binds.
    fn early(&mut self, part: Id, behind: &[Id], bound: &BTreeSet<String>) {
        let expressions = self.sheet.expressions;
        let expression = expressions.get(part);
        if expression.what != What::Not {
            return;
        }
        let mut open = Vec::new();
        self.variables(part, &mut |name, place| {
            if name != "_" && !bound.contains(name) {
                open.push((name.to_owned(), place));
            }
        });
        let binds = |id: Id, wanted: &str| {
            let mut binds = false;
            if expressions.get(id).what == What::Call {
                self.variables(id, &mut |name, _| binds |= name == wanted);
            }
            binds
        };
        let late = open.into_iter().find_map(|(name, place)| {
            let &other = behind.iter().find(|&&id| binds(id, &name))?;
            Some((name, place, expressions.get(other).span))
        });
        if let Some((name, place, other)) = late {
            let message = format!("`{name}` is not bound before this `~`, so it stands for any value");
            self.found.push(
                Diagnostic::new(&codes::EARLY_NEGATION, place, message)
                    .label(other, format!("`{name}` is bound here"))
                    .help(format!(
                        "write the `~` literal after the one that binds `{name}`, or `_` for any value"
                    )),
            );
        }
    }
}
