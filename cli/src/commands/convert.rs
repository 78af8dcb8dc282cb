//! `gdl convert`: writes a rulesheet in another syntax.

use crate::args::rules::SyntaxArgs;
use clap::{Args, ValueEnum};
use gdl_compiler::{Options, Source, Syntax, convert::convert};
use gdl_tools::{
    error::{Error, Result},
    game::GameArg,
    load,
    output::{self, ODD},
    report,
};
use std::io::Write;

/// Arguments of `gdl convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
The syntax of the text is detected: KIF, infix GDL or Epilog. Epilog is translated into rules; it
cannot be written. Names that the other syntax does not allow are replaced, and listed on stderr.

Examples:
  gdl convert tictactoe --to infix
  gdl convert mygame.epilog --to kif > mygame.kif
  gdl convert draft.hrf --to kif")]
pub(crate) struct ConvertArgs {
    /// A built-in game or a rulesheet
    #[arg(value_name = "GAME")]
    pub game: GameArg,
    /// The syntax to write
    #[arg(long, value_enum)]
    pub to: Target,
    /// The syntax of the text.
    #[command(flatten)]
    pub syntax: SyntaxArgs,
}

/// A syntax that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// Lists, the form that game servers and players exchange
    Kif,
    /// `head(X) :- body(X)`, the form of textbooks and courses
    Infix,
}

impl Target {
    pub(crate) fn syntax(self) -> Syntax {
        match self {
            Self::Kif => Syntax::Kif,
            Self::Infix => Syntax::Infix,
        }
    }
}

/// Prints the rulesheet in the other syntax.
///
/// # Errors
/// Returns an error if the rulesheet cannot be read or translated, or writing to stdout fails.
pub(crate) fn run(args: &ConvertArgs) -> Result {
    let (source, _) = args.game.source()?;
    let text =
        rewritten(source, &Options { syntax: args.syntax.syntax(), ..load::quiet() }, args.to.syntax())?;
    let mut out = output::stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Converts a rulesheet to another syntax. Replaced names, and the diagnostics if it fails, go to
/// stderr.
#[cfg(feature = "network")]
pub(super) fn converted(source: Source, to: Syntax) -> Result<String> {
    rewritten(source, &load::quiet(), to)
}

fn rewritten(source: Source, options: &Options, to: Syntax) -> Result<String> {
    match convert(&source, options, to) {
        Ok(conversion) => {
            for (before, now) in &conversion.renamed {
                output::remark(format_args!("{ODD}remark{ODD:#}: `{before}` is written `{now}`"));
            }
            Ok(conversion.text)
        }
        Err(diagnostics) => {
            report::show(&diagnostics, &source);
            Err(Error::Rules(Box::new((source, *diagnostics))))
        }
    }
}
