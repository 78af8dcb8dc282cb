//! Refusals: errors in place of the result of a request.

use lsp_server::ErrorCode;

/// The reason why a request has no result.
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Refusal {
    /// Creates the error of a valid request that cannot be fulfilled.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::RequestFailed, message: message.into() }
    }
}
