//! Diagnostics for people: plain text with the source line and a caret.
//!
//! In come diagnostics and their [`Source`], out goes text, with ANSI colours if the [`Palette`]
//! has any. What is quoted from the source is made harmless first: tabs become spaces, control
//! characters a replacement character, and long lines are cut around the caret.

use super::{Diagnostic, Diagnostics, Severity, Source, Span};
use std::fmt::{self, Write};

/// Escape sequences for the parts of a message.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// Before `error[..]`.
    pub error: &'static str,
    /// Before `warning[..]`.
    pub warning: &'static str,
    /// Before `lint[..]`.
    pub lint: &'static str,
    /// Before the place and the sentence.
    pub bold: &'static str,
    /// Before line numbers and bars.
    pub gutter: &'static str,
    /// Behind each of them.
    pub reset: &'static str,
}

impl Palette {
    /// No colours.
    pub const PLAIN: Self = Self { error: "", warning: "", lint: "", bold: "", gutter: "", reset: "" };

    /// Colours for a terminal.
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

/// Source lines are shown up to this many columns.
const WIDTH: usize = 120;

/// Messages are shown up to this many characters: a name they quote may be as long as the file.
const MESSAGE: usize = 600;

impl Diagnostic {
    /// The diagnostic as plain text, several lines with a line end each.
    #[must_use]
    pub fn render(&self, source: &Source) -> String {
        self.render_with(source, &Palette::PLAIN)
    }

    /// The diagnostic as text in the colours of `palette`.
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
        if let Some(help) = &self.help {
            writeln!(out, "{gutter}{:width$} ={reset} {bold}help:{reset} {}", "", clean(help))?;
        }
        Ok(())
    }
}

impl Diagnostics {
    /// All diagnostics as plain text, an empty line between two of them; errors up to
    /// [`Diagnostics::SHOWN`], then how many more there are.
    #[must_use]
    pub fn render(&self, source: &Source) -> String {
        self.render_with(source, &Palette::PLAIN)
    }

    /// All diagnostics as text in the colours of `palette`.
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
            let more = self.counts[severity as usize] - shown[severity as usize];
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

/// Text of a message without control characters, and not longer than [`MESSAGE`].
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

/// Characters that would reorder or hide the text beside them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// Columns of a terminal that a character takes, near enough: combining marks none, East Asian
/// characters and pictures two.
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

/// The source line of a span and the carets below it.
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
    let start = position.column - 1;
    // Only the part of a long line that can be shown is looked at.
    let before = line.chars().take(start).count();
    let marked =
        source.slice(span).chars().take_while(|c| !matches!(c, '\n' | '\r')).take(WIDTH).count().max(1);
    let room = WIDTH.saturating_sub(marked.min(WIDTH / 2)) / 2;
    let whole = line.chars().take(WIDTH + 1).count() <= WIDTH;
    let first = if whole { 0 } else { before.saturating_sub(room) };
    let last = if whole { usize::MAX } else { first + WIDTH };
    let (mut text, mut indent, mut carets) = (String::new(), 0, 0);
    if first > 0 {
        text.push_str("...");
        indent = 3;
    }
    let mut more = false;
    for (i, c) in line.chars().enumerate().skip(first) {
        if i >= last {
            more = true;
            break;
        }
        let taken = match c {
            '\t' => {
                text.push_str("    ");
                4
            }
            '\u{FEFF}' if i == 0 => 0,
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
