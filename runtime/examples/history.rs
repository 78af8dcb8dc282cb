//! History alone: a board that one goes back and forth on, without any player.
//!
//! `cargo run -p gdl-runtime --example history`

use gdl_runtime::{GameExt, History, gdl};
use std::error::Error;

gdl!("../games/board/tictactoe.kif");

fn main() -> Result<(), Box<dyn Error>> {
    let game = tictactoe::game();
    let mut history = History::new(&game);
    let mark = |history: &mut History<_>, action: &str| -> Result<_, Box<dyn Error>> {
        // The other role has nothing but `noop`.
        let joint = game.joint(history.state(), game.parse_move(action)?)?;
        Ok(history.play(&game, &joint)?)
    };

    // A line of three moves.
    mark(&mut history, "(mark 2 2)")?;
    mark(&mut history, "(mark 1 2)")?;
    let main_line = mark(&mut history, "(mark 1 1)")?;
    println!("main line: {}", history.text(&game));

    // Two moves back and another answer: a branch.
    history.undo();
    history.undo();
    mark(&mut history, "(mark 1 1)")?;
    println!("branch:    {}", history.text(&game));

    // Time travel to the end of the main line, and a way back that redo remembers.
    history.go(main_line);
    while history.undo().is_some() {}
    history.redo();
    println!("after redo from the start: {} move, {} places in all", history.depth(), history.len());

    // An illegal move is an error and changes nothing.
    if let Err(error) = mark(&mut history, "(mark 1 1)") {
        println!("refused:   {error}");
    }

    // Any position goes through text, and a history can begin there.
    let later = History::from_text(&game, &history.text(&game))?;
    assert_eq!(later.state(), history.state());
    // So does the whole tree (with the feature `serde` it is data for serde).
    let again = History::from_transcript(&game, &history.transcript(&game))?;
    assert_eq!(again.line(), history.line());
    Ok(())
}
