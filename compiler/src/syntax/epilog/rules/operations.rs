//! Translation of operations: their additions and deletions, their calls of each other, and the
//! frame rules.

use super::super::super::expressions::{Id, Literal as Signed, What};
use super::super::super::infix::MOST_LITERALS;
use super::super::clause::{EpilogClause, EpilogLiteral, Shape, Term};
use super::super::sheet::{Operation, Symbol, symbol};
use super::{Body, Translation, place_of, shown};
use crate::diagnostic::{Span, codes};
use std::collections::{BTreeMap, BTreeSet};

impl Translation<'_> {
    /// Adds rules for the effects of an operation under alternative conditions.
    pub(super) fn effects(
        &mut self,
        id: Id,
        conditions: &[Vec<Signed>],
        made: &Term,
        operation: &Symbol,
        span: Span,
    ) {
        let expressions = self.sheet.expressions;
        let expression = expressions.get(id);
        match expression.what {
            What::And => {
                for &part in &expression.parts {
                    self.effects(part, conditions, made, operation, span);
                }
            }
            What::Arrow => {
                let Some(found) = self.alternatives(expression.parts[0], false) else { return };
                let size = |list: &[Vec<Signed>]| list.iter().map(Vec::len).sum::<usize>();
                if size(&found) * conditions.len() + size(conditions) * found.len() > MOST_LITERALS {
                    let message = format!(
                        "the conditions have more than {MOST_LITERALS} literals when they are multiplied out"
                    );
                    self.sheet.fault(
                        &codes::OR_EXPLOSION,
                        expression.sign,
                        message,
                        "move parts of them into separate relations",
                    );
                    return;
                }
                let both: Vec<Vec<Signed>> = conditions
                    .iter()
                    .flat_map(|left| found.iter().map(|right| [left.as_slice(), right].concat()))
                    .collect();
                self.effects(expression.parts[1], &both, made, operation, span);
            }
            What::Not => {
                let inner = expression.parts[0];
                let Some(fact) = self.effect(inner) else { return };
                if self.sheet.names.contains(fact.parts().map_or("", |(name, _)| name)) {
                    self.on_view(&fact);
                    return;
                }
                let symbol = symbol(&fact);
                let relation = self.relation("del", &symbol.0, symbol.1);
                self.deleted.insert(symbol);
                let head = Term::call(relation, fact.arguments().to_vec(), fact.span);
                self.effect_rules(&head, conditions, made, span);
            }
            What::Name | What::Call => {
                let Some(fact) = self.effect(id) else { return };
                let symbol = symbol(&fact);
                if self.sheet.operated.contains_key(&symbol) {
                    self.calls.entry(operation.clone()).or_default().push((symbol, fact.span));
                    let head = self.operation_atom(&fact);
                    self.effect_rules(&head, conditions, made, span);
                    return;
                }
                if self.sheet.names.contains(&symbol.0) {
                    self.on_view(&fact);
                    return;
                }
                self.facts.entry(symbol).or_insert(fact.span);
                let head = Term::call("next", vec![fact.clone()], fact.span);
                self.effect_rules(&head, conditions, made, span);
            }
            _ => {
                let sign = self.sheet.source.slice(expression.sign);
                let message = format!("`{sign}` is not allowed among effects");
                self.sheet.fault(
                    &codes::MISPLACED_SIGN,
                    expression.sign,
                    message,
                    "join facts by `&`, with `~` before each that is deleted",
                );
            }
        }
    }

    fn on_view(&mut self, fact: &Term) {
        let name = fact.parts().map_or("", |(name, _)| name);
        let message =
            format!("an operation changes `{name}`, but rules define it, so the change has no effect");
        self.sheet.fault(
            &codes::EFFECT_ON_VIEW,
            fact.span,
            message,
            "change the facts that the rules depend on, or remove the rules",
        );
    }

    fn effect(&mut self, id: Id) -> Option<Term> {
        let expression = self.sheet.expressions.get(id);
        if matches!(expression.what, What::Name | What::Call) {
            return self.sheet.term(id);
        }
        let message = "this is not a fact that an operation can change";
        self.sheet.fault(
            &codes::MISPLACED_SIGN,
            expression.span,
            message,
            "join facts by `&`, with `~` before each that is deleted",
        );
        None
    }

    fn effect_rules(&mut self, head: &Term, conditions: &[Vec<Signed>], made: &Term, span: Span) {
        for condition in conditions {
            let mut state = Body { literals: vec![EpilogLiteral::Positive(made.clone())], ..Body::default() };
            made.variables(&mut state.bound);
            let mut head = head.clone();
            // The head binds nothing here: the operation and its conditions must bind the head's
            // variables.
            if condition.iter().any(|&literal| self.literal(literal, &mut head, &mut state).is_none()) {
                continue;
            }
            let mut needed = BTreeSet::new();
            head.variables(&mut needed);
            let open: Vec<String> = needed.difference(&state.bound).cloned().collect();
            if let Some(variable) = open.first() {
                let message = format!("nothing binds `{}`, so this effect is ignored", shown(variable));
                let place = place_of(&head, variable).unwrap_or(head.span);
                self.sheet.fault(
                    &codes::UNBOUND_EFFECT,
                    place,
                    message,
                    "bind it by a condition before `==>`",
                );
                continue;
            }
            if self.bind(&head, &mut state) {
                self.add(head, state.literals, span);
            }
        }
    }

    /// Adds rules by which a move becomes a fact if no head of its operation matches.
    pub(super) fn unmatched(&mut self, operations: &[Operation]) {
        let mut moves: BTreeMap<Symbol, Span> = BTreeMap::new();
        for view in &self.sheet.views {
            if let Some(("legal", [inner])) = view.head.parts()
                && inner.parts().is_some()
            {
                moves.entry(symbol(inner)).or_insert(inner.span);
            }
        }
        for (symbol, span) in moves.clone() {
            if !self.sheet.operated.contains_key(&symbol) {
                let message = format!("the move `{}` has no operation, so it only becomes a fact", symbol.0);
                let help = format!("write an operation `{} :: ..` with its effects", symbol.0);
                self.sheet.fault(&codes::OPERATION_MISSING, span, message, &help);
            }
        }
        let all: BTreeMap<Symbol, Span> = self.sheet.operated.clone().into_iter().chain(moves).collect();
        let mut heads_of: BTreeMap<Symbol, Vec<&Term>> = BTreeMap::new();
        for operation in operations {
            heads_of.entry(symbol(&operation.head)).or_default().push(&operation.head);
        }
        for ((name, arity), span) in all {
            let heads = heads_of.remove(&(name.clone(), arity)).unwrap_or_default();
            let is_general = |head: &&Term| {
                let mut variables = BTreeSet::new();
                head.variables(&mut variables);
                variables.len() == arity
                    && head.arguments().iter().all(|term| matches!(term.shape, Shape::Variable(_)))
            };
            if heads.iter().any(is_general) {
                continue;
            }
            let places: Vec<Term> = (0..arity).map(|i| Term::variable(format!("A{i}"), span)).collect();
            let fact = Term::call(&name, places, span);
            let made = self.operation_atom(&fact);
            let mut body = vec![EpilogLiteral::Positive(made)];
            if !heads.is_empty() {
                let fits = self.relation("fits", &name, arity);
                for head in heads {
                    let made = self.operation_atom(head);
                    let head = Term::call(&fits, head.arguments().to_vec(), head.span);
                    self.add(head, vec![EpilogLiteral::Positive(made)], span);
                }
                body.push(EpilogLiteral::Negative(Term::call(fits, fact.arguments().to_vec(), span)));
            }
            self.facts.entry((name, arity)).or_insert(span);
            self.add(Term::call("next", vec![fact], span), body, span);
        }
    }

    /// Reports operations that call themselves, directly or through others.
    pub(super) fn check_calls(&mut self) {
        // An operation is done once all operations that it calls are done.
        let operations: Vec<Symbol> = self.sheet.operated.keys().cloned().collect();
        let mut callers: BTreeMap<&Symbol, Vec<&Symbol>> = BTreeMap::new();
        let mut waits: BTreeMap<&Symbol, usize> = BTreeMap::new();
        for (operation, called) in &self.calls {
            waits.insert(operation, called.len());
            for (other, _) in called {
                callers.entry(other).or_default().push(operation);
            }
        }
        let mut done: BTreeSet<&Symbol> = BTreeSet::new();
        let mut ready: Vec<&Symbol> =
            operations.iter().filter(|operation| !waits.contains_key(operation)).collect();
        while let Some(operation) = ready.pop() {
            done.insert(operation);
            for caller in callers.get(operation).into_iter().flatten() {
                if let Some(count) = waits.get_mut(caller) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(caller);
                    }
                }
            }
        }
        let faults: Vec<(String, Span)> = operations
            .iter()
            .filter(|operation| !done.contains(*operation))
            .filter_map(|operation| {
                let (_, span) = self.calls.get(operation)?.iter().find(|(other, _)| !done.contains(other))?;
                Some((operation.0.clone(), *span))
            })
            .collect();
        if let Some((name, span)) = faults.into_iter().min_by_key(|(_, span)| span.start) {
            let message = format!("the operation `{name}` calls itself, directly or through others");
            self.sheet.fault(
                &codes::OPERATION_CALLS_ITSELF,
                span,
                message,
                "write its effects as facts that it adds and deletes",
            );
        }
    }

    /// Adds the frame rules: a fact stays unless an operation deletes it. If a rule reads
    /// `initially`, also adds its rules, copied from those for `init`.
    pub(super) fn frame(&mut self) {
        for ((name, arity), span) in self.facts.clone() {
            let places: Vec<Term> = (0..arity).map(|i| Term::variable(format!("A{i}"), span)).collect();
            let fact = Term::call(&name, places, span);
            let mut body = vec![EpilogLiteral::Positive(Term::call("true", vec![fact.clone()], span))];
            if self.deleted.contains(&(name.clone(), arity)) {
                let relation = self.relation("del", &name, arity);
                body.push(EpilogLiteral::Negative(Term::call(relation, fact.arguments().to_vec(), span)));
            }
            self.add(Term::call("next", vec![fact], span), body, span);
        }
        // Copies of the rules for `init`, for rules that read it.
        if let Some(initially) = self.relations.get(&("", "initially".to_owned(), 1)).cloned() {
            let starts: Vec<EpilogClause> = self
                .clauses
                .iter()
                .filter(|clause| clause.head.parts().is_some_and(|(name, _)| name == "init"))
                .cloned()
                .collect();
            for start in starts {
                let head = Term::call(&initially, start.head.arguments().to_vec(), start.head.span);
                self.add(head, start.body, start.span);
            }
        }
    }
}
