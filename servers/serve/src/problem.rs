//! The problem of a request that cannot be done, as it is answered: a status, and JSON with the
//! reason and what to do instead.

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
    /// A name for programs, such as `illegal_move`.
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

    /// The request itself is malformed.
    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", message)
    }

    /// It comes from another page than this server's.
    #[must_use]
    pub(crate) fn foreign() -> Self {
        Self::new(StatusCode::FORBIDDEN, "foreign", "the request is not from this server's own page")
            .help("open the address that `gdl serve` printed")
    }

    /// There is no such thing.
    pub(crate) fn missing(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// There is nothing to be done in this way.
    #[must_use]
    pub(crate) fn wrong_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", "this address takes another method")
    }

    /// It cannot be done as things are now.
    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// It is well formed, but makes no sense.
    pub(crate) fn unfit(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// The request is larger than any need be.
    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
    }

    /// The request took too long to arrive.
    #[must_use]
    pub(crate) fn slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow", "the request was not complete in time")
    }

    /// There are too many already.
    pub(crate) fn too_many(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_many", message)
    }

    /// It takes longer than anybody may have the server to themselves.
    #[must_use]
    pub(crate) fn late() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_slow", "the game takes too long")
            .help("ask again: the work continues")
    }

    /// A link of a guest opens no seat.
    #[must_use]
    pub(crate) fn no_seat() -> Self {
        Self::missing("no_session", "this link opens no seat, or has expired")
            .help("ask the person who sent it for a new one")
    }

    /// A fault of the server.
    #[must_use]
    pub(crate) fn broken() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", "the server failed")
    }

    /// The same, with advice.
    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same, with what is wrong in the rulesheet.
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
