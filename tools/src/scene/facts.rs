//! The facts of a rulesheet in KIF, read off its text: forms on no rule's level that have words
//! alone, `(row 3 1 2)`.
//!
//! A board draws them next to its cells, and they define the shape of its cells. A text that is no
//! KIF has none of that.

use gdl_runtime::kif;

/// Each fact, as the words between its parentheses.
pub(super) fn all(text: &str) -> impl Iterator<Item = Vec<&str>> {
    forms(text).filter_map(kif::items).filter(|items| {
        items.len() > 1 && items.iter().all(|item| !item.starts_with(['(', '?'])) && items[0] != "<="
    })
}

/// The parts of a text that stand between outermost parentheses.
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
