//! The input of the checks of lowered rules: the rules side by side with their forms.
//!
//! Rules store no places except those of atoms. A rule and its form have the same shape (see
//! [`lower`](super::lower)), so the walks here visit a term together with its node. A walk takes
//! time linear in what it visits; [`Meant`] bounds the search for similar names.

use crate::diagnostic::Meant;
use crate::rules::{Atom, Formula, Relation, RelationId, Rule, Rules, Term, Variable};
use crate::syntax::{Kind, NodeId, Syntax, Tree};
use crate::{Edit, Source, Span};

/// The rules with their forms, and the texts for messages.
pub(super) struct Scene<'a> {
    pub(super) tree: &'a Tree,
    pub(super) source: &'a Source,
    pub(super) rules: &'a Rules,
    /// The form of each rule.
    pub(super) forms: &'a [NodeId],
    /// The node of each relation's name at its first use.
    pub(super) first_uses: &'a [Option<NodeId>],
    /// For each relation, true if play needs it.
    pub(super) needed: &'a [bool],
    /// The search for misspelled names.
    pub(super) meant: Meant,
}

/// A rule and the nodes of its parts.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    pub(super) rule: &'a Rule,
    pub(super) head: NodeId,
    /// The nodes of the body, one for each literal.
    pub(super) body: &'a [NodeId],
    /// True if it is written with `<=`.
    pub(super) is_rule: bool,
}

impl<'a> Scene<'a> {
    /// The rules with their nodes, in the order of the text.
    pub(super) fn forms(&self) -> impl Iterator<Item = Form<'a>> + '_ {
        (0..self.forms.len()).map(|i| self.form(i))
    }

    /// Returns the `i`th rule with its nodes.
    pub(super) fn form(&self, i: usize) -> Form<'a> {
        let (rule, form) = (&self.rules.rules[i], self.forms[i]);
        match self.tree.children(form) {
            [first, head, body @ ..] if self.text(*first) == "<=" => {
                Form { rule, head: *head, body, is_rule: true }
            }
            _ => Form { rule, head: form, body: &[], is_rule: false },
        }
    }

    pub(super) fn text(&self, node: NodeId) -> &'a str {
        self.tree.text(node, self.source)
    }

    pub(super) fn span(&self, node: NodeId) -> Span {
        self.tree.node(node).span
    }

    /// The place of the `<=` that a rule starts with.
    pub(super) fn if_sign(&self, form: Form<'_>) -> Span {
        let start = form.rule.span.start + 1;
        let rest = &self.source.text()[start as usize..];
        let end = start + rest.find("<=").map_or(0, |at| at + "<=".len()) as u32;
        Span { start, end }
    }

    /// The edits that remove the parentheses and the name of a node, so that only its arguments
    /// stay.
    pub(super) fn unwrap(&self, node: NodeId) -> [Edit; 2] {
        self.source.unwrap(self.span(node), self.name(node))
    }

    /// Returns edits that add a literal, in the syntax of the text, at the end of a body.
    pub(super) fn add_literal(&self, form: Form<'_>, literal: &str) -> Vec<Edit> {
        let Span { start, end } = form.rule.span;
        match (self.tree.syntax, form.is_rule) {
            (Syntax::Kif, true) => vec![Edit::insert(end - 1, format!(" {literal}"))],
            (Syntax::Kif, false) => {
                vec![Edit::insert(start, "(<= "), Edit::insert(end, format!(" {literal})"))]
            }
            (_, true) => vec![Edit::insert(end, format!(" & {literal}"))],
            (_, false) => vec![Edit::insert(end, format!(" :- {literal}"))],
        }
    }

    /// The place of a form, extended to whole lines if nothing else is on them.
    pub(super) fn whole_form(&self, form: Form<'_>) -> Span {
        self.source.whole_lines(form.rule.span)
    }

    /// The nodes of the arguments of an atom or term, or of the parts of a connective.
    pub(super) fn arguments(&self, node: NodeId) -> &'a [NodeId] {
        self.tree.children(node).get(1..).unwrap_or_default()
    }

    /// The place of the name that an atom, connective or function starts with.
    pub(super) fn name(&self, node: NodeId) -> Span {
        self.span(self.tree.children(node).first().copied().unwrap_or(node))
    }

    /// The place of the relation's first use.
    pub(super) fn first_use(&self, relation: RelationId) -> Span {
        self.first_uses[relation.index()].map_or(Span::default(), |node| self.span(node))
    }

    /// True if play needs the relation.
    pub(super) fn is_needed(&self, relation: RelationId) -> bool {
        self.needed[relation.index()]
    }

    pub(super) fn relation(&self, relation: RelationId) -> &'a Relation {
        &self.rules.relations[relation.index()]
    }

    pub(super) fn relation_name(&self, relation: RelationId) -> &'a str {
        self.rules.relation_name(relation)
    }

    /// Returns whether the relation is a keyword.
    pub(super) fn is_keyword(&self, relation: RelationId) -> bool {
        // Keywords are entered first, `sees` last.
        relation <= self.rules.keywords.sees
    }

    /// The place where the variable first occurs at or below `node`, with this spelling, or
    /// otherwise in another case.
    pub(super) fn find_variable(&self, node: NodeId, rule: &Rule, variable: Variable) -> Option<Span> {
        let name = &rule.variables[variable.index()];
        let spelled = |same: fn(&str, &str) -> bool| {
            self.find(node, &|node| {
                self.tree.node(node).kind == Kind::Variable && same(self.text(node), name)
            })
        };
        spelled(|a, b| a == b).or_else(|| spelled(str::eq_ignore_ascii_case))
    }

    /// The place of the first node at or below `node` for which `wanted` returns true.
    pub(super) fn find(&self, node: NodeId, wanted: &impl Fn(NodeId) -> bool) -> Option<Span> {
        if wanted(node) {
            return Some(self.span(node));
        }
        self.tree.children(node).iter().find_map(|&child| self.find(child, wanted))
    }

    /// Calls `visit` for every atom of every rule, the head before the body, with the rule, the
    /// atom's node and true if the atom is in the body.
    pub(super) fn for_each_atom(&self, visit: &mut impl FnMut(Form<'a>, &'a Atom, NodeId, bool)) {
        for form in self.forms() {
            visit(form, &form.rule.head, form.head, false);
            for (formula, &node) in form.rule.body.iter().zip(form.body) {
                self.atoms(formula, node, &mut |atom, node| visit(form, atom, node, true));
            }
        }
    }

    /// Calls `visit` for every atom of a formula, with its node.
    pub(super) fn atoms(&self, formula: &'a Formula, node: NodeId, visit: &mut impl FnMut(&'a Atom, NodeId)) {
        match formula {
            Formula::Atom(atom) => visit(atom, node),
            Formula::Distinct(..) => {}
            Formula::Not(inner) => self.atoms(inner, self.arguments(node)[0], visit),
            Formula::Or(branches) => {
                for (branch, &node) in branches.iter().zip(self.arguments(node)) {
                    self.atoms(branch, node, visit);
                }
            }
        }
    }

    /// Calls `visit` for every term of every rule, those inside others included, with its node.
    pub(super) fn for_each_term(&self, visit: &mut impl FnMut(&'a Term, NodeId)) {
        for form in self.forms() {
            self.form_terms(form, visit);
        }
    }

    /// Calls `visit` for every term of a rule, those inside others included, with its node.
    pub(super) fn form_terms(&self, form: Form<'a>, visit: &mut impl FnMut(&'a Term, NodeId)) {
        self.all_terms(&form.rule.head.arguments, self.arguments(form.head), visit);
        for (formula, &node) in form.rule.body.iter().zip(form.body) {
            self.formula_terms(formula, node, visit);
        }
    }

    fn formula_terms(&self, formula: &'a Formula, node: NodeId, visit: &mut impl FnMut(&'a Term, NodeId)) {
        let nodes = self.arguments(node);
        match formula {
            Formula::Atom(atom) => self.all_terms(&atom.arguments, nodes, visit),
            Formula::Distinct(left, right) => {
                self.terms(left, nodes[0], visit);
                self.terms(right, nodes[1], visit);
            }
            Formula::Not(inner) => self.formula_terms(inner, nodes[0], visit),
            Formula::Or(branches) => {
                for (branch, &node) in branches.iter().zip(nodes) {
                    self.formula_terms(branch, node, visit);
                }
            }
        }
    }

    fn all_terms(&self, terms: &'a [Term], nodes: &[NodeId], visit: &mut impl FnMut(&'a Term, NodeId)) {
        for (term, &node) in terms.iter().zip(nodes) {
            self.terms(term, node, visit);
        }
    }

    fn terms(&self, term: &'a Term, node: NodeId, visit: &mut impl FnMut(&'a Term, NodeId)) {
        visit(term, node);
        if let Term::Function(_, arguments) = term {
            self.all_terms(arguments, self.arguments(node), visit);
        }
    }

    /// The source text of a term at `node`; `(..)` if it is long or has a line end.
    pub(super) fn quote(&self, node: NodeId) -> &'a str {
        let text = self.text(node);
        if text.len() <= 60 && !text.contains(['\n', '\r']) { text } else { "(..)" }
    }
}
