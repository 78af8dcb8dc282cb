//! Forms to rules.
//!
//! The forms of the tree that are sentences or rules become [`Rules`], each with
//! its form, so that later checks find the place of every term. All faults that one form shows by
//! itself are reported here: what may be a head, a literal or a term, and how many arguments the
//! words of the language take. Afterwards every rule and its form have the same shape: literal `i`
//! of the body is child `i + 2` of the form, argument `i` of an atom is child `i + 1` of its node. O(text): what nests
//! is no deeper than [`Limits::max_nesting`](crate::Limits::max_nesting).

use super::keywords::{self, Word};
use crate::diagnostic::{Code, Diagnostic, Edit, codes};
use crate::rules::{Atom, Formula, Relation, RelationId, Rule, Rules, Symbol, Symbols, Term, Variable};
use crate::syntax::{Kind, NodeId, Syntax, Tree};
use crate::{Diagnostics, Limits, Options, Source, Span};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// What [`lower`] hands to the other checks.
pub(super) struct Lowered {
    /// The rules; `roles` is still empty.
    pub(super) rules: Rules,
    /// The form of each rule.
    pub(super) forms: Vec<NodeId>,
    /// The first name of each relation in the text, in the order of `rules.relations`.
    pub(super) first_uses: Vec<Option<NodeId>>,
    /// True if every form became a rule, so that what is missing is missing indeed.
    pub(super) complete: bool,
}

/// Lowers every form. O(bytes).
pub(super) fn lower(
    tree: &Tree,
    source: &Source,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Lowered {
    // Capital letters make variables in the other syntaxes, so case counts there.
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
    };
    let mut forms = Vec::new();
    for (number, &form) in tree.forms.iter().enumerate() {
        if number == options.limits.max_rules {
            let message = format!("the rulesheet has more than {number} rules and facts");
            lowering.fault(&codes::SOURCE_TOO_LARGE, form, message, "raise `max_rules`, or split the game");
            break;
        }
        if let Some(rule) = lowering.form(form) {
            lowering.rules.rules.push(rule);
            forms.push(form);
        }
    }
    let complete = !tree.broken && forms.len() == tree.forms.len();
    Lowered { rules: lowering.rules, forms, first_uses: lowering.first_uses, complete }
}

/// The comment lines before the first form; an empty line between two of them stays one.
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

/// What an atom is the head of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
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
    /// The variables of the rule at hand.
    variables: Vec<String>,
    /// The literals of its body so far.
    literals: usize,
    /// The form at hand.
    form: Span,
    /// The literals of its body, of which all must hold.
    body: &'a [NodeId],
    /// The head of the form at hand.
    head: Option<NodeId>,
    /// The players as they are written, once they were asked for.
    roles: OnceCell<Vec<&'a str>>,
    /// The words for which relations of the author's own were suggested.
    derived: Vec<Word>,
    /// Whether a name is one that nothing in the text has, for those that were asked for.
    free: FxHashMap<String, bool>,
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
        self.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    fn span(&self, node: NodeId) -> Span {
        self.tree.node(node).span
    }

    /// Whether a name stands nowhere in the text: looked for once.
    fn is_free(&mut self, name: &str) -> bool {
        let text = self.source.text();
        *self.free.entry(name.to_owned()).or_insert_with(|| !text.contains(name))
    }

    /// What removes the form at hand.
    fn removal(&self) -> Edit {
        Edit::remove(self.source.whole_lines(self.form))
    }

    /// What leaves the elements behind the word of a list alone, if the list is one of the literals that must all hold.
    fn spread(&self, node: NodeId) -> Vec<Edit> {
        match self.tree.children(node) {
            [word, _, ..] if self.is_conjunct(node) => {
                self.source.unwrap(self.span(node), self.span(*word)).into()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a node is one of the literals that must all hold. Nodes are numbered in the order of the text.
    fn is_conjunct(&self, node: NodeId) -> bool {
        self.body.binary_search(&node).is_ok()
    }

    /// The word that makes a head of a fluent that the body allows: what depends on the state or on moves is next.
    fn giver(&self) -> &'static str {
        let mut waiting: Vec<NodeId> = self.body.to_vec();
        while let Some(node) = waiting.pop() {
            let Some((&word, rest)) = self.tree.children(node).split_first() else { continue };
            match Word::find(self.text(word)) {
                Some(Word::True | Word::Does) => return "next",
                Some(Word::Not | Word::Or | Word::And) => waiting.extend(rest),
                _ => {}
            }
        }
        "init"
    }

    fn text(&self, node: NodeId) -> &'a str {
        self.tree.text(node, self.source)
    }

    /// A top-level form: a rule or a fact.
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
            let head = self.head(form, Place::Fact)?;
            let variables = std::mem::take(&mut self.variables);
            return Some(Rule { head, body: Vec::new(), variables, span });
        }
        let Some((&head, body)) = children[1..].split_first() else {
            let message = "this rule has no head";
            let help = "write `(<= head body ..)`, or remove it";
            self.fault_at(&codes::RULE_WITHOUT_HEAD, span, message, help, [self.removal()]);
            return None;
        };
        self.body = body;
        self.head = Some(head);
        if !body.is_empty() {
            self.check_not_role(head)?;
        }
        let head = self.head(head, Place::Head);
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

    /// `role` may not be the head of a rule.
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

    fn head(&mut self, node: NodeId, place: Place) -> Option<Atom> {
        if self.tree.node(node).kind == Kind::Variable {
            let name = self.text(node);
            if place == Place::Fact {
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

    /// Reports words that no fact or head may start with.
    fn check_head_word(&mut self, word: Word, node: NodeId, name: NodeId, place: Place) -> Option<()> {
        let text = self.text(name);
        let fact = place == Place::Fact;
        let write = |word: &str| vec![Edit { span: self.span(name), text: word.to_owned() }];
        let remove = || vec![self.removal()];
        let spread = || self.source.unwrap(self.span(node), self.span(name)).into();
        let (code, message, help, edits) = match word {
            Word::True if fact => (
                &codes::TRUE_AS_FACT,
                format!("`{text}` may not be asserted as a fact"),
                "write `init` for what holds at the start",
                write("init"),
            ),
            Word::Does if fact => (
                &codes::DOES_AS_FACT,
                format!("`{text}` may not be asserted as a fact"),
                "remove it: players decide what they do",
                remove(),
            ),
            Word::True => (
                &codes::TRUE_IN_HEAD,
                format!("`{text}` may not be the head of a rule"),
                "write `init` or `next`",
                write(self.giver()),
            ),
            Word::Does => (
                &codes::DOES_IN_HEAD,
                format!("`{text}` may not be the head of a rule"),
                "write `legal` for what a player may do",
                write("legal"),
            ),
            Word::Distinct => (
                &codes::DISTINCT_IN_HEAD,
                format!("`{text}` may not be defined"),
                "remove the rule: it holds of any two different terms",
                remove(),
            ),
            Word::Or => (
                &codes::OR_TOPLEVEL,
                format!("`{text}` may stand in the body of a rule only"),
                "write one rule or fact for each case",
                if fact { spread() } else { Vec::new() },
            ),
            Word::Not if fact => (
                &codes::NOT_FACT,
                format!("`{text}` may not start a fact"),
                "leave it out: what does not follow is false",
                remove(),
            ),
            Word::And => (
                &codes::AND_CONNECTIVE,
                format!("`{text}` is not a connective of GDL"),
                "write a rule or fact for each part",
                if fact { spread() } else { Vec::new() },
            ),
            Word::Not => (
                &codes::NOT_IN_HEAD,
                format!("`{text}` may not be the head of a rule"),
                "leave it out: what does not follow is false",
                remove(),
            ),
            _ => return self.check_connective(word, node, name),
        };
        self.fault_at(code, self.span(name), message, help, edits);
        None
    }

    /// Reports what other logics have and GDL has not.
    fn check_connective(&mut self, word: Word, node: NodeId, name: NodeId) -> Option<()> {
        let text = self.text(name);
        let (code, message, help, edits) = match word {
            Word::If => {
                let form = Span { end: self.form.start + 1, ..self.form };
                self.diagnostics.push(
                    Diagnostic::new(
                        &codes::NESTED_RULE,
                        self.tree.node(name).span,
                        "`<=` may only start a form of its own",
                    )
                    .label(form, "it is inside the form that starts here")
                    .help("close the form before it, or write a rule of its own"),
                );
                return None;
            }
            Word::And => (
                &codes::AND_CONNECTIVE,
                format!("`{text}` is not a connective of GDL"),
                "write the literals side by side: a body is a conjunction",
                self.spread(node),
            ),
            Word::Equals => (
                &codes::EQUALITY_CONNECTIVE,
                format!("`{text}` is not part of GDL"),
                "use one variable for both, or `distinct` for its opposite",
                self.unify(node),
            ),
            Word::Implies => (
                &codes::IMPLICATION_REVERSED,
                format!("`{text}` is not part of GDL"),
                "write `(<= head body ..)`, what follows first",
                self.turn(node),
            ),
            _ => return Some(()),
        };
        self.fault_at(code, self.span(name), message, help, edits);
        None
    }

    /// What makes `(=> body head)` a rule, if it is the form at hand.
    fn turn(&self, node: NodeId) -> Vec<Edit> {
        let [sign, body, head] = *self.tree.children(node) else { return Vec::new() };
        if self.span(node) != self.form || self.text(sign).starts_with('<') {
            return Vec::new();
        }
        let write = |node, text: &str| Edit { span: self.span(node), text: text.to_owned() };
        vec![write(sign, "<="), write(body, self.text(head)), write(head, self.text(body))]
    }

    /// What makes two terms one that `=` compares in a body, if one is a variable: the other stands for it in the whole form.
    fn unify(&self, node: NodeId) -> Vec<Edit> {
        /// Longer forms are not looked through, which is done for each `=`.
        const LONGEST: u32 = 2_000;
        let [_, left, right] = *self.tree.children(node) else { return Vec::new() };
        let is_variable = |node: NodeId| self.tree.node(node).kind == Kind::Variable;
        let (from, to) = if is_variable(right) { (right, left) } else { (left, right) };
        let is_word = matches!(self.tree.node(to).kind, Kind::Symbol | Kind::Variable);
        let short = self.form.end - self.form.start <= LONGEST;
        if !short || !self.is_conjunct(node) || !is_variable(from) || !is_word {
            return Vec::new();
        }
        let mut edits = vec![Edit::remove(self.span(node))];
        let form = self.tree.forms.partition_point(|&form| self.span(form).start < self.form.start);
        let mut waiting = vec![self.tree.forms[form]];
        while let Some(other) = waiting.pop() {
            if other != node {
                waiting.extend(self.tree.children(other));
                if is_variable(other) && self.text(other).eq_ignore_ascii_case(self.text(from)) {
                    edits.push(Edit { span: self.span(other), text: self.text(to).to_owned() });
                }
            }
        }
        edits
    }

    /// The node of the name of an atom: the node itself, or the first of its list.
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
                    "remove it, or write a name into it",
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
                // Where it is the whole list, its parentheses are there twice.
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

    /// The atom at `node`, whose name is no connective.
    fn atom(&mut self, node: NodeId, name: NodeId) -> Option<Atom> {
        let text = self.text(name);
        let nodes = self.tree.children(node).get(1..).unwrap_or_default();
        let word = Word::find(text);
        let takes = word.and_then(|word| Some((word, word.arity()?)));
        if let Some((word, arity)) = takes
            && arity != nodes.len()
        {
            let message = format!("`{text}` takes {}, found {}", word.takes(), nodes.len());
            let (help, edits) = self.arity_help(word, text, node, nodes);
            self.fault_at(word.arity_code(), self.span(name), message, &help, edits);
            return None;
        }
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

    /// How to write a keyword with these arguments, of which there are too few or too many.
    fn arity_help(&self, word: Word, text: &str, node: NodeId, nodes: &[NodeId]) -> (String, Vec<Edit>) {
        let usual = format!("write `{}`", word.pattern());
        if word == Word::Terminal {
            return (usual, vec![Edit { span: self.span(node), text: text.to_owned() }]);
        }
        if let Some(repaired) = self.of_all_roles(word, text, node, nodes) {
            return repaired;
        }
        let [first, .., last] = nodes else { return (usual, Vec::new()) };
        let span = Span { start: self.span(*first).start, end: self.span(*last).end };
        let parts = self.source.slice(span);
        // `next pile 3` lacks the parentheses round `pile 3`, if `pile` can be the name of a fluent.
        let fluent = word.takes_fluent() && self.tree.node(*first).kind == Kind::Symbol;
        if fluent && parts.len() <= 60 && !parts.contains(['\n', '\r']) {
            return (format!("write `({text} ({parts}))`"), Edit::wrap(span, "(").into());
        }
        (usual, Vec::new())
    }

    /// How to write a head that lacks its role: what is said without one is said of all.
    fn of_all_roles(
        &self,
        word: Word,
        text: &str,
        node: NodeId,
        nodes: &[NodeId],
    ) -> Option<(String, Vec<Edit>)> {
        let heads = matches!(word, Word::Legal | Word::Goal | Word::Input | Word::Sees);
        let &[argument] = nodes else { return None };
        let said = self.text(argument);
        let is_value = said.bytes().all(|byte| byte.is_ascii_digit());
        if !heads || self.head != Some(node) || said.starts_with('?') || is_value != (word == Word::Goal) {
            return None;
        }
        let roles = self.roles.get_or_init(|| {
            let of_fact = |&form: &NodeId| match *self.tree.children(form) {
                [word, role] if Word::find(self.text(word)) == Some(Word::Role) => Some(self.text(role)),
                _ => None,
            };
            self.tree.forms.iter().filter_map(of_fact).collect()
        });
        let is_taken = self.source.slice(self.form).to_ascii_lowercase().contains("?role");
        if roles.is_empty()
            || is_taken
            || said.len() > 60
            || roles.iter().any(|role| role.eq_ignore_ascii_case(said))
        {
            return None;
        }
        let role = if let [role] = roles[..] { role } else { "?role" };
        let before = Edit::insert(self.span(argument).start, format!("{role} "));
        if roles.len() == 1 {
            return Some((format!("write `({text} {role} {said})`"), vec![before]));
        }
        let help = format!(
            "write `({text} ?role {said})` with `(role ?role)` if all roles are meant, else the role"
        );
        let Span { start, end } = self.form;
        let edits = if self.body.is_empty() {
            vec![Edit::insert(start, "(<= "), before, Edit::insert(end, " (role ?role))")]
        } else {
            vec![before, Edit::insert(self.span(node).end, " (role ?role)")]
        };
        Some((help, edits))
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

    /// What makes a `distinct` of few words one for each pair of them, if it is one of the literals that must all hold.
    fn pairs(&self, node: NodeId, nodes: &[NodeId]) -> Option<Edit> {
        let is_word = |&node: &NodeId| !matches!(self.tree.node(node).kind, Kind::List(_));
        let fits = (3..=8).contains(&nodes.len()) && nodes.iter().all(is_word) && self.is_conjunct(node);
        let texts: Vec<&str> = nodes.iter().map(|&node| self.text(node)).collect();
        let pairs = texts.iter().enumerate().flat_map(|(i, left)| {
            texts[i + 1..].iter().map(move |right| format!("(distinct {left} {right})"))
        });
        fits.then(|| Edit { span: self.span(node), text: pairs.collect::<Vec<_>>().join(" ") })
    }

    /// A term of `distinct`, which people like to write as a sentence.
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

    /// Reports words that may not stand in a body.
    fn check_body_word(&mut self, word: Word, node: NodeId, name: NodeId) -> Option<()> {
        let text = self.text(name);
        let now = matches!(word, Word::Init | Word::Next);
        let edits = now.then(|| Edit { span: self.span(name), text: "true".to_owned() });
        let (code, message, help) = match word {
            Word::Init => (
                &codes::INIT_IN_BODY,
                format!("`{text}` may not appear in a body"),
                "write `true` for what holds now",
            ),
            Word::Next => (
                &codes::NEXT_IN_BODY,
                format!("`{text}` may not appear in a body"),
                "write `true` for what holds now, or repeat the conditions of the `next` rule",
            ),
            // Like `next` it speaks of what a step brings.
            Word::Sees => (
                &codes::NEXT_IN_BODY,
                format!("`{text}` may not appear in a body"),
                "repeat the conditions of the `sees` rule, or name them by a relation of your own",
            ),
            Word::Base | Word::Input => {
                let code = if word == Word::Base { &codes::BASE_IN_BODY } else { &codes::INPUT_IN_BODY };
                let message = format!("`{text}` in a body is refused by other systems");
                let help = "write a relation of your own and derive both from it";
                let edits = self.derive(word);
                self.fault_at(code, self.span(name), message, help, edits);
                return Some(());
            }
            _ => return self.check_connective(word, node, name),
        };
        self.fault_at(code, self.span(name), message, help, edits);
        None
    }

    /// What makes a relation of the author's own of each `base` or `input`, and derives the keyword from it by one rule. Told once: it
    /// is the same at each place.
    fn derive(&mut self, word: Word) -> Vec<Edit> {
        let (own, rule) = match word {
            Word::Base => ("base_fluent", "(<= (base ?fluent) (base_fluent ?fluent))\n"),
            _ => ("input_move", "(<= (input ?role ?move) (input_move ?role ?move))\n"),
        };
        if self.derived.contains(&word) || !self.is_free(own) {
            return Vec::new();
        }
        self.derived.push(word);
        let mut edits = Vec::new();
        let mut first = None;
        for &form in &self.tree.forms {
            let (head, mut waiting) = match *self.tree.children(form) {
                [sign, head, ref body @ ..] if Word::find(self.text(sign)) == Some(Word::If) => {
                    (head, body.to_vec())
                }
                _ => (form, Vec::new()),
            };
            waiting.push(head);
            while let Some(node) = waiting.pop() {
                let Some((&name, parts)) = self.tree.children(node).split_first() else { continue };
                match Word::find(self.text(name)) {
                    Some(Word::Not | Word::Or) => waiting.extend(parts),
                    Some(found) if found == word => {
                        edits.push(Edit { span: self.span(name), text: own.to_owned() });
                        first = first.or((node == head).then_some(form));
                    }
                    _ => {}
                }
            }
        }
        match first {
            Some(form) => edits.push(Edit::insert(self.span(form).start, rule)),
            None => edits.clear(),
        }
        edits
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
        if let Some(word) = Word::find(text) {
            self.check_term_word(word, node, name)?;
        }
        let arguments = self.terms(nodes)?;
        let symbol = self.rules.symbols.intern(text);
        Some(if arguments.is_empty() { Term::Constant(symbol) } else { Term::Function(symbol, arguments) })
    }

    /// Reports words of the language used as functions and objects.
    fn check_term_word(&mut self, word: Word, node: NodeId, name: NodeId) -> Option<()> {
        let text = self.text(name);
        let arguments = self.tree.children(node).len().saturating_sub(1);
        let object = arguments == 0;
        let logical = matches!(word, Word::If | Word::Not | Word::Or | Word::Distinct);
        if self.tree.syntax == Syntax::Epilog {
            // There these words have no meaning, and what has is told apart by the translation.
            return Some(());
        }
        match word {
            Word::And | Word::Equals | Word::Implies => Some(()),
            _ if object => {
                let (code, kind) = if logical {
                    (&codes::NOT_AS_OBJECT, "connective")
                } else {
                    (&codes::KEYWORD_AS_OBJECT, "keyword")
                };
                let message = format!("the {kind} `{text}` is used as an object");
                let other = format!("{text}_object");
                if word != Word::If && self.is_free(&other) {
                    let help = format!("rename the object, for example to `{other}`");
                    let edit = Edit { span: self.span(name), text: other };
                    self.fault_at(code, self.span(name), message, &help, [edit]);
                } else {
                    self.fault(code, name, message, "rename the object");
                }
                (!logical).then_some(())
            }
            _ => {
                let code =
                    if word == Word::Does { &codes::DOES_AS_FUNCTION } else { &codes::KEYWORD_AS_FUNCTION };
                let message = format!("the keyword `{text}` is used as a function");
                let help = match word {
                    _ if logical => "write it round the whole literal, such as `(not (true (cell 1 1 x)))`",
                    Word::True => "remove it, or rename the function",
                    Word::Does => "write a literal of its own, `(does role move)`, or rename the function",
                    _ => "rename the function",
                };
                let twice = word == Word::True && arguments == 1;
                let edits = twice.then(|| self.source.unwrap(self.span(node), self.span(name)));
                self.fault_at(code, self.span(name), message, help, edits.into_iter().flatten());
                None
            }
        }
    }

    /// The variable at `node`, new if need be. Beyond the limit all are one: the rule fails anyway.
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
