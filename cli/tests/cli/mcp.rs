//! `gdl mcp` from an agent's view: JSON lines over stdin and stdout of the program.

use super::{command, file, gdl};
use gdl_compiler::{Rules, Source, eval::Evaluator};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

/// A client of the server process.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: u64,
    /// Responses that arrived while another one was awaited, by request.
    early: BTreeMap<u64, Value>,
}

impl Client {
    /// Starts the server without a message to it.
    fn silent(args: &[&str]) -> Self {
        let mut command = command(&[&["mcp"], args].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("gdl runs");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, requests: 0, early: BTreeMap::new() }
    }

    /// Starts the server and initialises a session.
    fn new(args: &[&str]) -> Self {
        let mut client = Self::silent(args);
        let info = json!({ "name": "test", "version": "1" });
        let begun = client.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info }),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "gdl", "{begun}");
        client.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    fn write(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(&[line, b"\n"].concat()).expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).expect("UTF-8") > 0, "the server has gone");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params });
        self.write(request.to_string().as_bytes());
        self.requests
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            let answer = self.receive();
            self.early.insert(answer["id"].as_u64().expect("an answer to a request"), answer);
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Returns the structured result of a tool.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], false, "{tool} {arguments}: {answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Returns the error message of a tool that rejects its arguments.
    fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{tool} {arguments}: {answer}");
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Closes the stream and waits for the server to end.
    fn close(mut self) {
        self.input = None;
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn rules_of(text: &str) -> Rules {
    gdl_compiler::read(&Source::new("rules", text), &gdl_tools::load::quiet()).expect("it is sound").0
}

/// An agent writes a game: a scripted session that uses all tools.
#[test]
fn an_author_checks_fixes_plays_and_asks_why() {
    let mut client = Client::new(&[]);
    let tools = client.ask("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools").clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    let expected = "check explain fix simulate play legal_moves why best_move analyze compare";
    assert_eq!(names.join(" "), expected);
    for tool in &tools {
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
        assert!(tool["annotations"]["readOnlyHint"].as_bool().expect("a hint"), "{tool}");
    }
    let ttt = gdl_games::find("tictactoe").expect("built in").text;

    // A typing error: the diagnostic has a place and an edit, which fixes it.
    let broken = ttt.replacen("(true (control ?r))", "(treu (control ?r))", 1);
    let verdict = client.call("check", &json!({ "rulesheet": broken }));
    let found = gdl(&["check", "--json", &file("mcp_broken.kif", &broken)]);
    let found: Value = serde_json::from_str(&found.stdout).expect("JSON");
    let told = |diagnostics: &Value| -> Vec<Value> {
        let keys = ["code", "line", "column", "message", "help", "labels"];
        let list = diagnostics.as_array().expect("a list").iter();
        list.map(|fault| json!(keys.map(|key| fault[key].to_string().replace("mcp_broken.kif", "rulesheet"))))
            .collect()
    };
    let (ours, theirs) = (told(&verdict["diagnostics"]), told(&found["diagnostics"]));
    assert!(!ours.is_empty());
    let places =
        |list: &[Value]| list.iter().map(|fault| json!([fault[0], fault[1], fault[2]])).collect::<Vec<_>>();
    assert_eq!(places(&ours), places(&theirs));
    let code = verdict["diagnostics"][0]["code"].clone();
    assert!(
        client.call("explain", &json!({ "code": code }))["page"].as_str().expect("a page").contains("```")
    );
    let fixed = client.call("fix", &json!({ "rulesheet": broken }));
    assert_eq!((&fixed["text"], &fixed["made"]), (&json!(broken), &json!([])), "a guess is not made unasked");
    let fixed = client.call("fix", &json!({ "rulesheet": broken, "guess": true }));
    assert_eq!((&fixed["text"], &fixed["left"]["errors"]), (&json!(ttt), &json!(0)), "{fixed}");
    let simulated = client.call("simulate", &json!({ "rulesheet": ttt }));
    assert_eq!((&simulated["states"], &simulated["complete"]), (&json!(5478), &json!(true)));
    assert_eq!(simulated["diagnostics"], json!([]));

    // A fork for `x`: the search must find the winning move.
    let moves = json!([
        ["(mark 1 1)", "noop"],
        ["noop", "(mark 1 2)"],
        ["(mark 2 1)", "noop"],
        ["noop", "(mark 3 3)"]
    ]);
    let best = client.call("best_move", &json!({ "rulesheet": ttt, "moves": moves, "player": "alphabeta" }));
    assert_eq!(
        (&best["role"], &best["move"], &best["exact"]),
        (&json!("xplayer"), &json!("(mark 3 1)"), &json!(true))
    );
    let best = client.call("best_move", &json!({ "rulesheet": "tictactoe", "moves": moves, "nodes": 500 }));
    assert_eq!((&best["move"], &best["exact"]), (&json!("(mark 3 1)"), &json!(true)), "{best}");
    let ask = json!({ "rulesheet": "tictactoe", "moves": moves, "player": "mcts", "nodes": 500, "seed": 3 });
    let best = client.call("best_move", &ask);
    assert_eq!((&best["move"], &best["value"]), (&json!("(mark 3 1)"), &json!(100.0)), "{best}");
    assert!(best["alternatives"].as_array().expect("a list").len() == 5, "{best}");
    assert_eq!(client.call("best_move", &ask), best);

    let why =
        client.call("why", &json!({ "rulesheet": ttt, "moves": moves, "atom": "legal oplayer (mark 1 3)" }));
    assert_eq!(why["holds"], false);
    assert!(why["why"]["attempts"][0]["line"].is_u64(), "{why}");
    let refusal = client.refusal("play", &json!({ "rulesheet": ttt, "moves": [["noop", "(mark 1 1)"]] }));
    assert!(refusal.contains("joint move 1") && refusal.contains("(legal xplayer noop)"), "{refusal}");

    let figures = client.call("analyze", &json!({ "rulesheet": ttt, "games": 50 }));
    assert_eq!((&figures["fluents"], &figures["figures"]["length"]["longest"]), (&json!(29), &json!(9)));

    let renamed = ttt.replace("cell", "field").replace("xplayer", "white");
    let same = client.call("compare", &json!({ "rulesheet": ttt, "other": renamed }));
    assert_eq!(same["verdict"], "same_by_renaming");
    assert_eq!(same["renamed"], json!([["cell", "field"], ["xplayer", "white"]]));
    client.close();
}

/// On the mistakes in the compiler's tests, the tool `fix` has exactly the output of `gdl check
/// --fix`.
#[test]
fn fix_does_what_check_fix_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/reject");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let mut client = Client::new(&[]);
    let (mut mended, mut sound) = (0, 0);
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "kif")) {
        // Files that are not text, or take seconds, are skipped.
        let Ok(text) = fs::read_to_string(path) else { continue };
        if !text.contains('(') || text.len() > 20_000 {
            continue;
        }
        let diagnostics = gdl_compiler::compile(
            &Source::new("rulesheet", text.as_str()),
            &gdl_compiler::Options {
                limits: gdl_compiler::Limits::network(),
                ..gdl_compiler::Options::default()
            },
        );
        let diagnostics = diagnostics.map_or_else(|failure| failure.diagnostics, |game| game.diagnostics);
        if diagnostics.iter().all(|diagnostic| diagnostic.edits.is_empty()) {
            continue;
        }
        mended += 1;
        for (guess, how) in [(false, "--fix"), (true, "--fix=guess")] {
            let fixed = client.call("fix", &json!({ "rulesheet": text, "guess": guess }));
            let name = path.file_name().expect("a name").to_str().expect("UTF-8");
            let copy = file(&format!("mcp_{name}"), &text);
            let code = gdl(&["check", how, &copy]).code;
            assert_eq!(fixed["text"], json!(fs::read_to_string(&copy).expect("a file")), "{name}");
            assert_eq!(fixed["left"]["errors"] == json!(0), code == Some(0), "{name}: {fixed}");
            sound += usize::from(guess && code == Some(0));
        }
    }
    // At least 80% of the texts with edits are valid after them.
    assert!(mended >= 15 && sound * 10 >= mended * 8, "{sound} of {mended}");
    client.close();
}

/// The views of positions equal those of the slow evaluator.
#[test]
fn positions_are_those_of_the_evaluator() {
    let mut client = Client::new(&[]);
    for name in ["tictactoe", "nim", "liars_dice"] {
        let text = gdl_games::find(name).expect("built in").text;
        let rules = rules_of(text);
        let evaluator = Evaluator::new(&rules).expect("it is sound");
        let mut state = evaluator.initial().expect("a state");
        let mut moves: Vec<Vec<String>> = Vec::new();
        for step in 0..6 {
            let position =
                client.call("play", &json!({ "rulesheet": text, "moves": moves }))["position"].clone();
            let mut fluents: Vec<String> = state.iter().map(ToString::to_string).collect();
            fluents.sort();
            assert_eq!(position["state"], json!(format!("({})", fluents.join(" "))));
            let terminal = evaluator.terminal(&state).expect("an answer");
            assert_eq!(position["terminal"], json!(terminal));
            let from_state = json!({ "rulesheet": text, "state": position["state"] });
            let mut seen = client.call("play", &from_state)["position"].clone();
            let mut joint = Vec::new();
            for (number, role) in evaluator.roles().iter().enumerate() {
                let shown = &position["roles"][number];
                assert_eq!(shown["role"], json!(role.as_str()));
                let legal = evaluator.legal(&state, number).expect("moves");
                let mut legal: Vec<String> = legal.iter().map(ToString::to_string).collect();
                legal.sort();
                if !terminal {
                    assert_eq!(shown["legal"], json!(legal), "{name} {moves:?}");
                    let atom = format!("legal {role} {}", legal[step % legal.len()]);
                    let ask = json!({ "rulesheet": text, "moves": moves, "atom": atom, "depth": 1 });
                    assert_eq!(client.call("why", &ask)["holds"], true, "{atom}");
                    joint.push(legal[(step * 7 + number) % legal.len()].clone());
                }
                let goals: Vec<u8> = evaluator
                    .goals(&state, number)
                    .expect("goals")
                    .iter()
                    .map(|goal| goal.as_str().parse().expect("a number"))
                    .collect();
                assert_eq!(shown["goals"], json!(goals));
                // A state does not determine the percepts of the step before it.
                if let Some(perceived) = shown.get("perceived") {
                    seen["roles"][number]["perceived"] = perceived.clone();
                }
            }
            assert_eq!(seen, position);
            if terminal {
                break;
            }
            let terms: Vec<_> = joint.iter().map(|text| evaluator.term(text).expect("a term")).collect();
            state = evaluator.next(&state, &terms).expect("a state");
            moves.push(joint);
        }
        assert!(moves.len() > 2, "{name}");
    }
    client.close();
}

#[test]
fn a_difference_comes_with_the_moves_that_show_it() {
    let mut client = Client::new(&[]);
    let ttt = gdl_games::find("tictactoe").expect("built in").text;
    // Additional rules without effect are not a renaming, but give the same play.
    let other = format!("{ttt}\n(open_end)\n(<= terminal (open_end) (not (open_end)))");
    let same = client.call("compare", &json!({ "rulesheet": ttt, "other": other }));
    assert_eq!((&same["verdict"], &same["pairs"]), (&json!("same_play"), &json!(5478)), "{same}");
    // In the other game, a corner cannot be marked once the centre is.
    let other = ttt.replacen(
        "(true (cell ?m ?n b)))",
        "(true (cell ?m ?n b)) (not (shut ?m ?n)))\n(<= (shut 1 1) (true (cell 2 2 x)))",
        1,
    );
    let different = client.call("compare", &json!({ "rulesheet": ttt, "other": other }));
    assert_eq!(different["verdict"], "different", "{different}");
    assert_eq!(different["moves"], json!([["(mark 2 2)", "noop"]]));
    assert_eq!(different["difference"], "`(mark 1 1)` is legal for `oplayer` only by the first rulesheet");
    // Roles alone distinguish the games.
    let different = client.call("compare", &json!({ "rulesheet": ttt, "other": "nim" }));
    assert_eq!((&different["verdict"], &different["moves"]), (&json!("different"), &json!([])));
    assert!(
        different["difference"].as_str().expect("a text").starts_with("the roles are xplayer, oplayer and ")
    );
    client.close();
}

#[test]
fn texts_are_there_to_read() {
    let mut client = Client::new(&[]);
    let list = client.ask("resources/list", &json!({}));
    let uris: Vec<&str> = list["result"]["resources"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|r| r["uri"].as_str())
        .collect();
    assert_eq!((uris.len(), uris[0]), (gdl_games::LIST.len() + 1, "gdl://primer"));
    let read = |client: &mut Client, uri: &str| client.ask("resources/read", &json!({ "uri": uri }));
    for uri in &uris {
        let text = read(&mut client, uri)["result"]["contents"][0]["text"].clone();
        assert!(text.as_str().is_some_and(|text| text.contains("(role ")), "{uri}");
    }
    assert!(read(&mut client, "gdl://codes/GDL085").to_string().contains("GDL085"));
    for uri in ["gdl://codes/GDL999", "gdl://games/../primer", "file:///etc/passwd", ""] {
        assert!(
            read(&mut client, uri)["error"]["message"].as_str().is_some_and(|m| m.contains("no resource")),
            "{uri}"
        );
    }
    client.close();
}

#[test]
fn files_are_read_below_the_folder_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let nim = gdl_games::find("nim").expect("built in").text;
    fs::write(folder.path().join("mine.kif"), nim).expect("written");
    let path = folder.path().to_str().expect("UTF-8");
    let mut client = Client::new(&["--folder", path]);
    assert_eq!(client.call("check", &json!({ "rulesheet": "mine.kif" }))["errors"], 0);
    for name in ["/etc/hostname", "../mine.kif", "/dev/zero", "./mine.txt"] {
        let refusal = client.refusal("check", &json!({ "rulesheet": name }));
        assert!(refusal.contains("there is no rulesheet"), "{refusal}");
    }
    client.close();
    let mut client = Client::new(&[]);
    let whole = format!("{path}/mine.kif");
    assert!(client.refusal("check", &json!({ "rulesheet": whole })).contains("files are not read"));
    client.close();
    assert_eq!(gdl(&["mcp", "--folder", "/no/such/folder"]).code, Some(1));
}

#[test]
fn rulesheets_are_read_leniently_if_asked() {
    let unrewarded = "(role ann) (role bob) (init (step 1)) (legal ann hold) (legal bob wait)
        (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2))) (<= (goal ann 50) (true (step 2)))";
    let errors = |args: &[&str]| {
        let mut client = Client::new(args);
        let found = client.call("check", &json!({ "rulesheet": unrewarded }));
        client.close();
        found["errors"].clone()
    };
    assert_eq!(errors(&[]), 1);
    assert_eq!(errors(&["--lenient"]), 0);
}

/// A rulesheet whose grounding takes seconds, until it exceeds a limit.
fn slow() -> String {
    let each = |count: u8, form: fn(u8) -> String| (0..count).map(form).collect::<Vec<_>>().join(" ");
    let digits = each(9, |n| format!("(d {n})"));
    let cells = each(7, |n| format!("?x{n}"));
    let conditions = each(7, |n| format!("(d ?x{n})"));
    format!("(role r) {digits} (<= (legal r (go {cells})) {conditions}) (<= terminal (d 0)) (goal r 100)")
}

#[test]
fn what_is_taken_back_is_not_answered_and_others_are() {
    let mut client = Client::new(&[]);
    let long =
        json!({ "name": "best_move", "arguments": { "rulesheet": "connect_four", "nodes": 100_000_000 } });
    let ids: Vec<u64> = (0..8).map(|_| client.send("tools/call", &long)).collect();
    for id in &ids {
        let params = json!({ "requestId": id, "reason": "enough" });
        let line = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        client.write(line.to_string().as_bytes());
    }
    // The server answers again, so the work has ended, and no late response arrives.
    assert_eq!(client.call("check", &json!({ "rulesheet": "nim" }))["errors"], 0);
    assert!(client.early.is_empty(), "{:?}", client.early);
    client.close();
}

#[test]
fn work_that_takes_too_long_is_given_up() {
    let mut client = Client::new(&["--seconds", "0.3"]);
    let long = json!({ "rulesheet": "connect_four", "nodes": 100_000_000 });
    let refusal = client.refusal("best_move", &long);
    assert!(refusal.contains("more than 0.3 s"), "{refusal}");
    client.close();
    // With the limits of untrusted rulesheets, an explosion in size is an error.
    let mut client = Client::new(&["--seconds", "60"]);
    let verdict = client.call("check", &json!({ "rulesheet": slow() }));
    assert!(verdict["errors"].as_u64().is_some_and(|errors| errors > 0), "{verdict}");
    client.close();
}

#[test]
fn nothing_that_is_sent_ends_the_server() {
    let mut client = Client::silent(&[]);
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{nested}}}"#);
    let lines: [&[u8]; 14] = [
        b"",
        b"garbage",
        b"\xff\xfe\x00",
        b"{",
        b"[]",
        b"{}",
        b"5",
        br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        br#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        br#"{"jsonrpc":"1.0","id":8,"method":"tools/list"}"#,
        br#"{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":5}}"#,
        br#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
        br#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":5}}"#,
        deep.as_bytes(),
    ];
    for line in lines {
        client.write(line);
    }
    // A line that exceeds the limit.
    let block = vec![b'x'; 1 << 20];
    for _ in 0..17 {
        client.input.as_mut().expect("it is open").write_all(&block).expect("the server reads");
    }
    client.write(b"");
    client.requests = 100;
    let id = client.send("ping", &json!({}));
    let mut errors = Vec::new();
    loop {
        let answer = client.receive();
        if answer["id"] == json!(id) {
            break;
        }
        assert!(answer["error"]["code"].as_i64().is_some_and(|code| code < 0), "{answer}");
        errors.push(answer["error"]["message"].as_str().expect("a text").to_owned());
    }
    assert!(errors.iter().any(|error| error.contains("more than 16777216 bytes")), "{errors:?}");
    assert!(errors.iter().any(|error| error.contains("not JSON")), "{errors:?}");

    // The same in an initialised session.
    let info = json!({ "name": "test", "version": "1" });
    client.ask(
        "initialize",
        &json!({ "protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": info }),
    );
    for line in [
        &b"garbage"[..],
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}"#,
    ] {
        client.write(line);
    }
    assert!(
        client.receive()["error"]["message"].as_str().is_some_and(|message| message.contains("not JSON"))
    );
    for (tool, arguments) in [
        ("check", json!({})),
        ("check", json!({ "rulesheet": 5 })),
        ("check", json!({ "rulesheet": "(role x)", "unknown": 1 })),
        ("check", json!({ "rulesheet": "(".repeat(2 << 20) })),
        ("check", json!({ "rulesheet": "x".repeat(5 << 20) })),
        ("play", json!({ "rulesheet": "nim", "moves": [["x".repeat(5 << 20), "y"]] })),
        ("why", json!({ "rulesheet": "nim", "atom": "x".repeat(5 << 20) })),
        ("best_move", json!({ "rulesheet": "nim", "player": "x".repeat(5 << 20) })),
        ("play", json!({ "rulesheet": "(role x" })),
        ("play", json!({ "rulesheet": "nim", "state": "((" })),
        ("play", json!({ "rulesheet": "nim", "moves": vec![["a"]; 20_000] })),
        ("play", json!({ "rulesheet": "nim", "moves": [["(((("]] })),
        ("why", json!({ "rulesheet": "nim", "atom": "((((" })),
        ("why", json!({ "rulesheet": "nim", "atom": "" })),
        ("why", json!({ "rulesheet": "nim", "atom": "terminal", "depth": 1000 })),
        ("why", json!({ "rulesheet": "nim", "atom": "terminal", "state": "/etc/passwd" })),
        ("why", json!({ "rulesheet": "nim", "atom": "terminal", "moves": [[") (/etc/passwd"]] })),
        ("best_move", json!({ "rulesheet": "nim", "player": "human" })),
        ("best_move", json!({ "rulesheet": "nim", "player": "remote:127.0.0.1:1" })),
        ("best_move", json!({ "rulesheet": "nim", "player": "mcts:seconds=1" })),
        ("best_move", json!({ "rulesheet": "nim", "role": "nobody" })),
        ("explain", json!({ "code": "GDL999" })),
        ("simulate", json!({ "rulesheet": "(role x)" })),
    ] {
        let refusal = client.refusal(tool, &arguments);
        assert!(refusal.len() < 20_000, "{tool}: {}", refusal.len());
    }
    let unknown = client.ask("tools/call", &json!({ "name": "rm", "arguments": {} }));
    assert!(
        unknown["error"]["message"].as_str().is_some_and(|message| message.contains("no tool `rm`")),
        "{unknown}"
    );
    assert_eq!(client.ask("no/such", &json!({}))["error"]["code"], -32601);
    assert_eq!(client.call("check", &json!({ "rulesheet": "nim" }))["errors"], 0);
    client.close();
}
