//! Properties of parsing any text as a message or as an answer; the fuzz target checks the same
//! ones.

use gdl_network::message::{Dialect, Request};

/// One message for each kind of answer.
const ASKED: [&str; 5] = ["(info)", "(start m r () 1 1)", "(play m nil)", "(stop m nil)", "(abort m)"];

/// Parses a text as a request and as answers. Checks that what was parsed survives writing and
/// parsing again, and that an error has a place in the text.
pub(crate) fn read(text: &str) {
    match text.parse::<Request>() {
        Ok(request) => {
            let written = request.write(Dialect::Base);
            let again: Request = written.parse().expect("what was written can be read");
            assert_eq!(again.write(Dialect::Base), written);
            let capitals: Request =
                request.write(Dialect::Controller).parse().expect("and in the other dialect");
            assert_eq!(capitals.kind(), request.kind());
        }
        Err(fault) => {
            assert!((1..=text.matches('\n').count() + 1).contains(&fault.line), "{fault}");
            assert!((1..=text.chars().count() + 1).contains(&fault.column), "{fault}");
        }
    }
    for asked in ASKED {
        let request: Request = asked.parse().expect("a message");
        if let Ok(reply) = request.read_reply(text) {
            assert_eq!(request.read_reply(&reply.to_string()), Ok(reply));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::chance::Stream;

    #[test]
    fn mutants_of_messages_are_read_or_have_their_place() {
        let texts = [include_str!("../transcripts/base.txt"), include_str!("../transcripts/controller.txt")];
        let lines: Vec<&str> =
            texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.get(2..)).collect();
        let parts = [
            "(",
            ")",
            " ",
            "\n",
            ";",
            "NIL",
            "play",
            "status",
            "\u{85}",
            "\u{1F600}",
            "()",
            "0",
            "START m r (",
        ];
        let mut luck = Stream::new(22, 0);
        for _ in 0..20_000 {
            let line = lines[luck.below(lines.len() as u64) as usize];
            let mut text: Vec<char> = line.chars().take(200).collect();
            for _ in 0..luck.below(4) {
                let place = luck.below(text.len() as u64 + 1) as usize;
                let end = (place + luck.below(4) as usize).min(text.len());
                let part = parts[luck.below(parts.len() as u64) as usize];
                text.splice(place..end, part.chars());
            }
            read(&text.into_iter().collect::<String>());
        }
    }
}
