//! The names of a game as KIF terms: their normal spelling, and their parts.
//!
//! No function recurses, so deep nesting needs no stack. Everything is O(length).

/// Normalises white space as in names: one blank between the items of a list, none next to its
/// parentheses or around the text. O(length).
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for token in tokens(text) {
        if token != ")" && !normal.is_empty() && !normal.ends_with('(') {
            normal.push(' ');
        }
        normal.push_str(token);
    }
    normal
}

/// Returns the items of a list: `"((cell 1 1 b) (control x))"` has two. Returns `None` if the text
/// is not one list with matching parentheses. O(length).
#[must_use]
pub fn items(text: &str) -> Option<Vec<&str>> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut items = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for token in tokens(inner) {
        // The token is a part of `inner`, so the difference of addresses is its offset.
        let place = token.as_ptr().addr() - inner.as_ptr().addr();
        if depth == 0 {
            start = place;
        }
        match token {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            items.push(&inner[start..place + token.len()]);
        }
    }
    (depth == 0).then_some(items)
}

/// Returns the head of a term and its arguments: `cell`, `1`, `(a b)` and `x` for `(cell 1 (a b)
/// x)`, and only `noop` for `noop`.
#[must_use]
pub fn parts(text: &str) -> Vec<&str> {
    items(text).filter(|items| !items.is_empty()).unwrap_or_else(|| vec![text])
}

/// Removes the parentheses around a text: `(mark 1 1)` becomes `mark 1 1`.
#[must_use]
pub fn bare(text: &str) -> &str {
    text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text)
}

/// Splits a text into tokens: parentheses and words.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '(' | ')' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
        };
        let (token, behind) = rest.split_at(end);
        rest = behind;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_normalised() {
        for (text, normal) in [
            ("( cell  1 \t1 b\r\n)", "(cell 1 1 b)"),
            ("(f(g 1)x)", "(f (g 1) x)"),
            (" noop ", "noop"),
            ("", ""),
            ("( )", "()"),
            (")(", ") ("),
            ("(a)b", "(a) b"),
        ] {
            assert_eq!(normalise(text), normal);
            assert_eq!(normalise(normal), normal);
        }
    }

    #[test]
    fn terms_have_parts() {
        assert_eq!(parts("(cell 1 (a b) x)"), ["cell", "1", "(a b)", "x"]);
        assert_eq!((parts("noop"), parts("()"), parts("(f)")), (vec!["noop"], vec!["()"], vec!["f"]));
        assert_eq!((bare("(mark 1 1)"), bare("noop"), bare("(a")), ("mark 1 1", "noop", "(a"));
    }

    #[test]
    fn lists_are_taken_apart() {
        assert_eq!(items("( (cell 1 1 b) (control x)y)"), Some(vec!["(cell 1 1 b)", "(control x)", "y"]));
        assert_eq!(items(" ( ) "), Some(vec![]));
        assert_eq!(items("((f (g 1)))"), Some(vec!["(f (g 1))"]));
        for text in ["", "a", "(", ")", "(a", "a)", "(a))(b)", "((a)", "(a) (b)", ")("] {
            assert_eq!(items(text), None, "{text}");
        }
    }
}
