//! Lowering: from forms to rules.
//!
//! The facts and rules of the tree become [`Rules`], each with its form, so that later checks find
//! the place of every term. All faults that one form shows by itself are reported here: misplaced
//! heads, literals and terms, and wrong numbers of arguments of keywords.
//!
//! Afterwards every rule and its form have the same shape. Literal `i` of the body is child `i + 2`
//! of the form. Argument `i` of an atom is child `i + 1` of its node.
//!
//! A form for `base` or `input` with errors is left out. Its errors go to [`Lowered::left_out`],
//! and become warnings if play does not need the relation. O(text), nested no deeper than
//! [`Limits::max_nesting`](crate::Limits::max_nesting).

mod arrows;
mod brackets;
mod words;

use super::keywords::{self, Word};
use crate::diagnostic::{Code, Diagnostic, Edit, codes};
use crate::rules::{Atom, Formula, Relation, RelationId, Rule, Rules, Symbol, Symbols, Term, Variable};
use crate::syntax::{Kind, NodeId, Syntax, Tree};
use crate::{Diagnostics, Limits, Options, Severity, Source, Span};
use brackets::{Arities, Wanted};
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell};

/// The results of [`lower`] for the other checks.
pub(super) struct Lowered {
    /// The rules; `roles` is still empty.
    pub(super) rules: Rules,
    /// The form of each rule.
    pub(super) forms: Vec<NodeId>,
    /// The node of each relation's name at its first use, in the order of `rules.relations`.
    pub(super) first_uses: Vec<Option<NodeId>>,
    /// True if the whole text could be read, and every form became a rule or was left out. Only
    /// then is a missing definition a fault.
    pub(super) complete: bool,
    /// The faults of forms for `base` and `input`, which are left out.
    pub(super) left_out: Vec<(RelationId, Diagnostic)>,
}

/// Lowers every form, up to the limit of rules. O(bytes).
pub(super) fn lower(
    tree: &Tree,
    source: &Source,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Lowered {
    // The other syntaxes distinguish variables from names by case, so case is significant there.
    let sensitive = options.case_sensitive || tree.syntax != Syntax::Kif;
    let mut symbols = Symbols::new(sensitive);
    let mut relations = Vec::new();
    let keywords = keywords::enter(&mut symbols, &mut relations);
    let ids = relations.iter().zip(0..).map(|(r, id)| ((r.name, r.arity), RelationId(id))).collect();
    let rules = Rules {
        symbols,
        relations,
        keywords,
        roles: Vec::new(),
        rules: Vec::new(),
        grows: false,
        documentation: documentation(tree, source),
    };
    let first_uses = vec![None; rules.relations.len()];
    let mut lowering = Lowering {
        tree,
        source,
        limits: &options.limits,
        sensitive,
        diagnostics,
        rules,
        ids,
        first_uses,
        variables: Vec::new(),
        literals: 0,
        form: Span::default(),
        body: &[],
        head: None,
        roles: OnceCell::new(),
        derived: Vec::new(),
        free: FxHashMap::default(),
        arities: OnceCell::new(),
        steps: Cell::new(brackets::STEPS),
        arrows: Vec::new(),
        percept: None,
        declaration: None,
        left_out: Vec::new(),
    };
    lowering.arrows = lowering.find_arrows();
    let mut forms = Vec::new();
    let mut missing = 0;
    for (number, &form) in tree.forms.iter().enumerate() {
        if number == options.limits.max_rules {
            let message = format!("the rulesheet has more than {number} rules and facts");
            lowering.fault(&codes::SOURCE_TOO_LARGE, form, message, "raise `max_rules`, or split the game");
            break;
        }
        if let Some(rule) = lowering.form(form) {
            lowering.rules.rules.push(rule);
            forms.push(form);
        } else if lowering.declaration.is_some() {
            missing += 1;
        }
    }
    let complete = !tree.broken && forms.len() + missing == tree.forms.len();
    let Lowering { rules, first_uses, left_out, .. } = lowering;
    Lowered { rules, forms, first_uses, complete, left_out }
}

/// The comment lines before the first form. Empty lines between two of them become one.
fn documentation(tree: &Tree, source: &Source) -> Vec<String> {
    let first = tree.forms.first().map_or(u32::MAX, |&form| tree.node(form).span.start);
    let mut lines: Vec<String> = Vec::new();
    let mut last_line = None;
    for comment in tree.comments.iter().take_while(|comment| comment.start < first) {
        let text = source.slice(*comment).trim_start_matches([';', '%']);
        let text = text.strip_prefix(' ').unwrap_or(text).trim_end();
        let line = source.position(comment.start).line;
        if last_line.is_some_and(|last| line > last + 1) {
            lines.push(String::new());
        }
        last_line = Some(line);
        if !(text.is_empty() && lines.is_empty()) {
            lines.push(text.to_owned());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// The kind of form that a head belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadPlace {
    Fact,
    Head,
}

struct Lowering<'a> {
    tree: &'a Tree,
    source: &'a Source,
    limits: &'a Limits,
    sensitive: bool,
    diagnostics: &'a mut Diagnostics,
    rules: Rules,
    ids: FxHashMap<(Symbol, usize), RelationId>,
    first_uses: Vec<Option<NodeId>>,
    /// The variables of the current rule.
    variables: Vec<String>,
    /// The number of literals so far in the body of the current rule.
    literals: usize,
    /// The place of the current form.
    form: Span,
    /// The nodes of the current form's body, which are a conjunction.
    body: &'a [NodeId],
    /// The head of the current form.
    head: Option<NodeId>,
    /// The names of the players, computed on first use.
    roles: OnceCell<Vec<&'a str>>,
    /// The keywords for which a replacement by another relation was suggested already.
    derived: Vec<Word>,
    /// The results of `is_free`, by name.
    free: FxHashMap<String, bool>,
    /// The arities of names, computed on first use.
    arities: OnceCell<Arities>,
    /// The number of steps left to search for missing parentheses.
    steps: Cell<usize>,
    /// The symbols that the text uses in place of `<=`.
    arrows: Vec<&'static str>,
    /// The percept of the current `sees` atom. Keywords inside it are ordinary symbols.
    percept: Option<NodeId>,
    /// `base` or `input`, if the current form defines it.
    declaration: Option<RelationId>,
    /// The errors of forms for `base` and `input`.
    left_out: Vec<(RelationId, Diagnostic)>,
}

impl<'a> Lowering<'a> {
    fn fault(&mut self, code: &'static Code, node: NodeId, message: impl Into<String>, help: &str) {
        self.fault_at(code, self.span(node), message, help, []);
    }

    fn fault_at(
        &mut self,
        code: &'static Code,
        span: Span,
        message: impl Into<String>,
        help: &str,
        edits: impl IntoIterator<Item = Edit>,
    ) {
        let diagnostic = Diagnostic::new(code, span, message).suggest_all(edits);
        self.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    /// Reports a fault of the current form, or keeps it if the form may be left out.
    fn push(&mut self, diagnostic: Diagnostic) {
        match self.declaration {
            Some(relation) if diagnostic.severity == Severity::Error => {
                self.left_out.push((relation, diagnostic));
            }
            _ => self.diagnostics.push(diagnostic),
        }
    }

    fn span(&self, node: NodeId) -> Span {
        self.tree.node(node).span
    }

    /// Returns whether a name occurs nowhere in the text. Each name is searched for once.
    fn is_free(&mut self, name: &str) -> bool {
        let text = self.source.text();
        *self.free.entry(name.to_owned()).or_insert_with(|| !text.contains(name))
    }

    /// The edit that removes the current form.
    fn removal(&self) -> Edit {
        Edit::remove(self.source.whole_lines(self.form))
    }

    /// Returns whether a node is a literal of the body itself, not nested in another. Nodes are
    /// numbered in the order of the text, so binary search finds it.
    fn is_conjunct(&self, node: NodeId) -> bool {
        self.body.binary_search(&node).is_ok()
    }

    fn text(&self, node: NodeId) -> &'a str {
        self.tree.text(node, self.source)
    }

    /// Lowers a top-level form, which is a rule or a fact. Returns `None` if it has a fault.
    fn form(&mut self, form: NodeId) -> Option<Rule> {
        self.variables.clear();
        self.literals = 0;
        let span = self.span(form);
        self.form = span;
        self.body = &[];
        self.head = Some(form);
        let children = self.tree.children(form);
        let is_rule = children.first().is_some_and(|&first| {
            self.tree.node(first).kind == Kind::Symbol && Word::find(self.text(first)) == Some(Word::If)
        });
        if !is_rule {
            self.check_arrow(children)?;
            self.declaration = self.declared(Some(form));
            let head = self.head(form, HeadPlace::Fact)?;
            let variables = std::mem::take(&mut self.variables);
            return Some(Rule { head, body: Vec::new(), variables, span });
        }
        self.declaration = self.declared(children.get(1).copied());
        let Some((&head, body)) = children[1..].split_first() else {
            let message = "this rule has no head";
            let help = "write `(<= head body ..)`, or remove it";
            self.fault_at(&codes::RULE_WITHOUT_HEAD, span, message, help, [self.removal()]);
            return None;
        };
        self.body = body;
        self.head = Some(head);
        if self.is_bare(&children[1..])
            && let Some(grouping) = self.group(&children[1..], Wanted::Literals)
        {
            self.missing_parentheses(&codes::VARIABLE_AS_RELATION, &children[1..], &grouping, None);
            return None;
        }
        if !body.is_empty() {
            self.check_not_role(head)?;
        }
        let head = self.head(head, HeadPlace::Head);
        let body = self.formulas(body);
        let (head, body) = (head?, body?);
        let counts = [
            (self.variables.len(), self.limits.max_rule_variables, "variables", "max_rule_variables"),
            (self.literals, self.limits.max_body_literals, "literals", "max_body_literals"),
        ];
        for (count, limit, what, name) in counts {
            if count > limit {
                let message = format!("this rule has more than {limit} {what}");
                let help = format!("split the rule with a helper relation, or raise `{name}`");
                self.fault(&codes::RULE_TOO_LARGE, form, message, &help);
                return None;
            }
        }
        let variables = std::mem::take(&mut self.variables);
        Some(Rule { head, body, variables, span })
    }

    /// Returns the relation of `base` or `input` if the head begins with that keyword.
    fn declared(&self, head: Option<NodeId>) -> Option<RelationId> {
        let head = head?;
        let name = self.tree.children(head).first().copied().unwrap_or(head);
        let word = Word::find(self.text(name)).filter(|word| matches!(word, Word::Base | Word::Input))?;
        word.relation(&self.rules.keywords)
    }

    /// Reports `role` as the head of a rule.
    fn check_not_role(&mut self, head: NodeId) -> Option<()> {
        let name = self.tree.children(head).first().copied().unwrap_or(head);
        if Word::find(self.text(name)) == Some(Word::Role) {
            let message = "`role` must be given by facts, not by a rule";
            self.fault(
                &codes::ROLE_BY_RULE,
                name,
                message,
                "write one fact such as `(role white)` for each player",
            );
            return None;
        }
        Some(())
    }

    fn head(&mut self, node: NodeId, place: HeadPlace) -> Option<Atom> {
        if self.tree.node(node).kind == Kind::Variable {
            let name = self.text(node);
            if place == HeadPlace::Fact {
                let message = format!("the variable `{name}` is not a sentence");
                let help = "write a relation, such as `(p ?x)`, or remove it";
                self.fault_at(&codes::TOPLEVEL_VARIABLE, self.span(node), message, help, [self.removal()]);
            } else {
                let message = format!("the head of a rule is the variable `{name}`");
                let help = "write a relation, such as `(p ?x)`";
                self.fault(&codes::CONSTANT_AS_VARIABLE_HEAD, node, message, help);
            }
            return None;
        }
        let name = self.relation_name(node)?;
        if let Some(word) = Word::find(self.text(name)) {
            self.check_head_word(word, node, name, place)?;
        }
        self.atom(node, name)
    }

    /// Returns the node of an atom's name: the node itself, or the first of its list.
    fn relation_name(&mut self, node: NodeId) -> Option<NodeId> {
        self.name(
            node,
            &codes::VARIABLE_AS_RELATION,
            "a variable cannot be used as a relation",
            "write the name of a relation",
        )
    }

    fn name(&mut self, node: NodeId, code: &'static Code, message: &str, help: &str) -> Option<NodeId> {
        let name = match (&self.tree.node(node).kind, self.tree.children(node).first()) {
            (Kind::List(_), None) => {
                self.fault(
                    &codes::EMPTY_LIST,
                    node,
                    "an empty list is neither a term nor a sentence",
                    "remove it, or write a name inside",
                );
                return None;
            }
            (Kind::List(_), Some(&first)) => first,
            _ => node,
        };
        match self.tree.node(name).kind {
            Kind::Symbol => Some(name),
            Kind::Variable => {
                self.fault(code, name, message, help);
                None
            }
            Kind::List(_) => {
                let Span { start, end } = self.span(name);
                let message = "a list starts with a name, not with another list";
                // If the inner list is the only element, the parentheses are doubled.
                let twice = self.tree.children(node).len() == 1;
                let spans = [Span { start, end: start + 1 }, Span { start: end - 1, end }];
                self.fault_at(
                    &codes::HEAD_IS_LIST,
                    spans[0],
                    message,
                    "remove the second `(`, or write a name before it",
                    spans.into_iter().filter(|_| twice).map(Edit::remove),
                );
                None
            }
        }
    }

    /// Lowers the atom at `node`, whose name is not a connective.
    fn atom(&mut self, node: NodeId, name: NodeId) -> Option<Atom> {
        let text = self.text(name);
        let nodes = self.tree.children(node).get(1..).unwrap_or_default();
        let word = Word::find(text);
        let takes = word.and_then(|word| Some((word, word.arity()?)));
        if let Some((word, arity)) = takes
            && arity != nodes.len()
        {
            // `base` and `input` of 2010 have lists of values as arguments.
            if !matches!(word, Word::Base | Word::Input)
                && let Some(grouping) = self.group(nodes, Wanted::TermsOf(arity))
            {
                self.missing_parentheses(word.arity_code(), nodes, &grouping, Some(node));
                return None;
            }
            let message = format!("`{text}` takes {}, found {}", word.takes(), nodes.len());
            let fault = Diagnostic::new(word.arity_code(), self.span(name), message);
            let fault = self.arity_help(fault, word, text, node, nodes);
            self.push(fault);
            return None;
        }
        self.percept = (word == Some(Word::Sees)).then(|| nodes.last().copied()).flatten();
        let arguments = self.terms(nodes)?;
        let span = self.tree.node(node).span;
        let relation = match word.and_then(|word| word.relation(&self.rules.keywords)) {
            Some(keyword) => keyword,
            None => self.relation(text, arguments.len(), span),
        };
        self.first_uses.resize(self.rules.relations.len(), None);
        let first = &mut self.first_uses[relation.index()];
        if first.is_none() {
            *first = Some(name);
            self.rules.relations[relation.index()].span = span;
        }
        Some(Atom { relation, arguments, span })
    }

    fn relation(&mut self, name: &str, arity: usize, span: Span) -> RelationId {
        let symbol = self.rules.symbols.intern(name);
        let relations = &mut self.rules.relations;
        *self.ids.entry((symbol, arity)).or_insert_with(|| {
            relations.push(Relation { name: symbol, arity, span });
            RelationId(relations.len() as u32 - 1)
        })
    }

    fn formulas(&mut self, nodes: &[NodeId]) -> Option<Vec<Formula>> {
        let formulas: Vec<_> = nodes.iter().map(|&node| self.formula(node)).collect();
        formulas.into_iter().collect()
    }

    fn formula(&mut self, node: NodeId) -> Option<Formula> {
        let name = self.relation_name(node)?;
        let nodes = self.tree.children(node).get(1..).unwrap_or_default();
        let text = self.text(name);
        let found = nodes.len();
        self.literals += 1;
        match Word::find(text) {
            Some(Word::Not) => {
                let [inner] = nodes else {
                    let code = if found == 0 { &codes::NOT_ARITY_0 } else { &codes::NOT_ARITY_2 };
                    if let Some(grouping) = self.group(nodes, Wanted::LiteralsOf(1)) {
                        self.missing_parentheses(code, nodes, &grouping, Some(node));
                        return None;
                    }
                    let message = format!("`{text}` takes exactly 1 literal, found {found}");
                    let help = "write `(not (p ?x))`, one `not` for each literal";
                    let mut edits = self.spread(node);
                    if !edits.is_empty() {
                        edits.extend(nodes.iter().flat_map(|&inner| Edit::wrap(self.span(inner), "(not ")));
                    }
                    self.fault_at(code, self.span(name), message, help, edits);
                    return None;
                };
                self.literals -= 1;
                Some(Formula::Not(Box::new(self.formula(*inner)?)))
            }
            Some(Word::Or) => {
                if nodes.is_empty() {
                    self.fault(
                        &codes::OR_EMPTY,
                        name,
                        format!("`{text}` with no branch is always false"),
                        "write the cases into it",
                    );
                    return None;
                }
                if nodes.iter().any(|&branch| self.tree.node(branch).kind == Kind::Variable)
                    && let Some(grouping) = self.group(nodes, Wanted::Literals)
                {
                    let code = &codes::VARIABLE_AS_RELATION;
                    self.missing_parentheses(code, nodes, &grouping, Some(node));
                    return None;
                }
                self.literals -= 1;
                Some(Formula::Or(self.formulas(nodes)?))
            }
            Some(Word::Distinct) => {
                let [left, right] = *nodes else {
                    let code = if found > 2 { &codes::DISTINCT_ARITY_3 } else { &codes::DISTINCT_ARITY_1 };
                    let message = format!("`{text}` takes exactly 2 terms, found {found}");
                    let help = "write `(distinct ?x ?y)`, one `distinct` for each pair";
                    let edits = self.pairs(node, nodes);
                    self.fault_at(code, self.span(name), message, help, edits);
                    return None;
                };
                let (left, right) = (self.distinct_term(left), self.distinct_term(right));
                Some(Formula::Distinct(left?, right?))
            }
            Some(word) => {
                self.check_body_word(word, node, name)?;
                Some(Formula::Atom(self.atom(node, name)?))
            }
            None => Some(Formula::Atom(self.atom(node, name)?)),
        }
    }

    /// Lowers a term of `distinct`, and reports a sentence in its place.
    fn distinct_term(&mut self, node: NodeId) -> Option<Term> {
        if let [name, arguments @ ..] = self.tree.children(node)
            && !arguments.is_empty()
            && self.tree.node(*name).kind == Kind::Symbol
            && Word::find(self.text(*name)).is_some_and(|word| word.arity().is_some())
        {
            let text = self.text(*name);
            let message = format!("`distinct` compares terms, but `{text}` starts a sentence");
            let alone = arguments.len() == 1;
            let edits = alone.then(|| self.source.unwrap(self.span(node), self.span(*name)));
            self.fault_at(
                &codes::DISTINCT_ON_SENTENCES,
                self.span(*name),
                message,
                "write the terms themselves, without the relation",
                edits.into_iter().flatten(),
            );
            let arguments = self.terms(arguments)?;
            return Some(Term::Function(self.rules.symbols.intern(text), arguments));
        }
        self.term(node)
    }

    fn terms(&mut self, nodes: &[NodeId]) -> Option<Vec<Term>> {
        let terms: Vec<_> = nodes.iter().map(|&node| self.term(node)).collect();
        terms.into_iter().collect()
    }

    fn term(&mut self, node: NodeId) -> Option<Term> {
        if self.tree.node(node).kind == Kind::Variable {
            return Some(Term::Variable(self.variable(node)));
        }
        let name = self.name(
            node,
            &codes::VARIABLE_AS_FUNCTION,
            "a variable cannot be used as a function",
            "write the name of a function",
        )?;
        let nodes = self.tree.children(node).get(1..).unwrap_or_default();
        let text = self.text(name);
        if let Some(word) = Word::find(text).filter(|_| !self.is_percept(node)) {
            self.check_term_word(word, node, name)?;
        }
        let arguments = self.terms(nodes)?;
        let symbol = self.rules.symbols.intern(text);
        Some(if arguments.is_empty() { Term::Constant(symbol) } else { Term::Function(symbol, arguments) })
    }

    /// True if the node is a percept or is inside one.
    fn is_percept(&self, node: NodeId) -> bool {
        let (inner, percept) = (self.span(node), self.percept.map(|percept| self.span(percept)));
        percept.is_some_and(|percept| percept.start <= inner.start && inner.end <= percept.end)
    }

    /// Returns the variable at `node`, and adds it if it is new. Beyond the limit new variables
    /// share the last index, since the rule is rejected anyway.
    fn variable(&mut self, node: NodeId) -> Variable {
        let name = self.text(node);
        let same = |known: &String| {
            if self.sensitive { known == name } else { known.eq_ignore_ascii_case(name) }
        };
        let index = self.variables.iter().position(same).unwrap_or_else(|| {
            if self.variables.len() <= self.limits.max_rule_variables {
                self.variables.push(name.to_owned());
            }
            self.variables.len() - 1
        });
        Variable(index as u32)
    }
}
