//! The syntax of KIF: symbols and lists.

use crate::Error;

/// The deepest nesting of lists.
pub(crate) const MAX_DEPTH: usize = 1_000;

/// A symbol or a list, as the text has it.
pub(crate) enum Form<'t> {
    Symbol(&'t str),
    List(Vec<Form<'t>>),
}

/// Reads the forms of a text. A list of one symbol is that symbol.
pub(crate) fn read(text: &str) -> Result<Vec<Form<'_>>, Error> {
    let refuse = |reason: &str| Error::Refused(reason.to_owned());
    let mut open: Vec<Vec<Form<'_>>> = vec![Vec::new()];
    for word in text.split(['\n', '\r']).flat_map(words) {
        let form = match word {
            "(" if open.len() > MAX_DEPTH => return Err(Error::TooMuch),
            "(" => {
                open.push(Vec::new());
                continue;
            }
            ")" => {
                let mut list = open.pop().unwrap_or_default();
                match list.len() {
                    0 => return Err(refuse("an empty list")),
                    1 if matches!(list[0], Form::Symbol(_)) => list.remove(0),
                    _ => Form::List(list),
                }
            }
            symbol => Form::Symbol(symbol),
        };
        open.last_mut().ok_or_else(|| refuse("a parenthesis too many"))?.push(form);
    }
    match (open.pop(), open.is_empty()) {
        (Some(forms), true) => Ok(forms),
        _ => Err(refuse("a parenthesis is missing")),
    }
}

/// The parentheses and symbols of a line, without its comment.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.split(';').next().unwrap_or_default();
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let ends = |c: char| c.is_whitespace() || c == '(' || c == ')';
        let end = if rest.starts_with(['(', ')']) { 1 } else { rest.find(ends).unwrap_or(rest.len()) };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word).filter(|word| !word.is_empty())
    })
}
