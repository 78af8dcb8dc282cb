//! The commands of a person: each line becomes a [`Command`], or a message that says what to type
//! instead.

use gdl_runtime::kif::{self, bare};
use std::path::PathBuf;

/// A parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Make the legal move with this index.
    Move(usize),
    /// Undo the last choice.
    Undo,
    /// Redo the next choice.
    Redo,
    /// Show the move that a player would make.
    Hint,
    /// List the legal moves.
    Moves,
    /// Show the position as KIF text.
    State,
    /// Write the play to a file.
    Save(PathBuf),
    /// Add the play to a file of tests.
    Record(PathBuf),
    /// Continue a play from a file.
    Load(PathBuf),
    /// List the commands.
    Help,
    /// Leave.
    Quit,
    /// An empty line.
    Nothing,
}

/// The help of each command.
pub(crate) const HELP: [(&str, &str); 12] = [
    ("NUMBER", "make the move with this number"),
    ("TEXT", "make the move that begins with this: `(mark 1 1)`, `mark 1 1`"),
    ("undo", "undo your last choice and what followed it"),
    ("redo", "redo what was undone"),
    ("hint", "show the move that a player would make"),
    ("moves", "list your moves"),
    ("state", "show the position as text"),
    ("save FILE", "write the play, with all its branches, to a file"),
    ("load FILE", "continue a play from a file"),
    ("record FILE", "add the play to a file of tests, which `gdl test` runs"),
    ("help", "show this"),
    ("quit", "leave"),
];

/// Parses a line, given the texts of the legal moves.
///
/// The line is tried as the whole text of a move, then as a command, then as a number from 1. Last,
/// it may be a prefix of one move's text, with or without the opening parenthesis. Case does not
/// matter.
///
/// # Errors
/// Returns a message that says what to type instead.
pub(crate) fn read(line: &str, moves: &[&str]) -> Result<Command, String> {
    let line = line.trim();
    let text = kif::normalise(line);
    if text.is_empty() {
        return Ok(Command::Nothing);
    }
    let same = |action: &&str| action.eq_ignore_ascii_case(&text) || bare(action).eq_ignore_ascii_case(&text);
    if let Some(place) = moves.iter().position(same) {
        return Ok(Command::Move(place));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let file = |command: fn(PathBuf) -> Command| match rest.trim() {
        "" => Err(format!("`{word}` needs the name of a file")),
        name => Ok(command(PathBuf::from(name))),
    };
    match word.to_ascii_lowercase().as_str() {
        "save" => return file(Command::Save),
        "record" => return file(Command::Record),
        "load" => return file(Command::Load),
        word if rest.is_empty() => {
            let command = match word {
                "undo" | "u" => Some(Command::Undo),
                "redo" | "r" => Some(Command::Redo),
                "hint" => Some(Command::Hint),
                "moves" => Some(Command::Moves),
                "state" => Some(Command::State),
                "help" | "h" | "?" => Some(Command::Help),
                "quit" | "q" | "exit" => Some(Command::Quit),
                _ => None,
            };
            if let Some(command) = command {
                return Ok(command);
            }
        }
        _ => {}
    }
    if let Ok(number) = text.parse::<usize>() {
        return match number.checked_sub(1).filter(|&place| place < moves.len()) {
            Some(place) => Ok(Command::Move(place)),
            None if moves.is_empty() => Err("there is no move to make".to_owned()),
            None => Err(format!("the moves have numbers from 1 to {}", moves.len())),
        };
    }
    let begins = |action: &str| {
        let begins =
            |whole: &str| whole.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(&text));
        begins(action) || begins(bare(action))
    };
    let found: Vec<usize> = (0..moves.len()).filter(|&place| begins(moves[place])).collect();
    match found[..] {
        [place] => Ok(Command::Move(place)),
        [] => {
            Err(format!("neither a legal move nor a command: `{}`; `help` lists the commands", shown(line)))
        }
        [first, second, ..] => Err(format!(
            "{} moves begin with this, among them {} and {}",
            found.len(),
            moves[first],
            moves[second]
        )),
    }
}

/// Returns a line for a message: at most 60 characters, without control characters.
fn shown(line: &str) -> String {
    let mut shown: String = line.chars().filter(|c| !c.is_control()).take(60).collect();
    if shown.len() < line.len() {
        shown += "..";
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVES: [&str; 5] = ["(mark 1 1)", "(mark 1 10)", "(mark 2 2)", "noop", "(quit now)"];

    fn read(line: &str) -> Result<Command, String> {
        super::read(line, &MOVES)
    }

    #[test]
    fn moves_go_by_number_or_text_or_beginning() {
        for line in ["1", "(mark 1 1)", " ( MARK  1 1 )", "mark 1 1"] {
            assert_eq!(read(line), Ok(Command::Move(0)), "{line}");
        }
        for line in ["2", "mark 1 10", "(mark 1 10"] {
            assert_eq!(read(line), Ok(Command::Move(1)), "{line}");
        }
        assert_eq!(read("mark 2"), Ok(Command::Move(2)));
        assert_eq!(read("NO"), Ok(Command::Move(3)));
        assert_eq!(read("quit n"), Ok(Command::Move(4)));
        assert!(read("mark").unwrap_err().starts_with("3 moves begin with this, among them (mark 1 1) and"));
        assert!(read("0").unwrap_err().contains("from 1 to 5"));
        assert!(read("6").unwrap_err().contains("from 1 to 5"));
        assert!(super::read("1", &[]).unwrap_err().contains("no move"));
    }

    #[test]
    fn commands_are_words() {
        assert_eq!(read("undo"), Ok(Command::Undo));
        assert_eq!(read(" Quit "), Ok(Command::Quit));
        assert_eq!(read("?"), Ok(Command::Help));
        assert_eq!(read("save my game.json"), Ok(Command::Save("my game.json".into())));
        assert_eq!(read("record my.plays"), Ok(Command::Record("my.plays".into())));
        assert!(read("load").unwrap_err().contains("name of a file"));
        assert_eq!(read(""), Ok(Command::Nothing));
        assert_eq!(read(" \t"), Ok(Command::Nothing));
        // A move with the text of a command is a move.
        assert_eq!(super::read("undo", &["undo"]), Ok(Command::Move(0)));
    }

    #[test]
    fn nothing_that_is_typed_is_fatal() {
        for line in [
            "(",
            ")",
            "))((",
            "é",
            "mark 1 é",
            "\u{1b}[2J",
            "99999999999999999999",
            "-1",
            &"x".repeat(10_000),
        ] {
            let error = read(line).expect_err(line);
            assert!(!error.contains('\u{1b}') && error.len() < 300, "{error}");
        }
    }
}
