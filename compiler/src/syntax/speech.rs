//! Rewriting of messages in the author's syntax.
//!
//! Messages are written for KIF: text between backticks is a form, a name or a variable. [`say`]
//! rewrites these in infix GDL, whose terms Epilog shares, and keeps other text unchanged. Names of
//! relations that the translation of Epilog adds are never shown. O(bytes); a snippet longer than
//! [`LONGEST`] stays as it is.

use super::{
    dialect::Syntax,
    kif,
    tree::Kind,
    writer::{Writer, capital},
};
use crate::diagnostic::{Diagnostic, Edit, Source};
use crate::limits::Limits;

/// The longest snippet that is rewritten, in bytes.
const LONGEST: usize = 500;

/// Rewrites the KIF snippets of a message in another syntax.
pub(crate) fn say(message: &str, syntax: Syntax) -> String {
    if syntax == Syntax::Kif {
        return message.to_owned();
    }
    let mut said = String::new();
    for (i, part) in message.split('`').enumerate() {
        if i > 0 {
            said.push('`');
        }
        // Every second part is a snippet.
        match snippet(part).filter(|_| i % 2 == 1) {
            Some(snippet) => said.push_str(&snippet),
            None => said.push_str(part),
        }
    }
    said
}

/// Rewrites the KIF snippets and the edits of a diagnostic in another syntax. In infix GDL the
/// edits stay if each writes a name, a literal or a sentence, since other edits would write KIF. In
/// Epilog no edit stays.
pub(crate) fn tell(mut diagnostic: Diagnostic, syntax: Syntax) -> Diagnostic {
    if syntax == Syntax::Kif {
        return diagnostic;
    }
    diagnostic.message = say(&diagnostic.message, syntax);
    diagnostic.note = say(&diagnostic.note, syntax);
    diagnostic.help = diagnostic.help.map(|help| say(&help, syntax));
    for label in &mut diagnostic.labels {
        label.text = say(&label.text, syntax);
    }
    let edits: Option<Vec<Edit>> = diagnostic.edits.iter().map(written).collect();
    diagnostic.edits = edits.filter(|_| syntax == Syntax::Infix).unwrap_or_default();
    diagnostic
}

/// Rewrites an edit in infix GDL if it replaces text by a name, or writes a form, possibly after a
/// sign or a line end.
fn written(edit: &Edit) -> Option<Edit> {
    let name = edit.text.trim_start_matches('?');
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let text = match is_name {
        true if edit.span.start == edit.span.end => return None,
        true if edit.text.starts_with('?') => capital(&edit.text),
        true => edit.text.clone(),
        false => {
            let signs = [" & ", " :- ", "\n"];
            let sign = signs.into_iter().find(|sign| edit.text.starts_with(sign)).unwrap_or_default();
            format!("{sign}{}", snippet(&edit.text[sign.len()..])?)
        }
    };
    Some(Edit { span: edit.span, text })
}

/// Rewrites the calls in a snippet as lists of KIF. Calls quote the author's text.
fn plain(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 8);
    // The start of the last word in `written`.
    let mut word = 0;
    for c in text.chars() {
        match c {
            '(' if word < written.len() => {
                written.insert(word, '(');
                written.push(' ');
                word = written.len();
            }
            ',' => {
                written.push(' ');
                word = written.len();
            }
            _ => {
                written.push(c);
                if matches!(c, '(' | ')' | ' ') {
                    word = written.len();
                }
            }
        }
    }
    written
}

/// Rewrites a snippet of KIF in infix GDL. Returns `None` if it is not one form.
fn snippet(text: &str) -> Option<String> {
    if text == "<=" {
        return Some(":-".to_owned());
    }
    if text.len() > LONGEST || !text.starts_with(['(', '?']) || text == "(" {
        return None;
    }
    let source = Source::new("", plain(text));
    let (tree, found) = kif::read(&source, &Limits::default());
    let [form] = tree.forms[..] else { return None };
    if tree.broken || !found.is_empty() {
        return None;
    }
    let rename = |kind: &Kind, name: &str| {
        if *kind == Kind::Variable { capital(name) } else { name.to_owned() }
    };
    let mut said = String::new();
    Writer { tree: &tree, source: &source, rename }.infix(form, &mut said);
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::{Syntax, say};

    #[test]
    fn snippets_become_infix() {
        for (kif, infix) in [
            ("write `(<= (head ?x) (body ?x y))`", "write `head(X) :- body(X, y)`"),
            ("`(not (or (p ?x) (q a)))`, `?x` and `p`", "`~(p(X) | q(a))`, `X` and `p`"),
            ("unexpected `)` and `(`, `(<=`", "unexpected `)` and `(`, `(<=`"),
            ("`(legal ?r (take ?n))` of `?long_name`", "`legal(R, take(N))` of `Long_name`"),
            ("`(<= head body ..)`, `<=`", "`head :- body & ..`, `:-`"),
            ("no snippet (p ?x)", "no snippet (p ?x)"),
            (
                "`(<= some_p p(X, f(1)))`, `(legal ?role take(N))`",
                "`some_p :- p(X, f(1))`, `legal(Role, take(N))`",
            ),
        ] {
            assert_eq!(say(kif, Syntax::Infix), infix);
            assert_eq!(say(kif, Syntax::Kif), kif);
        }
    }
}
