//! Figures as a page: one HTML file that includes its styles and charts.

use super::{
    Estimate, Figures,
    chart::{Series, escape, histogram, intervals, legend, lines, short, stacked},
    text::whole,
};
use crate::output::thousands;
use std::fmt::Write;

/// The greatest number of moves that are drawn. If there are more, the best and the worst moves are
/// drawn.
const DRAWN: usize = 40;

/// The stylesheet of the page, for light and dark mode. It also works inside a shadow tree.
pub const STYLE: &str = include_str!("page.css");

/// Returns the page as HTML.
#[must_use]
pub fn page(figures: &Figures) -> String {
    let name = escape(&figures.name);
    let body = body(figures);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{name}: measures of random games</title><style>\n{STYLE}</style></head><body>{body}</body></html>\n"
    )
}

/// Returns the body of the page, which needs [`STYLE`].
#[must_use]
pub fn body(figures: &Figures) -> String {
    let name = escape(&figures.name);
    let walks = &figures.walks;
    let mut body = String::new();
    let _ = write!(
        body,
        "<header><h1>{name}</h1><p>Random games: {} recorded move by move, {} for results, seed {}. \
         Intervals have 95 % confidence.</p></header>",
        thousands(walks.games()),
        thousands(figures.outcome.tally.playouts),
        figures.seed
    );
    body += &cards(figures);
    body += &outcome(figures);
    body += &openings(figures);

    let lengths: Vec<(usize, u64)> = walks.lengths.iter().map(|(&length, &games)| (length, games)).collect();
    let mean = walks.mean_length();
    body += &section(
        "Length",
        &histogram("Length of a game", ["joint moves", "% of games"], &lengths, (mean.mean, "mean")),
        &format!(
            "Median {} joint moves, 90 % between {} and {}, range {} to {}.",
            walks.quantile(0.5),
            walks.quantile(0.05),
            walks.quantile(0.95),
            walks.quantile(0.0),
            walks.quantile(1.0)
        ),
    );

    // Means over few games are noise, so later plies are left out.
    let enough = (walks.games() / 100).max(1);
    let plies: Vec<_> = walks.plies.iter().take_while(|ply| ply.games >= enough).collect();
    let choosing = (0..figures.roles.len()).filter(|&role| walks.share_of_choices(role) > 0.0);
    let mobility: Vec<Series> = choosing
        .map(|role| (figures.roles[role].clone(), over(plies.iter().map(|ply| ply.choices(role, enough)))))
        .collect();
    if !mobility.is_empty() {
        body += &section(
            "Mobility",
            &lines("Legal moves of each role", ["joint move", "mean legal moves"], &mobility),
            "The mean number of legal moves of each role in states where it has more than one.",
        );
    }
    let joint = vec![("joint moves".to_owned(), over(plies.iter().map(|ply| Some(ply.joint()))))];
    body += &section(
        "Branching",
        &lines("Branching factor", ["joint move", "mean joint moves"], &joint),
        &format!(
            "The number of joint moves of a state: mean {}, maximum {}.",
            short(walks.branching()),
            short(walks.most_joint as f64)
        ),
    );
    let games = walks.games().max(1) as f64;
    let going = vec![(
        "games".to_owned(),
        over(walks.plies.iter().map(|ply| Some(100.0 * ply.games as f64 / games))),
    )];
    body += &section(
        "Survival",
        &lines("Games in progress", ["joint move", "% of games"], &going),
        "The share of games that reach each joint move.",
    );
    body += &table(figures);
    format!("<main>{body}</main>")
}

/// Returns the points of a line: each value over the number of its move, from 1.
fn over(values: impl Iterator<Item = Option<f64>>) -> Vec<(f64, f64)> {
    (1..).map(f64::from).zip(values).filter_map(|(ply, value)| Some((ply, value?))).collect()
}

fn section(title: &str, chart: &str, words: &str) -> String {
    format!("<section><h2>{}</h2><p>{}</p><figure>{chart}</figure></section>", escape(title), escape(words))
}

/// Returns the cards of the main figures.
fn cards(figures: &Figures) -> String {
    let walks = &figures.walks;
    let (states, tree, length) = (walks.states.estimate(), walks.tree(), walks.mean_length());
    let choices: Vec<String> = figures
        .players()
        .map(|role| format!("{} for {}", short(walks.choices(role)), figures.roles[role]))
        .collect();
    let cards = [
        (
            "joint moves a game",
            short(length.mean),
            format!("{:.2} to {:.2}", length.interval[0], length.interval[1]),
        ),
        (
            "branching factor",
            short(walks.branching()),
            format!("legal moves if more than one: {}", choices.join(", ")),
        ),
        (
            "states",
            format!(
                "≥ {}",
                if states.at_least < 1e6 {
                    whole(states.at_least)
                } else {
                    power(libm::log10(states.at_least))
                }
            ),
            format!("{} distinct in {} visits", whole(states.distinct), thousands(walks.states.visited())),
        ),
        (
            "game tree",
            power(tree.log10_nodes),
            format!("sequences of joint moves, ± {:.0} % (Knuth's estimate)", 100.0 * tree.relative_error),
        ),
    ];
    let cards = cards.map(|(what, number, more)| {
        format!(
            "<div class=\"card\"><b>{number}</b><span>{what}</span><small>{}</small></div>",
            escape(&more)
        )
    });
    format!("<div class=\"cards\">{}</div>", cards.concat())
}

/// Formats a large number, given by its logarithm, as a number from 1 to 10 times a power of ten.
fn power(log10: f64) -> String {
    let exponent = log10.floor();
    if exponent < 4.0 {
        return whole(libm::pow(10.0, log10));
    }
    format!("{:.1} × 10<sup>{exponent}</sup>", libm::pow(10.0, log10 - exponent))
}

fn outcome(figures: &Figures) -> String {
    let rows: Vec<(String, Vec<f64>)> =
        figures.players().map(|role| (figures.roles[role].clone(), figures.shares(role).to_vec())).collect();
    let goals: Vec<String> = figures
        .players()
        .map(|role| {
            let goal = figures
                .goal(role)
                .map_or_else(|| "none".to_owned(), |goal| format!("{:.2} ({})", goal.mean, range(goal)));
            format!("{} {goal}", figures.roles[role])
        })
        .collect();
    let advantage = figures.advantage_words().map_or_else(String::new, |words| format!(" {words}."));
    let words = format!("Mean goals: {}.{advantage}", goals.join(", "));
    let parts = if rows.len() > 1 { ["win", "draw", "loss"] } else { ["goal of 100", "", "less"] };
    let parts = parts.iter().enumerate().filter(|(_, part)| !part.is_empty());
    let names = legend(parts.map(|(_, part)| *part));
    let names = if rows.len() > 1 { names } else { names.replace("class=\"s1\"", "class=\"s2\"") };
    let names = names.replace("class=\"s", "class=\"p");
    section("Outcome", &(names + &stacked("Wins, draws and losses", &rows)), &words)
}

fn range(estimate: Estimate) -> String {
    format!("{:.2} to {:.2}", estimate.interval[0], estimate.interval[1])
}

fn openings(figures: &Figures) -> String {
    let Some(openings) = &figures.openings else { return String::new() };
    let moves = &openings.moves;
    let count = moves.len();
    let drawn =
        moves.iter().enumerate().filter(|(i, _)| count <= DRAWN || *i < DRAWN / 2 || i + DRAWN / 2 >= count);
    let rows: Vec<(String, f64, [f64; 2])> = drawn
        .map(|(_, opening)| (opening.action.clone(), opening.goal.mean, opening.goal.interval))
        .collect();
    let left_out = if count > DRAWN {
        format!(" Of {count} moves the best {0} and the worst {0} are shown.", DRAWN / 2)
    } else {
        String::new()
    };
    section(
        "First moves",
        &intervals(
            "Mean goal after each move",
            &format!("mean goal of {}", figures.roles[openings.role]),
            &rows,
        ),
        &format!(
            "The mean goal of {} after each of its first moves, {} random games each. Range {:.2}, standard deviation without noise {:.2}.{left_out}",
            figures.roles[openings.role],
            thousands(openings.playouts),
            openings.spread(),
            openings.deviation()
        ),
    )
}

/// Returns the table of all figures that charts do not show exactly.
fn table(figures: &Figures) -> String {
    let walks = &figures.walks;
    let mut rows = String::new();
    for (role, name) in figures.roles.iter().enumerate() {
        let goal = figures.goal(role).map_or_else(|| "–".to_owned(), |goal| format!("{:.2}", goal.mean));
        let [wins, draws, losses] = figures.shares(role).map(|share| format!("{:.2} %", 100.0 * share));
        let cells = if Some(role) == figures.chance {
            ["–", "–", "–", "–"].map(String::from)
        } else {
            [goal, wins, draws, losses]
        };
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{:.2}</td><td>{:.2}</td><td>{}</td><td>{:.1} %</td><td>{}</td></tr>",
            escape(name),
            walks.moves(role),
            walks.choices(role),
            walks.most[role],
            100.0 * walks.share_of_choices(role),
            cells.join("</td><td>")
        );
    }
    format!(
        "<section><h2>Roles</h2><div class=\"wide\"><table><thead><tr><th>role</th><th>mean legal moves</th><th>mean if &gt; 1</th>\
         <th>maximum</th><th>states with &gt; 1</th><th>mean goal</th><th>wins</th><th>draws</th><th>losses</th></tr></thead>\
         <tbody>{rows}</tbody></table></div></section><footer>The number of states is a lower bound from the numbers of states met once and twice (Chao, 1984). \
         It leaves out states that random play rarely reaches. The game tree is the number of sequences of joint moves \
         (Knuth, 1975).</footer>"
    )
}
