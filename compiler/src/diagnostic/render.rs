//! Rendering of diagnostics as text, with the source line and a caret.
//!
//! Diagnostics and their [`Source`] become text, with ANSI colours if the [`Palette`] has any.
//! Quoted source is sanitised first: tabs become spaces, control characters a replacement
//! character, and long lines are cut around the caret. Only the visible part of a long line is
//! read, except to count columns.

use super::{Diagnostic, Diagnostics, Severity, Source, Span, Witness};
use std::fmt::{self, Write};

/// Escape sequences for the parts of a message.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// The code before `error[..]`.
    pub error: &'static str,
    /// The code before `warning[..]`.
    pub warning: &'static str,
    /// The code before `lint[..]`.
    pub lint: &'static str,
    /// The code before the place and the message.
    pub bold: &'static str,
    /// The code before line numbers and bars.
    pub gutter: &'static str,
    /// The code after each of these parts.
    pub reset: &'static str,
}

impl Palette {
    /// The palette without colours.
    pub const PLAIN: Self = Self { error: "", warning: "", lint: "", bold: "", gutter: "", reset: "" };

    /// The palette for a colour terminal.
    pub const COLOUR: Self = Self {
        error: "\u{1b}[1;31m",
        warning: "\u{1b}[1;33m",
        lint: "\u{1b}[1;36m",
        bold: "\u{1b}[1m",
        gutter: "\u{1b}[34m",
        reset: "\u{1b}[0m",
    };

    fn severity(&self, severity: Severity) -> &'static str {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Lint => self.lint,
        }
    }
}

/// The most characters of a source line that are shown.
const WIDTH: usize = 120;

/// The numbers of moves of a witness that are shown at the start and at the end.
const MOVES: (usize, usize) = (6, 4);

/// The most characters of a message that are shown, since a quoted name may be as long as the file.
const MESSAGE: usize = 600;

impl Diagnostic {
    /// Renders the diagnostic as plain text of several lines.
    #[must_use]
    pub fn render(&self, source: &Source) -> String {
        self.render_with(source, &Palette::PLAIN)
    }

    /// Renders the diagnostic as text in the colours of `palette`.
    #[must_use]
    pub fn render_with(&self, source: &Source, palette: &Palette) -> String {
        let mut out = String::new();
        self.write(source, palette, &mut out).ok(); // writing to a string cannot fail
        out
    }

    fn write(&self, source: &Source, palette: &Palette, out: &mut String) -> fmt::Result {
        let Palette { bold, gutter, reset, .. } = *palette;
        let place = self.span.map(|span| place(source, span));
        let colour = palette.severity(self.severity);
        writeln!(
            out,
            "{bold}{}{}:{reset} {colour}{}[{}]{reset}{bold}: {}{reset}",
            clean(source.name()),
            place.unwrap_or_default(),
            self.severity,
            self.code.id,
            clean(&self.message),
        )?;
        let spans = self.span.iter().chain(self.labels.iter().map(|label| &label.span));
        let last = spans.map(|span| source.position(span.start).line).max();
        let width = last.map_or(0, |line| line.to_string().len());
        if let Some(span) = self.span {
            writeln!(out, "{gutter}{:width$} |{reset}", "")?;
            write_line(source, span, &self.note, colour, palette, width, out)?;
        }
        for label in &self.labels {
            let place = self::place(source, label.span);
            let text = clean(&label.text);
            let colon = if text.is_empty() { "" } else { ": " };
            writeln!(out, "{gutter}{:width$} :::{reset} {}{place}{colon}{text}", "", clean(source.name()))?;
            write_line(source, label.span, "", gutter, palette, width, out)?;
        }
        if let Some(witness) = &self.witness {
            write_witness(witness, palette, width, out)?;
        }
        if let Some(help) = &self.help {
            writeln!(out, "{gutter}{:width$} ={reset} {bold}help:{reset} {}", "", clean(help))?;
        }
        Ok(())
    }
}

impl Diagnostics {
    /// Renders all diagnostics as plain text, with an empty line between two of them. At most
    /// [`Diagnostics::SHOWN`] of each severity are shown, followed by the number of others.
    #[must_use]
    pub fn render(&self, source: &Source) -> String {
        self.render_with(source, &Palette::PLAIN)
    }

    /// Renders all diagnostics as text in the colours of `palette`.
    #[must_use]
    pub fn render_with(&self, source: &Source, palette: &Palette) -> String {
        let mut out = String::new();
        let mut shown = [0; 3];
        for diagnostic in self.iter() {
            let shown = &mut shown[diagnostic.severity as usize];
            if *shown < Self::SHOWN {
                *shown += 1;
                let gap = if out.is_empty() { "" } else { "\n" };
                out.push_str(gap);
                out.push_str(&diagnostic.render_with(source, palette));
            }
        }
        for severity in [Severity::Error, Severity::Warning, Severity::Lint] {
            let more = self.count(severity) - shown[severity as usize];
            if more > 0 {
                let plural = if more == 1 { "" } else { "s" };
                writeln!(out, "\nand {more} more {severity}{plural}").ok();
            }
        }
        out
    }
}

fn place(source: &Source, span: Span) -> String {
    let position = source.position(span.start);
    format!(":{}:{}", position.line, position.column)
}

/// Replaces control and invisible characters of a message, and cuts it after [`MESSAGE`]
/// characters.
fn clean(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(MESSAGE)
        .map(|c| if c.is_control() || is_invisible(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.len() > out.len() && text.chars().nth(MESSAGE).is_some() {
        out.push_str("..");
    }
    out
}

/// Returns whether a character may reorder or hide the text next to it.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// The approximate number of terminal columns of a character: 0 for combining marks, 2 for East
/// Asian characters and pictures, otherwise 1.
fn columns(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36F}'
        | '\u{1AB0}'..='\u{1AFF}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{FE00}'..='\u{FE0F}' => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        _ => 1,
    }
}

/// Writes the moves of a witness, one joint move a line, and the state they lead to.
fn write_witness(witness: &Witness, palette: &Palette, width: usize, out: &mut String) -> fmt::Result {
    let Palette { bold, gutter, reset, .. } = *palette;
    let Witness { roles, moves, state, repeats: _ } = witness;
    write!(out, "{gutter}{:width$} ={reset} {bold}moves:{reset}", "")?;
    if moves.is_empty() {
        writeln!(out, " none, this is the initial state")?;
    }
    let (first, last) = MOVES;
    let digits = moves.len().to_string().len();
    let mut indent = 0;
    for (i, joint) in moves.iter().enumerate() {
        // Hiding one move would not save a line.
        let hidden = moves.len().saturating_sub(first + last);
        if hidden > 1 && (first..first + hidden).contains(&i) {
            if i == first {
                writeln!(out, "{:indent$} {:digits$}  .. {hidden} more", "", "")?;
            }
            continue;
        }
        let moves: Vec<String> =
            roles.iter().zip(joint).map(|(role, action)| format!("{role} {action}")).collect();
        writeln!(out, "{:indent$} {:>digits$}. {}", "", i + 1, clean(&moves.join(", ")))?;
        // Later moves are aligned with the first one, which follows `moves:`.
        indent = width + " = moves:".len();
    }
    writeln!(out, "{gutter}{:width$} ={reset} {bold}state:{reset} {}", "", clean(state))
}

/// Writes the source line of a span and the carets below it.
fn write_line(
    source: &Source,
    span: Span,
    note: &str,
    colour: &str,
    palette: &Palette,
    width: usize,
    out: &mut String,
) -> fmt::Result {
    let Palette { gutter, reset, .. } = *palette;
    let position = source.position(span.start);
    let line = source.line(position.line);
    let mut start = (span.start - source.lines[position.line - 1]).min(line.len() as u32) as usize;
    while !line.is_char_boundary(start) {
        start -= 1;
    }
    let marked =
        source.slice(span).chars().take_while(|c| !matches!(c, '\n' | '\r')).take(WIDTH).count().max(1);
    let room = WIDTH.saturating_sub(marked.min(WIDTH / 2)) / 2;
    let whole = line.chars().take(WIDTH + 1).count() <= WIDTH;
    let shown = line[..start].char_indices().rev().map(|(place, _)| place).take(room);
    let first = if whole { 0 } else { shown.last().unwrap_or(start) };
    let last = if whole { usize::MAX } else { WIDTH };
    let start = line[first..start].chars().count();
    let (mut text, mut indent, mut carets) = (String::new(), 0, 0);
    if first > 0 {
        text.push_str("...");
        indent = 3;
    }
    let mut more = false;
    for (i, c) in line[first..].chars().enumerate() {
        if i >= last {
            more = true;
            break;
        }
        let taken = match c {
            '\t' => {
                text.push_str("    ");
                4
            }
            '\u{FEFF}' if i + first == 0 => 0,
            c if c.is_control() || is_invisible(c) => {
                text.push(char::REPLACEMENT_CHARACTER);
                1
            }
            c => {
                text.push(c);
                columns(c)
            }
        };
        if i < start {
            indent += taken;
        } else if i < start + marked {
            carets += taken;
        }
    }
    if more {
        text.push_str("...");
    }
    writeln!(out, "{gutter}{:>width$} |{reset} {}", position.line, text.trim_end())?;
    let carets = "^".repeat(carets.max(1));
    let gap = if note.is_empty() { "" } else { " " };
    writeln!(out, "{gutter}{:width$} |{reset} {:indent$}{colour}{carets}{gap}{}{reset}", "", "", clean(note))
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Diagnostics, Palette, Span, Witness};
    use crate::{Options, Source, check, diagnostic::codes, syntax};

    const GAME: &str = "(role w)\n(init (p 1))\n(legal w go)\n(<= (next (p 2)) (true (p 1)))\n\
        (<= terminal (true (p 2)))\n(goal w 100)\n";

    fn check(text: &str, expected: &str) {
        let source = Source::new("test.kif", text);
        let options = Options::default();
        let mut diagnostics = Diagnostics::default();
        let tree = syntax::parse(&source, &options, &mut diagnostics);
        check::check(&tree, &source, &options, &mut diagnostics);
        diagnostics.sort();
        let actual = diagnostics.render(&source);
        assert!(actual == expected, "{actual}\nis not\n{expected}");
    }

    #[test]
    fn one_place() {
        check(
            &format!("{GAME}(<= (next (mark ?m ?n))\n    (true (p ?n)))\n"),
            "\
test.kif:7:17: error[GDL085]: unsafe variable `?m`
  |
7 | (<= (next (mark ?m ?n))
  |                 ^^ not bound by any positive literal
  = help: add a positive literal with `?m` to the body
",
        );
    }

    #[test]
    fn two_places() {
        check(
            &format!("{GAME}\n\n\n(<= (next (q ?x)) (true (p ?x)) (r ?x))\n(r 1 2)\n"),
            "\
test.kif:11:2: warning[GDL021]: relation `r` is used with 2 arguments here and with 1 argument elsewhere
   |
11 | (r 1 2)
   |  ^
   ::: test.kif:10:34: first used with 1 argument here
10 | (<= (next (q ?x)) (true (p ?x)) (r ?x))
   |                                  ^
   = help: give both the same number of arguments, or use two names: these are two relations
",
        );
    }

    #[test]
    fn a_path() {
        check(
            &format!(
                "{GAME}(<= (goal w 50) moved)\n(<= moved\n    (other w))\n(<= (other ?r) (does ?r go))\n"
            ),
            "\
test.kif:7:17: error[GDL057]: `goal` may not depend on `does`: `goal` <- `moved` <- `other` <- `does`
   |
 7 | (<= (goal w 50) moved)
   |                 ^^^^^ `goal` depends on `moved`
   ::: test.kif:9:6: `moved` depends on `other`
 9 |     (other w))
   |      ^^^^^
   ::: test.kif:10:17: `other` depends on `does`
10 | (<= (other ?r) (does ?r go))
   |                 ^^^^
   = help: use `true` or another relation: this is decided before the players move
",
        );
    }

    #[test]
    fn no_place() {
        check(
            "(role w)\n(init (p 1))\n(legal w go)\n(<= (next (p 2)) (true (p 1)))\n(goal w 100)\n",
            "\
test.kif: error[GDL031]: there is no rule for `terminal`: the game never ends
 = help: write `(<= terminal ..)`
",
        );
    }

    #[test]
    fn near_names() {
        check(
            &format!("{GAME}(succ 1 2)\n(<= (next (p ?x)) (true (p ?y)) (suc ?y ?x) (succ ?y ?x))\n"),
            "\
test.kif:8:34: warning[GDL100]: relation `suc` is never defined
  |
8 | (<= (next (p ?x)) (true (p ?y)) (suc ?y ?x) (succ ?y ?x))
  |                                  ^^^ this literal never holds
  = help: did you mean `succ`?
",
        );
    }

    #[test]
    fn tabs_and_wide_characters_keep_the_caret_below() {
        check(
            &format!("{GAME}\t(p \u{4e2d}\u{6587} ?)\n"),
            "\
test.kif:7:5: error[GDL005]: character U+4E2D in an identifier is not ASCII
  |
7 |     (p \u{4e2d}\u{6587} ?)
  |        ^^
  = help: use letters, digits, `_`, `+` and `-`

test.kif:7:8: error[GDL007]: variable with an empty name
  |
7 |     (p \u{4e2d}\u{6587} ?)
  |             ^
  = help: write a name after the question mark, such as `?x`
",
        );
    }

    #[test]
    fn long_lines_are_cut_and_controls_are_harmless() {
        let text = format!("{}(p \u{1b}[31m) {}", "(q 1) ".repeat(40), "(q 1) ".repeat(40));
        let source = Source::new("long.kif", text);
        let mut diagnostics = Diagnostics::default();
        syntax::parse(&source, &Options::default(), &mut diagnostics);
        let shown = diagnostics.render(&source);
        assert!(shown.starts_with("long.kif:1:244: error[GDL006]: control character U+001B\n"), "{shown}");
        assert!(!shown.contains('\u{1b}'));
        let line = shown.lines().nth(2).unwrap();
        assert!(line.starts_with("1 | ...") && line.ends_with("...") && line.chars().count() < 135, "{line}");
        let caret = shown.lines().nth(3).unwrap().find('^').unwrap();
        assert_eq!(line.chars().nth(caret), Some('\u{FFFD}'));
    }

    #[test]
    fn long_plays_are_cut_in_the_middle() {
        let source = Source::new("play.kif", GAME);
        let moves = |count| vec![vec!["(put 1)".to_owned(), "noop".to_owned()]; count];
        let shown = |count: usize| {
            let roles = vec!["x".to_owned(), "o".to_owned()];
            let witness = Witness { roles, moves: moves(count), state: "((p 2))".to_owned(), repeats: None };
            Diagnostic::new(&codes::NON_TERMINATING, Span::new(1, 5), "m").witness(witness).render(&source)
        };
        assert!(shown(0).ends_with("\n  = moves: none, this is the initial state\n  = state: ((p 2))\n"));
        let short = "  = moves: 1. x (put 1), o noop\n           2. x (put 1), o noop\n  = state: ((p 2))\n";
        assert!(shown(2).ends_with(short), "{}", shown(2));
        assert!(!shown(11).contains("more"), "a gap of one is not worth it");
        let long = shown(12);
        assert!(
            long.contains("            6. x (put 1), o noop\n               .. 2 more\n            9. x"),
            "{long}"
        );
        assert!(long.contains("           12. x (put 1), o noop\n  = state"), "{long}");
    }

    #[test]
    fn many_faults_are_counted() {
        let source = Source::new("many.kif", "(p ?)\n".repeat(5_000));
        let mut diagnostics = Diagnostics::default();
        syntax::parse(&source, &Options::default(), &mut diagnostics);
        let shown = diagnostics.render(&source);
        assert_eq!(shown.matches("error[GDL007]").count(), Diagnostics::SHOWN);
        assert!(shown.ends_with("\nand 4980 more errors\n"), "{shown}");
    }

    #[test]
    fn colours_change_nothing_else() {
        let source = Source::new("colour.kif", "(p ?)");
        let mut diagnostics = Diagnostics::default();
        syntax::parse(&source, &Options::default(), &mut diagnostics);
        let mut coloured = diagnostics.render_with(&source, &Palette::COLOUR);
        let Palette { error, warning, lint, bold, gutter, reset } = Palette::COLOUR;
        assert!(coloured.contains(error));
        for escape in [error, warning, lint, bold, gutter, reset] {
            coloured = coloured.replace(escape, "");
        }
        assert_eq!(coloured, diagnostics.render(&source));
    }
}
