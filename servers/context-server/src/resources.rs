//! The resources: an introduction to the language, the rulesheets of the built-in games, and the
//! pages of diagnostics.

use gdl_compiler::diagnostic::codes;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

const PRIMER: &str = "gdl://primer";
const GAMES: &str = "gdl://games/";
const CODES: &str = "gdl://codes/";

const MARKDOWN: &str = "text/markdown";
const KIF: &str = "text/x-kif";

/// Returns the resources, except the many pages of diagnostics, which a template names.
pub(crate) fn list() -> Vec<Resource> {
    let primer = Resource::new(PRIMER, "primer")
        .with_title("The Game Description Language in two pages")
        .with_mime_type(MARKDOWN);
    let games = gdl_games::LIST.iter().map(|entry| {
        Resource::new(format!("{GAMES}{}", entry.name), entry.name)
            .with_description(entry.summary())
            .with_mime_type(KIF)
    });
    [primer].into_iter().chain(games).collect()
}

/// Returns the templates for the addresses of resources.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{GAMES}{{name}}"), "game")
            .with_description("the rulesheet of a built-in game")
            .with_mime_type(KIF),
        ResourceTemplate::new(format!("{CODES}{{code}}"), "diagnostic")
            .with_description("what the code of a diagnostic means, such as GDL085")
            .with_mime_type(MARKDOWN),
    ]
}

/// Returns the resource of an address, if it exists.
pub(crate) fn read(uri: &str) -> Option<ResourceContents> {
    let text = |text: &str, kind: &str| ResourceContents::text(text, uri).with_mime_type(kind);
    if uri == PRIMER {
        return Some(text(include_str!("primer.md"), MARKDOWN));
    }
    if let Some(name) = uri.strip_prefix(GAMES) {
        return gdl_games::find(name).map(|entry| text(entry.text, KIF));
    }
    let code = codes::find(uri.strip_prefix(CODES)?)?;
    Some(text(&format!("# {} {}\n\n{}", code.id, code.name, code.page), MARKDOWN))
}
