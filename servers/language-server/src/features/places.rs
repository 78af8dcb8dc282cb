//! Where a name is given, and where it is used.

use crate::document::Document;
use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

/// Where the name at a position is given.
pub(crate) fn definitions(document: &Document, position: Position) -> Vec<Location> {
    let names = &document.reading().names;
    let Some((name, place)) = names.at(document.offset(position)) else { return Vec::new() };
    let given = names.definitions(name, place);
    given.iter().map(|place| Location::new(document.uri.clone(), document.range(place.span))).collect()
}

/// Where the name at a position stands, without the places that give it unless they are asked for.
pub(crate) fn references(document: &Document, position: Position, definitions: bool) -> Vec<Location> {
    let names = &document.reading().names;
    let Some((name, place)) = names.at(document.offset(position)) else { return Vec::new() };
    let given = if definitions { Vec::new() } else { names.definitions(name, place) };
    let places = names.places(name).iter();
    let used = places.filter(|place| given.binary_search_by_key(&place.span, |given| given.span).is_err());
    used.map(|place| Location::new(document.uri.clone(), document.range(place.span))).collect()
}

/// Where the name at a position stands: written where it is given, read elsewhere.
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
