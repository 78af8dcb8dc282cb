//! Faulty and hostile managers: each is answered or disconnected, and the match of another manager
//! goes on.

use crate::{ask, first, listen, post, send};
use gdl_network::Host;
use gdl_players::{Budget, Player};
use gdl_runtime::{Dynamic, Game, GameExt, Information};
use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::{Arc, Mutex, mpsc},
    thread,
};

const ROBOT: &str = "((role robot) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal robot go) (legal robot stay)
    (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does robot stay) (true (at ?x)))
    (<= terminal (true (at 3))) (goal robot 100))";

fn start(id: &str) -> String {
    format!("( START {id} robot {ROBOT} 60 60 )")
}

#[test]
fn answers_have_their_length_and_the_end_of_the_connection() {
    let address = listen(first());
    let answer = send(address, post("( INFO )").as_bytes());
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let head = head.to_ascii_lowercase();
    for line in [
        "http/1.0 200 ok",
        "content-type: text/acl",
        "access-control-allow-origin: *",
        "access-control-allow-methods: post, get, options",
        &format!("content-length: {}", body.len()),
    ] {
        assert!(head.lines().any(|found| found == line), "{line}: {head}");
    }
    assert!(!head.contains("chunked"), "{head}");
    // Connections of HTTP/1.1 are closed too, though the client did not request that.
    let newer = send(address, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n(info)");
    assert!(newer.starts_with("HTTP/1.1 200") && newer.ends_with(body), "{newer}");
    assert!(newer.to_ascii_lowercase().contains("connection: close"), "{newer}");
}

#[test]
fn messages_come_in_addresses_and_in_chunks() {
    let address = listen(first());
    let info = "( ( name gdl ) ( status available ) )";
    for request in [
        "GET /%28+INFO+%29 HTTP/1.0\r\n\r\n",
        "GET /(INFO) HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(in\r\n3\r\nfo)\r\n0\r\n\r\n",
    ] {
        let answer = send(address, request.as_bytes());
        assert!(answer.ends_with(info), "{request}: {answer}");
    }
    let options = send(address, b"OPTIONS / HTTP/1.0\r\n\r\n").to_ascii_lowercase();
    assert!(options.starts_with("http/1.0 200") && options.contains("content-length: 0"), "{options}");
}

#[test]
fn what_is_no_message_stops_no_match() {
    let address = listen(first());
    assert_eq!(ask(address, &start("m")), "ready");
    assert_eq!(ask(address, "( PLAY m NIL )"), "go");
    let huge = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n(", 2_u64 << 30);
    let long = format!(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n{}",
        "(".repeat(0x20_0000)
    );
    let head = format!("GET / HTTP/1.0\r\nX: {}\r\n\r\n", "x".repeat(1 << 17));
    for (bytes, status) in [
        (huge.as_bytes(), "413"),
        (long.as_bytes(), "413"),
        (head.as_bytes(), "431"),
        (b"DELETE / HTTP/1.0\r\n\r\n", "405"),
        (b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n\xff\xfe\xfd", "400"),
        (b"POST / HTTP/1.0\r\nContent-Length: 30\r\n\r\n( INFO", "400"),
        (b"\x16\x03\x01\x02\x00\x01\x00 garbage", "400"),
        (b"", ""),
    ] {
        let answer = send(address, bytes);
        let found = answer.split(' ').nth(1).unwrap_or_default();
        // A client that still sends when it is answered may not read the answer.
        assert!(
            found == status || answer.is_empty(),
            "{}: {answer}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(60)])
        );
    }
    for message in
        ["", "hello", "(", ")", "( PLAY m", "( PLAY m NIL ) )", "(STOP x NIL)", "(ABORT x)", &start("n")]
    {
        assert_eq!(ask(address, message), "busy", "{message}");
    }
    assert_eq!(ask(address, "( PLAY m ( go ) )"), "go");
    assert_eq!(ask(address, "( STOP m ( go ) )"), "done");
    assert_eq!(ask(address, "( PLAY m ( go ) )"), "busy");
}

#[test]
fn news_that_do_not_fit_are_left_out() {
    let address = listen(first());
    assert_eq!(ask(address, &start("m")), "ready");
    // The host answers with a move whatever the news are, and follows those that fit the rules.
    for news in ["NIL", "( fly )", "( go go )", "( )", "( (go 1) )", "( GO )"] {
        assert_eq!(ask(address, &format!("( PLAY m {news} )")), "go", "{news}");
    }
    assert_eq!(ask(address, "( ABORT m )"), "aborted");
}

/// A player that ignores its budget, and ends only when the test releases it.
struct Stuck(Arc<Mutex<mpsc::Receiver<()>>>);

impl Player<Dynamic> for Stuck {
    fn name(&self) -> &'static str {
        "stuck"
    }

    fn choose(
        &mut self,
        _: &Dynamic,
        _: &Information<Dynamic>,
        _: &Budget,
    ) -> Option<<Dynamic as Game>::Move> {
        let _ = self.0.lock().expect("it is whole").recv();
        None
    }
}

#[test]
fn there_is_a_legal_move_whatever_the_player_does() {
    let tictactoe = gdl_games::find("tictactoe").expect("it is built in").text;
    let own = ROBOT.strip_prefix('(').and_then(|rules| rules.strip_suffix(')')).expect("a list");
    for (rules, role, news) in [(own, "robot", "( go )"), (tictactoe, "xplayer", "( (mark 1 1) noop )")] {
        let (let_go, gate) = mpsc::channel();
        let gate = Arc::new(Mutex::new(gate));
        let address = listen(Host::new("gdl", move |_| Some(Box::new(Stuck(Arc::clone(&gate))))));
        let start = format!("( START m {role} ( {rules} ) 1 1 )");
        assert_eq!(ask(address, &start), "ready");
        for news in ["NIL", news] {
            let answer = ask(address, &format!("( PLAY m {news} )"));
            assert!(!["nil", "busy"].contains(&answer.as_str()), "{role}: {answer}");
        }
        drop(let_go);
    }
}

#[test]
fn a_start_without_use_is_refused_with_its_place() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notes);
    let address = listen(first().log(move |note| told.lock().expect("it is whole").push(note.to_string())));
    for (message, remark) in [
        (start("m").replace("(legal robot go)", "(legal robot ?x)"), "rules:1:"),
        (start("m").replace(" robot ((", " nobody (("), "the rules have no role `nobody`"),
        ("( START m robot () 10 10 )".to_owned(), "rules:"),
        (format!("( START m robot {ROBOT} 10 )"), "1:1: a START has an id"),
    ] {
        assert_eq!(ask(address, &message), "busy");
        let last = notes.lock().expect("it is whole").last().cloned().expect("a note");
        assert!(last.contains(remark), "{remark}: {last}");
        assert!(last.contains(": busy in "), "{last}");
    }
    assert_eq!(ask(address, &start("m")), "ready");
}

#[test]
fn rules_that_are_too_many_for_a_net_are_played_from_the_first_second_on() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notes);
    let address = listen(first().log(move |note| told.lock().expect("it is whole").push(note.to_string())));
    let digits = (0..10).map(|digit| format!("(digit {digit})")).collect::<Vec<_>>().join(" ");
    let row = "?a ?b ?c ?d ?e ?f ?g ?h";
    let each = row.split(' ').map(|variable| format!("(digit {variable})")).collect::<Vec<_>>().join(" ");
    // The relation `run` has a hundred million atoms, and the goal needs one of them.
    let vast = ROBOT.replace(
        "(goal robot 100)",
        &format!(
            "{digits} (<= (row {row}) {each}) (<= (run {row}) (row {row}) (distinct ?a ?b))
             (<= (run ?b ?c ?d ?e ?f ?g ?h ?a) (run {row}))
             (<= (goal robot 100) (true (at ?a)) (run ?a 2 3 4 5 6 7 8))"
        ),
    );
    for id in ["m", "n"] {
        assert_eq!(ask(address, &format!("( START {id} robot {vast} 1 60 )")), "ready");
        for news in ["NIL", "( go )", "( go )"] {
            assert_eq!(ask(address, &format!("( PLAY {id} {news} )")), "go");
        }
        assert_eq!(ask(address, &format!("( STOP {id} ( go ) )")), "done");
    }
    // Threads that have not ended yet do not prevent another match.
    assert_eq!(ask(address, "( INFO )"), "( ( name gdl ) ( status available ) )");
    assert_eq!(ask(address, &start("o")), "ready");
    let notes = notes.lock().expect("it is whole");
    let of_vast = |note: &&String| note.contains(" m") || note.contains(" n");
    assert!(!notes.iter().filter(of_vast).any(|note| note.contains("the table game")), "{notes:?}");
}

/// A player that thinks until the test releases it.
struct Patient(Arc<Mutex<mpsc::Receiver<()>>>);

impl Player<Dynamic> for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }

    fn choose(
        &mut self,
        game: &Dynamic,
        information: &Information<Dynamic>,
        budget: &Budget,
    ) -> Option<<Dynamic as Game>::Move> {
        let gate = self.0.lock().expect("it is whole");
        while !budget.is_cancelled() && gate.try_recv().is_err() {
            thread::yield_now();
        }
        game.legal_moves(&game.initial(), information.role()).next()
    }
}

/// Serves a patient player. Returns its address and the sender that releases it.
fn patient() -> (std::net::SocketAddr, mpsc::Sender<()>) {
    let (sender, receiver) = mpsc::channel();
    let receiver = Arc::new(Mutex::new(receiver));
    let host = Host::new("gdl", move |_| Some(Box::new(Patient(Arc::clone(&receiver))))).without_pondering();
    (listen(host), sender)
}

#[test]
fn it_hears_all_while_it_thinks() {
    let (address, go) = patient();
    assert_eq!(ask(address, &start("m")), "ready");
    let play = "( PLAY m NIL )";
    let asked: Vec<_> = (0..2).map(|_| thread::spawn(move || ask(address, play))).collect();
    assert_eq!(ask(address, "( INFO )"), "( ( name gdl ) ( status busy ) )");
    assert_eq!(ask(address, &start("n")), "busy");
    go.send(()).expect("it thinks");
    // Each of two equal requests is answered.
    for answer in asked {
        assert_eq!(answer.join().expect("an answer"), "go");
    }
    // The move is also made if the manager does not wait for the answer.
    let mut gone = TcpStream::connect(address).expect("a connection");
    // The joint move has another move in place of the player's, so repeating it is not a further
    // step.
    gone.write_all(post("( PLAY m ( stay ) )").as_bytes()).expect("it is open");
    drop(gone);
    let asked = thread::spawn(move || ask(address, "( PLAY m ( stay ) )"));
    go.send(()).expect("it thinks");
    assert_eq!(asked.join().expect("an answer"), "go");
}

#[test]
fn many_that_wait_do_not_keep_others_out() {
    let (address, _go) = patient();
    assert_eq!(ask(address, &start("m")), "ready");
    let waiting: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(address).expect("a connection");
            let _ = stream.write_all(post("( PLAY m NIL )").as_bytes());
            stream
        })
        .collect();
    let idle: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(address).expect("a connection")).collect();
    assert_eq!(ask(address, "( INFO )"), "( ( name gdl ) ( status busy ) )");
    // `STOP` cancels the search, and the waiting requests are answered.
    assert_eq!(ask(address, "( STOP m ( go ) )"), "done");
    assert_eq!(ask(address, "( INFO )"), "( ( name gdl ) ( status available ) )");
    let mut answers = waiting.into_iter().map(|mut stream| {
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    });
    assert!(answers.any(|answer| answer.ends_with("busy")), "too many asked the same");
    drop(idle);
}

#[test]
fn a_player_that_breaks_down_plays_on() {
    struct Broken;
    impl Player<Dynamic> for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn choose(
            &mut self,
            _: &Dynamic,
            _: &Information<Dynamic>,
            _: &Budget,
        ) -> Option<<Dynamic as Game>::Move> {
            std::panic::resume_unwind(Box::new("broken"))
        }
    }
    let address = listen(Host::new("gdl", |_| Some(Box::new(Broken))));
    assert_eq!(ask(address, &start("m").replace("60 60", "1 60")), "ready");
    for news in ["NIL", "( stay )", "( stay )"] {
        let answer = ask(address, &format!("( PLAY m {news} )"));
        assert!(["go", "stay"].contains(&answer.as_str()), "{answer}");
    }
}

/// A player that reports when it begins to think, and uses its whole budget.
struct Diligent(mpsc::Sender<usize>);

impl Player<Dynamic> for Diligent {
    fn name(&self) -> &'static str {
        "diligent"
    }

    fn choose(
        &mut self,
        game: &Dynamic,
        information: &Information<Dynamic>,
        budget: &Budget,
    ) -> Option<<Dynamic as Game>::Move> {
        let _ = self.0.send(information.steps().len());
        while !budget.is_spent() {
            thread::yield_now();
        }
        game.legal_moves(&game.initial(), information.role()).next()
    }
}

#[test]
fn it_thinks_at_the_start_and_while_others_do() {
    let (sender, thoughts) = mpsc::channel();
    let address = listen(Host::new("gdl", move |_| Some(Box::new(Diligent(sender.clone())))));
    assert_eq!(ask(address, &start("m").replace("60 60", "1 1")), "ready");
    // The player thinks before the match, and then ponders until a move is requested.
    assert_eq!([thoughts.recv(), thoughts.recv()], [Ok(0), Ok(0)]);
    assert_eq!(ask(address, "( INFO )"), "( ( name gdl ) ( status busy ) )");
    assert_eq!(ask(address, "( PLAY m NIL )"), "go");
    // The player thinks for each answer, and then ponders, unless it has pondered at this position
    // before.
    assert_eq!(thoughts.recv(), Ok(0));
    assert_eq!(ask(address, "( PLAY m ( stay ) )"), "go");
    assert_eq!([thoughts.recv(), thoughts.recv()], [Ok(1), Ok(1)]);
    assert_eq!(ask(address, "( ABORT m )"), "aborted");
}
