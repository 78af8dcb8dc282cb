//! The page of `gdl serve` in Chromium: how long clicks take, and pictures of rulesheets to be
//! looked at.
//!
//! ```text
//! cargo bench -p gdl-cli --bench page                          # clicks, while a search of another session goes on
//! cargo bench -p gdl-cli --bench page -- pictures OUT FILE ..  # OUT/FILE-WIDTH-SCHEME.png, a few random moves into each game
//! ```
//!
//! A click lasts until the frame with its result has been made: `click()`, `requestAnimationFrame`,
//! and a message that is handled after the frame.

#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/browser/board.rs"]
mod board;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../tests/browser/chromium.rs"]
mod chromium;

use base64ct::{Base64, Encoding};
use chromium::Page;
use serde_json::{Value, json};
use std::{env, fs, path::Path};

/// The number of timed clicks of each kind.
const CLICKS: usize = 40;

/// The number of random moves before a picture is taken.
const MOVES: usize = 6;

fn main() {
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.split_first() {
        Some((mode, [out, files @ ..])) if mode == "pictures" => take_pictures(Path::new(out), files),
        _ => time_clicks(),
    }
}

/// A script that times a click on an element, in milliseconds. The time ends with the first frame
/// in which an expression holds.
const CLOCK: &str = "window.timed = (find, holds) => new Promise((done) => {
    const element = find();
    const begun = performance.now();
    element.click();
    const look = () => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => (holds() ? done(performance.now() - begun) : look());
        channel.port2.postMessage(0);
    });
    look();
}); 0";

/// Returns the processor seconds of the page's main thread so far, in total, for scripts and for
/// layout, and the number of layouts.
fn spent(page: &mut Page) -> [f64; 4] {
    let told = page.ask("Performance.getMetrics", &json!({}));
    let value = |name: &str| {
        let of = |metric: &&Value| metric["name"] == name;
        told["metrics"]
            .as_array()
            .and_then(|all| all.iter().find(of))
            .and_then(|metric| metric["value"].as_f64())
    };
    ["TaskDuration", "ScriptDuration", "LayoutDuration", "LayoutCount"]
        .map(|name| value(name).unwrap_or(f64::NAN))
}

fn time_clicks() {
    for (what, thinks) in [("alone", false), ("beside a search with two threads", true)] {
        let Some(mut page) = Page::play("breakthrough") else { return };
        page.run(CLOCK);
        if thinks {
            let seats = json!({ "game": "breakthrough", "seats": { "white": "mcts:seconds=60,threads=2" } });
            page.run(&format!(
                "fetch('/api/sessions', {{ method: 'POST', body: {} }}).then(() => 0)",
                json!(seats.to_string())
            ));
        }
        page.ask("Performance.enable", &json!({ "timeDomain": "threadTicks" }));
        let begun = spent(&mut page);
        let mut picks = Vec::new();
        let mut moves = Vec::new();
        for click in 0..CLICKS {
            let times = page.run(&format!(
                "(async () => {{
                    const count = () => document.querySelectorAll('#moves .past').length;
                    const before = count();
                    const movable = document.querySelectorAll('.cell.movable');
                    const pick = await timed(() => movable[{click} % movable.length], () => document.querySelector('.cell.selected'));
                    const targets = document.querySelectorAll('.cell.target');
                    const move = await timed(() => targets[{click} % targets.length], () => count() !== before);
                    return [pick, move];
                }})()"
            ));
            picks.push(times[0].as_f64().unwrap_or(f64::NAN));
            moves.push(times[1].as_f64().unwrap_or(f64::NAN));
            // A game that is over begins anew.
            if page.run("document.getElementById('status').classList.contains('over')") == true {
                page.choose("Restart");
                page.wait_for_moves(0);
            }
        }
        let each: Vec<f64> =
            spent(&mut page).iter().zip(begun).map(|(now, then)| (now - then) / CLICKS as f64).collect();
        println!(
            "{what}: a selection and a move take {:.1} ms of the page's processor time ({:.1} ms in scripts, {:.1} ms in {:.1} layouts)",
            1e3 * each[0],
            1e3 * each[1],
            1e3 * each[2],
            each[3]
        );
        for (kind, mut times) in [("a piece is selected", picks), ("a move is listed", moves)] {
            times.sort_by(f64::total_cmp);
            let at = |tenths: usize| times[tenths * (times.len() - 1) / 10];
            println!(
                "{what}: {kind} after {:.0} ms (median), {:.0} ms (nine of ten), {:.0} ms (worst of {})",
                at(5),
                at(9),
                at(10),
                times.len()
            );
        }
    }
}

/// A picture of a page, as PNG.
fn picture(page: &mut Page) -> Vec<u8> {
    let shot = page.ask("Page.captureScreenshot", &json!({ "format": "png" }));
    Base64::decode_vec(shot["data"].as_str().unwrap_or_default()).expect("base64")
}

fn take_pictures(out: &Path, files: &[String]) {
    fs::create_dir_all(out).expect("a folder for pictures");
    for file in files {
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(mut page) = Page::open(&[]) else { return };
        let text = fs::read_to_string(file).expect("a rulesheet");
        let request = json!({ "rulesheet": text, "name": name, "patient": true, "seed": 1 });
        // The moves are taken from the whole list, since its first moves are often alike.
        let opened = page.run(&format!(
            "(async () => {{
                const ask = async (path, body) => (await fetch(`/api/sessions${{path}}`, {{ method: 'POST', body }})).json();
                let view = await ask('', {});
                if (!view.id) return view.message;
                for (let made = 0; made < {MOVES} && !view.terminal && view.legal.length; made++) {{
                    for (const {{ role, moves }} of view.legal) {{
                        const {{ move }} = moves[(17 * (made + 3)) % moves.length];
                        const next = await ask(`/${{view.id}}/moves`, JSON.stringify({{ role, move }}));
                        if (next.id) view = next;
                    }}
                }}
                location.hash = `session=${{view.id}}`;
                return null;
            }})()",
            json!(request.to_string())
        ));
        if let Some(problem) = opened.as_str() {
            println!("{name}: {problem}");
            continue;
        }
        page.wait_for_game();
        for (width, height) in [(1200, 900), (390, 844)] {
            for is_dark in [false, true] {
                page.resize(width, height, is_dark);
                let scheme = if is_dark { "dark" } else { "light" };
                fs::write(out.join(format!("{name}-{width}-{scheme}.png")), picture(&mut page))
                    .expect("a picture");
            }
        }
        println!("{name}");
    }
}
