//! `gdl why`: why something holds at a position of a game, or why not.

use clap::Args;
use gdl_compiler::{
    Rules, Source, Span,
    eval::{Evaluator, Explanation, Literal, Reason},
};
use gdl_tools::{
    error::{Error, Result},
    game::GameArg,
    load,
    output::{self, BAD, BOLD, CODE, DIM, GOOD},
    why::{Position, to_json},
};
use serde_json::json;
use std::io::{self, Write};

/// Arguments of `gdl why`.
#[derive(Debug, Args)]
#[command(after_help = "\
POSITION is one of
  start                        the initial state
  '((FLUENT) ..)'              a state
  'after (MOVE ..) ..'         the position after some joint moves, each with the moves of all roles
  FILE, FILE@N                 the end of a play that `gdl play` saved or `gdl match` recorded, or the
                               position after N joint moves; the move that follows is the one made

ATOM is what the rules speak of, such as `legal white (mark 1 1)`, `terminal`, `goal white 100`,
`true (cell 1 1 b)` or a relation of the rulesheet; `next` and `sees` are about the joint move that is
made. What holds is told with a rule that gives it and what that rests on; of what does not hold each rule that
might give it is told, with the literals that hold together and the first one that does not.

Examples:
  gdl why tictactoe start 'legal oplayer (mark 1 1)'
  gdl why tictactoe 'after ((mark 2 2) noop)' 'true (cell 2 2 b)'
  gdl why mygame.kif play.json@3 'goal white 100' --depth 1")]
pub(crate) struct WhyArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// Where it is asked
    pub position: String,
    /// What is asked about
    pub atom: String,
    /// The joint move that is made there: `(MOVE ..)`, with a move of each role
    #[arg(long, value_name = "JOINT")]
    pub making: Option<String>,
    /// How many rules deep to go
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub depth: u8,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Explains and prints.
///
/// # Errors
/// If the rulesheet is at fault, there is no such position or atom, or the rules take too much to be evaluated.
pub(crate) fn run(args: &WhyArgs) -> Result {
    let (source, options) = args.game.source()?;
    let text = source.clone();
    let rules = load::checked(source, &options)?;
    let oracle = Evaluator::with_limits(&rules, &options.limits);
    let oracle = oracle.map_err(|error| Error::Input(error.to_string()))?;
    let mut position = Position::read(&args.position, &oracle)?;
    if let Some(joint) = &args.making {
        position = position.making(&oracle, joint)?;
    }
    let explanation = position.ask(&rules, &oracle, &args.atom, usize::from(args.depth))?;
    if args.json {
        return output::json(&json!({
            "game": args.game.name(),
            "depth": position.depth,
            "state": position.state.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "why": to_json(&explanation, &rules, &text),
        }));
    }
    let mut page = Page { rules: &rules, source: &text, out: output::stdout() };
    page.print(&explanation)?;
    page.out.flush()?;
    Ok(())
}

/// What is printed of explanations, and where.
pub(crate) struct Page<'a, W> {
    /// The rules they speak of.
    pub rules: &'a Rules,
    /// The text of the rules.
    pub source: &'a Source,
    /// Where they go.
    pub out: W,
}

impl<W: Write> Page<'_, W> {
    /// Prints an explanation.
    pub(crate) fn print(&mut self, explanation: &Explanation) -> io::Result<()> {
        let verdict = if explanation.holds { "holds" } else { "does not hold" };
        writeln!(self.out, "{BOLD}{}{BOLD:#} {verdict}{}", explanation.atom, self.remark(explanation))?;
        self.reason(explanation, 1)
    }

    /// What is said of an atom on its line.
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

    /// What an atom rests on, or fails for.
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

    /// A literal that holds or does not, and why.
    fn literal(&mut self, literal: &Literal, holds: bool, level: usize) -> io::Result<()> {
        let indent = "  ".repeat(level);
        let sign = if holds { format!("{GOOD}+{GOOD:#}") } else { format!("{BAD}-{BAD:#}") };
        let Some(why) = &literal.why else {
            let remark = if !holds && literal.text.contains('?') { ": nothing fits" } else { "" };
            return writeln!(self.out, "{indent}{sign} {}{DIM}{remark}{DIM:#}", literal.text);
        };
        // Of `(not X)` the atom is X, of which it is told only if it holds.
        let remark = match (why.holds == holds, why.holds) {
            (true, _) => self.remark(why),
            (false, true) => format!(": {} holds{}", why.atom, self.remark(why)),
            (false, false) => String::new(),
        };
        writeln!(self.out, "{indent}{sign} {}{DIM}{remark}{DIM:#}", literal.text)?;
        // That something does not hold is told when it is asked for, or what is asked for fails for it.
        if holds && !why.holds { Ok(()) } else { self.reason(why, level + 1) }
    }
}
