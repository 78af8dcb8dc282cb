//! `gdl why`: explains why an atom holds at a position of a game, or why not.

use clap::Args;
use gdl_compiler::eval::Evaluator;
use gdl_tools::{
    error::{Error, Result},
    game::GameArg,
    load, output,
    why::{Page, Position, to_json},
};
use serde_json::json;
use std::io::Write;

/// Arguments of `gdl why`.
#[derive(Debug, Args)]
#[command(after_help = "\
POSITION is one of
  start                  the initial state
  '((FLUENT) ..)'        a state
  'after (MOVE ..) ..'   the state after these joint moves, each with all roles' moves
  FILE                   the last state of a file of `gdl play` or `gdl match`
  FILE@N                 the state after its first N joint moves; the next one is made

ATOM is an atom of the rules, such as `legal white (mark 1 1)`, `terminal`, `goal white 100`,
`true (cell 1 1 b)` or an atom of any other relation. `next` and `sees` need a joint move: that of
--making, or the next one of FILE@N.

If the atom holds, one rule that derives it is printed, with a reason for each of its literals.
Otherwise each rule that could derive it is printed, with the literals that hold together and the
first one that fails.

Examples:
  gdl why tictactoe start 'legal oplayer (mark 1 1)'
  gdl why tictactoe 'after ((mark 2 2) noop)' 'true (cell 2 2 b)'
  gdl why mygame.kif play.json@3 'goal white 100' --depth 1")]
pub(crate) struct WhyArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// The position
    pub position: String,
    /// The atom
    pub atom: String,
    /// The joint move that is made there: `(MOVE ..)`, with a move of each role
    #[arg(long, value_name = "JOINT")]
    pub making: Option<String>,
    /// The greatest depth of the explanation, in rules
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub depth: u8,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Explains the atom and prints the explanation.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the position or the atom is invalid, evaluation
/// exceeds its limits, or writing to stdout fails.
pub(crate) fn run(args: &WhyArgs) -> Result {
    let (source, options) = args.game.source()?;
    let text = source.clone();
    let rules = load::checked(source, &options)?;
    let evaluator = Evaluator::with_limits(&rules, &options.limits);
    let evaluator = evaluator.map_err(|error| Error::Input(error.to_string()))?;
    let mut position = Position::read(&args.position, &evaluator)?;
    if let Some(joint) = &args.making {
        position = position.making(&evaluator, joint)?;
    }
    let explanation = position.ask(&rules, &evaluator, &args.atom, usize::from(args.depth))?;
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
