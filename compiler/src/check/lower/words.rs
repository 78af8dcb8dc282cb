//! Misplaced words of the language, and the replacements to propose.
//!
//! Each check gets a word at a head, a literal or a term. It reports a fault with the edits that
//! fix it, or nothing if the word may occur there. O(form) for each fault; searches of the whole
//! text are made once.

use super::super::{keywords::Word, usage};
use super::{HeadPlace, Lowering};
use crate::Span;
use crate::diagnostic::{Diagnostic, Edit, codes};
use crate::syntax::{Kind, NodeId, Syntax};

impl Lowering<'_> {
    /// The edits that replace a list by the elements after its first word. Empty unless the list is
    /// a literal of the body itself.
    pub(super) fn spread(&self, node: NodeId) -> Vec<Edit> {
        match self.tree.children(node) {
            [word, _, ..] if self.is_conjunct(node) => {
                self.source.unwrap(self.span(node), self.span(*word)).into()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the keyword for a head with a fluent: `next` if the body depends on the state or on
    /// moves, otherwise `init`.
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

    /// Reports words that no fact or head may begin with.
    pub(super) fn check_head_word(
        &mut self,
        word: Word,
        node: NodeId,
        name: NodeId,
        place: HeadPlace,
    ) -> Option<()> {
        let text = self.text(name);
        let fact = place == HeadPlace::Fact;
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
                format!("`{text}` is allowed only in the body of a rule"),
                "write one rule or fact for each case",
                if fact { spread() } else { Vec::new() },
            ),
            Word::Not if fact => (
                &codes::NOT_FACT,
                format!("`{text}` may not start a fact"),
                "remove it: what no rule derives is false",
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
                "remove it: what no rule derives is false",
                remove(),
            ),
            _ => return self.check_connective(word, node, name),
        };
        self.fault_at(code, self.span(name), message, help, edits);
        None
    }

    /// Reports connectives of other logics, which GDL does not have, and `<=` inside a form.
    fn check_connective(&mut self, word: Word, node: NodeId, name: NodeId) -> Option<()> {
        let text = self.text(name);
        let (code, message, help, (edits, is_certain)) = match word {
            Word::If => {
                let form = Span { end: self.form.start + 1, ..self.form };
                self.push(
                    Diagnostic::new(
                        &codes::NESTED_RULE,
                        self.tree.node(name).span,
                        "`<=` must be the start of a form",
                    )
                    .label(form, "it is inside the form that starts here")
                    .help("close the form before it, or write a separate rule"),
                );
                return None;
            }
            Word::And => (
                &codes::AND_CONNECTIVE,
                format!("`{text}` is not a connective of GDL"),
                "write the literals one after the other: a body is a conjunction",
                (self.spread(node), true),
            ),
            Word::Equals => (
                &codes::EQUALITY_CONNECTIVE,
                format!("`{text}` is not part of GDL"),
                if self.computes(node) {
                    usage::ARITHMETIC
                } else {
                    "use one variable for both, or `distinct` if they must differ"
                },
                (self.unify(node), true),
            ),
            Word::Implies => (
                &codes::IMPLICATION_REVERSED,
                format!("`{text}` is not part of GDL"),
                "write `(<= head body ..)`: the conclusion comes first",
                self.turn(node),
            ),
            _ => return Some(()),
        };
        let fault = Diagnostic::new(code, self.span(name), message).help(help).suggest_all(edits);
        self.push(if is_certain { fault.machine_applicable() } else { fault });
        None
    }

    /// Returns whether a side of `(= left right)` is arithmetic, such as `(+ ?x 1)`.
    fn computes(&self, node: NodeId) -> bool {
        let is_sign = |&first: &NodeId| matches!(self.text(first), "+" | "-" | "*" | "/" | "mod");
        self.tree.children(node).iter().any(|&side| self.tree.children(side).first().is_some_and(is_sign))
    }

    /// The edits that remove `=` from a body and replace a variable on one side by the other side
    /// in the whole form. Empty if neither side is a variable.
    fn unify(&self, node: NodeId) -> Vec<Edit> {
        /// The longest form, in bytes, since it is searched for each `=`.
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

    /// Adds the help for a keyword with too few or too many arguments.
    pub(super) fn arity_help(
        &self,
        fault: Diagnostic,
        word: Word,
        text: &str,
        node: NodeId,
        nodes: &[NodeId],
    ) -> Diagnostic {
        let usual = format!("write `{}`", word.pattern());
        if word == Word::Terminal {
            return fault.help(usual).suggest(self.span(node), text);
        }
        match self.of_all_roles(word, text, node, nodes) {
            Some((help, edits, true)) => fault.help(help).suggest_all(edits).machine_applicable(),
            Some((help, edits, false)) => fault.help(help).suggest_all(edits),
            None => fault.help(usual),
        }
    }

    /// The help and edits for a head without a role, and true if they are certain. With one role
    /// the head gets that role, otherwise most likely all roles.
    fn of_all_roles(
        &self,
        word: Word,
        text: &str,
        node: NodeId,
        nodes: &[NodeId],
    ) -> Option<(String, Vec<Edit>, bool)> {
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
            return Some((format!("write `({text} {role} {said})`"), vec![before], true));
        }
        let help =
            format!("write `({text} ?role {said})` with `(role ?role)` for all roles, or name one role");
        let Span { start, end } = self.form;
        let edits = if self.body.is_empty() {
            vec![Edit::insert(start, "(<= "), before, Edit::insert(end, " (role ?role))")]
        } else {
            vec![before, Edit::insert(self.span(node).end, " (role ?role)")]
        };
        Some((help, edits, false))
    }

    /// The edit that splits a `distinct` of 3 to 8 words into one for each pair, if it is a literal
    /// of the body itself.
    pub(super) fn pairs(&self, node: NodeId, nodes: &[NodeId]) -> Option<Edit> {
        let is_word = |&node: &NodeId| !matches!(self.tree.node(node).kind, Kind::List(_));
        let fits = (3..=8).contains(&nodes.len()) && nodes.iter().all(is_word) && self.is_conjunct(node);
        let texts: Vec<&str> = nodes.iter().map(|&node| self.text(node)).collect();
        let pairs = texts.iter().enumerate().flat_map(|(i, left)| {
            texts[i + 1..].iter().map(move |right| format!("(distinct {left} {right})"))
        });
        fits.then(|| Edit { span: self.span(node), text: pairs.collect::<Vec<_>>().join(" ") })
    }

    /// Reports words that may not occur in a body.
    pub(super) fn check_body_word(&mut self, word: Word, node: NodeId, name: NodeId) -> Option<()> {
        let text = self.text(name);
        // In a rule for `sees`, `true` cannot replace `next`.
        let of_percept = self.head.is_some_and(|head| {
            let name = self.tree.children(head).first().copied().unwrap_or(head);
            Word::find(self.text(name)) == Some(Word::Sees)
        });
        let now = word == Word::Init || (word == Word::Next && !of_percept);
        let edits = now.then(|| Edit { span: self.span(name), text: "true".to_owned() });
        let (code, message, help) = match word {
            Word::Init => (
                &codes::INIT_IN_BODY,
                format!("`{text}` may not appear in a body"),
                "write `true` for what holds now",
            ),
            Word::Next if of_percept => (
                &codes::NEXT_IN_BODY,
                format!("`{text}` may not appear in a body"),
                "move the conditions of the `next` rules into a relation, and use it in both rules",
            ),
            Word::Next => (
                &codes::NEXT_IN_BODY,
                format!("`{text}` may not appear in a body"),
                "write `true` for what holds now, or repeat the conditions of the `next` rule",
            ),
            // Like `next`, `sees` describes the result of a step.
            Word::Sees => (
                &codes::NEXT_IN_BODY,
                format!("`{text}` may not appear in a body"),
                "repeat the conditions of the `sees` rule, or move them into a relation",
            ),
            Word::Base | Word::Input => {
                let code = if word == Word::Base { &codes::BASE_IN_BODY } else { &codes::INPUT_IN_BODY };
                let message = format!("other systems reject `{text}` in a body");
                let help = "define another relation, and derive both from it";
                let edits = self.derive(word);
                self.fault_at(code, self.span(name), message, help, edits);
                return Some(());
            }
            _ => return self.check_connective(word, node, name),
        };
        self.fault_at(code, self.span(name), message, help, edits);
        None
    }

    /// The edits that rename each `base` or `input` to a new relation, and derive the keyword from
    /// that relation by one rule. Later calls for the keyword return no edits, since one set of
    /// edits fixes all places.
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

    /// Reports keywords and connectives that are used as functions or objects.
    pub(super) fn check_term_word(&mut self, word: Word, node: NodeId, name: NodeId) -> Option<()> {
        let text = self.text(name);
        let arguments = self.tree.children(node).len().saturating_sub(1);
        let object = arguments == 0;
        let logical = matches!(word, Word::If | Word::Not | Word::Or | Word::Distinct);
        if self.tree.syntax == Syntax::Epilog {
            // In Epilog these words are ordinary names. The translation has handled those that have
            // a meaning.
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
                let (code, kind) = match word {
                    _ if logical => (&codes::NOT_AS_OBJECT, "connective"),
                    Word::Does => (&codes::DOES_AS_FUNCTION, "keyword"),
                    _ => (&codes::KEYWORD_AS_FUNCTION, "keyword"),
                };
                let message = format!("the {kind} `{text}` is used as a function");
                let help = match word {
                    _ if logical => "write it around the whole literal, such as `(not (true (cell 1 1 x)))`",
                    Word::True => "remove it, or rename the function",
                    Word::Does => "write a separate literal, `(does role move)`, or rename the function",
                    _ => "rename the function",
                };
                let twice = word == Word::True && arguments == 1;
                let edits = twice.then(|| self.source.unwrap(self.span(node), self.span(name)));
                self.fault_at(code, self.span(name), message, help, edits.into_iter().flatten());
                (!logical).then_some(())
            }
        }
    }
}
