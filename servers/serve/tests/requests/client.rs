//! A client of the server without sockets: it sends requests and checks each answer against the
//! description of the interface.

use crate::validity::fault;
use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, header},
};
use gdl_serve::{DESCRIPTION, Shown, router, routers};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// The port of the server's own address, and the address for its guests.
const PORT: u16 = 7;
pub(super) const GUESTS: &str = "192.0.2.5:7";

/// Returns the description of the interface.
pub(super) fn description() -> Value {
    serde_json::from_str(DESCRIPTION).expect("the description is JSON")
}

/// The answer to a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
}

/// A server and its client.
pub(super) struct Client {
    router: Router,
    runtime: Runtime,
    description: Value,
    host: String,
}

impl Client {
    pub(super) fn new() -> Self {
        Self::of(&Shown::default())
    }

    pub(super) fn of(shown: &Shown<'_>) -> Self {
        Self::at(router(shown, PORT).expect("the built-in games are sound"), format!("127.0.0.1:{PORT}"))
    }

    /// Creates a server with two clients: one on its machine, and one of a guest.
    pub(super) fn pair() -> [Self; 2] {
        let guests = GUESTS.parse().expect("an address");
        let [here, there] = routers(&Shown::default(), PORT, guests).expect("the built-in games are sound");
        [Self::at(here, format!("127.0.0.1:{PORT}")), Self::at(there, GUESTS.to_owned())]
    }

    fn at(router: Router, host: String) -> Self {
        // Requests are answered by one thread, as in the program.
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { router, runtime, description: description(), host }
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, b"", &[])
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, body.to_string().as_bytes(), &[])
    }

    /// Sends a request. Adds the client's host unless `headers` has one.
    ///
    /// # Panics
    /// Panics if the description does not allow the answer.
    pub(super) fn send(&self, method: &str, path: &str, body: &[u8], headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request = request.header(header::HOST, &self.host);
        }
        request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let request = request.body(Body::from(body.to_vec())).expect("a request");
        let what = format!("{method} {path} {}", String::from_utf8_lossy(body));
        let (status, headers, bytes) = self.runtime.block_on(async {
            let response = self.router.clone().oneshot(request).await.expect("the router never fails");
            let (parts, body) = response.into_parts();
            let bytes = to_bytes(body, usize::MAX).await.expect("the answer ends");
            (parts.status.as_u16(), parts.headers, bytes)
        });
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        assert!(header("content-security-policy").starts_with("default-src 'none'"), "{what}");
        assert_ne!(status, 500, "{what}");
        if method == "HEAD" {
            assert!(bytes.is_empty(), "{what}");
            return Answer { status, body: Value::Null };
        }
        let kind = header("content-type").split(';').next().unwrap_or_default();
        let answer = match kind {
            "application/json" => serde_json::from_slice(&bytes).expect("JSON"),
            _ => json!(String::from_utf8_lossy(&bytes)),
        };
        if let Some(operation) = self.described(method, path) {
            let response = &operation["responses"][status.to_string()];
            assert!(response.is_object(), "{what}: {status} is not described: {answer}");
            if let Some(content) = self.resolve(response).get("content") {
                assert!(content[kind].is_object(), "{what}: {kind} is not described");
                let schema = &content[kind]["schema"];
                assert_eq!(fault(schema, &self.description, &answer, ""), None, "{what}");
            } else {
                assert!(bytes.is_empty(), "{what}: {answer}");
            }
        } else {
            // The answer to a request that is not described is a problem.
            assert!([400, 403, 404, 405, 413].contains(&status), "{what}: {status}");
            let schema = json!({ "$ref": "#/components/schemas/Problem" });
            assert_eq!(fault(&schema, &self.description, &answer, ""), None, "{what}");
        }
        Answer { status, body: answer }
    }

    /// Returns the description of a request, if it has one.
    fn described(&self, method: &str, path: &str) -> Option<&Value> {
        let path = path.split('?').next()?;
        if self.host == GUESTS && !is_for_guests(method, path) {
            return None;
        }
        let path: Vec<&str> = path.split('/').collect();
        let fits = |template: &str| {
            let parts: Vec<&str> = template.split('/').collect();
            parts.len() == path.len()
                && parts
                    .iter()
                    .zip(&path)
                    .all(|(part, given)| part == given || part.starts_with('{') && !given.is_empty())
        };
        let paths = self.description["paths"].as_object()?;
        let exact = paths.iter().find(|(template, _)| fits(template))?.1;
        exact.get(method.to_ascii_lowercase())
    }

    fn resolve<'v>(&'v self, value: &'v Value) -> &'v Value {
        match value["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
            Some(path) => self.description.pointer(path).expect("a definition"),
            None => value,
        }
    }
}

/// Returns whether the server answers a request at its address for guests.
fn is_for_guests(method: &str, path: &str) -> bool {
    let Some(place) = path.strip_prefix("/api/sessions/") else {
        return path == "/" || path.starts_with("/page/");
    };
    match place.split_once('/') {
        None => method == "GET",
        Some((_, "moves")) => method == "POST",
        Some((_, part)) => method == "GET" && ["why", "illegal", "rulesheet"].contains(&part),
    }
}
