//! Safety: GDL085 to GDL090.
//!
//! Every variable of the head, under `not` or in `distinct` must be bound. A variable is bound if
//! it occurs in a positive literal of the body outside `or`, or in every branch of one `or`. A
//! variable that occurs only in positive literals of one branch needs no other binding. O(branches
//! · variables of a rule); [`Limits::max_rule_variables`](crate::Limits::max_rule_variables) bounds
//! the variables.

use super::binding;
use super::callers::Callers;
use super::domains::Domains;
use super::scene::{Form, Scene};
use crate::diagnostic::{Code, Diagnostic, Edit, codes};
use crate::rules::{Formula, RelationId, Term, Variable};
use crate::syntax::{NodeId, writer::BLANK};
use crate::{Diagnostics, Span};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// The note for unsafe variables that the lenient reading accepts.
const BOUND: &str = "assumed to be bound by the callers of the relation";

/// Returns the indices of the rules with unsafe variables that callers do not bind. An unsafe
/// variable is an error only if play needs the rule.
pub(super) fn check(
    scene: &Scene<'_>,
    callers: Option<&Callers>,
    diagnostics: &mut Diagnostics,
) -> FxHashSet<usize> {
    let domains = OnceCell::new();
    let mut faulty = FxHashSet::default();
    for (number, form) in scene.forms().enumerate().filter(|(_, form)| !form.rule.variables.is_empty()) {
        // A role with a variable has its own message.
        if form.rule.head.relation == scene.rules.keywords.role {
            continue;
        }
        let bound = binding::bound(form.rule);
        if !bound.iter().all(|&bound| bound) {
            let reported = bound.clone();
            let domains = &domains;
            let is_assumed = callers.is_some_and(|callers| callers.bind(scene.rules, form.rule));
            let mut rule =
                Rule { scene, domains, form, bound, reported, is_assumed, is_faulty: false, diagnostics };
            rule.check();
            if rule.is_faulty && !is_assumed {
                faulty.insert(number);
            }
        }
    }
    faulty
}

struct Rule<'a, 'd> {
    scene: &'a Scene<'a>,
    /// The domains of argument places, computed on first use.
    domains: &'a OnceCell<Domains>,
    form: Form<'a>,
    bound: Vec<bool>,
    /// For each variable, true if it is bound or was reported.
    reported: Vec<bool>,
    /// True if callers bind the unbound variables.
    is_assumed: bool,
    is_faulty: bool,
    diagnostics: &'d mut Diagnostics,
}

impl Rule<'_, '_> {
    fn check(&mut self) {
        let Form { rule, head, body, is_rule } = self.form;
        let (code, reason) = match (is_rule, body.is_empty()) {
            (false, _) => (&codes::FACT_WITH_VARIABLE, "a fact must be ground"),
            (true, true) => (&codes::UNSAFE_EMPTY_BODY, "the rule has no body to bind it"),
            (true, false) => (&codes::UNSAFE_HEAD_VARIABLE, "not bound by any positive literal"),
        };
        if self.only_compares() {
            self.report_comparison();
            return;
        }
        for argument in &rule.head.arguments {
            argument.for_each_variable(&mut |variable| self.require(variable, head, code, reason));
        }
        for (formula, &node) in rule.body.iter().zip(body) {
            self.formula(formula, node);
        }
    }

    /// True if the body has only comparisons and negations, and the head several variables. Such a
    /// helper relation expects values from its callers.
    fn only_compares(&self) -> bool {
        let rule = self.form.rule;
        let binds = |formula: &Formula| !matches!(formula, Formula::Distinct(..) | Formula::Not(_));
        let mut variables = FxHashSet::default();
        for argument in &rule.head.arguments {
            argument.for_each_variable(&mut |variable| {
                variables.insert(variable.index());
            });
        }
        !rule.body.is_empty() && !rule.body.iter().any(binds) && variables.len() > 1
    }

    /// Reports all variables of a rule whose body binds none, in one message.
    fn report_comparison(&mut self) {
        let Form { rule, head, .. } = self.form;
        let name = self.scene.relation_name(rule.head.relation);
        let literals: Option<Vec<String>> = (0..rule.variables.len() as u32)
            .map(|number| {
                let relation = self.scene.relation_name(self.domain(Variable(number))?);
                Some(format!("({relation} {})", rule.variables[number as usize]))
            })
            .collect();
        let or = format!("move the comparison into the rules that use `{name}`");
        let message = format!("nothing binds the variables of `{name}`: its body only compares");
        let fault = Diagnostic::new(&codes::UNSAFE_HEAD_VARIABLE, self.scene.name(head), message)
            .note("a rule must bind its own variables, even if its callers have values for them");
        let fault = match literals.map(|literals| literals.join(" ")) {
            Some(literals) => fault
                .help(format!("add `{literals}` to the body, or {or}"))
                .suggest_all(self.scene.add_literal(self.form, &literals)),
            None => fault.help(format!("add literals that bind them to the body, or {or}")),
        };
        self.report(fault);
    }

    fn report(&mut self, fault: Diagnostic) {
        self.is_faulty = true;
        let is_error = self.scene.is_needed(self.form.rule.head.relation) && !self.is_assumed;
        let fault = if self.is_assumed { fault.note(BOUND) } else { fault };
        self.diagnostics.push(if is_error { fault } else { fault.harmless() });
    }

    /// Requires the variables of negated literals and of `distinct` to be bound.
    fn formula(&mut self, formula: &Formula, node: NodeId) {
        let parts = self.scene.arguments(node);
        match formula {
            Formula::Atom(_) => {}
            Formula::Or(branches) => {
                for (branch, &node) in branches.iter().zip(parts) {
                    self.formula(branch, node);
                }
            }
            Formula::Distinct(..) => {
                let reason = "`distinct` binds no variable";
                formula.for_each_variable(&mut |variable| {
                    self.require(variable, node, &codes::UNSAFE_DISTINCT_VARIABLE, reason);
                });
            }
            Formula::Not(inner) => {
                let distinct = matches!(**inner, Formula::Distinct(..));
                let (code, reason) = if distinct {
                    (&codes::UNSAFE_DISTINCT_VARIABLE, "`distinct` binds no variable")
                } else {
                    (&codes::UNSAFE_NEGATED_VARIABLE, "a negated literal binds no variable")
                };
                inner.for_each_variable(&mut |variable| self.require(variable, node, code, reason));
            }
        }
    }

    /// Reports the variable at its first place below `node`, unless it is bound or was reported.
    fn require(&mut self, variable: Variable, node: NodeId, code: &'static Code, reason: &str) {
        if std::mem::replace(&mut self.reported[variable.index()], true) {
            return;
        }
        let rule = self.form.rule;
        let name = &rule.variables[variable.index()];
        let span = self.scene.find_variable(node, rule, variable);
        let message = format!("unsafe variable `{name}`");
        let fault = if let Some(place) = self.branch(variable) {
            Diagnostic::new(&codes::UNSAFE_OR_BRANCH, span, message)
                .note("not bound in every branch of the `or`")
                .label(place, "bound in one branch here")
                .help(format!("use `{name}` in every branch, or in a literal next to the `or`"))
        } else {
            let fault = Diagnostic::new(code, span, message).note(reason);
            match (self.negated(variable, node), self.domain(variable)) {
                (Some((rule, edits)), _) => {
                    let none = format!("write `{rule}` if it must hold for no `{name}`");
                    // A blank variable cannot occur in a second literal.
                    let help = if name[1..].starts_with(BLANK) {
                        none
                    } else {
                        format!("{}; {none}", self.help(name))
                    };
                    fault.help(help).suggest_all(edits)
                }
                (None, Some(relation)) => {
                    let literal = format!("({} {name})", self.scene.relation_name(relation));
                    fault
                        .help(format!("add `{literal}` to the body"))
                        .suggest_all(self.scene.add_literal(self.form, &literal))
                }
                (None, None) => fault.help(self.help(name)),
            }
        };
        self.report(fault);
    }

    /// The unary relation that may bind the variable: `role` if the head has it in the place of a
    /// role, otherwise the one that other rules show.
    fn domain(&self, variable: Variable) -> Option<RelationId> {
        let rule = self.form.rule;
        let keywords = &self.scene.rules.keywords;
        let of_roles = [keywords.legal, keywords.goal, keywords.input, keywords.sees];
        let is_role = rule.head.arguments.first() == Some(&Term::Variable(variable));
        if is_role && of_roles.contains(&rule.head.relation) {
            return Some(keywords.role);
        }
        let domains = self.domains.get_or_init(|| Domains::new(self.scene));
        domains.find(self.scene, rule, variable)
    }

    /// Returns a rule for a helper, and the edits that negate the helper in place of the literal.
    /// The helper holds if the literal holds for some value of the variable. Returns `None` if the
    /// variable occurs elsewhere, or if no such helper can be written.
    fn negated(&self, variable: Variable, node: NodeId) -> Option<(String, Vec<Edit>)> {
        /// The longest literal that a message repeats, in bytes.
        const LONGEST: usize = 60;
        let Form { rule, body, .. } = self.form;
        let scene = self.scene;
        let place = body.iter().position(|&other| other == node)?;
        let Formula::Not(inner) = &rule.body[place] else { return None };
        let Formula::Atom(atom) = &**inner else { return None };
        let literal = scene.arguments(node)[0];
        let text = scene.text(literal);
        if text.len() > LONGEST || text.contains(['\n', '\r']) {
            return None;
        }
        let mut elsewhere = vec![false; rule.variables.len()];
        let mut mark = |variable: Variable| elsewhere[variable.index()] = true;
        rule.head.arguments.iter().for_each(|argument| argument.for_each_variable(&mut mark));
        let others = rule.body.iter().enumerate().filter(|(other, _)| *other != place);
        others.for_each(|(_, formula)| formula.for_each_variable(&mut mark));
        let mut shared: Vec<&str> = Vec::new();
        inner.for_each_variable(&mut |variable| {
            let name = rule.variables[variable.index()].as_str();
            if elsewhere[variable.index()] && !shared.contains(&name) {
                shared.push(name);
            }
        });
        // Variables shared with other literals must be bound there.
        let is_bound =
            |name: &&str| rule.variables.iter().zip(&self.bound).any(|(v, bound)| v == name && *bound);
        if elsewhere[variable.index()] || !shared.iter().all(is_bound) {
            return None;
        }
        let subject = match atom.arguments.first() {
            Some(Term::Function(name, _)) if scene.is_keyword(atom.relation) => {
                scene.rules.symbols.name(*name)
            }
            _ => scene.relation_name(atom.relation),
        };
        let name = format!("some_{subject}");
        if scene.rules.symbols.find(&name).is_some() {
            return None;
        }
        let list = [&[name.as_str()], &shared[..]].concat().join(" ");
        let some = if shared.is_empty() { list } else { format!("({list})") };
        let rule = format!("(<= {some} {text})");
        let edits = vec![
            Edit { span: scene.span(literal), text: some },
            Edit::insert(self.form.rule.span.end, format!("\n{rule}")),
        ];
        Some((rule, edits))
    }

    fn help(&self, name: &str) -> String {
        if self.form.is_rule && self.form.body.is_empty() {
            format!("write a body that binds `{name}`")
        } else if self.form.is_rule {
            format!("add a positive literal with `{name}` to the body")
        } else {
            format!("write one fact for each value, or a rule `(<= head body)` that binds `{name}`")
        }
    }

    /// The place where the variable occurs in a positive literal of a branch. The `or` of the
    /// branch is not negated.
    fn branch(&self, variable: Variable) -> Option<Span> {
        let body = self.form.rule.body.iter().zip(self.form.body);
        let mut ors = body.filter(|(formula, _)| matches!(formula, Formula::Or(_)));
        ors.find_map(|(formula, &node)| self.positive(formula, node, variable))
    }

    fn positive(&self, formula: &Formula, node: NodeId, variable: Variable) -> Option<Span> {
        match formula {
            Formula::Atom(_) => self.scene.find_variable(node, self.form.rule, variable),
            Formula::Distinct(..) | Formula::Not(_) => None,
            Formula::Or(branches) => {
                let mut parts = branches.iter().zip(self.scene.arguments(node));
                parts.find_map(|(branch, &node)| self.positive(branch, node, variable))
            }
        }
    }
}
