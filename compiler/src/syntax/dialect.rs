//! Detection of the syntax of a text from its contents.
//!
//! File extensions do not decide, since `.hrf` names infix GDL and Epilog. Three tests decide, in
//! this order. A text with a form that starts with `(<=` is KIF. Otherwise it is KIF unless its
//! first sentence is a call such as `role(white)`, or has a sign after its head. Other texts are
//! Epilog if they have operations (`::`, `==>`), and infix GDL if they have none. O(bytes): all
//! tokens are read, unless the text begins with `(`.

use super::fence;
use super::tokens::{Token, tokens};
use crate::{Diagnostic, Source, Span};

/// A syntax that rulesheets are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Syntax {
    /// Prefix lists, `(<= (head ?x) (body ?x))`: what game servers and players exchange.
    #[default]
    Kif,
    /// `head(X) :- body(X)`: what textbooks and courses write.
    Infix,
    /// Infix rules for one state, and operations that change it:
    /// `move(X) :: condition(X) ==> effect(X)`.
    Epilog,
}

impl Syntax {
    /// The name in options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kif => "kif",
            Self::Infix => "infix",
            Self::Epilog => "epilog",
        }
    }

    /// The name in messages.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Kif => "KIF",
            Self::Infix => "infix GDL",
            Self::Epilog => "Epilog",
        }
    }

    /// Detects the syntax of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Reading::of(text).syntax
    }
}

/// The detected syntax of a text, and the evidence for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) syntax: Syntax,
    /// The place of the word or sign that decides; empty if none does.
    pub(super) sign: Span,
}

impl Reading {
    /// Adds the word or sign that decided the syntax to a fault, unless the syntax was given.
    pub(super) fn show(source: &Source, syntax: Syntax, fault: Diagnostic) -> Diagnostic {
        let reading = Self::of(source.text());
        if reading.syntax != syntax || reading.sign == Span::default() {
            return fault;
        }
        fault.label(reading.sign, "this shows which it is")
    }

    pub(super) fn of(text: &str) -> Self {
        let kif = |sign| Self { syntax: Syntax::Kif, sign };
        if let [first, ..] = &fence::outside(text)[..] {
            // Signs of the block are offset by the text before it.
            let rest = &text[first.end..];
            let block = &rest[..rest.find("```").unwrap_or(rest.len())];
            let Self { syntax, mut sign } = Self::of(block);
            if sign != Span::default() {
                sign.start += first.end as u32;
                sign.end += first.end as u32;
            }
            return Self { syntax, sign };
        }
        if opens_form(text) {
            return kif(Span::default());
        }
        let mut family: Option<Span> = None;
        let mut operation: Option<Span> = None;
        let mut last: Option<(Token, Span)> = None;
        let mut depth = 0_usize;
        for (token, span) in tokens(text) {
            let written = &text[span.start as usize..span.end as usize];
            if matches!(token, Token::Comment) {
                continue;
            }
            let touches = last.is_some_and(|(kind, before)| kind == Token::Word && before.end == span.start);
            match written {
                "<=" if last
                    .is_some_and(|(_, before)| &text[before.start as usize..before.end as usize] == "(") =>
                {
                    return kif(span);
                }
                "(" if family.is_none() && depth == 0 && !touches => family = Some(Span::default()),
                "(" if family.is_none() && depth == 0 => family = last.map(|(_, word)| word),
                ":-" | "::" | "==>" | "&" | "~" | ":=" if family.is_none() => family = Some(span),
                _ => {}
            }
            match written {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "::" | "==>" if operation.is_none() => operation = Some(span),
                _ => {}
            }
            last = Some((token, span));
        }
        match (family, operation) {
            (None, _) => kif(Span::default()),
            (Some(sign), _) if sign == Span::default() => kif(sign),
            (Some(_), Some(sign)) => Self { syntax: Syntax::Epilog, sign },
            (Some(sign), None) => Self { syntax: Syntax::Infix, sign },
        }
    }
}

/// Returns whether a text begins with a parenthesis, after comments. If it does, the rest of the
/// text is not examined.
fn opens_form(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{FEFF}').trim_ascii_start();
    while rest.starts_with(['%', ';']) {
        rest = rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..].trim_ascii_start();
    }
    rest.starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::Syntax;

    #[test]
    fn texts_tell_their_syntax() {
        for (text, syntax) in [
            ("", Syntax::Kif),
            ("; only\n% comments", Syntax::Kif),
            ("words alone", Syntax::Kif),
            ("(role white) role(black)", Syntax::Kif),
            ("flag (role white)", Syntax::Kif),
            ("role(white) (<= p q)", Syntax::Kif),
            ("% (role white)\nrole(white)", Syntax::Infix),
            ("flag\nrole(white)", Syntax::Infix),
            ("terminal :- p", Syntax::Infix),
            ("\u{FEFF}role(white)", Syntax::Infix),
            ("role(white)\n% a :: b\np :- q", Syntax::Infix),
            ("role(white) m :: p ==> q", Syntax::Epilog),
            ("a :: b", Syntax::Epilog),
        ] {
            assert_eq!(Syntax::of(text), syntax, "{text}");
        }
    }
}
