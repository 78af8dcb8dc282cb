//! Mutations of a rulesheet that keep its parentheses matched.
//!
//! Random bytes almost never pass the parser. Rulesheets with forms dropped, copied, exchanged or
//! negated often reach the net.

/// A pseudorandom generator: splitmix64 (Steele, Lea and Flood 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

/// The words that mutations insert.
const WORDS: [&str; 24] = [
    "<=", "not", "or", "distinct", "role", "init", "true", "does", "next", "legal", "goal", "terminal",
    "sees", "base", "input", "random", "?x", "?y", "0", "1", "100", "a", "p", "f",
];

fn words(text: &str) -> Vec<String> {
    let code = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    let spaced = code.map(|line| line.replace('(', " ( ").replace(')', " ) ") + " ");
    spaced.collect::<String>().split_whitespace().map(str::to_owned).collect()
}

/// Returns the place after the form or word that starts at `start`.
fn end(words: &[String], start: usize) -> usize {
    let mut depth = 0usize;
    for (place, word) in words.iter().enumerate().skip(start) {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    words.len()
}

/// Draws a place where a form or word starts.
fn start(words: &[String], numbers: &mut Numbers) -> usize {
    let tries = (0..8).map(|_| numbers.below(words.len()));
    tries.into_iter().find(|&place| words[place] != ")").unwrap_or(0)
}

/// Changes `text` in one place, chosen by `seed`.
pub fn mutate(text: &str, seed: u32) -> String {
    let mut words = words(text);
    let mut numbers = Numbers(u64::from(seed));
    if words.is_empty() {
        return "(role r)".to_owned();
    }
    let (here, there) = (start(&words, &mut numbers), start(&words, &mut numbers));
    let (form, other) = (here..end(&words, here), there..end(&words, there));
    let copy = words[other.clone()].to_vec();
    match numbers.below(8) {
        0 => drop(words.drain(form)),
        1 => drop(words.splice(here..here, copy)),
        2 => drop(words.splice(form, copy)),
        3 if form.end <= there || other.end <= here => {
            let (first, second) = if here < there { (form, other) } else { (other, form) };
            let earlier = words[first.clone()].to_vec();
            let later: Vec<_> = words.splice(second, earlier).collect();
            drop(words.splice(first, later));
        }
        4 => {
            words.insert(form.end, ")".to_owned());
            let word = WORDS[numbers.below(WORDS.len())];
            drop(words.splice(here..here, ["(", word].map(str::to_owned)));
        }
        // Replaces a word everywhere, by another relation or constant.
        5 if words[here] != "(" && words[there] != "(" => {
            let (old, new) = (words[here].clone(), words[there].clone());
            words.iter_mut().filter(|word| **word == old).for_each(|word| word.clone_from(&new));
        }
        // Adds a literal to a rule.
        6 => {
            let rules: Vec<usize> = (1..words.len()).filter(|&place| words[place] == "<=").collect();
            if let Some(&rule) = rules.get(numbers.below(rules.len().max(1))) {
                let close = end(&words, rule - 1) - 1;
                drop(words.splice(close..close, copy));
            }
        }
        _ => WORDS[numbers.below(WORDS.len())].clone_into(&mut words[here]),
    }
    words.join(" ")
}
