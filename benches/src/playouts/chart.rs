//! The report as a chart: bars on a logarithmic scale, in SVG with colours for light and dark
//! screens.

use super::{
    report::{Contest, Contestant, Report},
    table::times,
};
use gdl_tools::output::scaled;
use svg::{
    Document,
    node::element::{Line, Rectangle, Style, Text},
};

/// The width of the chart. All lengths are in SVG units, which browsers show as pixels.
const WIDTH: f64 = 900.0;
/// The left end of the bars; the names of engines are to its left.
const LEFT: f64 = 170.0;
/// The right end of the longest bar; figures are to its right.
const RIGHT: f64 = WIDTH - 130.0;
/// The height of the chart above the first game.
const HEAD: f64 = 64.0;
const TITLE: f64 = 30.0;
const BAR: f64 = 14.0;
const STEP: f64 = 18.0;

/// Fill colours by engine, and colours of text and lines, for light and dark backgrounds. The
/// contrast with the background is at least three to one.
const STYLE: &str = "
    svg { --ground: #ffffff; --text: #1f2328; --faint: #59636e; --line: #d1d9e0;
        --fill-0: #6e7781; --fill-1: #bc4c00; --fill-2: #0969da; --fill-3: #8250df; --fill-4: #1a7f37;
        --fill-5: #bf3989; font: 12px system-ui, sans-serif }
    @media (prefers-color-scheme: dark) {
        svg { --ground: #0d1117; --text: #f0f6fc; --faint: #9198a1; --line: #3d444d;
            --fill-0: #848d97; --fill-1: #f0883e; --fill-2: #4493f8; --fill-3: #ab7df8; --fill-4: #3fb950;
            --fill-5: #db61a2 }
    }
    .ground { fill: var(--ground) }
    text { fill: var(--text) }
    .title { font-size: 16px; font-weight: 600 }
    .game { font-weight: 600 }
    .faint { fill: var(--faint) }
    line { stroke: var(--line) }
    .fill-0 { fill: var(--fill-0) } .fill-1 { fill: var(--fill-1) } .fill-2 { fill: var(--fill-2) }
    .fill-3 { fill: var(--fill-3) } .fill-4 { fill: var(--fill-4) } .fill-5 { fill: var(--fill-5) }
";
/// The number of fill colours; further engines reuse them from the first.
const FILLS: usize = 6;

/// Draws the contestants that have as few threads as the first one, a group of bars for each game.
pub(super) fn draw(report: &Report) -> String {
    let groups: Vec<(&str, Vec<Bar>)> = report
        .contests
        .iter()
        .map(|contest| {
            let shown = contest.contestants.iter().filter(|row| row.threads == report.fewest());
            (contest.game, shown.map(|row| Bar::of(contest, row)).collect())
        })
        .collect();
    let scale = Scale::of(groups.iter().flat_map(|(_, bars)| bars.iter().map(|bar| bar.rate)));
    let rows: usize = groups.iter().map(|(_, bars)| bars.len()).sum();
    let bottom = HEAD + TITLE * groups.len() as f64 + STEP * rows as f64 + 8.0;
    let height = bottom + 48.0;

    let title = "Random playouts per second of processor time, one thread";
    let title = if report.fewest() == 1 { title } else { "Random playouts per second of processor time" };
    let mut picture = Document::new()
        .set("viewBox", (0, 0, WIDTH, height))
        .set("width", WIDTH)
        .set("height", height)
        .set("role", "img")
        .set("aria-label", title)
        .add(Style::new(STYLE))
        .add(Rectangle::new().set("class", "ground").set("width", "100%").set("height", "100%"))
        .add(label(title, 16.0, 28.0, "title"))
        .add(label(
            "logarithmic scale; in brackets the ratio to the loop written by hand",
            16.0,
            48.0,
            "faint",
        ));
    for exponent in scale.first..=scale.last {
        let x = scale.place(10_f64.powi(exponent));
        picture = picture
            .add(Line::new().set("x1", x).set("x2", x).set("y1", HEAD).set("y2", bottom))
            .add(label(power(exponent), x, bottom + 16.0, "faint").set("text-anchor", "middle"));
    }
    let mut y = HEAD;
    for (game, bars) in groups {
        picture = picture.add(label(game, 16.0, y + TITLE - 10.0, "game"));
        y += TITLE;
        for bar in bars {
            let (end, middle) = (scale.place(bar.rate), y + BAR - 3.0);
            let class = format!("fill-{}", bar.fill % FILLS);
            let length = (end - LEFT).max(1.0);
            picture = picture
                .add(label(bar.name, LEFT - 8.0, middle, "faint").set("text-anchor", "end"))
                .add(
                    Rectangle::new()
                        .set("class", class)
                        .set("x", LEFT)
                        .set("y", y)
                        .set("width", length)
                        .set("height", BAR)
                        .set("rx", 2),
                )
                .add(label(bar.figure, LEFT + length + 6.0, middle, "figure"));
            y += STEP;
        }
    }
    picture.add(label(report.machine.to_string(), 16.0, height - 12.0, "faint")).to_string() + "\n"
}

/// The bar of a contestant.
struct Bar {
    name: String,
    rate: f64,
    figure: String,
    /// The index of its engine, which selects the fill colour.
    fill: usize,
}

impl Bar {
    fn of(contest: &Contest, contestant: &Contestant) -> Self {
        let rate = contestant.playouts_per_second();
        let figure = match contest.ratios(contestant) {
            Some([_, ratio, _]) => format!("{} (×{})", scaled(rate), times(ratio)),
            None => scaled(rate),
        };
        let mut engines: Vec<&str> = contest.contestants.iter().map(|row| row.engine).collect();
        engines.dedup();
        let fill = engines.iter().position(|&engine| engine == contestant.engine).unwrap_or(0);
        Self { name: contestant.name(), rate, figure, fill }
    }
}

/// The powers of ten that enclose all rates, as exponents.
#[derive(Debug, PartialEq, Eq)]
struct Scale {
    first: i32,
    last: i32,
}

impl Scale {
    fn of(rates: impl Iterator<Item = f64>) -> Self {
        let logarithms: Vec<f64> = rates.filter(|&rate| rate > 0.0).map(f64::log10).collect();
        let first = logarithms.iter().copied().fold(f64::INFINITY, f64::min).floor();
        let last = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
        // The scale is one decade at least, so that the shortest bar is visible. Casts of floats
        // saturate, far beyond any rate.
        let first = if first.is_finite() { first as i32 } else { 0 };
        let last = if last.is_finite() { last as i32 } else { 0 };
        Self { first, last: last.max(first + 1) }
    }

    /// The horizontal position of a rate.
    fn place(&self, rate: f64) -> f64 {
        let share = (rate.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        // Rounded to tenths of a unit.
        ((LEFT + share.clamp(0.0, 1.0) * (RIGHT - LEFT)) * 10.0).round() / 10.0
    }
}

fn label(text: impl Into<String>, x: f64, y: f64, class: &str) -> Text {
    Text::new(text.into()).set("x", x).set("y", y).set("class", class)
}

/// The text of a power of ten.
fn power(exponent: i32) -> String {
    let number = 10_f64.powi(exponent);
    if exponent < 0 { format!("{number}") } else { scaled(number).replace(".00", "").replace(".0", "") }
}

#[cfg(test)]
mod tests {
    use super::{super::report::tests::example, *};

    #[test]
    fn scales_are_powers_of_ten() {
        assert_eq!(Scale::of([250.0, 4_000.0].into_iter()), Scale { first: 2, last: 4 });
        assert_eq!(Scale::of([100.0].into_iter()), Scale { first: 2, last: 3 });
        assert_eq!(Scale::of([].into_iter()), Scale { first: 0, last: 1 });
        let scale = Scale { first: 2, last: 4 };
        let places = [100.0, 1_000.0, 10_000.0, 0.0].map(|rate| scale.place(rate) - LEFT);
        assert_eq!(format!("{places:?}"), "[0.0, 300.0, 600.0, 0.0]");
        assert_eq!([-1, 0, 1, 3, 8, 9].map(power), ["0.1", "1", "10", "1 k", "100 M", "1 G"]);
    }

    #[test]
    fn every_engine_has_a_bar_of_its_colour() {
        let picture = draw(&example());
        let bars: Vec<&str> = picture.lines().filter(|line| line.starts_with("<rect class=\"fill")).collect();
        let classes: Vec<&str> = bars.iter().map(|bar| &bar["<rect class=\"".len()..][..6]).collect();
        assert_eq!(classes, ["fill-0", "fill-1", "fill-1"]);
        for text in ["nim", "lanes, avx512", "5.00 k (×10)", "250 (×0.25)"] {
            assert_eq!(picture.matches(text).count(), 1, "{text}: {picture}");
        }
        assert_eq!(picture, draw(&example()), "attributes are in order");
    }
}
