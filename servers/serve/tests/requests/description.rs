//! The description of the interface has all requests of the server, and no others.

use super::client::{Client, description};
use serde_json::json;

#[test]
fn every_route_is_described_and_every_description_is_a_route() {
    let client = Client::new();
    let description = description();
    let paths = description["paths"].as_object().expect("paths");
    let mut described: Vec<&str> = paths.keys().map(String::as_str).collect();
    let mut routes = gdl_serve::routes();
    described.sort_unstable();
    routes.sort_unstable();
    assert_eq!(described, routes);
    for (path, operations) in paths {
        let place = path.replace("{id}", "none").replace("{name}", "none");
        // The query has all required parameters, so a failure is due to the path.
        let place = format!("{place}?atom=none");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let is_described = operations.get(method.to_ascii_lowercase()).is_some();
            let answer = client.send(method, &place, b"{}", &[]);
            assert_eq!(answer.status != 405, is_described, "{method} {path}");
        }
    }
}

#[test]
fn references_lead_somewhere_and_names_are_there_once() {
    let description = description();
    let mut rest = vec![&description];
    let mut names = Vec::new();
    while let Some(value) = rest.pop() {
        if let Some(path) = value.get("$ref").and_then(|path| path.as_str()) {
            assert!(description.pointer(path.trim_start_matches('#')).is_some(), "{path}");
        }
        names.extend(value.get("operationId").and_then(|name| name.as_str()));
        rest.extend(value.as_object().into_iter().flat_map(serde_json::Map::values));
        rest.extend(value.as_array().into_iter().flatten());
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    // The tests in `story` send the described requests; this one checks that the server serves the
    // description.
    assert_eq!(Client::new().get("/api/openapi.json").body, description);
}

#[test]
fn an_answer_that_is_not_described_would_be_noticed() {
    let client = Client::new();
    let view = client.post("/api/sessions", &json!({ "game": "nim" })).body;
    let description = description();
    let schema = json!({ "$ref": "#/components/schemas/View" });
    let fault = |value: &serde_json::Value| crate::validity::fault(&schema, &description, value, "");
    assert_eq!(fault(&view), None);
    for pointer in ["/version", "/game/roles/0/name", "/legal/0/moves/0/cells", "/board", "/line"] {
        let mut spoilt = view.clone();
        *spoilt.pointer_mut(pointer).expect(pointer) = json!([0.5]);
        assert!(fault(&spoilt).is_some(), "{pointer}");
    }
    let mut spoilt = view;
    spoilt["more"] = json!(1);
    assert!(fault(&spoilt).is_some());
}
