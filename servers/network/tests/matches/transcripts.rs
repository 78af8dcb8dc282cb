//! Recorded matches: every message is answered as in the transcript, by the host itself and over a
//! connection.

use crate::{ask, first, listen};
use gdl_network::message::{Dialect, Request};

const TRANSCRIPTS: [(&str, &str); 3] = [
    ("base", include_str!("../transcripts/base.txt")),
    ("controller", include_str!("../transcripts/controller.txt")),
    ("percepts", include_str!("../transcripts/percepts.txt")),
];

/// Returns the pairs of a message and its answer.
fn exchanges(text: &str) -> Vec<(&str, &str)> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    lines
        .chunks_exact(2)
        .map(|pair| {
            let [message, answer] = [("> ", pair[0]), ("< ", pair[1])]
                .map(|(mark, line)| line.strip_prefix(mark).unwrap_or_else(|| panic!("{line}")));
            (message, answer)
        })
        .collect()
}

#[test]
fn every_message_is_answered_as_it_is_written() {
    for (name, text) in TRANSCRIPTS {
        let host = first();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        for (message, answer) in exchanges(text) {
            assert_eq!(runtime.block_on(host.answer(message, None)), answer, "{name}: {message}");
        }
    }
}

#[test]
fn and_so_over_connections() {
    for (name, text) in TRANSCRIPTS {
        let address = listen(first());
        for (message, answer) in exchanges(text) {
            assert_eq!(ask(address, message), answer, "{name}: {message}");
        }
    }
}

#[test]
fn what_is_read_is_written_again() {
    for (name, text) in TRANSCRIPTS {
        for (message, _) in exchanges(text) {
            let Ok(request) = message.parse::<Request>() else {
                assert_eq!(name, "base", "{message}");
                continue;
            };
            for dialect in [Dialect::Base, Dialect::Controller] {
                let again: Request = request.write(dialect).parse().expect("it was written by us");
                assert_eq!(again.kind(), request.kind());
                assert_eq!(again.write(dialect), request.write(dialect));
            }
        }
    }
}

/// A manager may send an author's text unchanged. If it can be parsed it is played, otherwise the
/// answer is `busy` and the player stays free.
#[test]
fn rules_in_other_syntaxes_are_played() {
    const INFIX: &str = "role(robot)\ninit(off)\nlegal(robot, press(a)) :- true(off)\n\
        next(on) :- does(robot, press(a))\nterminal :- true(on)\ngoal(robot, 100) :- true(on)\n";
    let host = first();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    for (message, answer) in [
        ("(START m robot (Dear reader, here are the rules.) 10 10)".to_owned(), "busy"),
        ("(PLAY m NIL)".to_owned(), "busy"),
        (format!("(START n robot ({INFIX}) 10 10)"), "ready"),
        ("(PLAY n NIL)".to_owned(), "(press a)"),
        ("(STOP n ((press a)))".to_owned(), "done"),
    ] {
        assert_eq!(runtime.block_on(host.answer(&message, None)), answer, "{message}");
    }
}
