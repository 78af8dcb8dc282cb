//! The requests that the server answers, with their handlers. Guests use another address, which
//! answers only some of these requests.

mod guests;
mod inspection;
mod request;
#[cfg(feature = "manage")]
mod results;
mod sessions;

use crate::{assets, description, server::Server};
use axum::routing::{MethodRouter, get, post};
use std::sync::Arc;

/// Returns all paths of the server with their handlers.
pub(crate) fn handlers() -> Vec<(&'static str, MethodRouter<Arc<Server>>)> {
    let handlers = vec![
        ("/", get(assets::index)),
        ("/page/{name}", get(assets::page)),
        ("/api/openapi.json", get(description::description)),
        ("/api/games", get(inspection::games)),
        ("/api/games/{name}", get(inspection::game)),
        ("/api/check", post(inspection::check)),
        ("/api/compilations/{id}", get(inspection::compilation)),
        ("/api/players", get(inspection::players)),
        ("/api/sessions", post(sessions::start)),
        ("/api/sessions/{id}", get(sessions::view).delete(sessions::end)),
        ("/api/sessions/{id}/moves", post(sessions::choose)),
        ("/api/sessions/{id}/undo", post(sessions::undo)),
        ("/api/sessions/{id}/redo", post(sessions::redo)),
        ("/api/sessions/{id}/go", post(sessions::go)),
        ("/api/sessions/{id}/restart", post(sessions::restart)),
        ("/api/sessions/{id}/seats", post(sessions::seats)),
        ("/api/sessions/{id}/invitations", post(sessions::invite)),
        ("/api/sessions/{id}/clocks", post(sessions::clocks)),
        ("/api/sessions/{id}/pause", post(sessions::pause)),
        ("/api/sessions/{id}/hints", get(sessions::hints)),
        ("/api/sessions/{id}/evaluation", get(inspection::evaluation)),
        ("/api/sessions/{id}/record", get(sessions::record)),
        ("/api/sessions/{id}/test", get(sessions::test)),
        ("/api/sessions/{id}/inside", get(inspection::inside)),
        ("/api/sessions/{id}/why", get(inspection::why)),
        ("/api/sessions/{id}/illegal", get(inspection::illegal)),
        ("/api/sessions/{id}/analysis", get(inspection::analysis)),
        ("/api/sessions/{id}/rulesheet", get(inspection::rulesheet)),
    ];
    #[cfg(feature = "manage")]
    let handlers = [
        handlers,
        vec![
            ("/api/results", get(results::contents)),
            ("/api/results/standings", get(results::standings)),
            ("/api/results/matches", get(results::list)),
            ("/api/results/matches/{id}", get(results::watch)),
            ("/api/results/matches/{id}/position", get(results::position)),
        ],
    ]
    .concat();
    handlers
}

/// Returns the paths for guests with their handlers. In these paths, `id` is the token of a guest's
/// link instead of the id of a session.
pub(crate) fn for_guests() -> Vec<(&'static str, MethodRouter<Arc<Server>>)> {
    vec![
        ("/", get(assets::index_for_guests)),
        ("/page/{name}", get(assets::page)),
        ("/api/sessions/{id}", get(guests::view)),
        ("/api/sessions/{id}/moves", post(guests::choose)),
        ("/api/sessions/{id}/why", get(guests::why)),
        ("/api/sessions/{id}/illegal", get(guests::illegal)),
        ("/api/sessions/{id}/rulesheet", get(guests::rulesheet)),
    ]
}
