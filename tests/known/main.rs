//! Engines against independent sources: published counts, traces of another semantics over other
//! authors' rulesheets, and games written by hand.

mod chess;
mod draughts;
mod epilog;
mod handwritten;
mod leduc;
mod odd_games;
mod perft;
mod pig;
mod poker;
mod published;
mod puzzles;
pub mod reference;
mod severities;
mod traces;

use gdl_runtime::Dynamic;

/// A built-in game as a table.
fn built_in(name: &str) -> Dynamic {
    gdl_games::dynamic(name).expect("built-in rulesheets load")
}

/// The rulesheet of a built-in game with another initial state.
fn beginning_with(name: &str, init: &str) -> String {
    let text = gdl_games::find(name).expect("built in").text;
    // Forms begin at the left margin; all their other lines are indented.
    let mut forms: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(';')) {
        match forms.last_mut() {
            Some(form) if line.starts_with(' ') => *form += line,
            _ => forms.push(line.to_owned()),
        }
    }
    forms.retain(|form| !form.starts_with("(init ") && !form.starts_with("(<= (init "));
    forms.join("\n") + "\n" + init
}
