//! Judgements as text for the terminal: one in full, or many in the order of their scores.

use super::{GameVerdict, Judgement, PlayResults, coverage::Group, outcome::Outcome, skill::Ladder};
use crate::output::{BAD, BOLD, DIM, GOOD, ODD, counted, thousands};
use std::{
    cmp::Ordering,
    io::{self, Write},
};

/// The greatest number of dead items that are listed for each kind.
const LISTED: usize = 5;

/// Compares two games for a ranking: judged games first, then by descending score, then by name.
#[must_use]
pub fn order(a: &Judgement, b: &Judgement) -> Ordering {
    let kept = |judgement: &Judgement| judgement.verdict == GameVerdict::Judged;
    let scores = b.score().unwrap_or(-1.0).total_cmp(&a.score().unwrap_or(-1.0));
    kept(b).cmp(&kept(a)).then(scores).then_with(|| a.name.cmp(&b.name))
}

/// Describes a player of the ladder by its node budget.
#[must_use]
pub fn strength(nodes: Option<u64>) -> String {
    nodes.map_or_else(|| "random".to_owned(), |nodes| format!("{} nodes", thousands(nodes)))
}

fn share(value: f64) -> String {
    format!("{:.1} %", 100.0 * value)
}

/// Prints a ranking: the best `most` games, and the number of rejected games for each verdict.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn ranking(ranked: &[&Judgement], most: usize, out: &mut dyn Write) -> io::Result<()> {
    let judged: Vec<_> = ranked.iter().filter(|judgement| judgement.verdict == GameVerdict::Judged).collect();
    let shown = &judged[..judged.len().min(most)];
    let width = shown.iter().map(|judgement| judgement.name.chars().count()).max().unwrap_or(0).max(4);
    if !shown.is_empty() {
        writeln!(
            out,
            "{DIM}{:>5}  {:<width$} {:>6}  {:>8} {:>9} {:>6} {:>7} {:>6} {:>8} {:>6} {:>5}{DIM:#}",
            "",
            "game",
            "score",
            "complete",
            "decisive",
            "even",
            "agency",
            "rules",
            "depth",
            "length",
            "drama"
        )?;
    }
    let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    for (place, judgement) in shown.iter().enumerate() {
        let parts = judgement.parts();
        let part = |name| cell(parts.iter().find(|part| part.name == name).map(|part| part.value));
        let played = judgement.played.as_ref();
        let drama = played.and_then(|played| played.drama.as_ref()).and_then(|drama| drama.drama);
        writeln!(
            out,
            "{:>5}  {:<width$} {BOLD}{:>6}{BOLD:#}  {:>8} {:>9} {:>6} {:>7} {:>6} {:>8} {:>6} {:>5}",
            place + 1,
            judgement.name,
            cell(judgement.score()),
            part("completion"),
            part("decisiveness"),
            part("balance"),
            part("agency"),
            part("coverage"),
            part("depth"),
            played.map_or_else(String::new, |played| format!("{:.1}", played.random.length())),
            cell(drama)
        )?;
    }
    if judged.len() > shown.len() {
        writeln!(out, "{DIM}.. {} more{DIM:#}", thousands((judged.len() - shown.len()) as u128))?;
    }
    let mut rest: Vec<(GameVerdict, usize)> = Vec::new();
    for judgement in ranked.iter().filter(|judgement| judgement.verdict != GameVerdict::Judged) {
        match rest.iter_mut().find(|(verdict, _)| *verdict == judgement.verdict) {
            Some((_, count)) => *count += 1,
            None => rest.push((judgement.verdict, 1)),
        }
    }
    rest.sort_by_key(|(verdict, _)| verdict.name());
    let rest: Vec<String> =
        rest.iter().map(|(verdict, count)| format!("{} {verdict}", thousands(*count as u128))).collect();
    let reasons = if rest.is_empty() { String::new() } else { format!("; abandoned: {}", rest.join(", ")) };
    writeln!(
        out,
        "{BOLD}{} of {} judged to the end{BOLD:#}{reasons}",
        thousands(judged.len() as u128),
        counted(ranked.len(), "rulesheet")
    )
}

/// Prints the line of a rejected candidate.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn given_up(judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    let faulty = matches!(judgement.verdict, GameVerdict::Invalid | GameVerdict::TooLarge);
    let style = if faulty { BAD } else { ODD };
    let reason = judgement.reason.as_deref().unwrap_or("no reason is known");
    writeln!(out, "{}: {style}{}{style:#}: {reason}", judgement.name, judgement.verdict)
}

/// Prints the full report of a judgement.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn print(judgement: &Judgement, out: &mut dyn Write) -> io::Result<()> {
    if judgement.verdict != GameVerdict::Judged {
        given_up(judgement, out)?;
    }
    if let Some(score) = judgement.score() {
        writeln!(out, "{BOLD}{}{BOLD:#}  score {GOOD}{score:.2}{GOOD:#}", judgement.name)?;
        let parts: Vec<String> =
            judgement.parts().iter().map(|part| format!("{} {:.2}", part.name, part.value)).collect();
        writeln!(out, "  {DIM}harmonic mean of {DIM:#}{}", parts.join(", "))?;
    }
    let Some(played) = &judgement.played else { return Ok(()) };
    results(judgement, "random play", &played.random, out)?;
    if let Some(peers) = &played.peers {
        let title = format!("play between equals with {} a move", strength(Some(peers.nodes)));
        results(judgement, &title, &peers.outcome, out)?;
    }
    shape(judgement, played, out)?;
    if let Some(ladder) = &played.ladder {
        skill(ladder, out)?;
    }
    if let Some(drama) = &played.drama {
        writeln!(out, "\n{BOLD}drama{BOLD:#} {DIM}in matches between equals{DIM:#}")?;
        if let Some(value) = drama.drama {
            writeln!(
                out,
                "  drama          {value:.2} {DIM}the deficit that the winner made up, from 0 to 1{DIM:#}"
            )?;
        }
        writeln!(out, "  lead changes   {:.2} {DIM}a match{DIM:#}", drama.lead_changes)?;
        if let Some(value) = drama.decided {
            writeln!(
                out,
                "  decided        {} {DIM}of the positions come after the match is decided{DIM:#}",
                share(value)
            )?;
        }
    }
    if let Some(dead) = &played.dead {
        writeln!(out, "\n{BOLD}dead{BOLD:#} {DIM}never used in these games; * proved unreachable{DIM:#}")?;
        for (name, group) in [("rules", &dead.rules), ("moves", &dead.moves), ("fluents", &dead.fluents)] {
            idle(name, group, out)?;
        }
    }
    if !judgement.absent.is_empty() {
        writeln!(out, "\n{BOLD}not measured{BOLD:#}")?;
        for (measure, why) in &judgement.absent {
            writeln!(out, "  {measure:<14} {DIM}{why}{DIM:#}")?;
        }
    }
    Ok(())
}

fn results(judgement: &Judgement, title: &str, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{BOLD}{title}{BOLD:#} {DIM}{} games, mean length {:.1} joint moves, {} completed{DIM:#}",
        thousands(outcome.games),
        outcome.length(),
        share(outcome.completion())
    )?;
    let width = judgement.roles.iter().map(|role| role.chars().count()).max().unwrap_or(0).max(14);
    for (name, seat) in judgement.roles.iter().zip(&outcome.seats) {
        let of = |games: u64| share(games as f64 / outcome.scored.max(1) as f64);
        let results = &seat.results;
        writeln!(
            out,
            "  {name:<width$} goal {:>6}  wins {:>7}  draws {:>7}  losses {:>7}",
            outcome.goal(seat).map_or_else(|| "-".to_owned(), |goal| format!("{goal:.1}")),
            of(results.wins),
            of(results.draws),
            of(results.losses)
        )?;
    }
    if outcome.seats.len() > 1 {
        let [decisive, balance] = [outcome.decisiveness(), outcome.balance()];
        writeln!(out, "  {DIM}decisiveness {decisive:.2}, balance {balance:.2}{DIM:#}")?;
    }
    Ok(())
}

fn shape(judgement: &Judgement, played: &PlayResults, out: &mut dyn Write) -> io::Result<()> {
    let Some(shape) = &played.shape else { return Ok(()) };
    let games: u64 = shape.lengths.values().sum();
    let games = thousands(games);
    writeln!(out, "\n{BOLD}shape{BOLD:#} {DIM}of {games} random games, engine {}{DIM:#}", played.engine)?;
    let quantiles = shape.quantiles.map(|quantile| quantile.to_string());
    writeln!(
        out,
        "  length         {} {DIM}joint moves: shortest, median, longest{DIM:#}",
        quantiles.join(" .. ")
    )?;
    let seats = judgement.roles.iter().zip(&shape.choices);
    let choices: Vec<String> = seats.map(|(name, choices)| format!("{name} {choices:.1}")).collect();
    writeln!(
        out,
        "  moves          {} {DIM}mean of legal moves where there are several{DIM:#}",
        choices.join(", ")
    )?;
    writeln!(out, "  agency         {} {DIM}of states offer a choice{DIM:#}", share(shape.agency))?;
    if let Some(variety) = &played.variety {
        let openings =
            variety.openings.map_or_else(String::new, |value| format!(", openings {}", share(value)));
        writeln!(
            out,
            "  variety        states {}, terminal states {}{openings} {DIM}distinct{DIM:#}",
            share(variety.states),
            share(variety.ends)
        )?;
    }
    Ok(())
}

fn skill(ladder: &Ladder, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{BOLD}skill{BOLD:#} {DIM}depth {:.2}, {}; gain of the player with more nodes, from -1 to 1{DIM:#}",
        ladder.depth(),
        counted(ladder.levels(), "level")
    )?;
    for rung in &ladder.rungs {
        let pair = format!("{} against {}", strength(rung.strong), strength(rung.weak));
        match rung.gain {
            Some(gain) => writeln!(
                out,
                "  {pair:<30} {:>+6.2} {DIM}({:+.2} .. {:+.2}), matches: {}{DIM:#}",
                gain.mean,
                gain.interval[0],
                gain.interval[1],
                thousands(rung.matches)
            )?,
            None => writeln!(out, "  {pair:<30} {DIM}no match had a result{DIM:#}")?,
        }
    }
    for (nodes, (games, mean, _)) in ladder.goals.iter().filter(|(_, (games, ..))| *games > 0) {
        writeln!(
            out,
            "  {:<30} {mean:>6.1} {DIM}mean goal, games: {}{DIM:#}",
            strength(*nodes),
            thousands(*games)
        )?;
    }
    Ok(())
}

fn idle(name: &str, group: &Group, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {name:<14} {} of {}", thousands(group.count as u128), thousands(group.of as u128))?;
    for one in group.list.iter().take(LISTED) {
        let place = one.place.map_or_else(String::new, |[line, column]| format!("{line}:{column}: "));
        let mark = if one.is_proved { "*" } else { " " };
        writeln!(out, "    {mark} {DIM}{place}{DIM:#}{}", one.text)?;
    }
    if group.count > LISTED {
        writeln!(out, "      {DIM}.. {} more{DIM:#}", thousands((group.count - LISTED) as u128))?;
    }
    Ok(())
}
