//! The error of a request: an HTTP status, and JSON with the reason and advice.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::Value;

/// The reason why a request failed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Problem {
    /// The status of the answer.
    #[serde(skip)]
    pub status: StatusCode,
    /// The code of the error for programs, such as `illegal_move`.
    pub code: &'static str,
    /// The error, in words.
    pub message: String,
    /// Advice on what to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The diagnostics of the rulesheet, in the format of `gdl check --json`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Value>,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), help: None, diagnostics: Vec::new() }
    }

    /// Creates the error of a malformed request.
    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", message)
    }

    /// Creates the error of a request from another page than this server's.
    #[must_use]
    pub(crate) fn foreign() -> Self {
        Self::new(StatusCode::FORBIDDEN, "foreign", "the request is not from this server's own page")
            .help("open the address that `gdl serve` printed")
    }

    /// Creates the error of a request for something that does not exist.
    pub(crate) fn missing(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// Creates the error of a request with a method that its address does not have.
    #[must_use]
    pub(crate) fn wrong_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", "this address takes another method")
    }

    /// Creates the error of a request that is impossible in the current state.
    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// Creates the error of a well-formed request with invalid values.
    pub(crate) fn unfit(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// Creates the error of a request that is too large.
    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// Creates the error of a request that took too long to arrive.
    #[must_use]
    pub(crate) fn slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow", "the request was not complete in time")
    }

    /// Creates the error of a request for which the server has no room.
    pub(crate) fn too_many(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_many", message)
    }

    /// Creates the error of a request whose work took too long.
    #[must_use]
    pub(crate) fn late() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_slow", "the game takes too long")
            .help("ask again: the work continues")
    }

    /// Creates the error of a guest's link that opens no seat.
    #[must_use]
    pub(crate) fn no_seat() -> Self {
        Self::missing("no_session", "this link opens no seat, or has expired")
            .help("ask the person who sent it for a new one")
    }

    /// Creates the error of a failure of the server itself.
    #[must_use]
    pub(crate) fn broken() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", "the server failed")
    }

    /// Sets the advice.
    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Sets the diagnostics of a rulesheet.
    #[must_use]
    pub(crate) fn diagnostics(self, diagnostics: Vec<Value>) -> Self {
        Self { diagnostics, ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}

/// The result of a request.
pub(crate) type Answer<T> = Result<T, Problem>;
