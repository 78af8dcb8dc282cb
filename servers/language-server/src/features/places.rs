//! The places where a name is defined and where it is used.

use crate::document::Document;
use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

/// Returns the definitions of the name at a position.
pub(crate) fn definitions(document: &Document, position: Position) -> Vec<Location> {
    let names = &document.reading().names;
    let Some((name, place)) = names.at(document.offset(position)) else { return Vec::new() };
    let given = names.definitions(name, place);
    given.iter().map(|place| Location::new(document.uri.clone(), document.range(place.span))).collect()
}

/// Returns the places of the name at a position, without its definitions unless `definitions` is
/// true.
pub(crate) fn references(document: &Document, position: Position, definitions: bool) -> Vec<Location> {
    let names = &document.reading().names;
    let Some((name, place)) = names.at(document.offset(position)) else { return Vec::new() };
    let given = if definitions { Vec::new() } else { names.definitions(name, place) };
    let places = names.places(name).iter();
    let used = places.filter(|place| given.binary_search_by_key(&place.span, |given| given.span).is_err());
    used.map(|place| Location::new(document.uri.clone(), document.range(place.span))).collect()
}

/// Returns the places of the name at a position, with definitions as writes and others as reads.
pub(crate) fn highlights(document: &Document, position: Position) -> Vec<DocumentHighlight> {
    let names = &document.reading().names;
    let Some((name, place)) = names.at(document.offset(position)) else { return Vec::new() };
    let given = names.definitions(name, place);
    let kind = |span| match given.binary_search_by_key(&span, |given| given.span) {
        Ok(_) => DocumentHighlightKind::Write,
        Err(_) => DocumentHighlightKind::Read,
    };
    let show = |span| DocumentHighlight { range: document.range(span), kind: Some(kind(span)) };
    names.places(name).iter().map(|place| show(place.span)).collect()
}
