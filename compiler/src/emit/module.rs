//! Emits the Rust module of a compiled game.
//!
//! A [`Compilation`] becomes the tokens of `pub mod tictactoe { .. }`: the game's type, its roles,
//! moves, fluents and percepts, its table as one literal, and the implementation of `Game`. The
//! tokens name only their own items and the runtime's `__private` module, which also has `core`. So
//! their meaning does not depend on the surrounding code. The output is deterministic.

use super::{
    Code, engine,
    lanes::Lanes,
    names::{self, Hints, Named},
    parts::{self, Bodies, Frame, inline_code},
};
use crate::{Compilation, optimize::Phases, propnet::Net};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The maximum number of rows that the module's documentation shows of a list. The items themselves
/// are all documented.
const SHOWN: usize = 40;

/// Emits the game as a module. Its documentation names `origin`, for example `tictactoe.kif`.
#[must_use]
pub fn module(compilation: &Compilation, frame: &Frame, origin: &str, code: Code) -> TokenStream {
    let Compilation { rules, net, phases, lanes, table, .. } = compilation;
    let keywords = &rules.keywords;
    let vocabulary = &net.vocabulary;
    let moves = names::name(
        vocabulary.moves.iter().map(String::as_str),
        &Hints::new(rules, &[keywords.legal, keywords.input], 1),
    );
    let fluents = names::name(
        vocabulary.fluents.iter().map(String::as_str),
        &Hints::new(rules, &[keywords.base, keywords.next, keywords.init], 0),
    );
    let percepts = net.outputs.sees.as_ref().map(|_| {
        let hints = Hints::new(rules, &[keywords.sees], 1);
        names::name(vocabulary.percepts.iter().map(String::as_str), &hints)
    });
    let documentation = documentation(net, &rules.documentation, origin, &moves, &fluents, percepts.as_ref());
    let roles = parts::roles(&vocabulary.roles, Bodies::Table);
    let about = "Something a player may do, known by its KIF text.";
    let moves = parts::ids("Move", about, "moves", &moves, vocabulary.moves.len(), Bodies::Table);
    let about = "Something that may hold in a state, known by its KIF text.";
    let fluents = parts::ids("Fluent", about, "fluents", &fluents, vocabulary.fluents.len(), Bodies::Table);
    let percepts = parts::percepts(percepts.as_ref(), vocabulary.percepts.len(), Bodies::Table);
    let game = game(net, phases.as_ref(), lanes.as_ref(), table, frame, code);
    frame.module(&documentation, &quote!(#game #roles #moves #fluents #percepts))
}

/// Emits the words of the initial state.
fn initial_words(net: &Net) -> Vec<Literal> {
    let word = |bits: &[bool]| bits.iter().enumerate().fold(0, |word, (i, &bit)| word | u64::from(bit) << i);
    net.initial.chunks(64).map(|bits| Literal::u64_unsuffixed(word(bits))).collect()
}

/// Emits the game's type, the types of its states and views, its table, and the implementation of
/// `Game`.
fn game(
    net: &Net,
    phases: Option<&Phases>,
    lanes: Option<&Lanes>,
    table: &[u8],
    frame: &Frame,
    code: Code,
) -> TokenStream {
    let game = frame.game();
    let number = Literal::usize_unsuffixed;
    let (roles, fluents) = (net.vocabulary.roles.len(), net.initial.len());
    let (moves, goals) = (net.vocabulary.moves.len(), net.goals());
    let words = initial_words(net);
    let state_words = number(words.len());
    let view_words = number(net.shape().view_words());
    let (roles, fluents, moves, goals) = (number(roles), number(fluents), number(moves), number(goals));
    let percepts = number(net.vocabulary.percepts.len());
    let bytes = Literal::byte_string(table);
    let engine = engine::single(net, phases, code);
    let (lanes, decoded) = engine::lanes(lanes, code);
    let perceive = net.outputs.sees.as_ref().map(|_| {
        quote! {
            #[inline]
            fn perceive(&self, state: &State, joint: &[Move], percepts: &mut [u64]) {
                engine::perceive(state, joint, percepts);
            }
        }
    });
    quote! {
        #[doc = "The game: a value without size that knows the rules."]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #game;

        #[doc = "The game."]
        #[must_use]
        pub const fn game() -> #game {
            #game
        }

        #[doc = "A state: one bit for each [`Fluent`] that holds."]
        pub type State = __gdl::Bits<#state_words>;

        #[doc = "What is seen of a [`State`]: the legal moves, the goals, and whether the game is over."]
        pub type View = __gdl::Bits<#view_words>;

        const SHAPE: __gdl::Shape =
            __gdl::Shape {
                roles: #roles,
                fluents: #fluents,
                moves: #moves,
                goals: #goals,
                percepts: #percepts,
            };

        const INITIAL: State = State::new([#(#words),*]);

        static TABLE: &[u8] = #bytes;

        fn table() -> &'static __gdl::Table {
            #decoded
            DECODED.get()
        }

        fn vocabulary() -> &'static __gdl::Vocabulary {
            table().vocabulary()
        }

        #engine

        #lanes

        impl __gdl::Game for #game {
            type State = State;
            type View = View;
            type Role = Role;
            type Move = Move;
            type Fluent = Fluent;
            type Percept = Percept;

            fn vocabulary(&self) -> &__gdl::Vocabulary {
                vocabulary()
            }

            fn table(&self) -> __gdl::core::option::Option<&__gdl::Table> {
                __gdl::core::option::Option::Some(table())
            }

            #[inline]
            fn shape(&self) -> __gdl::Shape {
                SHAPE
            }

            #[inline]
            fn new_state(&self) -> State {
                State::EMPTY
            }

            #[inline]
            fn new_view(&self) -> View {
                View::EMPTY
            }

            #[inline]
            fn initial(&self) -> State {
                INITIAL
            }

            #[inline]
            fn observe(&self, state: &State, view: &mut View) {
                engine::observe(state, view);
            }

            #[inline]
            fn observe_without_goals(&self, state: &State, view: &mut View) {
                engine::observe_without_goals(state, view);
            }

            #[inline]
            fn advance(&self, state: &mut State, joint: &[Move]) {
                engine::advance(state, joint);
            }

            #perceive
        }
    }
}

/// Writes the module's documentation: the comments of the rulesheet, then its names and sizes.
fn documentation(
    net: &Net,
    comments: &[String],
    origin: &str,
    moves: &Named,
    fluents: &Named,
    percepts: Option<&Named>,
) -> Vec<String> {
    let mut lines = prose(comments);
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let mut counts = vec![
        count(net.vocabulary.roles.len(), "role"),
        count(net.vocabulary.moves.len(), "move"),
        count(net.vocabulary.fluents.len(), "fluent"),
    ];
    counts.extend(percepts.map(|_| count(net.vocabulary.percepts.len(), "percept")));
    lines.push(format!("Compiled from {}: {}.", inline_code(origin), counts.join(", ")));
    lines.push(String::new());
    lines.push("| in the rulesheet | in Rust | how many |".into());
    lines.push("|---|---|---|".into());
    let roles = &net.vocabulary.roles;
    let variants = parts::role_names(roles);
    for (text, variant) in roles.iter().zip(variants).take(SHOWN) {
        lines.push(format!("| {} | [`Role::{variant}`] | 1 |", inline_code(text)));
    }
    let kinds = [("Move", Some(moves)), ("Fluent", Some(fluents)), ("Percept", percepts)];
    for (kind, named) in kinds.into_iter().filter_map(|(kind, named)| Some((kind, named?))) {
        for group in named.constructors.iter().take(SHOWN) {
            lines.push(format!(
                "| {} | [`{kind}::{}`] | {} |",
                inline_code(&group.example),
                group.name,
                group.count
            ));
        }
        for constant in named.constants.iter().take(SHOWN) {
            lines.push(format!("| {} | [`{kind}::{}`] | 1 |", inline_code(&constant.text), constant.name));
        }
    }
    lines
}

/// Converts comment lines to Markdown. Paragraphs and lists remain, and columns and indented lines
/// become text blocks.
fn prose(comments: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for block in comments.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty()) {
        let indent = block.iter().map(|line| indentation(line)).min().unwrap_or(0);
        let block: Vec<&str> = block.iter().map(|line| line[indent..].trim_end()).collect();
        // Two blanks in a line indicate columns. Rustdoc would read lines that start with four
        // blanks as Rust code.
        let laid_out = |line: &&str| indentation(line) > 3 || line.trim_start().contains("  ");
        if block.iter().any(laid_out) {
            lines.push("```text".into());
            lines.extend(block.iter().map(|line| line.replace("```", "'''")));
            lines.push("```".into());
        } else {
            escape(&block, &mut lines);
        }
        lines.push(String::new());
    }
    lines
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Escapes a paragraph for Markdown, except lists and names in backquotes.
fn escape(block: &[&str], lines: &mut Vec<String>) {
    let closed = block.iter().flat_map(|line| line.chars()).filter(|&c| c == '`').count() % 2 == 0;
    let mut code = false;
    for line in block {
        let mut escaped = String::new();
        let start = indentation(line);
        for (i, letter) in line.char_indices() {
            let opens = i == start && matches!(letter, '#' | '+' | '=' | '~' | '-');
            let item = opens && letter == '-' && line[i + 1..].starts_with(' ');
            if letter == '`' && closed {
                code = !code;
            } else if !code
                && ((opens && !item)
                    || matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&'))
            {
                escaped.push('\\');
            }
            escaped.push(letter);
        }
        lines.push(escaped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(comment: &str) -> String {
        let lines: Vec<String> = comment.lines().map(str::to_owned).collect();
        prose(&lines).join("\n")
    }

    #[test]
    fn prose_is_escaped() {
        assert_eq!(
            markdown(" A *game* of <marks>\n for `a_b`.\n"),
            "A \\*game\\* of \\<marks\\>\nfor `a_b`.\n"
        );
        assert_eq!(markdown("one ` alone"), "one \\` alone\n");
        assert_eq!(markdown("Title\n-----"), "Title\n\\-----\n");
        assert_eq!(markdown("- one\n  more\n- two"), "- one\n  more\n- two\n");
        assert_eq!(markdown(""), "");
    }

    #[test]
    fn layout_is_kept() {
        assert_eq!(markdown("\n  x   y\n  oo  o\n\nEnd"), "```text\nx   y\noo  o\n```\n\nEnd\n");
        assert_eq!(markdown("as\n    code"), "```text\nas\n    code\n```\n");
    }
}
