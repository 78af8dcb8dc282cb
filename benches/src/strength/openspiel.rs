//! Matches against the MCTS of `OpenSpiel` (Lanctot et al., "`OpenSpiel`: a framework for
//! reinforcement learning in games", 2019) at equal processor time. Like `Mcts`, it evaluates
//! leaves by random games.
//!
//! A Python that can import `pyspiel` (`pip install open_spiel`) runs `openspiel.py`, which answers
//! requests line by line. The environment variable `PYTHON` names the interpreter; the default is
//! `python3`. Both sides track the game by their own rules, and the legal moves and the winner are
//! compared at every move.

use super::{
    contest::{Contender, Cost, Side},
    game,
};
use gdl_runtime::{Dynamic, Game, GameExt, Information, chance::Stream, dynamic::RoleId, game::Id};
use gdl_tools::statistics::wilson;
use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The games that both programs have, by our names.
pub(super) const GAMES: &[&str] = &["connect_four", "breakthrough", "pentago", "reversi"];

/// The number of random moves at the start of a match.
const DRAWN: usize = 2;

/// The Python process.
struct Peer {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// The peer's answer about a position.
enum Look {
    /// The game is over, with the value for the first role: positive if it has won.
    Over(f64),
    /// The game goes on: the index of the role to move, and its moves. Each has the peer's number
    /// of the move and the equivalent sequence of our moves.
    On(usize, Vec<(String, Vec<String>)>),
}

/// Returns whether `pyspiel` can be imported.
pub(super) fn is_there() -> bool {
    let imported = Command::new(python()).args(["-c", "import pyspiel"]).stderr(Stdio::null()).status();
    imported.is_ok_and(|status| status.success())
}

fn python() -> String {
    env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// Plays matches in one game, from both roles in turn, and returns a row of a table. `seconds` is
/// the processor time of a move.
pub(super) fn row(name: &str, player: Contender, seconds: f64, matches: u64) -> io::Result<Option<String>> {
    let Some(game) = game(name).filter(|_| GAMES.contains(&name)) else { return Ok(None) };
    let mut peer = Peer::new(name)?;
    let mut side = Side::new(player, 1);
    let (mut won, mut drawn, mut lost) = (0, 0, 0);
    for number in 0..matches {
        match play(name, &game, &mut side, &mut peer, seconds, number)? {
            value if value > 0.0 => won += 1,
            value if value < 0.0 => lost += 1,
            _ => drawn += 1,
        }
    }
    let share = (f64::from(won) + f64::from(drawn) / 2.0) / matches as f64;
    let [low, high] = wilson(share, matches).map(|bound| 100.0 * bound);
    let share = 100.0 * share;
    Ok(Some(format!(
        "| {name} | {player:?} | {matches} | {won} | {drawn} | {lost} | {share:.1} % | {low:.0}-{high:.0} % |"
    )))
}

/// Plays one match. The result is positive if our side has won.
fn play(
    name: &str,
    game: &Dynamic,
    side: &mut Side,
    peer: &mut Peer,
    seconds: f64,
    number: u64,
) -> io::Result<f64> {
    let roles: Vec<RoleId> = game.roles().collect();
    let seat = (number % 2) as usize;
    let mut stream = Stream::new(1, number / 2);
    let mut state = game.initial();
    let mut known: Vec<_> = game.roles().map(Information::new).collect();
    // Our legal moves after the last move; `None` before the first, when nothing is compared.
    let mut legal: Option<Vec<String>> = None;
    peer.ask("new")?;
    side.forget();
    // The time before a match is ten times that of a move, as in contests.
    side.start(game, roles[seat], Cost::Processor(10.0 * seconds));
    for ply in 0.. {
        let look = peer.look(name)?;
        let [own, other] =
            [seat, 1 - seat].map(|place| game.goal(&state, roles[place]).map_or(0.0, f64::from));
        let (mover, moves) = match look {
            Look::Over(first) => {
                let theirs = if seat == 0 { first } else { -first };
                let agrees = (theirs > 0.0) == (own > other) && (theirs < 0.0) == (own < other);
                assert!(agrees, "{name}: both agree on who has won");
                return Ok(own - other);
            }
            // In pentago, a row of five that the turn would break wins by our rules.
            Look::On(..) if game.is_terminal(&state) => return Ok(own - other),
            Look::On(mover, moves) => (mover, moves),
        };
        if let Some(legal) = &legal {
            let agrees = moves.iter().all(|(_, texts)| legal.contains(&texts[0]));
            assert!(agrees, "{name}: both agree on what is legal");
        }
        let role = roles[mover];
        let (number, texts) = if ply < DRAWN {
            moves[stream.below(moves.len() as u64) as usize].clone()
        } else if mover != seat {
            // A turn of several moves has the time of all of them.
            let answer = peer.ask(&format!("think {}", seconds * moves[0].1.len() as f64))?;
            moves.into_iter().find(|(number, _)| *number == answer).expect("a legal move")
        } else {
            let mut left = moves;
            let mut place = 0;
            while left.iter().any(|(_, texts)| place < texts.len()) && left.len() > 1 {
                let cost = Cost::Processor(seconds);
                let action = side.choose(game, &known[role.index()], cost).expect("a legal move");
                let text = game.move_text(action).to_owned();
                left.retain(|(_, texts)| texts[place] == text);
                place += 1;
                state = step(game, &state, &text, role, &mut known);
                if game.is_terminal(&state) {
                    left.truncate(1);
                }
            }
            let (number, texts) = left.into_iter().next().expect("a move that both know");
            (number, texts[place..].to_vec())
        };
        for text in &texts {
            if !game.is_terminal(&state) {
                state = step(game, &state, text, role, &mut known);
            }
        }
        let moves = game.roles().flat_map(|role| game.legal_moves(&state, role));
        legal = Some(moves.map(|action| game.move_text(action).to_owned()).collect());
        peer.ask(&format!("play {number}"))?;
    }
    unreachable!("matches end")
}

/// The state after a move of one role; the others make their only move.
fn step(
    game: &Dynamic,
    state: &<Dynamic as Game>::State,
    text: &str,
    role: RoleId,
    known: &mut [Information<Dynamic>],
) -> <Dynamic as Game>::State {
    let action = game.parse_move(text).expect("a move of the game");
    let other = |role| game.legal_moves(state, role).next().expect("a move");
    let joint: Vec<_> = game.roles().map(|mover| if mover == role { action } else { other(mover) }).collect();
    known.iter_mut().for_each(|known| known.step(game, state, &joint));
    game.apply(state, &joint).expect("a legal move")
}

impl Peer {
    fn new(name: &str) -> io::Result<Self> {
        let theirs = if name == "reversi" { "othello" } else { name };
        let mut child = Command::new(python())
            .args(["-c", include_str!("openspiel.py"), theirs])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        let (Some(questions), Some(answers)) = (questions, answers) else {
            return Err(io::Error::other("it has no lines"));
        };
        Ok(Self { child, questions, answers: BufReader::new(answers) })
    }

    fn ask(&mut self, question: &str) -> io::Result<String> {
        writeln!(self.questions, "{question}")?;
        self.questions.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        if answer.is_empty() {
            Err(io::Error::other("it answers no more"))
        } else {
            Ok(answer.trim().to_owned())
        }
    }

    fn look(&mut self, name: &str) -> io::Result<Look> {
        let answer = self.ask("look")?;
        let bad = || io::Error::other(format!("`{answer}` is no position"));
        let mut words = answer.split(' ');
        let first = words.next().ok_or_else(bad)?;
        if first == "over" {
            let value = words.next().and_then(|word| word.parse().ok()).ok_or_else(bad)?;
            return Ok(Look::Over(value));
        }
        let moves: Option<Vec<_>> = words
            .map(|word| {
                let (number, text) = word.split_once(':')?;
                Some((number.to_owned(), translate(name, text)?))
            })
            .collect();
        Ok(Look::On(first.parse().map_err(|_| bad())?, moves.ok_or_else(bad)?))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The process may have ended already, so errors are ignored.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Translates the peer's text of a move into our moves. Returns `None` if the text is not
/// recognised.
fn translate(name: &str, text: &str) -> Option<Vec<String>> {
    let places: Vec<u32> = text
        .bytes()
        .filter_map(|byte| match byte {
            b'a'..=b'h' => Some(u32::from(byte - b'a') + 1),
            b'0'..=b'9' => Some(u32::from(byte - b'0')),
            _ => None,
        })
        .collect();
    Some(match (name, &places[..]) {
        ("connect_four", &[column]) => vec![format!("(drop {})", column + 1)],
        // The peer's first player starts at the top.
        ("breakthrough", &[x1, y1, x2, y2]) => vec![format!("(move {x1} {} {x2} {})", 9 - y1, 9 - y2)],
        ("reversi", &[x, y]) => vec![format!("(place {x} {y})")],
        ("reversi", _) => vec!["pass".to_owned()],
        ("pentago", &[x, y]) => {
            let turn = match text.bytes().last()? {
                b's' => "left upper anticlockwise",
                b't' => "left upper clockwise",
                b'u' => "right upper anticlockwise",
                b'v' => "right upper clockwise",
                b'w' => "right lower anticlockwise",
                b'x' => "right lower clockwise",
                b'y' => "left lower anticlockwise",
                b'z' => "left lower clockwise",
                _ => return None,
            };
            vec![format!("(place {x} {})", 7 - y), format!("(turn {turn})")]
        }
        _ => return None,
    })
}
