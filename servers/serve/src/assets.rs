//! The page: its files are part of the program, so that no request leaves the machine.

use crate::{
    problem::{Answer, Problem},
    server::Server,
};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};
use std::sync::Arc;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of the page: name, media type and text.
const FILES: &[(&str, &str, &str)] = &[
    ("index.html", HTML, include_str!("page/index.html")),
    ("style.css", CSS, include_str!("page/style.css")),
    ("chooser.css", CSS, include_str!("page/chooser.css")),
    ("inside.css", CSS, include_str!("page/inside.css")),
    ("results.css", CSS, include_str!("page/results.css")),
    ("why.css", CSS, include_str!("page/why.css")),
    ("charts.css", CSS, gdl_tools::analyze::page::STYLE),
    ("app.js", SCRIPT, include_str!("page/app.js")),
    ("pieces.js", SCRIPT, include_str!("page/pieces.js")),
    ("marks.js", SCRIPT, include_str!("page/marks.js")),
    ("table.js", SCRIPT, include_str!("page/table.js")),
    ("board.js", SCRIPT, include_str!("page/board.js")),
    ("play.js", SCRIPT, include_str!("page/play.js")),
    ("chooser.js", SCRIPT, include_str!("page/chooser.js")),
    ("editor.js", SCRIPT, include_str!("page/editor.js")),
    ("evaluation.js", SCRIPT, include_str!("page/evaluation.js")),
    ("kept.js", SCRIPT, include_str!("page/kept.js")),
    ("link.js", SCRIPT, include_str!("page/link.js")),
    ("colours.js", SCRIPT, include_str!("page/colours.js")),
    ("clocks.js", SCRIPT, include_str!("page/clocks.js")),
    ("dom.js", SCRIPT, include_str!("page/dom.js")),
    ("inside.js", SCRIPT, include_str!("page/inside.js")),
    ("results.js", SCRIPT, include_str!("page/results.js")),
    ("why.js", SCRIPT, include_str!("page/why.js")),
    ("match.js", SCRIPT, include_str!("page/match.js")),
];

/// The link to results, which is hidden if the server shows none.
const LINK: &str = r##"<a id="to-results" href="#results" hidden>"##;

/// `GET /`
pub(crate) async fn index(State(server): State<Arc<Server>>) -> Response {
    let text = include_str!("page/index.html");
    let shown = if server.has_results { &LINK.replace(" hidden", "") } else { LINK };
    ([(header::CONTENT_TYPE, HTML)], text.replace(LINK, shown)).into_response()
}

/// `GET /` at the address for guests, whose page only shows the game.
pub(crate) async fn index_for_guests() -> Response {
    let text = include_str!("page/index.html").replace("<body>", "<body class=\"guest\">");
    ([(header::CONTENT_TYPE, HTML)], text).into_response()
}

/// `GET /page/{name}`
pub(crate) async fn page(Path(name): Path<String>) -> Answer<Response> {
    let file = FILES.iter().find(|(known, ..)| *known == name);
    let (_, kind, text) = file.ok_or_else(|| Problem::missing("no_page", "there is no such file"))?;
    Ok(([(header::CONTENT_TYPE, *kind)], *text).into_response())
}
