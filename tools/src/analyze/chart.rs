//! Charts as inline SVG.
//!
//! Colours are classes (`s0`, `s1`, ..), which the style sheet of the page defines for light and
//! dark mode. Every mark has a title, which browsers show under the pointer.

use std::fmt::Write;

const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// Escapes the characters that have a meaning in markup.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(c),
        }
    }
    safe
}

/// Formats a number with few digits: `7`, `4.25`, `1.2e9`.
#[must_use]
pub fn short(number: f64) -> String {
    if !number.is_finite() {
        return "–".to_owned();
    }
    let size = number.abs();
    let digits = match size {
        _ if size >= 1e6 => return format!("{number:.1e}"),
        _ if size >= 100.0 || (number - number.round()).abs() < 1e-9 => 0,
        _ if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{number:.digits$}")
}

/// Returns about five round numbers, from 0 to at least `most`.
fn ticks(most: f64) -> Vec<f64> {
    let rough = most.max(1e-9) / 4.0;
    let power = libm::pow(10.0, libm::log10(rough).floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|m| m * power).find(|&s| s >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    let count = (most / step - 1e-9).ceil().clamp(1.0, 10.0);
    (0..=count as i32).map(|i| f64::from(i) * step).collect()
}

/// A frame with both axes, which maps values to positions.
struct Frame {
    svg: String,
    x: [f64; 2],
    top: f64,
}

impl Frame {
    fn new(label: &str, [x_name, y_name]: [&str; 2], x: [f64; 2], most: f64) -> Self {
        let y_ticks = ticks(most);
        let top = y_ticks.last().copied().unwrap_or(1.0);
        let mut frame = Self { svg: open(label, HEIGHT), x, top };
        for &tick in &y_ticks {
            let y = frame.y(tick);
            let (right, text) = (WIDTH - RIGHT, LEFT - 8.0);
            let _ = write!(
                frame.svg,
                r#"<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1}" y2="{y:.1}"/><text class="tick end" x="{text}" y="{:.1}">{}</text>"#,
                y + 4.0,
                short(tick)
            );
        }
        let span = x[1] - x[0];
        let step = ticks(span).get(1).copied().unwrap_or(1.0).max(1.0).ceil();
        let mut tick = (x[0] / step).ceil() * step;
        while tick <= x[1] + 1e-9 {
            let _ = write!(
                frame.svg,
                r#"<text class="tick middle" x="{:.1}" y="{:.1}">{}</text>"#,
                frame.x(tick),
                HEIGHT - BOTTOM + 17.0,
                short(tick)
            );
            tick += step;
        }
        let _ = write!(
            frame.svg,
            r#"<text class="name middle" x="{:.1}" y="{:.1}">{}</text>"#,
            f64::midpoint(LEFT, WIDTH - RIGHT),
            HEIGHT - 6.0,
            escape(x_name)
        );
        let middle = f64::midpoint(TOP, HEIGHT - BOTTOM);
        let _ = write!(
            frame.svg,
            r#"<text class="name middle" transform="translate(13 {middle:.1}) rotate(-90)">{}</text>"#,
            escape(y_name)
        );
        frame
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]).max(1e-9) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        TOP + (1.0 - y / self.top) * (HEIGHT - TOP - BOTTOM)
    }

    fn finish(self) -> String {
        self.svg + "</svg>"
    }
}

fn open(label: &str, height: f64) -> String {
    format!(r#"<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{}">"#, escape(label))
}

/// The name of a line and its points, from left to right.
pub type Series = (String, Vec<(f64, f64)>);

/// Draws a line for each series, over moves from 1. Several lines get a legend with their names and
/// colours.
#[must_use]
pub fn lines(label: &str, axes: [&str; 2], series: &[Series]) -> String {
    let points = || series.iter().flat_map(|(_, points)| points);
    let last = points().map(|(x, _)| *x).fold(2.0, f64::max);
    let most = points().map(|(_, y)| *y).fold(0.0, f64::max);
    let mut frame = Frame::new(label, axes, [1.0, last], most);
    for (i, (name, points)) in series.iter().enumerate() {
        let name = escape(name);
        let places: Vec<String> =
            points.iter().map(|&(x, y)| format!("{:.1},{:.1}", frame.x(x), frame.y(y))).collect();
        let _ = write!(
            frame.svg,
            r#"<polyline class="line s{}" points="{}"><title>{name}</title></polyline>"#,
            i % 6,
            places.join(" ")
        );
        // Dots show a title under the pointer; more than 120 would overlap.
        for &(x, y) in points.iter().filter(|_| points.len() <= 120) {
            let _ = write!(
                frame.svg,
                r#"<circle class="dot s{}" cx="{:.1}" cy="{:.1}" r="2.4"><title>{name}, move {x}: {}</title></circle>"#,
                i % 6,
                frame.x(x),
                frame.y(y),
                short(y)
            );
        }
    }
    let legend =
        if series.len() > 1 { legend(series.iter().map(|(name, _)| name.as_str())) } else { String::new() };
    legend + &frame.finish()
}

/// Returns a legend: the names with their colours.
#[must_use]
pub fn legend<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let items = names
        .enumerate()
        .map(|(i, name)| format!(r#"<span><i class="s{}"></i>{}</span>"#, i % 6, escape(name)));
    format!(r#"<div class="legend">{}</div>"#, items.collect::<Vec<_>>().join(" "))
}

/// Draws a histogram of counted values, with at most 60 bins of equal width. `mark` is a value with
/// its name.
#[must_use]
pub fn histogram(label: &str, axes: [&str; 2], counts: &[(usize, u64)], mark: (f64, &str)) -> String {
    let low = counts.first().map_or(0, |(value, _)| *value);
    let high = counts.last().map_or(0, |(value, _)| *value);
    let wide = (high - low + 1).div_ceil(60).max(1);
    let mut bins = vec![0_u64; (high - low) / wide + 1];
    for (value, count) in counts {
        bins[(value - low) / wide] += count;
    }
    let total: u64 = bins.iter().sum();
    let share = |count: u64| 100.0 * count as f64 / total.max(1) as f64;
    let most = bins.iter().map(|&count| share(count)).fold(0.0, f64::max);
    let edges = [low as f64 - 0.5, (low + bins.len() * wide) as f64 - 0.5];
    let mut frame = Frame::new(label, axes, edges, most);
    for (i, &count) in bins.iter().enumerate() {
        let start = low + i * wide;
        let (left, right) = (frame.x(start as f64 - 0.5), frame.x((start + wide) as f64 - 0.5));
        let (y, base) = (frame.y(share(count)), frame.y(0.0));
        let gap = ((right - left) * 0.08).min(1.0);
        let name = if wide == 1 { start.to_string() } else { format!("{start} to {}", start + wide - 1) };
        let _ = write!(
            frame.svg,
            r#"<rect class="bar s0" x="{:.1}" y="{y:.1}" width="{:.1}" height="{:.1}"><title>{name}: {:.1} %</title></rect>"#,
            left + gap,
            (right - left - 2.0 * gap).max(0.5),
            (base - y).max(0.0),
            share(count)
        );
    }
    let (value, name) = mark;
    let x = frame.x(value);
    let base = frame.y(0.0);
    let (anchor, shift) = if x > WIDTH * 0.7 { ("end", -6.0) } else { ("start", 6.0) };
    let _ = write!(
        frame.svg,
        r#"<line class="mark" x1="{x:.1}" x2="{x:.1}" y1="{TOP}" y2="{base:.1}"/><text class="name {anchor}" x="{:.1}" y="{:.1}">{} {}</text>"#,
        x + shift,
        TOP + 10.0,
        escape(name),
        short(value)
    );
    frame.finish()
}

/// Draws a bar for each row, divided by the shares of its parts.
#[must_use]
pub fn stacked(label: &str, rows: &[(String, Vec<f64>)]) -> String {
    let height = rows.len() as f64 * 38.0 + 6.0;
    let mut svg = open(label, height);
    let left = 130.0;
    for (i, (name, shares)) in rows.iter().enumerate() {
        let y = i as f64 * 38.0 + 6.0;
        let _ = write!(
            svg,
            r#"<text class="label end" x="{:.1}" y="{:.1}">{}</text>"#,
            left - 10.0,
            y + 18.0,
            escape(&cut(name, 16))
        );
        let mut x = left;
        for (part, &share) in shares.iter().enumerate() {
            let width = share * (WIDTH - RIGHT - left);
            let _ = write!(
                svg,
                r#"<rect class="part p{part}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="26"><title>{}: {:.2} %</title></rect>"#,
                escape(name),
                100.0 * share
            );
            if width > 46.0 {
                let _ = write!(
                    svg,
                    r#"<text class="on p{part} middle" x="{:.1}" y="{:.1}">{:.1} %</text>"#,
                    x + width / 2.0,
                    y + 17.5,
                    100.0 * share
                );
            }
            x += width;
        }
    }
    svg + "</svg>"
}

/// Draws a dot with its interval for each row, on a common scale.
#[must_use]
pub fn intervals(label: &str, axis: &str, rows: &[(String, f64, [f64; 2])]) -> String {
    let low = rows.iter().map(|(_, _, [low, _])| *low).fold(f64::INFINITY, f64::min);
    let high = rows.iter().map(|(_, _, [_, high])| *high).fold(f64::NEG_INFINITY, f64::max);
    let room = ((high - low) * 0.06).max(0.5);
    let (low, high) = ((low - room).max(0.0), (high + room).min(100.0));
    let left = 150.0;
    let height = rows.len() as f64 * 20.0 + 48.0;
    let bottom = height - 40.0;
    let place = |value: f64| left + (value - low) / (high - low).max(1e-9) * (WIDTH - RIGHT - left);
    let mut svg = open(label, height);
    let step = ticks(high - low).get(1).copied().unwrap_or(1.0);
    let mut tick = (low / step).ceil() * step;
    while tick <= high + 1e-9 {
        let x = place(tick);
        let _ = write!(
            svg,
            r#"<line class="grid" x1="{x:.1}" x2="{x:.1}" y1="4" y2="{bottom:.1}"/><text class="tick middle" x="{x:.1}" y="{:.1}">{}</text>"#,
            bottom + 16.0,
            short(tick)
        );
        tick += step;
    }
    for (i, (name, mean, [from, to])) in rows.iter().enumerate() {
        let y = i as f64 * 20.0 + 14.0;
        let title = format!("{}: {mean:.2} ({from:.2} to {to:.2})", escape(name));
        let _ = write!(
            svg,
            r#"<g><title>{title}</title><text class="label end" x="{:.1}" y="{:.1}">{}</text>"#,
            left - 10.0,
            y + 4.0,
            escape(&cut(name, 20))
        );
        let _ = write!(
            svg,
            r#"<line class="reach s0" x1="{:.1}" x2="{:.1}" y1="{y:.1}" y2="{y:.1}"/><circle class="dot s0" cx="{:.1}" cy="{y:.1}" r="4"/></g>"#,
            place(*from),
            place(*to),
            place(*mean)
        );
    }
    let _ = write!(
        svg,
        r#"<text class="name middle" x="{:.1}" y="{:.1}">{}</text>"#,
        f64::midpoint(left, WIDTH - RIGHT),
        height - 4.0,
        escape(axis)
    );
    svg + "</svg>"
}

/// Truncates a name to `most` characters.
fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_far_enough() {
        assert_eq!(ticks(9.0), [0.0, 2.5, 5.0, 7.5, 10.0]);
        assert_eq!(ticks(100.0), [0.0, 25.0, 50.0, 75.0, 100.0]);
        for most in [0.0, 1e-3, 0.7, 1.0, 3.0, 17.0, 218.0, 1e9] {
            let list = ticks(most);
            assert!(
                list.last().is_some_and(|&last| last >= most) && (2..=11).contains(&list.len()),
                "{most}: {list:?}"
            );
        }
    }

    #[test]
    fn names_do_no_harm() {
        let chart = lines("<x>", ["a&b", "'c'"], &[("<script>".to_owned(), vec![(1.0, 1.0), (2.0, 2.0)])]);
        assert!(!chart.contains("<script>") && !chart.contains("a&b"), "{chart}");
        let empty = lines("nothing", ["x", "y"], &[]);
        assert!(empty.starts_with("<svg") && !empty.contains("NaN"), "{empty}");
        assert_eq!(
            [short(0.0), short(4.256), short(42.25), short(1234.5), short(2.5e7)],
            ["0", "4.26", "42.2", "1234", "2.5e7"].map(String::from)
        );
    }
}
