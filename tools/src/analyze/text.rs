//! Figures as text for the terminal.

use super::{Estimate, Figures, chart::short};
use crate::output::{BOLD, DIM, thousands};
use std::io::{self, Write};

/// The number of best moves, and of worst moves, that are listed.
const LISTED: usize = 5;

fn interval(estimate: Estimate, digits: usize) -> String {
    let [low, high] = estimate.interval;
    format!("{:.digits$} {DIM}({low:.digits$} .. {high:.digits$}){DIM:#}", estimate.mean)
}

/// Prints all figures.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn print(figures: &Figures, out: &mut dyn Write) -> io::Result<()> {
    let walks = &figures.walks;
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} {DIM}engine {}, seed {}; {} random games recorded, {} for results; 95 % intervals in parentheses{DIM:#}",
        figures.name,
        figures.engine,
        figures.seed,
        thousands(walks.games()),
        thousands(figures.outcome.tally.playouts)
    )?;
    let width = figures.roles.iter().map(|role| role.chars().count()).max().unwrap_or(0).max(14);
    // Names are indented by two spaces, so the column headings above them are two characters wider.
    let wide = width + 2;
    writeln!(out, "\n{BOLD}length of a game{BOLD:#} {DIM}in joint moves{DIM:#}")?;
    writeln!(out, "  {:<width$} {}", "mean", interval(walks.mean_length(), 2))?;
    let [least, low, median, high, most] = [0.0, 0.05, 0.5, 0.95, 1.0].map(|share| walks.quantile(share));
    writeln!(out, "  {:<width$} {median} {DIM}({low} .. {high} in 90 % of games){DIM:#}", "median")?;
    writeln!(out, "  {:<width$} {least} .. {most}", "range")?;
    if walks.unfinished > 0 {
        writeln!(out, "  {} games were abandoned", thousands(walks.unfinished))?;
    }
    writeln!(
        out,
        "\n{BOLD}{:<wide$}{BOLD:#} {DIM}{:>8} {:>8}  {:>11}  {:>15}{DIM:#}",
        "legal moves", "mean", "most", "mean if > 1", "states with > 1"
    )?;
    for (role, name) in figures.roles.iter().enumerate() {
        writeln!(
            out,
            "  {name:<width$} {:>8.2} {:>8}  {:>11.2}  {:>13.1} %",
            walks.moves(role),
            walks.most[role],
            walks.choices(role),
            100.0 * walks.share_of_choices(role)
        )?;
    }
    writeln!(
        out,
        "  {DIM}{:<width$}{DIM:#} {:>8.2} {:>8}",
        "joint moves",
        walks.branching(),
        short(walks.most_joint as f64)
    )?;
    let (states, tree) = (walks.states.estimate(), walks.tree());
    writeln!(out, "\n{BOLD}size{BOLD:#}")?;
    writeln!(
        out,
        "  {:<width$} {} distinct in {} visits; at least {} reachable, as those met once and twice suggest {DIM}(Chao){DIM:#}",
        "states",
        whole(states.distinct),
        thousands(walks.states.visited()),
        whole(states.at_least)
    )?;
    writeln!(
        out,
        "  {:<width$} 10^{:.2} nodes, 10^{:.2} leaves {DIM}(Knuth, ± {:.0} %){DIM:#}",
        "game tree",
        tree.log10_nodes,
        tree.log10_leaves,
        100.0 * tree.relative_error
    )?;
    writeln!(
        out,
        "\n{BOLD}{:<wide$}{BOLD:#} {DIM}{:>8} {:>8} {:>8}  mean goal{DIM:#}",
        "random play", "wins", "draws", "losses"
    )?;
    for role in figures.players() {
        let [wins, draws, losses] = figures.shares(role).map(|share| 100.0 * share);
        writeln!(
            out,
            "  {:<width$} {wins:>6.2} % {draws:>6.2} % {losses:>6.2} %  {}",
            figures.roles[role],
            figures.goal(role).map_or_else(|| "-".to_owned(), |goal| interval(goal, 2))
        )?;
    }
    if let Some(words) = figures.advantage_words() {
        writeln!(out, "  {words}")?;
    }
    if let Some(openings) = &figures.openings {
        writeln!(
            out,
            "\n{BOLD}first moves of {}{BOLD:#} {DIM}mean goal of {} random games each; range {:.2}, standard deviation without noise {:.2}{DIM:#}",
            figures.roles[openings.role],
            thousands(openings.playouts),
            openings.spread(),
            openings.deviation()
        )?;
        let moves = &openings.moves;
        let longest =
            moves.iter().map(|opening| opening.action.chars().count()).max().unwrap_or(0).max(width);
        for (place, opening) in moves.iter().enumerate() {
            if place == LISTED && moves.len() > 2 * LISTED {
                writeln!(out, "  {DIM}.. {} more{DIM:#}", moves.len() - 2 * LISTED)?;
            }
            if place < LISTED || place + LISTED >= moves.len() {
                writeln!(out, "  {:<longest$} {}", opening.action, interval(opening.goal, 2))?;
            }
        }
    }
    Ok(())
}

/// Formats a large number, rounded to a whole one.
pub(super) fn whole(number: f64) -> String {
    crate::output::rounded(number)
}
