//! The parts of a rule for gringo, as text with its variables.

/// The text of an atom or of a body's literal, with its variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) text: String,
    /// The variables, one bit each.
    pub(super) variables: u64,
    /// True for a positive literal, which binds its variables.
    pub(super) binds: bool,
}

/// Appends the rule `head :- body.` to `text`.
pub(super) fn write_rule(head: &str, body: &[Part], text: &mut String) {
    text.push_str(head);
    for (place, part) in body.iter().enumerate() {
        text.push_str(if place == 0 { " :- " } else { ", " });
        text.push_str(&part.text);
    }
    text.push_str(".\n");
}
