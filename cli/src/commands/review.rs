//! `gdl review`: finds the mistakes of a recorded match.

use crate::args::{terms::TermsArgs, way::WayArgs};
use clap::Args;
use gdl_players::Budget;
use gdl_runtime::{Dynamic, Game};
use gdl_tools::{
    contest::DEFAULT_NODES,
    error::Result,
    game::GameArg,
    output::{self, BAD, BOLD, DIM, counted},
    players::{DEFAULT, Spec},
    progress::Progress,
    review::{self, Choice, Expectation},
    saved,
};
use serde_json::json;
use std::{io::Write, path::PathBuf};

/// Arguments of `gdl review`.
#[derive(Debug, Args)]
#[command(after_help = "\
The player searches each state in which a role has a choice. The expected goal is compared with the
one at the role's next choice, or with the goal at the end. Where it falls, the role made a mistake,
or the player was mistaken before; a value that is proved is marked by `!`.

Without --clock and --nodes, the player visits 10,000 nodes for each choice. With nodes the same seed
gives the same review.

Examples:
  gdl match connect_four best mcts -n 1 --clock 0.1 --record matches
  gdl review connect_four matches/connect_four.0.1.json --clock 1
  gdl review mygame.kif play.json --by mcts --least 20")]
pub(crate) struct ReviewArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// A file of `gdl match --record`, or a play that `gdl play` saved
    pub play: PathBuf,
    /// The player that searches
    #[arg(long, value_name = "PLAYER", default_value = DEFAULT)]
    pub by: Spec,
    /// The least fall of the expected goal that is shown, in points of 100
    #[arg(long, value_name = "POINTS", default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub least: u8,
    /// The cost of a choice.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// The engine that makes moves.
    #[command(flatten)]
    pub engine: WayArgs,
    /// Print one JSON object on stdout, with all choices
    #[arg(long)]
    pub json: bool,
}

/// Reviews the play and prints the mistakes.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the file is no play of the game, the player does
/// not report expected goals, or stdout cannot be written.
pub(crate) fn run(args: &ReviewArgs) -> Result {
    let joints = saved::joint_moves(&args.play)?;
    let player = args.by.told(&args.game)?;
    args.game.with_dynamic(args.engine.way, |game| {
        let history = review::history(game, &joints)?;
        let (clock, nodes) = (args.terms.clock(), args.terms.nodes(DEFAULT_NODES));
        let budget = || {
            let budget = clock.map_or_else(Budget::unlimited, Budget::within);
            nodes.into_iter().fold(budget, Budget::and_nodes)
        };
        let progress = Progress::counted("joint moves", joints.len() as u64);
        let choices = review::review(game, &history, &player, args.terms.seed, &budget, &|done| {
            progress.tell(done);
        })?;
        drop(progress);
        if args.json {
            return output::json(&json!({
                "game": args.game.name(),
                "play": args.play.display().to_string(),
                "joint_moves": joints.len(),
                "by": args.by.to_string(),
                "seed": args.terms.seed,
                "clock": args.terms.clock,
                "nodes": nodes,
                "choices": choices.iter().map(|choice| choice.to_json(game)).collect::<Vec<_>>(),
            }));
        }
        print(args, game, joints.len(), &choices)
    })?
}

fn print(args: &ReviewArgs, game: &Dynamic, joints: usize, choices: &[Choice]) -> Result {
    let mut out = output::stdout();
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} {DIM}{}, {} by {}{DIM:#}",
        args.game.name(),
        counted(joints, "joint move"),
        counted(choices.len(), "choice"),
        args.by
    )?;
    let least = f64::from(args.least);
    let shown: Vec<&Choice> =
        choices.iter().filter(|choice| choice.fall() > 0.0 && choice.fall() >= least).collect();
    if shown.is_empty() {
        writeln!(out, "no expected goal falls by {} or more", counted(usize::from(args.least), "point"))?;
        return Ok(out.flush()?);
    }
    let role = |choice: &Choice| game.vocabulary().roles().get(choice.role).unwrap_or("?").to_owned();
    let width = |least: usize, text: &dyn Fn(&Choice) -> usize| {
        shown.iter().map(|choice| text(choice)).max().unwrap_or(0).max(least)
    };
    let roles = width(4, &|choice| role(choice).chars().count());
    let moves = width(4, &|choice| choice.action.chars().count());
    writeln!(
        out,
        "{DIM}{:>6}  {:<roles$}  {:<moves$}  {:>8}  {:>8}  preferred{DIM:#}",
        "number", "role", "move", "expected", "then"
    )?;
    let goal = |it: Expectation| format!("{:.1}{}", it.goal, if it.is_exact { "!" } else { " " });
    for choice in shown {
        writeln!(
            out,
            "{:>6}  {:<roles$}  {:<moves$}  {:>8}  {BAD}{:>8}{BAD:#}  {}",
            choice.number,
            role(choice),
            choice.action,
            goal(choice.before),
            choice.after.map_or_else(String::new, goal),
            if choice.preferred == choice.action { "the same" } else { &choice.preferred }
        )?;
    }
    Ok(out.flush()?)
}
