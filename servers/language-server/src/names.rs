//! The names of a rulesheet, each with its kind and its places.
//!
//! The index is built from the forms alone, so it exists even if the rules have errors. A relation
//! and a term are different names, even with the same spelling; functions and objects are both
//! terms. Variables are local to their form. As in the compiler, case is ignored. O(nodes · log
//! nodes).

use crate::words::Word;
use gdl_compiler::{
    Source, Span,
    syntax::{Kind, NodeId, Tree},
};
use std::collections::BTreeMap;

/// The identity of a name: its kind and its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    /// A keyword of the language, in lower case.
    Word(&'static str),
    /// A relation of the rulesheet.
    Relation(String),
    /// A function or an object.
    Term(String),
    /// A variable, with the index of its form.
    Variable(u32, String),
}

/// An occurrence of a name.
#[derive(Clone, Debug)]
pub(crate) struct NamePlace {
    /// The span of the word.
    pub(crate) span: Span,
    /// The index of its form.
    pub(crate) form: u32,
    /// True if the occurrence is in the head of its form.
    pub(crate) is_head: bool,
    /// The literal or term that begins with the word.
    pub(crate) node: NodeId,
    /// The number of its arguments.
    pub(crate) arity: usize,
    /// The keyword, if the term is the fluent, the move or the declared role of a keyword.
    pub(crate) under: Option<&'static Word>,
    /// True if the term is the fluent of the keyword `under`.
    pub(crate) is_fluent: bool,
}

/// The index of all names of a rulesheet.
#[derive(Default)]
pub(crate) struct Names {
    places: BTreeMap<Name, Vec<NamePlace>>,
    /// The span and name of each place, in the order of the text.
    order: Vec<(Span, Name)>,
}

impl Names {
    /// Builds the index of all forms.
    pub(crate) fn new(tree: &Tree, source: &Source) -> Self {
        let mut names = Self::default();
        for (&form, number) in tree.forms.iter().zip(0..) {
            let mut walk = Walk { tree, source, form: number, is_head: true, names: &mut names };
            match tree.children(form) {
                [first, rest @ ..] if tree.text(*first, source) == "<=" => {
                    walk.add(Name::Word("<="), *first, form, None);
                    for (i, &part) in rest.iter().enumerate() {
                        walk.is_head = i == 0;
                        walk.literal(part);
                    }
                }
                _ => walk.literal(form),
            }
        }
        names.order.sort_by_key(|(span, _)| *span);
        names
    }

    /// Returns the name that contains a byte or ends there, and its place.
    pub(crate) fn at(&self, offset: u32) -> Option<(&Name, &NamePlace)> {
        let behind = self.order.partition_point(|(span, _)| span.start <= offset);
        let (span, name) = self.order[..behind].last().filter(|(span, _)| offset <= span.end)?;
        let places = self.places(name);
        let found = places.binary_search_by_key(span, |place| place.span).ok()?;
        Some((name, &places[found]))
    }

    /// Returns the places of a name, in the order of the text.
    pub(crate) fn places(&self, name: &Name) -> &[NamePlace] {
        self.places.get(name).map_or(&[], Vec::as_slice)
    }

    /// Iterates over all names with their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Name, &[NamePlace])> {
        self.places.iter().map(|(name, places)| (name, places.as_slice()))
    }

    /// Returns the definitions of a name. For a relation or a keyword these are its heads. For a
    /// fluent or move these are the heads of `init` and `next`, or `legal`, that contain it. For a
    /// role it is the fact of `role`. For other terms and for variables it is the first place.
    pub(crate) fn definitions(&self, name: &Name, place: &NamePlace) -> Vec<&NamePlace> {
        let all = self.places(name);
        let given = match name {
            Name::Word(_) | Name::Relation(_) => return all.iter().filter(|place| place.is_head).collect(),
            Name::Variable(..) => Vec::new(),
            Name::Term(_) => {
                let gives = |other: &&NamePlace, is_fluent| {
                    let names: &[&str] = if is_fluent { &["init", "next"] } else { &["legal"] };
                    let is_given = other.under.is_some_and(|word| names.contains(&word.name));
                    other.is_head && is_given && other.is_fluent == is_fluent
                };
                let fluents = || all.iter().filter(|other| gives(other, true));
                let moves = || all.iter().filter(|other| gives(other, false));
                match place.under {
                    Some(_) if place.is_fluent => fluents().collect(),
                    Some(word) if word.choice().is_some() => moves().collect(),
                    _ if place.arity > 0 => fluents().chain(moves()).collect(),
                    _ => {
                        let declares = |other: &&NamePlace| {
                            other.is_head && other.under.is_some_and(|word| word.name == "role")
                        };
                        all.iter().filter(declares).collect()
                    }
                }
            }
        };
        if given.is_empty() { all.first().into_iter().collect() } else { given }
    }
}

struct Walk<'a> {
    tree: &'a Tree,
    source: &'a Source,
    form: u32,
    is_head: bool,
    names: &'a mut Names,
}

impl<'a> Walk<'a> {
    fn add(&mut self, name: Name, word: NodeId, node: NodeId, under: Option<(&'static Word, bool)>) {
        let place = NamePlace {
            span: self.tree.node(word).span,
            form: self.form,
            is_head: self.is_head,
            node,
            arity: self.tree.children(node).len().saturating_sub(1),
            under: under.map(|(word, _)| word),
            is_fluent: under.is_some_and(|(_, is_fluent)| is_fluent),
        };
        self.names.order.push((place.span, name.clone()));
        self.names.places.entry(name).or_default().push(place);
    }

    /// Returns the first word of a node, and its arguments.
    fn parts(&self, node: NodeId) -> (NodeId, &'a [NodeId]) {
        match self.tree.children(node) {
            [first, rest @ ..] => (*first, rest),
            [] => (node, &[]),
        }
    }

    fn variable(&mut self, node: NodeId) {
        let text = self.tree.text(node, self.source).to_ascii_lowercase();
        self.add(Name::Variable(self.form, text), node, node, None);
    }

    fn literal(&mut self, node: NodeId) {
        let (first, rest) = self.parts(node);
        match self.tree.node(first).kind {
            Kind::Variable => self.variable(first),
            // The list is empty, or begins with another list.
            Kind::List(_) if first == node => return,
            Kind::List(_) => self.term(first, None),
            Kind::Symbol => {
                let text = self.tree.text(first, self.source);
                let word = Word::find(text);
                match word {
                    Some(word) => self.add(Name::Word(word.name), first, node, None),
                    None => self.add(Name::Relation(text.to_ascii_lowercase()), first, node, None),
                }
                if let Some(word) = word {
                    if word.is_connective() {
                        rest.iter().for_each(|&part| self.literal(part));
                        return;
                    }
                    for (i, &part) in rest.iter().enumerate() {
                        let is_fluent = word.fluent() == Some(i);
                        let is_role = i == 0 && word.name == "role";
                        let is_named = is_fluent || is_role || word.choice() == Some(i);
                        self.term(part, is_named.then_some((word, is_fluent)));
                    }
                    return;
                }
            }
        }
        rest.iter().for_each(|&part| self.term(part, None));
    }

    fn term(&mut self, node: NodeId, under: Option<(&'static Word, bool)>) {
        let (first, rest) = self.parts(node);
        match self.tree.node(first).kind {
            Kind::Variable => self.variable(first),
            Kind::List(_) if first == node => {}
            Kind::List(_) => self.term(first, None),
            Kind::Symbol => {
                let text = self.tree.text(first, self.source).to_ascii_lowercase();
                self.add(Name::Term(text), first, node, under);
            }
        }
        rest.iter().for_each(|&part| self.term(part, None));
    }
}
