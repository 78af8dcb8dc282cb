//! Fingerprints of rulesheets: 64 hexadecimal digits, equal for KIF rulesheets that differ only in
//! white space and comments. In other syntaxes, line breaks count, since `%` comments end there;
//! only comments that begin with `;` are ignored.

use gdl_compiler::Syntax;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Returns the SHA-256 of the words and parentheses of a rulesheet, separated by single spaces. In
/// other syntaxes than KIF, a line break follows the words of each line that has any.
///
/// Words of KIF are lower-cased unless `case_sensitive`. In other syntaxes case always counts.
#[must_use]
pub fn fingerprint(text: &str, case_sensitive: bool) -> String {
    let is_kif = Syntax::of(text) == Syntax::Kif;
    let case_sensitive = case_sensitive || !is_kif;
    let mut hasher = Sha256::new();
    hasher.update(if case_sensitive { "gdl 1 case\n" } else { "gdl 1\n" });
    for line in text.split(['\n', '\r']) {
        let code = line.split(';').next().unwrap_or_default();
        let spaced = code.replace('(', " ( ").replace(')', " ) ");
        let mut is_blank = true;
        for word in spaced.split([' ', '\t', '\u{c}']).filter(|word| !word.is_empty()) {
            is_blank = false;
            let folded = if case_sensitive { word.to_owned() } else { word.to_ascii_lowercase() };
            hasher.update(folded);
            hasher.update(" ");
        }
        if !is_kif && !is_blank {
            hasher.update("\n");
        }
    }
    digits(hasher)
}

/// Returns the SHA-256 of pairs of a rulesheet's name and its fingerprint, in the given order.
pub fn of_all<'a>(rulesheets: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut hasher = Sha256::new();
    hasher.update("gdl folder 1\n");
    for (name, fingerprint) in rulesheets {
        // The length before each name makes the text unambiguous, even for names with line breaks.
        hasher.update(format!("{} {name} {fingerprint}\n", name.len()));
    }
    digits(hasher)
}

fn digits(hasher: Sha256) -> String {
    hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{fingerprint, of_all};

    #[test]
    fn only_words_and_parentheses_count() {
        let plain = fingerprint("(role x)(init a)", false);
        assert_eq!(plain.len(), 64);
        assert_eq!(plain, fingerprint("; a comment\n( ROLE\tx )\r\n(init   a) ; more", false));
        assert_ne!(plain, fingerprint("(role x)(init a)", true));
        assert_ne!(plain, fingerprint("(role x)(init b)", false));
    }

    #[test]
    fn case_counts_in_infix_and_epilog() {
        for (variable, constant) in [
            ("role(x)\nlegal(x, M) :- move(M)", "role(x)\nlegal(x, m) :- move(M)"),
            ("m(S) :: true ==> on(S)", "m(s) :: true ==> on(S)"),
        ] {
            assert_ne!(fingerprint(variable, false), fingerprint(constant, false));
            assert_eq!(fingerprint(variable, false), fingerprint(variable, true));
        }
    }

    #[test]
    fn comments_end_with_their_line_in_infix() {
        let rules = "role(r) % c\ninit(p)\nlegal(r, M) :- move(M)";
        let commented = rules.replacen('\n', " ", 1);
        assert_ne!(fingerprint(rules, false), fingerprint(&commented, false));
        assert_eq!(fingerprint(rules, false), fingerprint(&rules.replace('\n', "\r\n\n"), false));
    }

    #[test]
    fn names_and_order_count_in_folders() {
        let all = |list: &[(&str, &str)]| of_all(list.iter().copied());
        assert_ne!(all(&[("a", "1"), ("b", "2")]), all(&[("b", "2"), ("a", "1")]));
        assert_ne!(all(&[("a", "1")]), all(&[("b", "1")]));
    }
}
