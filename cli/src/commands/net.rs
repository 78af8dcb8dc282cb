//! `gdl net`: prints the propositional net of a game, as figures or as a graph.
//!
//! Figures take time linear in the gates. The graph is built in memory before it is written, so
//! nets of more than [`MOST_DRAWN`] operations are refused.

use crate::args::way::WayArgs;
use clap::Args;
use gdl_compiler::{Omission, propnet::Net};
use gdl_runtime::{Dynamic, Game, engine::Estimate};
use gdl_tools::{
    error::{Error, Result},
    game::GameArg,
    load::{self, Compiled, Loaded},
    output::{self, BOLD, DIM, duration, thousands},
};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Arguments of `gdl net`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gdl net tictactoe
  gdl net mygame.kif --json
  gdl net tictactoe --dot | dot -Tsvg > tictactoe.svg")]
pub(crate) struct NetArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// The engine that runs the rules.
    #[command(flatten)]
    pub engine: WayArgs,
    /// Print the net as a Graphviz graph
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// The most operations of a net that is written as a graph. Each takes some hundred bytes.
const MOST_DRAWN: usize = 1_000_000;

/// The number of purposes shown: those with the most operations.
const MOST_PURPOSES: usize = 8;

/// The number of moves of a role above which a hint is printed: more moves make nets large and
/// playouts slow.
const MANY_MOVES: usize = 10_000;

/// Compiles the game and prints the result.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the net is too large for a graph, or writing to
/// stdout fails.
pub(crate) fn run(args: &NetArgs) -> Result {
    let name = args.game.name();
    let (source, options) = args.game.source()?;
    let compiled = match load::run_as(source, &options, args.engine.way)? {
        Loaded::Compiled(compiled) => compiled,
        Loaded::Lifted(_) if args.dot => {
            return Err(Error::Input("a game that is evaluated state by state has no net".to_owned()));
        }
        Loaded::Lifted(game) if args.json => return output::json(&lifted_to_json(&name, &game)),
        Loaded::Lifted(game) => return print_lifted(&name, &game),
    };
    // The straight-line code of a built-in game was generated from the same net.
    let has_code = matches!(args.game, GameArg::BuiltIn(entry) if entry.is_compiled());
    let is_straight = has_code && args.engine.way.is_none() && compiled.is_straight();
    let (engine, expected) = if is_straight {
        ("straight", Vec::new())
    } else if args.engine.way.is_some() {
        (load::playable(&compiled, args.engine.way)?.engine(), Vec::new())
    } else {
        let (game, expected) = load::choose_engine(&compiled)?;
        (game.engine(), expected)
    };
    if args.dot {
        let graph = graph(&compiled.net, MOST_DRAWN)?;
        let mut out = output::stdout();
        out.write_all(graph.as_bytes())?;
        out.flush()?;
        Ok(())
    } else if args.json {
        output::json(&to_json(&name, engine, &expected, &compiled))
    } else {
        let mut out = output::stdout();
        print(&mut out, &name, engine, &expected, &compiled)?;
        out.flush()?;
        Ok(())
    }
}

/// Returns the net as a Graphviz graph.
fn graph(net: &Net, most: usize) -> Result<String> {
    let operations = net.operations();
    if operations > most {
        let [operations, most] = [operations, most].map(|number| thousands(number as u128));
        let reason = format!("a net of {operations} operations is too large for a graph");
        return Err(Error::Input(format!("{reason}: at most {most} are drawn")));
    }
    Ok(net.to_dot())
}

/// Returns the report of a game without a net: the fields of [`to_json`] that do not depend on one.
fn lifted_to_json(name: &str, game: &Dynamic) -> Value {
    let vocabulary = game.vocabulary();
    let of_roles = |count: &dyn Fn(usize) -> usize| -> Map<String, Value> {
        let roles = vocabulary.roles().iter().enumerate();
        roles.map(|(i, role)| (role.to_owned(), json!(count(i)))).collect()
    };
    let mut report = json!({
        "game": name,
        "engine": game.engine(),
        "roles": vocabulary.roles().iter().collect::<Vec<_>>(),
        "fluents": vocabulary.fluents().len(),
        "moves": of_roles(&|role| vocabulary.moves_of(role).len()),
    });
    if vocabulary.has_percepts() {
        report["percepts"] = json!(of_roles(&|role| vocabulary.percepts_of(role).len()));
    }
    report
}

fn print_lifted(name: &str, game: &Dynamic) -> Result {
    let vocabulary = game.vocabulary();
    let mut out = output::stdout();
    writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}engine {}{DIM:#}", game.engine())?;
    let mut list = |title: &str, count: &dyn Fn(usize) -> usize| -> Result {
        for (i, role) in vocabulary.roles().iter().enumerate() {
            writeln!(out, "  {title:<13}{:>11}  {DIM}of {role}{DIM:#}", thousands(count(i) as u128))?;
        }
        Ok(())
    };
    list("moves", &|role| vocabulary.moves_of(role).len())?;
    if vocabulary.has_percepts() {
        list("percepts", &|role| vocabulary.percepts_of(role).len())?;
    }
    let fluents = thousands(vocabulary.fluents().len() as u128);
    writeln!(out, "  {:<13}{fluents:>11}  {DIM}bits of a state{DIM:#}", "fluents")?;
    out.flush()?;
    Ok(())
}

fn to_json(name: &str, engine: &str, expected: &[Estimate], compiled: &Compiled) -> Value {
    let net = &compiled.net;
    let moves: Map<String, Value> =
        moves(compiled).into_iter().map(|(role, moves)| (role.to_owned(), json!(moves))).collect();
    let seconds: Map<String, Value> =
        compiled.seconds.iter().map(|&(phase, seconds)| (phase.to_owned(), json!(seconds))).collect();
    let mut report = json!({
        "game": name,
        "engine": engine,
        "expected": expected.iter().map(|estimate| json!({
            "engine": estimate.engine,
            "work": estimate.work,
            "nanoseconds": estimate.nanoseconds,
        })).collect::<Vec<_>>(),
        "roles": net.vocabulary.roles,
        "fluents": net.vocabulary.fluents.len(),
        "dead_fluents": dead(net),
        "exclusive_groups": net.mutex_groups.len(),
        "moves": moves,
        "ground_rules": compiled.ground.len(),
        "gates": net.ands(),
        "ops": net.operations(),
        "purposes": net.purposes().iter().map(|purpose| json!({
            "name": purpose.name,
            "ops": purpose.operations,
            "alone": purpose.alone,
        })).collect::<Vec<_>>(),
        "depth": net.depth(),
        "phases": compiled.operations(),
        "plies": compiled.plies.as_ref().map(|plies| plies.nets.iter().map(Net::operations).collect::<Vec<_>>()),
        "seconds": seconds,
        "omitted": compiled.omissions.iter().map(Omission::to_string).collect::<Vec<_>>(),
    });
    if net.outputs.sees.is_some() {
        let percepts: Map<String, Value> =
            percepts(compiled).map(|(role, percepts)| (role.to_owned(), json!(percepts))).collect();
        report["percepts"] = json!(percepts);
    }
    report
}

/// Returns the number of fluents on which no output depends.
fn dead(net: &Net) -> usize {
    net.influential().into_iter().filter(|influential| !influential).count()
}

/// Returns each role with the number of its possible moves.
fn moves(compiled: &Compiled) -> Vec<(&str, usize)> {
    let net = &compiled.net;
    net.vocabulary.roles.iter().map(String::as_str).zip(net.outputs.legal.iter().map(Vec::len)).collect()
}

/// Returns each role with the number of its possible percepts.
fn percepts(compiled: &Compiled) -> impl Iterator<Item = (&str, usize)> {
    let net = &compiled.net;
    net.vocabulary.roles.iter().map(String::as_str).zip(net.percepts().map(<[_]>::len))
}

fn print(
    out: &mut impl Write,
    name: &str,
    engine: &str,
    expected: &[Estimate],
    compiled: &Compiled,
) -> Result {
    let net = &compiled.net;
    writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}engine {engine}{DIM:#}")?;
    for Estimate { engine, nanoseconds, .. } in expected {
        let time = duration(*nanoseconds as f64 / 1e9);
        writeln!(out, "    {DIM}{engine:<11}{time:>11}  estimated time of a step{DIM:#}")?;
    }
    for (role, moves) in moves(compiled) {
        writeln!(out, "  {:<13}{:>11}  {DIM}of {role}{DIM:#}", "moves", thousands(moves as u128))?;
    }
    if net.outputs.sees.is_some() {
        for (role, percepts) in percepts(compiled) {
            writeln!(out, "  {:<13}{:>11}  {DIM}of {role}{DIM:#}", "percepts", thousands(percepts as u128))?;
        }
    }
    let figures = [
        ("fluents", net.vocabulary.fluents.len(), "bits of a state"),
        ("dead fluents", dead(net), "no output depends on them"),
        ("mutex groups", net.mutex_groups.len(), "groups of fluents that exclude each other"),
        ("ground rules", compiled.ground.len(), "instances of the rules"),
        ("gates", net.ands(), "conjunctions of any width"),
        ("operations", net.operations(), "of two operands"),
        ("depth", net.depth(), "gates on the longest path"),
    ];
    for (title, figure, meaning) in figures {
        writeln!(out, "  {title:<13}{:>11}  {DIM}{meaning}{DIM:#}", thousands(figure as u128))?;
    }
    for purpose in net.purposes().into_iter().take(MOST_PURPOSES) {
        let [operations, alone] = [purpose.operations, purpose.alone].map(|count| thousands(count as u128));
        writeln!(
            out,
            "    {DIM}{operations:>22}  for {}, {alone} of them for nothing else{DIM:#}",
            purpose.name
        )?;
    }
    for (place, operations) in (1..).zip(compiled.operations()) {
        let operations = thousands(operations as u128);
        writeln!(
            out,
            "    {DIM}phase {place:<5}{operations:>11}  operations in states of this phase{DIM:#}"
        )?;
    }
    let total = compiled.seconds.iter().map(|&(_, seconds)| seconds).sum();
    writeln!(out, "  {:<13}{:>11}", "compiled in", duration(total))?;
    for &(phase, seconds) in &compiled.seconds {
        writeln!(out, "    {DIM}{phase:<11}{:>11}{DIM:#}", duration(seconds))?;
    }
    for omission in &compiled.omissions {
        writeln!(out, "  {:<13}{omission}", "left out")?;
    }
    if let Some(hint) = hint(net) {
        writeln!(out, "\n{hint}")?;
    }
    Ok(())
}

/// Returns a hint for the author if a role has more than [`MANY_MOVES`] moves.
fn hint(net: &Net) -> Option<String> {
    let (place, moves) =
        net.outputs.legal.iter().map(Vec::len).enumerate().max_by_key(|&(_, moves)| moves)?;
    let role = &net.vocabulary.roles[place];
    (moves > MANY_MOVES).then(|| {
        let moves = thousands(moves as u128);
        format!(
            "hint: `{role}` has {moves} moves: split a move into steps, such as one for the piece and one for its \
             target, so that the numbers of choices add up instead of multiplying"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_compiler::meter::Stop;

    fn tictactoe() -> Compiled {
        load::built_in(gdl_games::find("tictactoe").expect("it is built in")).expect("it is sound")
    }

    #[test]
    fn what_was_left_out_is_told() {
        let mut compiled = tictactoe();
        assert_eq!(to_json("tictactoe", "table", &[], &compiled)["omitted"], json!([]));
        let parts = [("plies", Stop::Fuel), ("lanes", Stop::Bytes)];
        compiled.compilation.omissions = parts.map(|(part, stop)| Omission { part, stop }).to_vec();
        let told = compiled.omissions.iter().map(Omission::to_string).collect::<Vec<_>>();
        assert_eq!(to_json("tictactoe", "table", &[], &compiled)["omitted"], json!(told));
        let mut text = Vec::new();
        print(&mut text, "tictactoe", "table", &[], &compiled).expect("there is room");
        let text = String::from_utf8(text).expect("text");
        let end = text.lines().rev().take(2).collect::<Vec<_>>();
        assert_eq!(end, [format!("  left out     {}", told[1]), format!("  left out     {}", told[0])]);
    }

    #[test]
    fn many_moves_are_hinted_at() {
        let mut net = tictactoe().compilation.net;
        assert_eq!(hint(&net), None);
        let some = net.outputs.legal[1][0];
        net.outputs.legal[1] = vec![some; MANY_MOVES + 1];
        assert!(hint(&net).is_some_and(|hint| hint.starts_with("hint: `oplayer` has 10,001 moves: ")));
    }

    #[test]
    fn graphs_are_bounded() {
        let net = tictactoe().compilation.net;
        assert!(graph(&net, net.operations()).is_ok_and(|text| text.starts_with("digraph")));
        assert!(matches!(graph(&net, 10), Err(Error::Input(reason)) if reason.contains("at most 10 ")));
    }
}
