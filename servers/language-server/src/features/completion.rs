//! Completions for the position that is being edited.
//!
//! The form at the position is usually incomplete. So the text is scanned from the last line that
//! begins with `(` to the position, which yields the open lists and their first words. The proposed
//! names come from the forms that could be parsed.

use crate::{
    document::Document,
    names::{Name, NamePlace},
    words::{WORDS, Word},
};
use gdl_compiler::{Span, syntax::NodeId};
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, InsertTextFormat, Position, TextEdit,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most names in an answer.
const MOST: usize = 1_000;

/// A list that is open at the position.
struct Open<'t> {
    /// The first word of the list; empty if it begins with a list or has no element yet.
    head: &'t str,
    /// The number of complete elements after the head.
    arguments: usize,
}

/// The kind of item that the position requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    /// A rule or a fact.
    Form,
    /// The head of a rule.
    Head,
    /// A literal of a body.
    Literal,
    /// A fluent.
    Fluent,
    /// A move.
    Move,
    /// Any other term.
    Term,
}

/// Returns the completions at a position. They contain numbered places to fill if the client
/// supports `snippets`.
pub(crate) fn complete(document: &Document, position: Position, snippets: bool) -> CompletionList {
    let offset = document.offset(position) as usize;
    let text = document.text();
    let start = text[..offset]
        .rfind(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')'))
        .map_or(0, |at| at + 1);
    let word = Span::new(start, offset);
    let first = text[..start].rfind("\n(").map_or(0, |at| at + 1);
    let Some(mut open) = read(&text[first..start]) else { return CompletionList::default() };
    // The list has just been opened, so the completion replaces all of it.
    let opened = text[..start].ends_with('(');
    if opened {
        open.pop();
        // The list itself was counted as an element of the list around it.
        if let Some(list) = open.last_mut() {
            list.arguments -= 1;
        }
    }
    let due = due(&open);
    let writer = CompletionWriter { document, snippets, opened, word };
    let mut items = Vec::new();
    match due {
        Due::Form | Due::Head | Due::Literal => {
            writer.words(due, &mut items);
            writer.relations(&mut items);
        }
        Due::Fluent | Due::Move | Due::Term => writer.terms(due, &mut items),
    }
    if !opened && due != Due::Form {
        writer.variables(&text[first..start], &mut items);
    }
    let is_incomplete = items.len() > MOST;
    items.truncate(MOST);
    CompletionList { is_incomplete, items, ..CompletionList::default() }
}

/// Returns the lists that a text leaves open; `None` if it ends in a comment.
fn read(text: &str) -> Option<Vec<Open<'_>>> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut is_comment = false;
    for line in text.split_inclusive(['\n', '\r']) {
        let code = line.find(';').map_or(line, |at| &line[..at]);
        is_comment = code.len() < line.len() && !line.ends_with(['\n', '\r']);
        let mut rest = code;
        while let Some(at) = rest.find(|c: char| !c.is_ascii_whitespace()) {
            rest = &rest[at..];
            match rest.as_bytes()[0] {
                b'(' => {
                    count(&mut open, "");
                    open.push(Open { head: "", arguments: 0 });
                    rest = &rest[1..];
                }
                b')' => {
                    open.pop();
                    rest = &rest[1..];
                }
                _ => {
                    let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')'));
                    let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                    count(&mut open, word);
                    rest = behind;
                }
            }
        }
    }
    (!is_comment).then_some(open)
}

/// Counts an element of the innermost list.
fn count<'t>(open: &mut [Open<'t>], word: &'t str) {
    if let Some(list) = open.last_mut() {
        if list.head.is_empty() && list.arguments == 0 && !word.is_empty() {
            list.head = word;
        } else {
            list.arguments += 1;
        }
    }
}

fn due(open: &[Open<'_>]) -> Due {
    let Some(list) = open.last() else { return Due::Form };
    let Some(word) = Word::find(list.head) else { return Due::Term };
    match word.name {
        "<=" if list.arguments == 0 => Due::Head,
        "<=" | "not" | "or" => Due::Literal,
        _ if word.fluent() == Some(list.arguments) => Due::Fluent,
        _ if word.choice() == Some(list.arguments) => Due::Move,
        _ => Due::Term,
    }
}

struct CompletionWriter<'d> {
    document: &'d Document,
    snippets: bool,
    /// True if the opening parenthesis is in the text already.
    opened: bool,
    /// The span of the replaced text.
    word: Span,
}

impl CompletionWriter<'_> {
    fn item(
        &self,
        label: &str,
        kind: CompletionItemKind,
        detail: Option<String>,
        text: &str,
    ) -> CompletionItem {
        // The closing parenthesis is left to the editor or the user.
        let text = if self.opened {
            text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
        } else {
            text
        };
        let text = if self.snippets { text.to_owned() } else { plain(text) };
        CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail,
            insert_text_format: self.snippets.then_some(InsertTextFormat::Snippet),
            text_edit: Some(TextEdit::new(self.document.range(self.word), text).into()),
            ..CompletionItem::default()
        }
    }

    fn words(&self, due: Due, items: &mut Vec<CompletionItem>) {
        for word in &WORDS {
            let text = match due {
                Due::Form => word.form,
                Due::Head if !matches!(word.name, "<=" | "role") => head(word),
                Due::Literal => word.literal,
                _ => "",
            };
            // After an opening parenthesis, a text that is no list does not fit, such as the
            // literal `terminal`.
            if !text.is_empty() && (!self.opened || text.starts_with('(')) {
                let detail = Some(word.usage.to_owned());
                items.push(self.item(word.name, CompletionItemKind::Keyword, detail, text));
            }
        }
    }

    fn relations(&self, items: &mut Vec<CompletionItem>) {
        for (name, places) in self.document.reading().names.iter() {
            if let Name::Relation(_) = name {
                let first = places.iter().find(|place| place.is_head).unwrap_or(&places[0]);
                self.call(first, CompletionItemKind::Function, items);
            }
        }
    }

    /// Adds the fluents, the moves or all terms of the rulesheet.
    fn terms(&self, due: Due, items: &mut Vec<CompletionItem>) {
        for (name, places) in self.document.reading().names.iter() {
            let Name::Term(_) = name else { continue };
            let fits = |place: &&NamePlace| match due {
                Due::Fluent => place.under.is_some() && place.is_fluent,
                Due::Move => place.under.is_some_and(|word| word.choice().is_some()),
                _ => true,
            };
            let mut arities = BTreeSet::new();
            for place in places.iter().filter(fits) {
                // An argument of any relation may be a function, which is proposed once for each
                // arity.
                if arities.insert(place.arity) && !(self.opened && place.arity == 0) {
                    let kind = if place.arity == 0 {
                        CompletionItemKind::Constant
                    } else {
                        CompletionItemKind::Struct
                    };
                    self.call(place, kind, items);
                }
            }
        }
    }

    /// Adds a name with the arguments that it has at a place.
    fn call(&self, place: &NamePlace, kind: CompletionItemKind, items: &mut Vec<CompletionItem>) {
        let source = &self.document.source;
        let name = source.slice(place.span);
        if place.arity == 0 {
            if !self.opened {
                items.push(self.item(name, kind, None, &escape(name)));
            }
            return;
        }
        let arguments = &self.document.reading().tree.children(place.node)[1..];
        let filled = |(argument, number): (&NodeId, u32)| {
            let argument = source.slice(self.document.span(*argument));
            let argument =
                if argument.len() > 40 || argument.contains(['\n', '\r']) { ".." } else { argument };
            format!("${{{number}:{}}}", escape(argument))
        };
        let parts: Vec<String> =
            std::iter::once(escape(name)).chain(arguments.iter().zip(1..).map(filled)).collect();
        let text = format!("({})", parts.join(" "));
        let detail = source.slice(self.document.span(place.node));
        let detail = (detail.len() <= 80).then(|| detail.to_owned());
        items.push(self.item(name, kind, detail, &text));
    }

    /// Adds the variables of the form, before the position and, if the form can be parsed, after
    /// it.
    fn variables(&self, before: &str, items: &mut Vec<CompletionItem>) {
        let mut variables: BTreeMap<String, &str> = BTreeMap::new();
        let words = before.split(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')'));
        for word in words.filter(|word| word.len() > 1 && word.starts_with('?')) {
            variables.entry(word.to_ascii_lowercase()).or_insert(word);
        }
        let tree = &self.document.reading().tree;
        let within = |form: u32| {
            let span = self.document.span(tree.forms[form as usize]);
            span.start < self.word.start && self.word.start < span.end
        };
        for (name, places) in self.document.reading().names.iter() {
            if let Name::Variable(form, key) = name
                && within(*form)
                && places.iter().any(|place| place.span.start != self.word.start)
            {
                variables.entry(key.clone()).or_insert(self.document.source.slice(places[0].span));
            }
        }
        for variable in variables.values() {
            items.push(self.item(variable, CompletionItemKind::Variable, None, &escape(variable)));
        }
    }
}

/// Returns the head in the snippet of a keyword: the first line after `<=`, or the whole snippet if
/// it is a fact.
fn head(word: &Word) -> &'static str {
    let form = word.form;
    match form.strip_prefix("(<= ") {
        Some(rest) => rest.split('\n').next().unwrap_or_default(),
        None => form,
    }
}

/// Escapes the characters of a text that have a meaning in snippets.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// Returns a snippet as plain text, with the default texts of its places.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => plain.extend(rest.next()),
            '$' if rest.peek() == Some(&'{') => while rest.next().is_some_and(|c| c != ':') {},
            '}' => {}
            c => plain.push(c),
        }
    }
    plain
}
