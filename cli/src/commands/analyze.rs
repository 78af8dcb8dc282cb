//! `gdl analyze`: what a game is like, as random play shows it.

use crate::args::AnalyzeArgs;
use gdl_runtime::{Cancel, Game};
use gdl_tools::{
    analyze::{self, Figures, Settings, page, text},
    error::{Error, Result},
    game::Task,
    output,
    progress::Progress,
};
use std::{fs, io::Write};

/// Plays, prints the figures and writes the page.
///
/// # Errors
/// If the rulesheet is at fault, or something cannot be written.
pub(crate) fn run(args: &AnalyzeArgs) -> Result {
    let figures = args.game.with_dynamic(Analyze(args))?;
    if let Some(path) = &args.html {
        fs::write(path, page::page(&figures))
            .map_err(|error| Error::Input(format!("cannot write {}: {error}", path.display())))?;
    }
    if args.json {
        return output::json(&figures.to_json());
    }
    let mut out = output::stdout();
    text::print(&figures, &mut out)?;
    out.flush()?;
    Ok(())
}

struct Analyze<'a>(&'a AnalyzeArgs);

impl Task for Analyze<'_> {
    type Output = Figures;

    fn run<G: Game>(self, game: &G) -> Figures {
        let Self(args) = self;
        let settings = Settings {
            seed: args.seed,
            count: args.count.unwrap_or(Settings::DEFAULT_COUNT),
            seconds: args.seconds,
            threads: args.threads.unwrap_or(0),
            cancel: Cancel::default(),
        };
        let progress = match settings.seconds {
            Some(seconds) => Progress::timed("games", seconds),
            None => Progress::counted("games", settings.count),
        };
        let figures = analyze::analyze(&args.game.name(), game, &settings, &|done| progress.tell(done));
        figures.expect("nobody cancels it")
    }
}
