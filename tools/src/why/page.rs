//! Explanations as text: a line for each atom and literal, indented below its conclusion.

use crate::output::{BAD, BOLD, CODE, DIM, GOOD};
use gdl_compiler::{
    Rules, Source, Span,
    eval::{Explanation, Literal, Reason},
};
use std::io::{self, Write};

/// The printer of explanations.
#[derive(Debug)]
pub struct Page<'a, W> {
    /// The rules that explanations refer to.
    pub rules: &'a Rules,
    /// The text of the rules.
    pub source: &'a Source,
    /// The output.
    pub out: W,
}

impl<W: Write> Page<'_, W> {
    /// Prints an explanation.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn print(&mut self, explanation: &Explanation) -> io::Result<()> {
        let verdict = if explanation.holds { "holds" } else { "does not hold" };
        writeln!(self.out, "{BOLD}{}{BOLD:#} {verdict}{}", explanation.atom, self.remark(explanation))?;
        self.reason(explanation, 1)
    }

    /// Returns the remark on an atom's line.
    fn remark(&self, explanation: &Explanation) -> String {
        match &explanation.reason {
            Reason::Given if explanation.atom.starts_with("(true") => {
                if explanation.holds { "" } else { ": it is not in the state" }.to_owned()
            }
            Reason::Given => if explanation.holds { "" } else { ": it is not the move made" }.to_owned(),
            Reason::Rule { rule, premises } if premises.is_empty() => {
                format!(": a fact, {}", self.place(self.rules.rules[*rule].head.span))
            }
            Reason::Rule { rule, .. } => format!(" by {}", self.place(self.rules.rules[*rule].head.span)),
            Reason::None(attempts) if attempts.is_empty() => ": no rule can give it".to_owned(),
            Reason::None(_) => String::new(),
            Reason::Deeper => ": ..".to_owned(),
        }
    }

    fn place(&self, span: Span) -> String {
        let at = self.source.position(span.start);
        format!("{CODE}{}:{}:{}{CODE:#}", self.source.name(), at.line, at.column)
    }

    /// Prints the premises of an atom, or for each attempt the literal that fails.
    fn reason(&mut self, explanation: &Explanation, level: usize) -> io::Result<()> {
        let indent = "  ".repeat(level);
        match &explanation.reason {
            Reason::Given | Reason::Deeper => {}
            Reason::Rule { premises, .. } => {
                for premise in premises {
                    self.literal(premise, true, level)?;
                }
            }
            Reason::None(attempts) => {
                for attempt in attempts {
                    let place = self.place(self.rules.rules[attempt.rule].head.span);
                    writeln!(self.out, "{indent}{place} {DIM}does not give it:{DIM:#}")?;
                    for held in &attempt.held {
                        writeln!(self.out, "{indent}  {GOOD}+{GOOD:#} {held}")?;
                    }
                    self.literal(&attempt.fails, false, level + 1)?;
                }
            }
        }
        Ok(())
    }

    /// Prints a literal that holds or fails, and the reason.
    fn literal(&mut self, literal: &Literal, holds: bool, level: usize) -> io::Result<()> {
        let indent = "  ".repeat(level);
        let sign = if holds { format!("{GOOD}+{GOOD:#}") } else { format!("{BAD}-{BAD:#}") };
        let Some(why) = &literal.why else {
            let remark = if !holds && literal.text.contains('?') { ": nothing fits" } else { "" };
            return writeln!(self.out, "{indent}{sign} {}{DIM}{remark}{DIM:#}", literal.text);
        };
        // The atom of `(not X)` is `X`. It is explained only if it holds.
        let remark = match (why.holds == holds, why.holds) {
            (true, _) => self.remark(why),
            (false, true) => format!(": {} holds{}", why.atom, self.remark(why)),
            (false, false) => String::new(),
        };
        writeln!(self.out, "{indent}{sign} {}{DIM}{remark}{DIM:#}", literal.text)?;
        // If `(not X)` holds, there is no explanation of why `X` does not hold.
        if holds && !why.holds { Ok(()) } else { self.reason(why, level + 1) }
    }
}
