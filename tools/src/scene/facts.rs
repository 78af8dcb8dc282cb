//! The facts of a rulesheet in KIF, such as `(row 3 1 2)`: top-level forms whose items are all
//! words.
//!
//! They are the clues of a board and the neighbours of its cells. A text in another syntax has no
//! such facts.

use gdl_runtime::kif;

/// Returns each fact, as the words between its parentheses.
pub(super) fn all(text: &str) -> impl Iterator<Item = Vec<&str>> {
    forms(text).filter_map(kif::items).filter(|items| {
        items.len() > 1 && items.iter().all(|item| !item.starts_with(['(', '?'])) && items[0] != "<="
    })
}

/// Returns the top-level forms of a text.
fn forms(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut start, mut is_comment) = (0_usize, 0, false);
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        match byte {
            b'\n' => is_comment = false,
            _ if is_comment => {}
            b';' => is_comment = true,
            b'(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(start..=at);
                }
            }
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_words_alone() {
        let text = "(row 1 2) ; (row 3 4)\n(<= (row ?x) (p ?x)) (row ?x) (init (cell 1)) (col a b c)\n) (p q";
        assert_eq!(all(text).collect::<Vec<_>>(), [vec!["row", "1", "2"], vec!["col", "a", "b", "c"]]);
    }
}
