//! Judgements as a page: one HTML file that includes its styles and charts.
//!
//! A table has a row for each game. The `DRAWN` best games have charts below it.

use super::{
    GameVerdict, Judgement, PlayResults,
    coverage::Group,
    outcome::Outcome,
    skill::{Ladder, Peers},
    text::{order, strength},
};
use crate::{
    analyze::{
        chart::{Series, escape, histogram, intervals, lines, short, stacked},
        page::STYLE,
    },
    output::{counted, thousands},
};
use std::fmt::Write;

/// The greatest number of games with charts.
const DRAWN: usize = 20;

/// The description of each part of the score.
const WORDS: [(&str, &str); 6] = [
    ("completion", "share of games with a result"),
    ("decisiveness", "share of results with one winner"),
    ("balance", "1 minus the difference of the roles' shares of wins"),
    ("agency", "share of states with more than one legal move"),
    ("coverage", "share of rules that fire"),
    ("depth", "gain of a search with more nodes"),
];

/// Returns the page of judgements, given in any order.
#[must_use]
pub fn page(judgements: &[Judgement]) -> String {
    let mut ranked: Vec<&Judgement> = judgements.iter().collect();
    ranked.sort_by(|a, b| order(a, b));
    let title = match judgements {
        [one] => format!("Judgement of {}", one.name),
        _ => format!("Judgement of {}", counted(judgements.len(), "rulesheet")),
    };
    let kept = ranked.iter().filter(|judgement| judgement.verdict == GameVerdict::Judged).count();
    let mut body = format!("<header><h1>{}</h1><p>", escape(&title));
    if judgements.len() > 1 {
        let _ = write!(
            body,
            "{} judged to the end, {} abandoned. Games are sorted by score.",
            thousands(kept as u128),
            thousands((ranked.len() - kept) as u128)
        );
    } else {
        body += "Measures of random games and of matches between searches of different strength.";
    }
    body += "</p></header>";
    if ranked.len() > 1 {
        body += &table(&ranked);
    }
    let drawn = ranked.iter().filter(|judgement| judgement.played.is_some()).take(DRAWN);
    drawn.for_each(|judgement| body += &game(judgement, ranked.len() > 1));
    if ranked.len() == 1 && ranked[0].played.is_none() {
        body += &given_up(ranked[0]);
    }
    let parts: Vec<String> = WORDS.iter().map(|(name, words)| format!("{name}: {words}")).collect();
    let _ = write!(
        body,
        "<footer>The score is the harmonic mean of its parts, after GAVEL (Todd and others, 2024): {}. Drama is the deficit that the \
         winner made up, after Browne (2008). Intervals have 95 % confidence.</footer>",
        escape(&parts.join("; "))
    );
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{}</title><style>\n{STYLE}</style></head><body><main>{body}</main></body></html>\n",
        escape(&title)
    )
}

fn given_up(judgement: &Judgement) -> String {
    let reason = judgement.reason.as_deref().unwrap_or_default();
    format!("<section><h2>{}</h2><p>{}</p></section>", judgement.verdict, escape(reason))
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
}

/// Returns the table, with a row for each game.
fn table(ranked: &[&Judgement]) -> String {
    let mut rows = String::new();
    for (place, judgement) in (1..).zip(ranked) {
        let parts = judgement.parts();
        if judgement.verdict != GameVerdict::Judged {
            let _ = write!(
                rows,
                "<tr><th scope=\"row\">{}</th><td></td><td colspan=\"{}\" class=\"words\">{}: {}</td></tr>",
                escape(&judgement.name),
                WORDS.len() + 2,
                judgement.verdict,
                escape(judgement.reason.as_deref().unwrap_or_default())
            );
            continue;
        }
        let cells = WORDS.map(|(name, _)| {
            let part = parts.iter().find(|part| part.name == name);
            format!("<td>{}</td>", cell(part.map(|part| part.value)))
        });
        let played = judgement.played.as_ref();
        let drama = played.and_then(|played| played.drama.as_ref()).and_then(|drama| drama.drama);
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{place}. {}</th><td><b>{}</b></td>{}<td>{}</td><td>{}</td></tr>",
            escape(&judgement.name),
            cell(judgement.score()),
            cells.concat(),
            played.map_or_else(String::new, |played| format!("{:.1}", played.random.length())),
            cell(drama)
        );
    }
    let names: String = WORDS
        .iter()
        .fold(String::new(), |names, (name, words)| names + &format!("<th title=\"{words}\">{name}</th>"));
    format!(
        "<section class=\"ranking\"><h2>Ranking</h2><div class=\"wide\"><table><thead><tr><th>game</th><th>score</th>{names}<th>length</th><th>drama</th>\
         </tr></thead><tbody>{rows}</tbody></table></div></section>"
    )
}

fn section(title: &str, words: &str, content: &str) -> String {
    format!("<section><h2>{}</h2><p>{}</p>{content}</section>", escape(title), escape(words))
}

fn figure(chart: &str) -> String {
    format!("<figure>{chart}</figure>")
}

/// Returns the section of a game with all its results.
fn game(judgement: &Judgement, named: bool) -> String {
    let Some(played) = &judgement.played else { return String::new() };
    let mut body = String::new();
    if named {
        let _ = write!(body, "<header class=\"game\"><h1>{}</h1></header>", escape(&judgement.name));
    }
    if judgement.verdict != GameVerdict::Judged {
        body += &given_up(judgement);
    }
    body += &cards(judgement, played);
    if judgement.score().is_some() {
        let rows: Vec<(String, Vec<f64>)> = judgement
            .parts()
            .into_iter()
            .map(|part| (part.name.to_owned(), vec![part.value.clamp(0.0, 1.0)]))
            .collect();
        let words = WORDS.iter().filter(|(name, _)| rows.iter().any(|(row, _)| row == name));
        let words: Vec<String> = words.map(|(name, words)| format!("{name}: {words}")).collect();
        body += &section(
            "Parts of the score",
            &(words.join("; ") + "."),
            &figure(&stacked("Parts of the score", &rows)),
        );
    }
    body += &outcomes(judgement, played);
    if let Some(ladder) = &played.ladder {
        body += &skill(ladder);
    }
    if let Some((values, winner)) = played.drama.as_ref().and_then(|drama| drama.tale.as_ref()) {
        let series: Vec<Series> = judgement
            .roles
            .iter()
            .enumerate()
            .map(|(seat, name)| {
                (name.clone(), (1..).map(f64::from).zip(values.iter().map(|v| v[seat])).collect())
            })
            .collect();
        let chart = lines("Expected goals", ["joint move", "expected goal"], &series);
        let winner = judgement.roles.get(*winner).map_or("", String::as_str);
        let words = format!(
            "The goal that a search expects for each role, in the most dramatic match of equal players. Winner: {winner}."
        );
        body += &section("A match", &words, &figure(&chart));
    }
    if let Some(shape) = &played.shape {
        let lengths: Vec<(usize, u64)> =
            shape.lengths.iter().map(|(&length, &games)| (length, games)).collect();
        let chart = histogram(
            "Length of a game",
            ["joint moves", "% of games"],
            &lengths,
            (shape.length.mean, "mean"),
        );
        let words = format!("{} random games.", thousands(shape.lengths.values().sum::<u64>()));
        body += &section("Length", &words, &figure(&chart));
    }
    if let Some(dead) = &played.dead {
        let lists = [("Rules", &dead.rules), ("Moves", &dead.moves), ("Fluents", &dead.fluents)]
            .map(|(name, group)| idle(name, group));
        body += &section(
            "Dead rules, moves and fluents",
            "Rules that never fired in these games, moves that were never legal, and fluents that were never true.",
            &lists.concat(),
        );
    }
    if !judgement.absent.is_empty() {
        let items = judgement.absent.iter().fold(String::new(), |items, (measure, why)| {
            items + &format!("<li><b>{}</b>: {}</li>", escape(measure), escape(why))
        });
        body += &section("Not measured", "", &format!("<ul>{items}</ul>"));
    }
    body
}

/// Returns the cards of the main figures.
fn cards(judgement: &Judgement, played: &PlayResults) -> String {
    let mut cards: Vec<(&str, String, String)> = Vec::new();
    if let Some(score) = judgement.score() {
        cards.push(("score", format!("{score:.2}"), "from 0 to 1".to_owned()));
    }
    let random = &played.random;
    cards.push((
        "joint moves a game",
        short(random.length()),
        format!("in {} random games", thousands(random.games)),
    ));
    if let Some(ladder) = &played.ladder {
        let levels = format!("{} of {}", ladder.levels(), counted(ladder.rungs.len(), "rung"));
        cards.push((
            "depth of skill",
            format!("{:.2}", ladder.depth()),
            format!("more nodes win on {levels}"),
        ));
    }
    if let Some(drama) = &played.drama {
        let changes = format!("{:.1} lead changes a match", drama.lead_changes);
        cards.push(("drama", cell(drama.drama), changes));
    }
    if let Some(variety) = played.variety {
        cards.push((
            "variety",
            format!("{:.0} %", 100.0 * variety.ends),
            format!(
                "of random games end in a new state; {:.0} % of all states are new",
                100.0 * variety.states
            ),
        ));
    }
    let cards = cards.iter().fold(String::new(), |all, (what, number, more)| {
        all + &format!(
            "<div class=\"card\"><b>{number}</b><span>{what}</span><small>{}</small></div>",
            escape(more)
        )
    });
    format!("<div class=\"cards\">{cards}</div>")
}

/// Returns the chart of each seat's wins, draws and losses, in random play and in matches of equal
/// players.
fn outcomes(judgement: &Judgement, played: &PlayResults) -> String {
    let parts: &[&str] =
        if judgement.roles.len() > 1 { &["win", "draw", "loss"] } else { &["goal of 100", "", "less"] };
    // An omitted part keeps its colour, so that the colours of the other parts match the chart.
    let names = parts.iter().enumerate().filter(|(_, part)| !part.is_empty());
    let names = names.map(|(place, part)| format!("<span><i class=\"p{place}\"></i>{part}</span>"));
    let legend = format!("<div class=\"legend\">{}</div>", names.collect::<Vec<_>>().join(" "));
    let chart = |outcome: &Outcome| {
        let of = |games: u64| games as f64 / outcome.scored.max(1) as f64;
        let seats = judgement.roles.iter().zip(&outcome.seats);
        let rows: Vec<(String, Vec<f64>)> = seats
            .map(|(name, seat)| {
                let results = &seat.results;
                (name.clone(), [results.wins, results.draws, results.losses].map(of).to_vec())
            })
            .collect();
        figure(&(legend.clone() + &stacked("Wins, draws and losses", &rows)))
    };
    let random = &played.random;
    let share = |outcome: &Outcome| format!("{:.1} % with a result", 100.0 * outcome.completion());
    let words = format!("{} random games, {}.", thousands(random.games), share(random));
    let mut charts = chart(random);
    if let Some(peers) = &played.peers {
        let Peers { nodes, outcome } = peers;
        let (matches, strength) = (thousands(outcome.games), strength(Some(*nodes)));
        let _ = write!(
            charts,
            "<p class=\"more\">{matches} matches of equal players, {strength} a move, {}.</p>{}",
            share(outcome),
            chart(outcome)
        );
    }
    section("Outcome", &words, &charts)
}

fn skill(ladder: &Ladder) -> String {
    if ladder.goals.iter().any(|(_, (games, ..))| *games > 0) {
        let goals = ladder.goals.iter().filter(|(_, (games, ..))| *games > 0);
        let rows: Vec<_> = goals
            .map(|&(nodes, (_, mean, error))| {
                let reach = crate::analyze::Estimate::new(mean, error).interval;
                (strength(nodes), mean, reach.map(|bound| bound.clamp(0.0, 100.0)))
            })
            .collect();
        let words = "The mean goal of searches by the number of nodes for a move.";
        return section("Skill", words, &figure(&intervals("Mean goals", "mean goal", &rows)));
    }
    let points = |gain: f64| (50.0 + 50.0 * gain).clamp(0.0, 100.0);
    let rows: Vec<_> = ladder
        .rungs
        .iter()
        .filter_map(|rung| {
            let gain = rung.gain?;
            Some((
                format!("{} – {}", strength(rung.strong), strength(rung.weak)),
                points(gain.mean),
                gain.interval.map(points),
            ))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let words = "Points of the player with more nodes for a move: 50 if they make no difference, 100 if it wins all matches.";
    section(
        "Skill",
        words,
        &figure(&intervals("Points of the stronger player", "points of the stronger player", &rows)),
    )
}

fn idle(name: &str, group: &Group) -> String {
    let items = group.list.iter().fold(String::new(), |items, idle| {
        let place = idle.place.map_or_else(String::new, |[line, _]| format!(" (line {line})"));
        let proved = if idle.is_proved { ", proved unreachable" } else { "" };
        items + &format!("<li><code>{}</code>{place}{proved}</li>", escape(&idle.text))
    });
    let more = group.count - group.list.len();
    let more = if more > 0 { format!("<li>{} more</li>", thousands(more as u128)) } else { String::new() };
    let list = if group.count > 0 { format!("<ul>{items}{more}</ul>") } else { String::new() };
    format!(
        "<p><b>{name}</b>: {} of {}</p>{list}",
        thousands(group.count as u128),
        thousands(group.of as u128)
    )
}
