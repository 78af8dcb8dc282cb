//! The description of the requests in the `OpenAPI` format, for programs; tests compare it with the
//! server.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};

/// The description, as JSON.
pub const TEXT: &str = include_str!("../schema/openapi.json");

/// `GET /api/openapi.json`
pub(crate) async fn description() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], TEXT).into_response()
}
