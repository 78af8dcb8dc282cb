//! The rules for players: the player on turn, the moves of the others, and the goals.

use super::super::super::dialect::Reading;
use super::super::clause::{EpilogLiteral, Term};
use super::super::sheet::{Sheet, Symbol, symbol};
use super::Translation;
use crate::Syntax;
use crate::diagnostic::{Diagnostic, Span, codes};
use std::collections::BTreeMap;

impl Translation<'_> {
    /// Adds the rules for the player on turn, the moves of the others, and the goals.
    pub(super) fn players(&mut self) {
        let span = |views: &Sheet<'_>, name: &str| {
            views
                .views
                .iter()
                .find(|view| view.head.parts().is_some_and(|(other, _)| other == name))
                .map(|view| view.span)
        };
        let (legal, goal) = (span(&self.sheet, "legal"), span(&self.sheet, "goal"));
        let player = |at: Span| Term::variable("Role'", at);
        let moved = |at: Span| Term::variable("Move'", at);
        let value = |at: Span| Term::variable("Value'", at);
        let control = (String::from("control"), 1);
        let is_view = self.sheet.defined.contains(&control);
        if let Some(at) = legal {
            if !is_view && !self.facts.contains_key(&control) {
                let message = "`control` never holds, so nobody ever moves";
                self.sheet.fault(
                    &codes::MISSING_CONTROL,
                    at,
                    message,
                    "say whose turn it is: `init(control(white))`",
                );
            }
            let legal = self.made.legal.clone();
            let role = EpilogLiteral::Positive(Term::call("role", vec![player(at)], at));
            let turn = Term::call("control", vec![player(at)], at);
            let turn = if is_view { turn } else { Term::call("true", vec![turn], at) };
            let allowed = EpilogLiteral::Positive(Term::call(legal, vec![moved(at)], at));
            self.add(
                Term::call("legal", vec![player(at), moved(at)], at),
                vec![role.clone(), EpilogLiteral::Positive(turn.clone()), allowed],
                at,
            );
            self.add(
                Term::call("legal", vec![player(at), Term::name("noop", at)], at),
                vec![role, EpilogLiteral::Negative(turn.clone())],
                at,
            );
            // Moves are the arguments of `legal` in heads; a variable there stands for every
            // operation.
            let mut moves: BTreeMap<Symbol, Span> = BTreeMap::new();
            let mut any = false;
            for view in &self.sheet.views {
                if let Some(("legal", [inner])) = view.head.parts() {
                    any |= inner.parts().is_none();
                    if inner.parts().is_some() {
                        moves.entry(symbol(inner)).or_insert(view.span);
                    }
                }
            }
            if any {
                moves.extend(self.sheet.operated.clone());
            }
            for ((name, arity), at) in moves {
                let places: Vec<Term> = (0..arity).map(|i| Term::variable(format!("A{i}"), at)).collect();
                let made = Term::call(&name, places, at);
                let head = self.operation_atom(&made);
                let does = Term::call("does", vec![player(at), made], at);
                let turn = Term::call("control", vec![player(at)], at);
                let turn = if is_view { turn } else { Term::call("true", vec![turn], at) };
                self.add(head, vec![EpilogLiteral::Positive(does), EpilogLiteral::Positive(turn)], at);
            }
        }
        if let Some(at) = goal {
            let relation = self.view_relation("goal", 2);
            let given = self.fresh("goal_given");
            let role = EpilogLiteral::Positive(Term::call("role", vec![player(at)], at));
            let worth = EpilogLiteral::Positive(Term::call(relation, vec![player(at), value(at)], at));
            self.add(
                Term::call("goal", vec![player(at), value(at)], at),
                vec![role.clone(), worth.clone()],
                at,
            );
            self.add(Term::call(&given, vec![player(at)], at), vec![role.clone(), worth], at);
            let missing = EpilogLiteral::Negative(Term::call(given, vec![player(at)], at));
            self.add(Term::call("goal", vec![player(at), Term::name("0", at)], at), vec![role, missing], at);
        }
    }

    /// Reports a goal value that is not an integer from 0 to 100.
    pub(super) fn check_value(&mut self, value: &str, span: Span) {
        let code = match value.parse::<i64>() {
            Ok(0..=100) => return,
            Ok(..0) => &codes::GOAL_NEGATIVE,
            Ok(_) => &codes::GOAL_OUT_OF_RANGE,
            Err(_) => &codes::GOAL_NOT_INTEGER,
        };
        let message = format!("the goal value `{value}` is not an integer from 0 to 100");
        self.sheet.fault(code, span, message, "scale the values to 0..100");
    }
}

/// Returns the fault of a text with operations whose moves are written as in infix GDL. No other
/// fault is reported then.
pub(in super::super) fn mixed(sheet: &Sheet<'_>) -> Option<Diagnostic> {
    let is_defined = |arity| sheet.defined.contains(&("legal".to_owned(), arity));
    if is_defined(1) || !is_defined(2) {
        return None;
    }
    let head = sheet.views.iter().map(|view| &view.head).find(|head| symbol(head).0 == "legal")?;
    let message = "this looks like infix GDL, but the text is Epilog";
    let fault = Diagnostic::new(&codes::INFIX_SYNTAX, head.span, message)
        .help("write `legal(move)`: only the role that `control` names moves");
    Some(Reading::show(sheet.source, Syntax::Epilog, fault))
}
