//! Symbols of marks: a short text for each mark, different from all others.

use super::{Mark, width};
use std::collections::BTreeSet;

/// The blank mark, given the number of cells that start with each mark, and the mark of most cells.
pub(super) fn blank(texts: &[String], counts: &[usize], most: Option<usize>) -> Option<usize> {
    const NAMES: [&str; 12] = [
        "blank",
        "empty",
        "dirt",
        "none",
        "nothing",
        "free",
        "vacant",
        "clear",
        "unoccupied",
        "unmarked",
        "nil",
        "_",
    ];
    let find = |name: &str| texts.iter().position(|text| text.eq_ignore_ascii_case(name));
    let named = NAMES.iter().find_map(|name| find(name));
    let short = || {
        ["b", "e"].iter().find_map(|name| find(name)).filter(|&mark| find("w").is_none() && counts[mark] > 0)
    };
    // A single mark is not blank, even if most cells start with it.
    named.or(most.filter(|_| texts.len() > 1)).or_else(short)
}

/// Gives each mark a family and a short symbol; all symbols differ.
pub(super) fn marks(texts: &[String], blank: Option<usize>) -> Vec<Mark> {
    let words = |text: &str| -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut before = ' ';
        for c in text.chars() {
            let separator = matches!(c, ' ' | '_' | '-' | '(' | ')');
            let starts = (!before.is_alphanumeric()
                || (before.is_lowercase() && (c.is_uppercase() || c.is_ascii_digit())))
                && !separator;
            match words.last_mut() {
                Some(word) if !starts && !separator => word.push(c),
                _ if starts => words.push(c.to_string()),
                _ => {}
            }
            before = if separator { ' ' } else { c };
        }
        words
    };
    let first = |text: &str| text.chars().find(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase());
    let shown: Vec<usize> = (0..texts.len()).filter(|&mark| Some(mark) != blank).collect();
    let families: BTreeSet<Option<char>> = shown.iter().map(|&mark| first(&texts[mark])).collect();
    let alike = |list: &[String]| list.iter().collect::<BTreeSet<_>>().len() == list.len();
    let initial =
        |&mark: &usize| words(&texts[mark]).iter().take(1).filter_map(|w| w.chars().next()).collect();
    let initials =
        |&mark: &usize| words(&texts[mark]).iter().take(2).filter_map(|w| w.chars().next()).collect();
    let whole = |&mark: &usize| texts[mark].clone();
    let attempts: [Vec<String>; 3] = [
        shown.iter().map(whole).collect(),
        shown.iter().map(initial).collect(),
        shown.iter().map(initials).collect(),
    ];
    let short = |list: &[String], most| list.iter().all(|s| (1..=most).contains(&width(s)));
    let fits = attempts.iter().zip([2, 1, 3]).find(|(list, most)| alike(list) && short(list, *most));
    let chosen = fits.map_or_else(
        || {
            let mut taken: BTreeSet<String> = BTreeSet::new();
            (attempts[2].iter().zip(&shown))
                .map(|(initials, &mark)| {
                    let text = &texts[mark];
                    let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
                    let more = letters.iter().skip(1).map(|c| letters.iter().take(1).chain([c]).collect());
                    let numbers = (1..).map(|n| format!("{}{n}", letters.iter().take(1).collect::<String>()));
                    let whole = (width(text) <= 2).then(|| text.clone());
                    let mut choices = whole.into_iter().chain([initials.clone()]).chain(more).chain(numbers);
                    let symbol = choices.find(|symbol| !symbol.is_empty() && !taken.contains(symbol));
                    let symbol = symbol.unwrap_or_else(|| text.clone());
                    taken.insert(symbol.clone());
                    symbol
                })
                .collect()
        },
        |(list, _)| list.clone(),
    );
    let mut chosen = chosen.into_iter();
    (texts.iter().enumerate())
        .map(|(i, text)| {
            let family = families.iter().position(|family| *family == first(text)).unwrap_or(0);
            let symbol = if Some(i) == blank { "·".to_owned() } else { chosen.next().unwrap_or_default() };
            Mark { text: text.clone(), symbol, family }
        })
        .collect()
}
