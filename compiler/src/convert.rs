//! Conversion of a rulesheet to another syntax, from text to text.
//!
//! KIF and infix GDL are converted form by form. An Epilog rulesheet is converted to its
//! translation into rules. No syntax is converted to Epilog. A comment stays before or after its
//! form. Names stay if the other syntax can write them. Names that the other syntax reads as
//! variables, cannot distinguish or reserves are renamed and listed in [`Conversion::renamed`]. The
//! result has the layout of [`format`](crate::format). O(bytes · log bytes).

use crate::diagnostic::{Diagnostic, Source, Span, codes};
use crate::syntax::{Kind, NodeId, Syntax, Tree, parse, writer::Writer, writer::capital};
use crate::{Diagnostics, Options, format::format};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a conversion.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The converted text.
    pub text: String,
    /// The old and new names that differ: first the terms named like a keyword, then the others.
    /// Each part is in the order of first use.
    pub renamed: Vec<(String, String)>,
}

/// Converts a rulesheet to another syntax.
///
/// ```
/// use gdl_compiler::{Options, Source, Syntax, convert::convert};
///
/// let source = Source::new("a.kif", "(role red) ; one\n(<= terminal (true (at ?x)) (not (p ?x)))");
/// let infix = convert(&source, &Options::default(), Syntax::Infix).unwrap();
/// assert_eq!(infix.text, "role(red) % one\n\nterminal :- true(at(X)) & ~p(X)\n");
/// ```
///
/// # Errors
/// Returns the faults of a text whose forms cannot be read, or an error if KIF or infix GDL is to
/// become Epilog.
pub fn convert(source: &Source, options: &Options, to: Syntax) -> Result<Conversion, Box<Diagnostics>> {
    let mut diagnostics = Diagnostics::of(source, options);
    let mut tree = parse(source, options, &mut diagnostics);
    if to == Syntax::Epilog && tree.syntax != to {
        let message = "Epilog cannot be written: rules for `next` need not be operations";
        diagnostics
            .push_as_is(Diagnostic::new(&codes::INFIX_SYNTAX, None, message).help("write KIF or infix GDL"));
    }
    if diagnostics.has_errors() || tree.broken {
        diagnostics.sort();
        return Err(Box::new(diagnostics));
    }
    if tree.syntax == to {
        return Ok(Conversion { text: format(source, options)?, renamed: Vec::new() });
    }
    let freed = free_terms(&mut tree, source);
    let mut names = Names::new(&tree, source, options, to);
    let mut text = String::new();
    let mut comments = tree.comments.iter().peekable();
    let mut starts: Vec<u32> = tree.forms.iter().map(|&form| tree.node(form).span.start).collect();
    starts.sort_unstable();
    // The end of the source that is converted so far.
    let mut last = 0;
    for &form in &tree.forms {
        let span = tree.node(form).span;
        while let Some(comment) = comments.next_if(|comment| comment.start < span.end) {
            space(source, last, comment.start, &mut text);
            push_comment(source, *comment, to, &mut text);
            last = last.max(comment.end);
        }
        space(source, last, span.start, &mut text);
        text.push_str(&names.form(form, to));
        last = last.max(span.end);
        if let Some(comment) = comments.peek() {
            let between = source.slice(Span { start: span.end, end: comment.start });
            if !between.contains(['\n', '\r'])
                && comment.start > span.end
                && is_last(&starts, span.end, **comment)
            {
                text.push(' ');
                push_comment(source, **comment, to, &mut text);
                last = comment.end;
                comments.next();
            }
        }
        text.push('\n');
    }
    for comment in comments {
        space(source, last, comment.start, &mut text);
        push_comment(source, *comment, to, &mut text);
        last = comment.end;
    }
    let options = Options { syntax: Some(to), ..options.clone() };
    let text = format(&Source::new(source.name(), text), &options)?;
    Ok(Conversion { text, renamed: freed.into_iter().chain(names.renamed).collect() })
}

/// Renames terms named like a connective. In Epilog, also renames functions named like a keyword,
/// and constants that differ from a keyword in case alone. Returns the old and new names, in the
/// order of their first use.
fn free_terms(tree: &mut Tree, source: &Source) -> Vec<(String, String)> {
    // The literals and terms still to visit; true for terms.
    let mut waiting: Vec<(NodeId, bool)> = tree.forms.iter().rev().map(|&form| (form, false)).collect();
    let mut inner: Vec<(NodeId, usize)> = Vec::new();
    while let Some((node, is_term)) = waiting.pop() {
        let children = tree.children(node);
        let word = children.first().copied().unwrap_or(node);
        if is_term && tree.node(word).kind == Kind::Symbol {
            inner.push((word, children.len().saturating_sub(1)));
        }
        let connects =
            !is_term && CONNECTIVES.contains(&tree.text(word, source).to_ascii_lowercase().as_str());
        waiting.extend(children.iter().skip(1).rev().map(|&child| (child, !connects)));
    }
    let is_epilog = tree.syntax == Syntax::Epilog;
    let offends = |text: &str, arity: usize| {
        let lower = text.to_ascii_lowercase();
        CONNECTIVES.contains(&lower.as_str())
            || is_epilog && WORDS.contains(&lower.as_str()) && (arity > 0 || text != lower)
    };
    let mut taken: BTreeSet<String> =
        tree.symbols().map(|id| tree.text(id, source).to_ascii_lowercase()).collect();
    let mut freed: Vec<(String, String)> = Vec::new();
    let mut others: BTreeMap<String, String> = BTreeMap::new();
    for &(id, arity) in &inner {
        let text = tree.text(id, source);
        if !offends(text, arity) || others.contains_key(text) {
            continue;
        }
        // Names of infix GDL cannot contain `<` or `=`.
        let mut name =
            if text == "<=" { "arrow".to_owned() } else { format!("{}_", text.to_ascii_lowercase()) };
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        freed.push((text.to_owned(), name.clone()));
        others.insert(text.to_owned(), name);
    }
    for (id, _) in inner {
        if let Some(name) = others.get(tree.text(id, source)) {
            tree.rename(id, name);
        }
    }
    freed
}

/// Returns whether no other form starts between the end of a form and the comment on its line.
fn is_last(starts: &[u32], end: u32, comment: Span) -> bool {
    let next = starts.partition_point(|&start| start < end);
    starts.get(next).is_none_or(|&start| start > comment.start)
}

/// Appends a blank line if the source has one between the two offsets.
fn space(source: &Source, last: u32, start: u32, text: &mut String) {
    let between = if start > last { source.slice(Span { start: last, end: start }) } else { "" };
    if !text.is_empty() && !text.ends_with("\n\n") && between.matches('\n').count() > 1 {
        text.push('\n');
    }
}

fn push_comment(source: &Source, comment: Span, to: Syntax, text: &mut String) {
    let sign = if to == Syntax::Kif { ';' } else { '%' };
    let inner = source.slice(comment);
    let body = inner.trim_start_matches([';', '%']);
    text.extend(std::iter::repeat_n(sign, 1 + inner.len() - body.len()));
    text.push_str(body.trim_end());
    text.push('\n');
}

/// The names of a rulesheet in the other syntax.
struct Names<'t> {
    tree: &'t Tree,
    source: &'t Source,
    sensitive: bool,
    others: BTreeMap<String, String>,
    renamed: Vec<(String, String)>,
}

/// The keywords whose arguments are literals.
const CONNECTIVES: [&str; 3] = ["not", "or", "<="];

/// The keywords of the language, which may not name other relations.
const WORDS: [&str; 16] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "distinct",
    "not", "or", "and", "<=",
];

impl<'t> Names<'t> {
    fn new(tree: &'t Tree, source: &'t Source, options: &Options, to: Syntax) -> Self {
        let sensitive = options.case_sensitive || tree.syntax != Syntax::Kif;
        let mut names = Self { tree, source, sensitive, others: BTreeMap::new(), renamed: Vec::new() };
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut waiting: Vec<String> = Vec::new();
        let mut known: BTreeSet<String> = BTreeSet::new();
        // Names that stay are assigned first.
        for id in tree.symbols() {
            let text = tree.text(id, source);
            let key = names.key(text);
            if !known.insert(key.clone()) {
                continue;
            }
            let lower = text.to_ascii_lowercase();
            if WORDS.contains(&lower.as_str()) {
                names.others.insert(key, lower);
            } else if fits(text, to) && taken.insert(unique(text, to)) {
                names.others.insert(key, text.to_owned());
            } else {
                waiting.push(text.to_owned());
            }
        }
        for text in waiting {
            let mut name = fitted(&text, to);
            while WORDS.contains(&name.as_str()) || !taken.insert(unique(&name, to)) {
                name.push('_');
            }
            names.others.insert(names.key(&text), name.clone());
            names.renamed.push((text, name));
        }
        names
    }

    /// The key that all spellings of a name share.
    fn key(&self, text: &str) -> String {
        if self.sensitive { text.to_owned() } else { text.to_ascii_lowercase() }
    }

    fn form(&mut self, form: NodeId, to: Syntax) -> String {
        let mut variables: BTreeMap<String, String> = BTreeMap::new();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let rename = |kind: &Kind, text: &str| {
            let key = self.key(text);
            if *kind != Kind::Variable {
                return self.others.get(&key).cloned().unwrap_or_else(|| text.to_owned());
            }
            if let Some(name) = variables.get(&key) {
                return name.clone();
            }
            let plain = if to == Syntax::Kif {
                let inner: String =
                    text[1..].chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                format!("?{}", inner.to_ascii_lowercase())
            } else {
                capital(text)
            };
            let mut name = plain.clone();
            let mut number = 2;
            while name == "?" || !taken.insert(name.clone()) {
                name = format!("{plain}{number}");
                number += 1;
            }
            variables.insert(key, name.clone());
            name
        };
        let mut written = String::new();
        let mut writer = Writer { tree: self.tree, source: self.source, rename };
        if to == Syntax::Kif {
            writer.kif(form, &mut written);
        } else {
            writer.infix(form, &mut written);
        }
        written
    }
}

/// Returns the key by which a syntax distinguishes names.
fn unique(name: &str, to: Syntax) -> String {
    if to == Syntax::Kif { name.to_ascii_lowercase() } else { name.to_owned() }
}

/// Returns whether a syntax can write a name.
fn fits(name: &str, to: Syntax) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b"_*+-./".contains(&b);
    let first = name.bytes().next().unwrap_or(b'_');
    let infix = name.bytes().all(is_letter)
        && !first.is_ascii_uppercase()
        && first != b'_'
        && !name.contains("..")
        && !name.starts_with('.')
        && !name.ends_with('.');
    to == Syntax::Kif || infix
}

/// Returns the closest name that the syntax can write.
fn fitted(name: &str, to: Syntax) -> String {
    if to == Syntax::Kif {
        return name.to_owned();
    }
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_*+-/".contains(c);
    let mut name: String = name.chars().map(|c| if is_letter(c) { c } else { '_' }).collect();
    if name.starts_with('_') {
        name.insert(0, 'c');
    }
    name[..1].to_ascii_lowercase() + &name[1..]
}
