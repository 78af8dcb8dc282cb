//! Names of a sheet of Epilog that are read but never defined, or defined but never read. GDL100 to
//! GDL102 concern views and operations, GDL110 and GDL111 facts of the state.
//!
//! They are reported for the sheet itself, since its translation adds relations. Views, operations
//! and facts are identified by name and arity. O(text), plus the search for similar names, which
//! [`Meant`] bounds.

use super::super::expressions::{Id, What};
use super::rules::is_builtin;
use super::sheet::{Sheet, Symbol, symbol};
use crate::Span;
use crate::diagnostic::{Diagnostic, Meant, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Views with a fixed meaning; `control` may also be a fact.
const KEYWORDS: [&str; 8] = ["role", "init", "legal", "goal", "terminal", "control", "base", "action"];

/// The position of an atom in a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// A condition.
    Asked,
    /// An effect.
    Done,
}

/// The first condition that reads a name.
struct Asked {
    place: Span,
    negated: bool,
    /// True if some sentence with another head reads the name.
    elsewhere: bool,
}

/// The uses of a sheet's names.
#[derive(Default)]
struct Uses {
    asked: BTreeMap<Symbol, Asked>,
    /// The first place where a fact becomes true; `None` for moves without an operation, which have
    /// their own message.
    made: BTreeMap<Symbol, Option<Span>>,
    deleted: BTreeMap<Symbol, Span>,
    called: BTreeSet<Symbol>,
    /// The moves that heads of `legal` name; `any_legal` is true if a head has a variable instead.
    legal: BTreeSet<Symbol>,
    any_legal: bool,
}

/// Adds diagnostics about the names of a sheet.
pub(super) fn check(sheet: &Sheet<'_>, found: &mut Vec<Diagnostic>) {
    let uses = Uses::of(sheet);
    let mut names = NameCheck { sheet, uses: &uses, meant: Meant::new(), found };
    names.unanswered();
    names.unchanged();
    names.unused();
    names.unread();
}

impl Uses {
    fn of(sheet: &Sheet<'_>) -> Self {
        let mut uses = Self::default();
        for view in &sheet.views {
            match view.head.parts() {
                Some(("init", [fact])) if fact.parts().is_some() => {
                    uses.made.entry(symbol(fact)).or_insert(Some(fact.span));
                }
                Some(("legal", [made])) if made.parts().is_some() => {
                    uses.legal.insert(symbol(made));
                }
                Some(("legal", _)) => uses.any_legal = true,
                _ => {}
            }
            if let Some(body) = view.body {
                uses.walk(sheet, body, Stands::Asked, false, &symbol(&view.head));
            }
        }
        for operation in &sheet.operations {
            uses.walk(sheet, operation.body, Stands::Done, false, &symbol(&operation.head));
        }
        for made in &uses.legal {
            if !sheet.operated.contains_key(made) {
                uses.made.entry(made.clone()).or_insert(None);
            }
        }
        uses
    }

    fn walk(&mut self, sheet: &Sheet<'_>, id: Id, stands: Stands, negated: bool, head: &Symbol) {
        let expression = sheet.expressions.get(id);
        match expression.what {
            What::And | What::Or => {
                expression.parts.iter().for_each(|&part| self.walk(sheet, part, stands, negated, head));
            }
            What::Not => self.walk(sheet, expression.parts[0], stands, !negated, head),
            What::Arrow => {
                self.walk(sheet, expression.parts[0], Stands::Asked, negated, head);
                self.walk(sheet, expression.parts[1], stands, negated, head);
            }
            What::Name | What::Call => {
                let name = sheet.source.slice(expression.sign);
                let symbol = (name.to_owned(), expression.parts.len().saturating_sub(1));
                match stands {
                    Stands::Asked if name == "countofall" && expression.parts.len() == 4 => {
                        self.walk(sheet, expression.parts[2], stands, negated, head);
                    }
                    Stands::Asked if is_builtin(name) || symbol == ("true".to_owned(), 0) => {}
                    Stands::Asked => {
                        let elsewhere = symbol != *head;
                        let asked = self.asked.entry(symbol).or_insert(Asked {
                            place: expression.sign,
                            negated,
                            elsewhere,
                        });
                        asked.elsewhere |= elsewhere;
                    }
                    Stands::Done if sheet.operated.contains_key(&symbol) => {
                        self.called.insert(symbol);
                    }
                    Stands::Done if negated => {
                        self.deleted.entry(symbol).or_insert(expression.sign);
                    }
                    Stands::Done => {
                        self.made.entry(symbol).or_insert(Some(expression.sign));
                    }
                }
            }
            _ => {}
        }
    }
}

struct NameCheck<'a, 's> {
    sheet: &'a Sheet<'s>,
    uses: &'a Uses,
    meant: Meant,
    found: &'a mut Vec<Diagnostic>,
}

impl NameCheck<'_, '_> {
    /// Adds a fault, with a similar name as its suggestion, or with the help if there is none.
    fn mean(&mut self, fault: Diagnostic, name: &str, place: Span, help: String) {
        let views = self.sheet.defined.iter().map(|(name, _)| name.as_str());
        let facts = self.uses.made.keys().map(|(name, _)| name.as_str());
        // `place` spans the name alone, which the suggestion replaces.
        self.found.push(match self.meant.nearest(name, views.chain(facts)) {
            Some(near) => fault.mean(place, near),
            None => fault.help(help),
        });
    }

    /// GDL100, GDL101 and GDL110: names in conditions that nothing defines or makes true.
    fn unanswered(&mut self) {
        for (symbol, asked) in &self.uses.asked {
            let (name, arity) = symbol;
            let Asked { place, negated, .. } = *asked;
            let note = if negated { "its negation always holds" } else { "this literal never holds" };
            if self.sheet.names.contains(name) {
                if self.sheet.defined.contains(symbol) {
                    continue;
                }
                let code =
                    if negated { &codes::UNDEFINED_RELATION_NEGATED } else { &codes::UNDEFINED_RELATION };
                self.found.push(if self.sheet.operated.contains_key(symbol) {
                    Diagnostic::new(code, place, format!("`{name}` is an operation, so it holds in no state"))
                        .note(note)
                        .help("use a fact that it changes")
                } else {
                    let message = format!("nothing defines `{name}` with {}", arguments(*arity));
                    let fault = Diagnostic::new(code, place, message).note(note);
                    let other = self.sheet.views.iter().map(|view| &view.head);
                    let operations = self.sheet.operations.iter().map(|operation| &operation.head);
                    let mut heads = other.chain(operations);
                    match heads.find(|head| head.parts().is_some_and(|(other, _)| other == name)) {
                        Some(head) => fault
                            .label(head.span, format!("it has {} here", arguments(head.arguments().len())))
                            .help("use the same number of arguments in both places"),
                        None => fault.help("write facts or rules for it"),
                    }
                });
                continue;
            }
            // A missing keyword has a message of its own.
            if self.uses.made.contains_key(symbol) || KEYWORDS.contains(&name.as_str()) {
                continue;
            }
            let message = format!("`{name}` is read here, but no `init` and no operation makes it true");
            let fault = Diagnostic::new(&codes::FLUENT_NEVER_TRUE, place, message).note(note);
            self.never_true(fault, symbol, place);
        }
    }

    /// GDL110: deleted facts that nothing makes true.
    fn unchanged(&mut self) {
        for (symbol, &place) in &self.uses.deleted {
            let name = &symbol.0;
            // An effect on a view is an error.
            if self.uses.made.contains_key(symbol) || self.sheet.names.contains(name) || name == "control" {
                continue;
            }
            let message = format!("`{name}` is deleted here, but no `init` and no operation makes it true");
            let fault =
                Diagnostic::new(&codes::FLUENT_NEVER_TRUE, place, message).note("this changes nothing");
            self.never_true(fault, symbol, place);
        }
    }

    fn never_true(&mut self, fault: Diagnostic, (name, arity): &Symbol, place: Span) {
        let mut namesakes = self.uses.made.iter().filter(|((other, _), _)| other == name);
        if let Some(((_, other), Some(made))) = namesakes.next() {
            let text = format!("it has {} here", arguments(*other));
            self.found.push(fault.label(*made, text).help(format!(
                "use the same number of arguments in both places, or make it true with {}",
                arguments(*arity)
            )));
            return;
        }
        let fact = pattern(name, *arity);
        let help = match (name.as_str(), arity) {
            ("true", 1) => {
                "write the fact alone: every name that no rule defines is a fact of the state".into()
            }
            ("does", 2) => {
                "write what a move does as an operation: `move(X) :: condition(X) ==> effect(X)`".into()
            }
            ("not", 1) => "write `~`".into(),
            ("or", _) => "write `|` between the two".into(),
            ("and", _) => "write `&` between the two".into(),
            _ => format!("write rules for `{fact}`, or make it true: `init({fact})`"),
        };
        self.mean(fault, name, place, help);
    }

    /// GDL102: views that no other sentence reads, and operations that are never made.
    fn unused(&mut self) {
        for view in &self.sheet.views {
            let symbol = symbol(&view.head);
            let (name, arity) = &symbol;
            let is_asked = |asked: &Asked| asked.elsewhere;
            // A view that is read with another arity has a message about that.
            let mut asked = self.uses.asked.range((name.clone(), 0)..=(name.clone(), usize::MAX));
            if KEYWORDS.contains(&name.as_str())
                || self.uses.asked.get(&symbol).is_some_and(is_asked)
                || asked.any(|(other, _)| other.1 != *arity)
                || !self.first(&symbol, view.head.span)
            {
                continue;
            }
            let place = Span { end: view.head.span.start + name.len() as u32, ..view.head.span };
            let message = format!("`{name}` is defined but never used");
            let fault = Diagnostic::new(&codes::UNUSED_RELATION, place, message);
            let help = match (name.as_str(), arity) {
                ("next", 1) => {
                    "write what a move changes as an operation: `move(X) :: condition(X) ==> effect(X)`"
                }
                ("sees", 2) => "remove it: in Epilog every role sees the whole state",
                ("input", 2) => "remove it: in Epilog moves are declared by `action`",
                _ => "remove it, or allow `unused_relation`",
            };
            let keywords = KEYWORDS.into_iter();
            self.found.push(match self.meant.nearest(name, keywords) {
                Some(near) => fault.mean(place, near),
                None => fault.help(help),
            });
        }
        // A missing `legal` has its own message.
        if self.uses.any_legal || self.uses.legal.is_empty() {
            return;
        }
        for (symbol, &span) in &self.sheet.operated {
            let (name, arity) = symbol;
            if self.uses.legal.contains(symbol) || self.uses.called.contains(symbol) {
                continue;
            }
            let place = Span { end: span.start + name.len() as u32, ..span };
            let message = format!("the operation `{name}` is never legal, and no other calls it");
            let fault = Diagnostic::new(&codes::UNUSED_RELATION, place, message);
            let moves = self.uses.legal.iter().map(|(name, _)| name.as_str());
            self.found.push(match self.meant.nearest(name, moves) {
                Some(near) => fault.mean(place, near),
                None => {
                    fault.help(format!("write `legal({})`, or remove the operation", pattern(name, *arity)))
                }
            });
        }
    }

    /// Returns whether `span` is the head of the first view with a name and arity.
    fn first(&self, symbol_of: &Symbol, span: Span) -> bool {
        let mut heads = self.sheet.views.iter().map(|view| &view.head);
        heads.find(|head| symbol(head) == *symbol_of).is_some_and(|head| head.span == span)
    }

    /// GDL111: facts that nothing reads.
    fn unread(&mut self) {
        for (symbol, place) in &self.uses.made {
            let Some(place) = *place else { continue };
            let name = &symbol.0;
            if self.uses.asked.contains_key(symbol) || self.sheet.names.contains(name) || name == "control" {
                continue;
            }
            let message = format!("the fact `{name}` is written but never read");
            self.found.push(
                Diagnostic::new(&codes::FLUENT_NEVER_READ, place, message)
                    .help("remove it: it changes neither moves nor goals nor the end of the game"),
            );
        }
    }
}

fn arguments(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

/// A fact with variables for its arguments, as text.
fn pattern(name: &str, arity: usize) -> String {
    const LETTERS: [&str; 5] = ["X", "Y", "Z", "U", "V"];
    match arity {
        0 => name.to_owned(),
        1..=5 => format!("{name}({})", LETTERS[..arity].join(", ")),
        _ => format!("{name}(..)"),
    }
}
