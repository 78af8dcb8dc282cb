//! `gdl scramble`: replaces the names of a rulesheet by meaningless ones.

use super::{
    convert::{Target, converted},
    equal,
};
use clap::Args;
use gdl_compiler::{Options, Source, format::format};
use gdl_tools::{
    equal::{Bounds, EqualityVerdict, compare},
    error::{Error, Result},
    game::{GameArg, settle},
    load::{self, play},
    output,
    progress::Progress,
};
use std::io::Write;

/// Arguments of `gdl scramble`.
#[derive(Debug, Args)]
#[command(after_help = "\
Every name and variable becomes a word drawn from the seed, except for numbers and keywords. Comments
are removed, so a player or a language model has only the rules to go by. A line on stderr tells to
what extent the result was proved to be the same game.

Examples:
  gdl scramble tictactoe --seed 7 > nameless.kif
  gdl scramble mygame.epilog --to infix")]
pub(crate) struct ScrambleArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// Seed of the names
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The syntax to write
    #[arg(long, value_enum, default_value = "kif")]
    pub to: Target,
}

/// Scrambles the rulesheet, compares the result with the original and prints it if no difference
/// was found.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the games differ, or writing to stdout fails.
pub(crate) fn run(args: &ScrambleArgs) -> Result {
    let (source, options) = args.game.source()?;
    let sheet = equal::sheet(&args.game)?.scrambled(args.seed);
    let scrambled = sheet.kif();
    let name = format!("{} (scrambled)", source.name());
    let text = format(&Source::new(&name, lines(scrambled)), &Options::default())
        .map_err(|faults| Error::Rules(Box::new((Source::new(&name, scrambled), *faults))))?;
    let silent = Options { lenient: options.lenient, ..load::quiet() };
    let game = play(source, &options, None)?;
    let other = play(Source::new(&name, &text), &silent, None)?;
    let bounds = Bounds { seed: args.seed, ..Bounds::default() };
    let progress = Progress::counted("pairs of states", bounds.states as u64);
    let verdict = compare(&game, &other, |text| sheet.to_kif(text), &bounds, &mut |walked| {
        progress.tell(walked as u64);
    });
    drop(progress);
    settle(&game)?;
    let mut said = Vec::new();
    equal::print(&verdict, &mut said)?;
    output::remark(String::from_utf8_lossy(&said).trim_end());
    if matches!(verdict, EqualityVerdict::Different { .. }) {
        return Err(Error::Reported);
    }
    let text =
        if args.to == Target::Kif { text } else { converted(Source::new(&name, text), args.to.syntax())? };
    let mut out = output::stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Puts each top-level form on a line of its own.
fn lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for c in text.chars() {
        lines.push(c);
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    lines.push('\n');
                }
            }
            _ => {}
        }
    }
    lines
}
