//! Missing parentheses: `(not out ?p)` for `(not (out ?p))`, and calls such as `out(?p)`.
//!
//! The input is a list whose elements are not valid side by side. The output is the groups of
//! elements that need parentheses of their own. The arities that names have elsewhere in the text
//! determine these groups. A grouping is certain if it is the only one that fits. A name that
//! occurs nowhere else may have any arity; then the only grouping that fits is a guess.
//!
//! O(text), once for each text. All searches together take at most [`STEPS`] steps.

use super::super::keywords::Word;
use super::Lowering;
use crate::Span;
use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::syntax::{Kind, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most elements of a list that is searched for groupings.
const MOST: usize = 64;

/// The most steps of all searches in a text. A search among `n` elements takes `n * n`.
pub(super) const STEPS: usize = 1_000_000;

/// The arities of names in the parts of the text without faults, by name in lower case.
#[derive(Default)]
pub(super) struct Arities {
    relations: FxHashMap<String, FxHashSet<usize>>,
    functions: FxHashMap<String, FxHashSet<usize>>,
}

/// The parts that a grouping must consist of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Any number of literals.
    Literals,
    /// This number of literals.
    LiteralsOf(usize),
    /// This number of terms.
    TermsOf(usize),
}

/// A way to group the elements of a list.
pub(super) struct Grouping {
    /// The elements that belong inside parentheses of their own: the index of the first, and their
    /// number.
    groups: Vec<(usize, usize)>,
    /// True if arities elsewhere in the text prove the grouping.
    is_certain: bool,
}

impl Lowering<'_> {
    /// Returns the arities in the forms of the text, computed on first use.
    fn arities(&self) -> &Arities {
        self.arities.get_or_init(|| {
            let mut arities = Arities::default();
            for &form in &self.tree.forms {
                match self.tree.children(form) {
                    [sign, literals @ ..] if self.word(*sign) == Some(Word::If) => {
                        self.note_all(literals, self.is_bare(literals), &mut arities);
                    }
                    _ => self.note(form, &mut arities),
                }
            }
            arities
        })
    }

    fn word(&self, node: NodeId) -> Option<Word> {
        (self.tree.node(node).kind == Kind::Symbol).then(|| Word::find(self.text(node))).flatten()
    }

    fn is_variable(&self, node: NodeId) -> bool {
        self.tree.node(node).kind == Kind::Variable
    }

    fn is_list(&self, node: NodeId) -> bool {
        matches!(self.tree.node(node).kind, Kind::List(_))
    }

    /// True if the literals of a rule contain bare words: a variable that is not the first, or a
    /// keyword or connective without its arguments.
    pub(super) fn is_bare(&self, literals: &[NodeId]) -> bool {
        let takes = |word: Word| word.arity().is_none_or(|arity| arity > 0);
        let is_word = |&node: &NodeId| self.word(node).is_some_and(takes);
        let behind = literals.get(1..).unwrap_or_default();
        literals.iter().any(is_word) || behind.iter().any(|&node| self.is_variable(node))
    }

    /// Adds the arities in the literals of a body or connective. If the list of literals is
    /// `faulty`, only those that are lists count.
    fn note_all(&self, nodes: &[NodeId], faulty: bool, arities: &mut Arities) {
        for &node in nodes.iter().filter(|&&node| !faulty || self.is_list(node)) {
            self.note(node, arities);
        }
    }

    /// Adds the arities in a literal.
    fn note(&self, node: NodeId, arities: &mut Arities) {
        let children = self.tree.children(node);
        let (name, parts) = match children.split_first() {
            Some((&name, parts)) => (name, parts),
            None => (node, children),
        };
        if self.tree.node(name).kind != Kind::Symbol {
            return;
        }
        match self.word(name) {
            Some(Word::Not) => self.note_all(parts, parts.len() != 1, arities),
            Some(Word::Or | Word::And) => {
                let faulty = parts.iter().any(|&part| self.is_variable(part));
                self.note_all(parts, faulty, arities);
            }
            Some(word) => {
                let faulty = word.arity().is_some_and(|arity| arity != parts.len());
                self.note_terms(parts, faulty, arities);
            }
            None => {
                let known = arities.relations.entry(self.text(name).to_ascii_lowercase()).or_default();
                known.insert(parts.len());
                self.note_terms(parts, false, arities);
            }
        }
    }

    fn note_terms(&self, nodes: &[NodeId], faulty: bool, arities: &mut Arities) {
        for &node in nodes.iter().filter(|&&node| !faulty || self.is_list(node)) {
            let children = self.tree.children(node);
            let name = children.first().copied().unwrap_or(node);
            if self.tree.node(name).kind == Kind::Symbol {
                let known = arities.functions.entry(self.text(name).to_ascii_lowercase()).or_default();
                known.insert(children.len().saturating_sub(1));
                self.note_terms(children.get(1..).unwrap_or_default(), false, arities);
            }
        }
    }

    /// Finds the only grouping of elements by missing parentheses. Returns `None` if none or
    /// several fit, or if the steps run out.
    pub(super) fn group(&self, nodes: &[NodeId], wanted: Wanted) -> Option<Grouping> {
        if nodes.len() > MOST {
            return None;
        }
        self.steps.set(self.steps.get().checked_sub(nodes.len() * nodes.len())?);
        [true, false].into_iter().find_map(|is_certain| {
            let groups = Groups { lowering: self, nodes, wanted, is_certain }.only()?;
            Some(Grouping { groups, is_certain })
        })
    }

    /// Reports that parentheses are missing. `whole` are the elements after the name of the list
    /// `inside`, or those of the current form.
    pub(super) fn missing_parentheses(
        &mut self,
        code: &'static Code,
        whole: &[NodeId],
        grouping: &Grouping,
        inside: Option<NodeId>,
    ) {
        let name = inside.and_then(|node| self.tree.children(node).first()).map(|&name| self.span(name));
        let edits: Vec<Edit> = grouping.groups.iter().flat_map(|&group| self.enclose(whole, group)).collect();
        let Some(&(first, count)) = grouping.groups.first() else { return };
        let span = self.joined(&whole[first..first + count]);
        let within = inside.map_or(span, |node| self.span(node));
        let message = format!("parentheses are missing round `{}`", self.shown(span));
        let mut fault = Diagnostic::new(code, name.unwrap_or(span), message)
            .help(format!("write `{}`", self.edited(within, &edits)))
            .suggest_all(edits);
        if name.is_some() {
            fault = fault.label(span, "this needs parentheses of its own");
        }
        self.push(if grouping.is_certain { fault.machine_applicable() } else { fault });
    }

    /// Edits that put a group into parentheses. The parenthesis of a call moves before its name,
    /// except for `not` before a literal.
    fn enclose(&self, nodes: &[NodeId], (first, count): (usize, usize)) -> Vec<Edit> {
        let span = self.joined(&nodes[first..first + count]);
        let [name, list] = nodes[first..first + count] else { return Edit::wrap(span, "(").into() };
        if !self.is_call(name, list) {
            return Edit::wrap(span, "(").into();
        }
        let start = self.span(list).start;
        if self.word(name) == Some(Word::Not) && self.is_literal(list) {
            return [&[Edit::insert(start, " ")], &Edit::wrap(span, "(")[..]].concat();
        }
        let open = Edit { span: Span { start, end: start + 1 }, text: " ".to_owned() };
        vec![Edit::insert(span.start, "("), open]
    }

    /// True if a list begins with a connective, or with a relation and as many arguments as it has
    /// elsewhere.
    fn is_literal(&self, list: NodeId) -> bool {
        let Some((&name, parts)) = self.tree.children(list).split_first() else { return false };
        if let Some(word) = self.word(name) {
            return word.arity().is_none_or(|arity| arity == parts.len());
        }
        let known = self.arities().relations.get(&self.text(name).to_ascii_lowercase());
        known.is_some_and(|known| known.contains(&parts.len()))
    }

    /// True if a name touches the parenthesis after it.
    fn is_call(&self, name: NodeId, list: NodeId) -> bool {
        let is_name = self.tree.node(name).kind == Kind::Symbol;
        is_name && self.is_list(list) && self.span(name).end == self.span(list).start
    }

    fn joined(&self, nodes: &[NodeId]) -> Span {
        match nodes {
            [first, .., last] => Span { start: self.span(*first).start, end: self.span(*last).end },
            [one] => self.span(*one),
            [] => Span::default(),
        }
    }

    /// The text of a span on one line, for a message.
    fn shown(&self, span: Span) -> String {
        self.edited(span, &[])
    }

    /// The text of a span after edits, on one line; `(..)` if it is long or has a comment.
    fn edited(&self, span: Span, edits: &[Edit]) -> String {
        const LONGEST: usize = 120;
        let mut inside: Vec<&Edit> = edits.iter().filter(|edit| edit.span.start >= span.start).collect();
        inside.retain(|edit| edit.span.end <= span.end);
        inside.sort_by_key(|edit| edit.span);
        let mut text = String::new();
        let mut last = span.start;
        for edit in inside {
            text.push_str(self.source.slice(Span { start: last, end: edit.span.start }));
            text.push_str(&edit.text);
            last = edit.span.end;
        }
        text.push_str(self.source.slice(Span { start: last, end: span.end }));
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let text = words.join(" ");
        if text.len() <= LONGEST && !text.contains(';') { text } else { "(..)".to_owned() }
    }
}

/// A search for groupings of some elements.
struct Groups<'l, 'a> {
    lowering: &'l Lowering<'a>,
    nodes: &'l [NodeId],
    wanted: Wanted,
    /// True if a name without a known arity groups no elements.
    is_certain: bool,
}

impl Groups<'_, '_> {
    /// Returns the groups of the only grouping that adds parentheses.
    fn only(&self) -> Option<Vec<(usize, usize)>> {
        let length = self.nodes.len();
        let most = match self.wanted {
            Wanted::Literals => length,
            Wanted::LiteralsOf(count) | Wanted::TermsOf(count) => count,
        };
        let counts: Vec<Vec<usize>> = (0..length).map(|start| self.counts(start)).collect();
        // For each start and number of parts, the number of ways to group the elements from there
        // on, capped at 2.
        let mut ways = vec![vec![0_u8; most + 1]; length + 1];
        ways[length][0] = 1;
        for start in (0..length).rev() {
            for parts in 1..=most {
                let rest = |count: usize| ways[start + count][parts - 1];
                let sum = counts[start].iter().map(|&count| rest(count)).fold(0, u8::saturating_add);
                ways[start][parts] = sum.min(2);
            }
        }
        let parts = match self.wanted {
            Wanted::Literals => {
                let mut possible = (0..=most).filter(|&parts| ways[0][parts] > 0);
                possible.next().filter(|_| possible.next().is_none())?
            }
            Wanted::LiteralsOf(_) | Wanted::TermsOf(_) => most,
        };
        if ways[0][parts] != 1 {
            return None;
        }
        let (mut groups, mut start) = (Vec::new(), 0);
        for left in (0..parts).rev() {
            let count = counts[start].iter().copied().find(|&count| ways[start + count][left] == 1)?;
            if count > 1 {
                groups.push((start, count));
            }
            start += count;
        }
        (!groups.is_empty()).then_some(groups)
    }

    /// Returns the possible lengths of a part that starts at an element.
    fn counts(&self, start: usize) -> Vec<usize> {
        let Self { lowering, nodes, wanted, is_certain } = *self;
        let node = nodes[start];
        let left = nodes.len() - start;
        let mut counts = Vec::new();
        if let Some(&next) = nodes.get(start + 1)
            && lowering.is_call(node, next)
        {
            // A name that touches the next parenthesis is a call.
            return vec![2];
        }
        if lowering.tree.node(node).kind != Kind::Symbol {
            let is_term = matches!(wanted, Wanted::TermsOf(_));
            return if is_term || lowering.is_list(node) { vec![1] } else { Vec::new() };
        }
        let arities = lowering.arities();
        let (word, name) = (lowering.word(node), lowering.text(node).to_ascii_lowercase());
        let known = match wanted {
            Wanted::TermsOf(_) => arities.functions.get(&name),
            Wanted::Literals | Wanted::LiteralsOf(_) => arities.relations.get(&name),
        };
        let takes = |count: usize| match (wanted, word) {
            (Wanted::TermsOf(_), Some(_)) => count == 0,
            (_, Some(word)) => word.arity() == Some(count),
            // A term that occurs nowhere else counts as a constant.
            (Wanted::TermsOf(_), None) => known.map_or(count == 0, |known| known.contains(&count)),
            (_, None) => known.is_some_and(|known| known.contains(&count)),
        };
        counts.extend((0..left).filter(|&count| takes(count)).map(|count| count + 1));
        if !is_certain && known.is_none() && word.is_none() {
            counts = (0..left).map(|count| count + 1).collect();
        }
        counts
    }
}
