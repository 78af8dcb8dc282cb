//! A history without players: undo, redo and branches on one board.
//!
//! `cargo run -p gdl-runtime --example history`

use gdl_runtime::{GameExt, History, gdl};
use std::error::Error;

gdl!("../games/board/tictactoe.kif");

fn main() -> Result<(), Box<dyn Error>> {
    let game = tictactoe::game();
    let mut history = History::new(&game);
    let mark = |history: &mut History<_>, action: &str| -> Result<_, Box<dyn Error>> {
        // The only legal move of the other role is `noop`.
        let joint = game.joint(history.state(), game.parse_move(action)?)?;
        Ok(history.play(&game, &joint)?)
    };

    // A line of three moves.
    mark(&mut history, "(mark 2 2)")?;
    mark(&mut history, "(mark 1 2)")?;
    let main_line = mark(&mut history, "(mark 1 1)")?;
    println!("main line: {}", history.text(&game));

    // Two moves back, then another second move: a branch.
    history.undo();
    history.undo();
    mark(&mut history, "(mark 1 1)")?;
    println!("branch:    {}", history.text(&game));

    // Jumps to the end of the main line and undoes all of its moves. Redo then follows the main
    // line.
    history.go(main_line);
    while history.undo().is_some() {}
    history.redo();
    println!("after redo from the start: {} move, {} places in all", history.depth(), history.len());

    // An illegal move is an error and changes nothing.
    if let Err(error) = mark(&mut history, "(mark 1 1)") {
        println!("refused:   {error}");
    }

    // Any position can be written as text, and a history can begin at it.
    let later = History::from_text(&game, &history.text(&game))?;
    assert_eq!(later.state(), history.state());
    // The whole tree can be written as a transcript (serde data with the feature `serde`).
    let again = History::from_transcript(&game, &history.transcript(&game))?;
    assert_eq!(again.line(), history.line());
    Ok(())
}
