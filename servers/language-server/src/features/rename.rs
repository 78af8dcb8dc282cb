//! Renaming: a name is changed at all its places, if no other name changes its meaning.

use crate::{
    document::Document,
    names::{Name, NamePlace},
    refusal::Refusal,
    words::Word,
};
use gdl_compiler::syntax::FOREIGN_COMMENTS;
use gen_lsp_types::{Position, PrepareRenamePlaceholder, TextEdit};
use serde_json::{Value, json};

/// Returns the range of the name at a position, if it can be renamed.
pub(crate) fn prepare(document: &Document, position: Position) -> Result<PrepareRenamePlaceholder, Refusal> {
    let (_, place) = find(document, position)?;
    let placeholder = document.source.slice(place.span).to_owned();
    Ok(PrepareRenamePlaceholder { range: document.range(place.span), placeholder })
}

/// Returns the edits that rename the name at a position.
pub(crate) fn rename(document: &Document, position: Position, new: &str) -> Result<Value, Refusal> {
    let (name, _) = find(document, position)?;
    judge(document, name, new)?;
    let places = document.reading().names.places(name).iter();
    let edits: Vec<_> =
        places.map(|place| TextEdit::new(document.range(place.span), new.to_owned())).collect();
    Ok(json!({ "changes": { document.uri.as_ref(): edits } }))
}

fn find(document: &Document, position: Position) -> Result<(&Name, &NamePlace), Refusal> {
    let reading = document.reading();
    let (name, place) =
        reading.names.at(document.offset(position)).ok_or_else(|| Refusal::new("there is no name here"))?;
    if let Name::Word(word) = name {
        return Err(Refusal::new(format!("`{word}` is a keyword")));
    }
    if let Name::Term(word) = name
        && Word::find(word).is_some()
    {
        return Err(Refusal::new(format!("`{word}` is a keyword")));
    }
    if reading.tree.broken {
        return Err(Refusal::new("part of the rulesheet cannot be read, and the name may occur there"));
    }
    Ok((name, place))
}

/// Checks that a text is a valid name of this kind, and that no other name has it.
fn judge(document: &Document, name: &Name, new: &str) -> Result<(), Refusal> {
    let fits = !new.is_empty()
        && new.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'(' | b')' | b';' | b'"'))
        && !FOREIGN_COMMENTS.iter().chain(&["~"]).any(|sign| new.starts_with(sign))
        && !matches!(new, ":-" | "&");
    if !fits || new.len() > 1024 {
        return Err(Refusal::new(format!("`{new}` is not a name: use letters, digits, `_`, `+` and `-`")));
    }
    let key = new.to_ascii_lowercase();
    let names = &document.reading().names;
    let taken = if let Name::Variable(form, _) = name {
        if !new.starts_with('?') || new == "?" {
            return Err(Refusal::new("the name of a variable starts with `?`"));
        }
        vec![Name::Variable(*form, key)]
    } else {
        if new.starts_with('?') {
            return Err(Refusal::new("only names of variables start with `?`"));
        }
        // Arrows in the wrong direction, and words of KIF outside GDL, are keywords too.
        if Word::find(new).is_some() || matches!(&*key, "and" | "=" | "=>" | "<=>" | "->") {
            return Err(Refusal::new(format!("`{new}` is a keyword")));
        }
        vec![Name::Relation(key.clone()), Name::Term(key)]
    };
    if taken.iter().any(|other| other != name && !names.places(other).is_empty()) {
        return Err(Refusal::new(format!("`{new}` is taken")));
    }
    Ok(())
}
