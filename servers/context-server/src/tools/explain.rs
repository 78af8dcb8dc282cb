//! `explain`: returns the page of a diagnostic code.

use super::Question;
use crate::{refusal::Refusal, sheet::Shelf};
use gdl_compiler::diagnostic::codes;
use gdl_runtime::Cancel;
use gdl_tools::parse::did_you_mean;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explain {
    /// A code such as `GDL085`, or its name such as `unused_relation`
    code: String,
}

/// The page of a code.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "it is called so in answers")]
pub(crate) struct Page {
    code: &'static str,
    name: &'static str,
    /// `error`, `warning` or `lint`
    severity: String,
    /// Its meaning, in a line
    meaning: &'static str,
    /// The mistake and why it matters, with an example that is wrong and one that is right, as
    /// Markdown
    page: &'static str,
}

impl Question for Explain {
    const NAME: &'static str = "explain";
    const ABOUT: &'static str = "Explain the code of a diagnostic, with a wrong and a right example.";

    type Answer = Page;

    fn answer(self, _: &Shelf, _: &Cancel) -> Result<(String, Page), Refusal> {
        let code = codes::find(self.code.trim()).ok_or_else(|| {
            let names = codes::ALL.iter().flat_map(|code| [code.id, code.name]);
            Refusal::new(format!("there is no code `{}`{}", self.code, did_you_mean(&self.code, names)))
                .help("give a code that `check` reports, such as `GDL085` or `unused_relation`")
        })?;
        let severity = code.severity.to_string();
        let text = format!("{} {}: {severity}\n\n{}", code.id, code.name, code.page);
        let page = Page { code: code.id, name: code.name, severity, meaning: code.meaning, page: code.page };
        Ok((text, page))
    }
}
