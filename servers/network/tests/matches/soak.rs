//! A small soak test: a manager that makes random mistakes leads matches of several games. Each
//! match must finish with legal moves alone.

use crate::{ask, listen, post, send};
use gdl_network::{
    Host,
    message::{Dialect, Request},
};
use gdl_players::{Budget, Player, search::Mcts};
use gdl_runtime::{Dynamic, Game, GameExt, Information, Loader, chance::Stream, game::Id};
use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
};

/// Returns the games: built-in ones, plain and scrambled, and two that have to be compiled: a
/// changed one, and a guessing game with chance and percepts.
fn games() -> Vec<(&'static str, String)> {
    let text = |name: &str| gdl_games::find(name).expect("a built-in game").text.to_owned();
    let scrambled =
        text("tictactoe").replace("xplayer", "moss").replace("oplayer", "fern").replace("mark", "kite");
    let guess = "(role random) (role guesser) (init start) (coin heads) (coin tails)
        (<= (legal random (toss ?a)) (true start) (coin ?a)) (<= (legal random noop) (not (true start)))
        (<= (legal guesser wait) (true start)) (<= (legal guesser (guess ?a)) (not (true start)) (coin ?a))
        (<= (next (shown ?a)) (does random (toss ?a))) (<= (next (said ?a)) (does guesser (guess ?a)))
        (<= (sees guesser (peek ?a)) (does random (toss ?a))) (<= terminal (true (said ?a)))
        (<= (goal guesser 100) (true (said ?a))) (goal random 0)";
    vec![
        ("tictactoe", text("tictactoe")),
        ("scrambled", scrambled),
        ("rock_paper_scissors", text("rock_paper_scissors")),
        ("monty_hall", text("monty_hall")),
        ("changed", text("nim") + " (another fact)"),
        ("guess", guess.to_owned()),
    ]
}

/// Sends a random stray message between two messages of a match, or none.
fn disturb(address: SocketAddr, luck: &mut Stream) {
    match luck.below(8) {
        0 => assert_eq!(ask(address, "( PLAY another NIL )"), "busy"),
        1 => assert_eq!(ask(address, "( STOP another NIL )"), "busy"),
        2 => assert_eq!(ask(address, "( START another x ((role x)) 1 1 )"), "busy"),
        3 => assert_eq!(ask(address, "(((((((("), "busy"),
        4 => assert!(ask(address, "( INFO )").contains("busy")),
        5 => drop(send(address, b"\x00\x01\x02\r\n\r\n")),
        6 => {
            let mut half = TcpStream::connect(address).expect("a connection");
            let _ = half.write_all(&post("( PLAY m ( noop").as_bytes()[..60]);
        }
        _ => {}
    }
}

/// Leads a match in which the host has a role, and returns the number of its moves.
fn lead(address: SocketAddr, id: &str, rules: &str, game: &Dynamic, luck: &mut Stream) -> usize {
    let players: Vec<_> = game.roles().filter(|&role| Some(role) != game.chance_role()).collect();
    let role = players[luck.below(players.len() as u64) as usize];
    let sheet = Request::Start {
        id: id.to_owned(),
        role: game.role_text(role).to_owned(),
        rules: rules.to_owned(),
        start: 30,
        play: 30,
    };
    let sheet = sheet.write(Dialect::Base);
    assert_eq!(ask(address, &sheet), "ready");
    let mut state = game.initial();
    let mut news = "NIL".to_owned();
    let mut moves = 0;
    while !game.is_terminal(&state) {
        disturb(address, luck);
        let play = format!("( PLAY {id} {news} )");
        let answer = ask(address, &play);
        let action = game.parse_move(&answer).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(game.is_legal(&state, role, action), "{id}: {answer}");
        // The manager may have missed the answer and asks again. Later repetitions are not tested:
        // once an answer was sent, the host takes equal percepts for a new step.
        if luck.below(4) == 0 && moves == 0 {
            assert_eq!(ask(address, &play), answer, "{id}: asked again");
        }
        let view = game.view(&state);
        let mut joint: Vec<_> =
            game.roles().map(|role| game.random_move_in(&view, role, luck).expect("a move")).collect();
        // The answer may have come too late, so another move is made. That is skipped in games with
        // percepts: the role does not learn the move made for it, and its percepts may contradict
        // its own move.
        if luck.below(6) > 0 || game.vocabulary().has_percepts() {
            joint[role.index()] = action;
        }
        let seen = game.perception(&state, &joint, role);
        news = game.perception_text(&seen).replacen('(', "( ", 1);
        state = game.apply(&state, &joint).expect("legal moves");
        moves += 1;
    }
    let stop = if luck.below(5) == 0 { format!("( ABORT {id} )") } else { format!("( STOP {id} {news} )") };
    let last = ask(address, &stop);
    assert!(["done", "aborted"].contains(&last.as_str()), "{last}");
    assert_eq!(ask(address, &format!("( PLAY {id} {news} )")), "busy");
    moves
}

#[test]
fn every_match_is_finished_with_legal_moves() {
    let player = |seed| -> Option<Box<dyn Player<Dynamic>>> { Some(Box::new(Nodes(Mcts::new().seed(seed)))) };
    let address = listen(Host::new("gdl", player).without_pondering());
    let mut luck = Stream::new(22, 0);
    let mut moves = 0;
    for round in 0..4 {
        for (name, rules) in games() {
            let game = Loader::new().load(&rules).expect("a game");
            moves += lead(address, &format!("{name}.{round}"), &rules, &game, &mut luck);
        }
    }
    assert!(moves > 50, "{moves}");
    assert_eq!(ask(address, "( INFO )"), "( ( name gdl ) ( status available ) )");
}

/// A search with a fixed number of nodes, which is fast on any machine.
struct Nodes(Mcts<Dynamic>);

impl Player<Dynamic> for Nodes {
    fn name(&self) -> &'static str {
        "nodes"
    }

    fn choose(
        &mut self,
        game: &Dynamic,
        information: &Information<Dynamic>,
        budget: &Budget,
    ) -> Option<<Dynamic as Game>::Move> {
        self.0.choose(game, information, &budget.clone().and_nodes(100))
    }
}
