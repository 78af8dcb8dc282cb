//! The description of the requests for programs, in the form of `OpenAPI`; tests keep it true.

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
