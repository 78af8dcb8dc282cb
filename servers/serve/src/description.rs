//! What programs are told of the requests: a description in the form of `OpenAPI`, which tests keep
//! true.

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
