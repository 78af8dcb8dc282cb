//! Tests of sessions with the client of the protocol's own library, over pipes.

use gdl_context_server::ServerSettings;
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, ClientJsonRpcMessage, ReadResourceRequestParams, ServerJsonRpcMessage},
    service::{RunningService, ServiceError},
    transport::Transport,
};
use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, PipeWriter, Write},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::Duration,
};
use tokio::sync::mpsc;

/// The client's ends of the pipes.
struct Pipes {
    output: Arc<Mutex<Option<PipeWriter>>>,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let line = serde_json::to_string(&message)? + "\n";
            let mut output = output.lock().expect("no panic");
            output.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write_all(line.as_bytes())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let line = self.lines.recv().await?;
        Some(serde_json::from_str(&line).expect("a message"))
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().expect("no panic").take();
        Ok(())
    }
}

type Client = RunningService<RoleClient, ()>;

/// Runs a conversation with a new server, and waits for the server to end.
fn converse<T>(conversation: impl AsyncFnOnce(&Client) -> T) -> T {
    let (input, output) = io::pipe().expect("a pipe");
    let (answers, to_client) = io::pipe().expect("a pipe");
    let settings = ServerSettings { folder: None, lenient: false, longest: Duration::from_secs(60) };
    let server: JoinHandle<io::Result<()>> =
        thread::spawn(move || gdl_context_server::serve(input, to_client, &settings));
    let (sender, lines) = mpsc::unbounded_channel();
    thread::spawn(move || {
        for line in BufReader::new(answers).lines() {
            if sender.send(line.expect("UTF-8")).is_err() {
                return;
            }
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let result = runtime.block_on(async {
        let pipes = Pipes { output: Arc::new(Mutex::new(Some(output))), lines };
        let client = ().serve(pipes).await.expect("a session");
        let result = conversation(&client).await;
        client.cancel().await.expect("it ends");
        result
    });
    server.join().expect("no panic").expect("it ends well");
    result
}

fn call(name: &'static str, arguments: &Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().expect("an object").clone();
    CallToolRequestParams::new(name).with_arguments(arguments)
}

#[test]
fn tools_are_listed_and_answer_as_their_schemas_say() {
    converse(async |client: &Client| {
        let info = client.peer_info().expect("it said who it is");
        assert!(info.instructions.as_ref().is_some_and(|text| text.contains("gdl://primer")));
        let tools = client.list_all_tools().await.expect("tools");
        for (name, arguments) in [
            ("check", json!({ "rulesheet": "nim", "lints": true })),
            ("explain", json!({ "code": "unused_relation" })),
            ("fix", json!({ "rulesheet": "nim" })),
            ("simulate", json!({ "rulesheet": "nim", "states": 10, "playouts": 10 })),
            ("play", json!({ "rulesheet": "liars_dice" })),
            ("legal_moves", json!({ "rulesheet": "nim" })),
            ("why", json!({ "rulesheet": "nim", "atom": "terminal" })),
            ("best_move", json!({ "rulesheet": "nim", "nodes": 10 })),
            ("analyze", json!({ "rulesheet": "nim", "games": 10 })),
            ("compare", json!({ "rulesheet": "nim", "other": "nim" })),
        ] {
            let tool = tools.iter().find(|tool| tool.name == name).expect(name);
            let answer = client.call_tool(call(name, &arguments)).await.expect(name);
            assert_eq!(answer.is_error, Some(false), "{name}: {answer:?}");
            let text = answer.content[0].as_text().expect("a text").text.clone();
            assert!(!text.is_empty() && !text.contains('\u{1b}'), "{name}: {text}");
            let value = answer.structured_content.expect("data");
            let schema = tool.output_schema.as_ref().expect("a schema");
            let properties = schema["properties"].as_object().expect("properties");
            let object = value.as_object().expect("an object");
            assert!(object.keys().all(|key| properties.contains_key(key)), "{name}: {value}");
            let required = schema["required"].as_array().expect("a list");
            assert!(
                required.iter().all(|key| object.contains_key(key.as_str().expect("a key"))),
                "{name}: {value}"
            );
            let takes = tool.input_schema["properties"].as_object().expect("properties");
            assert!(
                arguments.as_object().expect("an object").keys().all(|key| takes.contains_key(key)),
                "{name}"
            );
        }
        assert_eq!(tools.len(), 10);
    });
}

/// Returns a rulesheet whose net would be too large, since its arcs connect in too many ways. The
/// rules are evaluated in each state instead.
fn knot() -> String {
    let places: String = (0..9).map(|place| ["(place ", &place.to_string(), ") "].concat()).collect();
    places
        + "(role robot) (<= (legal robot (lay ?x ?y)) (place ?x) (place ?y))
        (<= (next (arc ?x ?y)) (does robot (lay ?x ?y))) (<= (next (arc ?x ?y)) (true (arc ?x ?y)))
        (<= (joined ?x ?y) (true (arc ?x ?y))) (<= (joined ?x ?z) (joined ?x ?y) (joined ?z ?y))
        (<= terminal (joined 0 8)) (init (arc 0 0)) (<= (goal robot 100) (joined 0 8))
        (<= (goal robot 0) (not (joined 0 8)))"
}

#[test]
fn what_is_evaluated_state_by_state_is_a_warning() {
    let knot = knot();
    let [checked, fixed] = converse(async |client: &Client| {
        let mut found = [false; 2];
        for (found, tool) in found.iter_mut().zip(["check", "fix"]) {
            let answer = client.call_tool(call(tool, &json!({ "rulesheet": knot }))).await.expect(tool);
            let verdict = answer.structured_content.expect("data");
            let verdict = if tool == "fix" { &verdict["left"] } else { &verdict };
            let told = "evaluated state by state: 81 atoms depend on each other in too many ways for a net";
            let is_told = |one: &Value| one["code"] == "GDLM7" && one["message"] == told;
            *found = verdict["errors"] == 0
                && verdict["game"].is_null()
                && verdict["diagnostics"].as_array().expect("a list").iter().any(is_told);
        }
        found
    });
    assert!(checked && fixed, "check {checked}, fix {fixed}");
}

#[test]
fn many_questions_are_answered_at_once() {
    let answers = converse(async |client: &Client| {
        let ask = |number: u64| {
            let peer = client.peer().clone();
            let arguments = json!({ "rulesheet": "nim", "nodes": 100 * (number + 1), "seed": number });
            async move { peer.call_tool(call("best_move", &arguments)).await }
        };
        let local = tokio::task::LocalSet::new();
        let tasks: Vec<_> = (0..12).map(|number| local.spawn_local(ask(number))).collect();
        local.await;
        let mut answers = Vec::new();
        for task in tasks {
            answers.push(task.await.expect("no panic").expect("an answer"));
        }
        answers
    });
    for answer in answers {
        assert_eq!(answer.is_error, Some(false), "{answer:?}");
    }
}

#[test]
fn resources_are_read_and_others_are_not_there() {
    converse(async |client: &Client| {
        let resources = client.list_all_resources().await.expect("resources");
        assert_eq!(resources[0].uri, "gdl://primer");
        let templates = client.list_all_resource_templates().await.expect("templates");
        assert_eq!(templates.len(), 2);
        let primer =
            client.read_resource(ReadResourceRequestParams::new("gdl://primer")).await.expect("a text");
        assert!(serde_json::to_string(&primer).expect("JSON").contains("next"));
        let missing = client.read_resource(ReadResourceRequestParams::new("gdl://nothing")).await;
        assert!(matches!(missing, Err(ServiceError::McpError(_))), "{missing:?}");
    });
}
