//! Mutants of rulesheets in infix GDL and Epilog. Many are still valid games.
//!
//! A text is split into sentences of words and signs. Sentences are dropped, copied with another
//! word and given another head. Literals are dropped, negated and copied; words are replaced.
//! Rarely a sign is lost or doubled, which makes the text invalid. Takes time and memory in
//! proportion to the text.

use gdl_runtime::chance::Stream;

/// The words and signs of a sentence.
type Sentence = Vec<String>;

const SIGNS: [&str; 5] = ["==>", ":-", "::", ":=", ".."];

/// The sentences of a text, each written on one line.
#[must_use]
pub fn sentences(text: &str) -> Vec<String> {
    cut(text).iter().map(written).collect()
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

fn is_variable(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
}

/// The words and signs of a text, without comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest = line.split(['%', ';']).next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_*+-./".contains(c)));
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
            let length = match word.unwrap_or(rest.len()) {
                0 => sign.unwrap_or(first.len_utf8()),
                length => length,
            };
            tokens.push(rest[..length].to_owned());
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// Splits a text into sentences. A sentence ends before a word that follows a word or the last
/// closing parenthesis.
fn cut(text: &str) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = Vec::new();
    let mut depth = 0_usize;
    for token in tokens(text) {
        let last = sentences.last().and_then(|sentence| sentence.last());
        let is_over = last.is_none_or(|last| depth == 0 && (is_word(last) || last == ")"));
        if is_over && (is_word(&token) || last.is_none()) {
            sentences.push(Vec::new());
        }
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(sentence) = sentences.last_mut() {
            sentence.push(token);
        }
    }
    sentences
}

fn written(sentence: &Sentence) -> String {
    let mut text = String::new();
    for token in sentence {
        match token.as_str() {
            "&" | "|" => text.extend([" ", token, " "]),
            sign if SIGNS.contains(&sign) => text.extend([" ", sign, " "]),
            "," => text.push_str(", "),
            token => text.push_str(token),
        }
    }
    text
}

/// The ranges of tokens of the body's literals.
fn literals(sentence: &Sentence) -> Vec<(usize, usize)> {
    let Some(sign) = sentence.iter().position(|token| matches!(token.as_str(), ":-" | "::")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let (mut start, mut depth) = (sign + 1, 0_usize);
    for (place, token) in sentence.iter().enumerate().skip(sign + 1) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "&" | "==>" if depth == 0 => {
                found.push((start, place));
                start = place + 1;
            }
            _ => {}
        }
    }
    found.push((start, sentence.len()));
    found
}

struct Editor {
    stream: Stream,
    sentences: Vec<Sentence>,
}

/// The possible changes. A change returns `None` if it does not apply.
const CHANGES: [fn(&mut Editor) -> Option<()>; 10] = [
    Editor::drop_sentence,
    Editor::copy_sentence,
    Editor::exchange_heads,
    Editor::drop_literal,
    Editor::copy_literal,
    Editor::deny,
    Editor::change_word,
    Editor::change_word,
    Editor::rename,
    Editor::change_sign,
];

/// The sentences of a rulesheet after one to three changes, determined by `seed` and `number`.
#[must_use]
pub fn mutate(text: &str, seed: u64, number: u64) -> Vec<String> {
    let mut editor = Editor { stream: Stream::new(seed, number), sentences: cut(text) };
    for _ in 0..=editor.below(3) {
        // Tries a limited number of changes, since not every change applies.
        for _ in 0..8 {
            let change = CHANGES[editor.below(CHANGES.len())];
            if change(&mut editor).is_some() {
                break;
            }
        }
    }
    editor.sentences.iter().map(written).collect()
}

impl Editor {
    fn below(&mut self, end: usize) -> usize {
        self.stream.below(end as u64) as usize
    }

    fn sentence(&mut self) -> Option<usize> {
        (!self.sentences.is_empty()).then(|| self.below(self.sentences.len()))
    }

    /// A random literal of a random sentence: the sentence's index and the range of tokens.
    fn literal(&mut self) -> Option<(usize, (usize, usize))> {
        let sentence = self.sentence()?;
        let all = literals(&self.sentences[sentence]);
        let literal = *all.get(self.below(all.len()))?;
        Some((sentence, literal))
    }

    /// A random word: the indices of its sentence and token.
    fn word(&mut self) -> Option<(usize, usize)> {
        let sentence = self.sentence()?;
        let words: Vec<usize> =
            (0..self.sentences[sentence].len()).filter(|&i| is_word(&self.sentences[sentence][i])).collect();
        let word = *words.get(self.below(words.len()))?;
        Some((sentence, word))
    }

    fn drop_sentence(&mut self) -> Option<()> {
        let sentence = self.sentence()?;
        self.sentences.remove(sentence);
        Some(())
    }

    /// Copies a sentence with another word.
    fn copy_sentence(&mut self) -> Option<()> {
        let sentence = self.sentence()?;
        let mut copy = self.sentences[sentence].clone();
        let (other, word) = self.word()?;
        let new = self.sentences[other][word].clone();
        let same: Vec<usize> = (0..copy.len())
            .filter(|&i| is_word(&copy[i]) && is_variable(&copy[i]) == is_variable(&new))
            .collect();
        copy[*same.get(self.below(same.len()))?] = new;
        self.sentences.push(copy);
        Some(())
    }

    fn exchange_heads(&mut self) -> Option<()> {
        let [left, right] = [self.sentence()?, self.sentence()?];
        let head = |sentence: &Sentence| {
            sentence.iter().position(|token| matches!(token.as_str(), ":-" | "::")).unwrap_or(sentence.len())
        };
        let [one, two] = [left, right].map(|place| head(&self.sentences[place]));
        let first = self.sentences[left][..one].to_vec();
        let second: Vec<String> = self.sentences[right].splice(..two, first).collect();
        if left != right {
            self.sentences[left].splice(..one, second);
        }
        Some(())
    }

    fn drop_literal(&mut self) -> Option<()> {
        let (sentence, (start, end)) = self.literal()?;
        let length = self.sentences[sentence].len();
        // Drops the literal together with the sign after it, or before it if it is the last.
        let all = if end < length { start..end + 1 } else { start - 1..end };
        self.sentences[sentence].drain(all);
        Some(())
    }

    fn copy_literal(&mut self) -> Option<()> {
        let ((from, (start, end)), (to, (place, _))) = (self.literal()?, self.literal()?);
        let mut copy = self.sentences[from][start..end].to_vec();
        copy.push("&".to_owned());
        self.sentences[to].splice(place..place, copy);
        Some(())
    }

    fn deny(&mut self) -> Option<()> {
        let (sentence, (start, _)) = self.literal()?;
        let tokens = &mut self.sentences[sentence];
        if tokens.get(start)? == "~" {
            tokens.remove(start);
        } else {
            tokens.insert(start, "~".to_owned());
        }
        Some(())
    }

    fn change_word(&mut self) -> Option<()> {
        let ((from, word), (to, place)) = (self.word()?, self.word()?);
        self.sentences[to][place] = self.sentences[from][word].clone();
        Some(())
    }

    /// Replaces a word by another everywhere.
    fn rename(&mut self) -> Option<()> {
        let ((from, word), (to, place)) = (self.word()?, self.word()?);
        let (old, new) = (self.sentences[from][word].clone(), self.sentences[to][place].clone());
        if is_variable(&old) != is_variable(&new) {
            return None;
        }
        for token in self.sentences.iter_mut().flatten().filter(|token| **token == old) {
            token.clone_from(&new);
        }
        Some(())
    }

    /// Drops, doubles or replaces a sign. Rare, since most results cannot be parsed.
    fn change_sign(&mut self) -> Option<()> {
        if self.below(3) > 0 {
            return None;
        }
        let sentence = self.sentence()?;
        let signs: Vec<usize> =
            (0..self.sentences[sentence].len()).filter(|&i| !is_word(&self.sentences[sentence][i])).collect();
        let sign = *signs.get(self.below(signs.len()))?;
        match self.below(3) {
            0 => drop(self.sentences[sentence].remove(sign)),
            1 => {
                let copy = self.sentences[sentence][sign].clone();
                self.sentences[sentence].insert(sign, copy);
            }
            _ => {
                let others = ["(", ")", "&", "|", "~", ":-", "::", "==>", ",", "!"];
                let other = others[self.below(others.len())];
                other.clone_into(&mut self.sentences[sentence][sign]);
            }
        }
        Some(())
    }
}
