//! Diagnostics as annotations of a code forge: workflow commands of GitHub Actions, and SARIF.
//!
//! Both are made from the JSON of [`report::to_json`](crate::report::to_json).

use gdl_compiler::diagnostic::{Code, codes};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Returns a diagnostic as a [workflow command], a line that GitHub shows next to the text.
///
/// [workflow command]: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
#[must_use]
pub fn github(diagnostic: &Value) -> String {
    let level = text(diagnostic, "severity");
    let file = property(text(diagnostic, "file"));
    let [line, column, end_line, end_column] =
        ["line", "column", "end_line", "end_column"].map(|key| diagnostic[key].as_u64().unwrap_or(1));
    // Columns are given only for a span within one line.
    let end = if line == end_line { end_column } else { column };
    let title = property(&format!("{}: {}", text(diagnostic, "code"), text(diagnostic, "name")));
    let message = data(&message(diagnostic));
    format!(
        "::{level} file={file},line={line},endLine={end_line},col={column},endColumn={end},title={title}::{message}"
    )
}

/// Returns diagnostics as one log of [SARIF] 2.1.0. Edits that are certain become its fixes.
///
/// [SARIF]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
#[must_use]
pub fn sarif(diagnostics: &[Value]) -> Value {
    let found: BTreeSet<&str> = diagnostics.iter().map(|diagnostic| text(diagnostic, "code")).collect();
    let found: Vec<&Code> = codes::ALL.iter().copied().filter(|code| found.contains(code.id)).collect();
    let rules: Vec<Value> = found
        .iter()
        .map(|code| {
            json!({
                "id": code.id,
                "name": code.name,
                "shortDescription": { "text": code.meaning },
                "help": { "text": code.page, "markdown": code.page },
            })
        })
        .collect();
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let code = text(diagnostic, "code");
            let mut result = json!({
                "ruleId": code,
                "ruleIndex": found.iter().position(|rule| rule.id == code),
                "level": text(diagnostic, "severity"),
                "message": { "text": message(diagnostic) },
                "locations": [{ "physicalLocation": location(diagnostic) }],
            });
            let labels = diagnostic["labels"].as_array().into_iter().flatten();
            let related: Vec<Value> = labels
                .map(|label| {
                    json!({ "physicalLocation": location(label), "message": { "text": label["text"] } })
                })
                .collect();
            if !related.is_empty() {
                result["relatedLocations"] = json!(related);
            }
            if diagnostic["applicability"] == "machine_applicable" {
                result["fixes"] = json!([fix(diagnostic)]);
            }
            result
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "gdl", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Returns the edits of a diagnostic as a fix.
fn fix(diagnostic: &Value) -> Value {
    let edits = diagnostic["edits"].as_array().into_iter().flatten();
    let replacements: Vec<Value> = edits
        .map(|edit| json!({ "deletedRegion": region(edit), "insertedContent": { "text": edit["text"] } }))
        .collect();
    let what = diagnostic["help"].as_str().unwrap_or_else(|| text(diagnostic, "message"));
    json!({
        "description": { "text": what },
        "artifactChanges": [{ "artifactLocation": artifact(diagnostic), "replacements": replacements }],
    })
}

fn location(place: &Value) -> Value {
    json!({ "artifactLocation": artifact(place), "region": region(place) })
}

/// Returns the file of a place as a relative URI reference.
fn artifact(place: &Value) -> Value {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let path = text(place, "file").replace('\\', "/");
    let uri: String = path
        .bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    json!({ "uri": uri })
}

fn region(place: &Value) -> Value {
    json!({
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    })
}

/// Returns the message of a diagnostic with its note and its help.
fn message(diagnostic: &Value) -> String {
    let parts = [("note", "note: "), ("help", "help: ")].into_iter();
    let parts = parts.map(|(key, title)| (title, text(diagnostic, key)));
    let parts = parts.filter(|(_, text)| !text.is_empty()).map(|(title, text)| format!("\n{title}{text}"));
    format!("{}{}", text(diagnostic, "message"), parts.collect::<String>())
}

fn text<'d>(diagnostic: &'d Value, key: &str) -> &'d str {
    diagnostic[key].as_str().unwrap_or_default()
}

/// Escapes the data of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{github, sarif};
    use serde_json::{Value, json};

    fn fault(file: &str) -> Value {
        json!({
            "code": "GDL070", "name": "or_single", "severity": "warning", "file": file,
            "line": 2, "column": 5, "end_line": 2, "end_column": 7,
            "message": "50 % of\nit", "note": null, "help": "write `p`",
            "labels": [{ "file": file, "line": 1, "column": 1, "end_line": 1, "end_column": 2, "text": "here" }],
            "edits": [{ "line": 2, "column": 5, "end_line": 2, "end_column": 7, "text": "" }],
            "applicability": "machine_applicable",
        })
    }

    #[test]
    fn commands_are_escaped() {
        assert_eq!(
            github(&fault("a,b:c.kif")),
            "::warning file=a%2Cb%3Ac.kif,line=2,endLine=2,col=5,endColumn=7,\
             title=GDL070%3A or_single::50 %25 of%0Ait%0Ahelp: write `p`"
        );
    }

    #[test]
    fn results_name_their_rule_and_carry_certain_edits() {
        let mut guess = fault("games/my game.kif");
        guess["applicability"] = json!("maybe_incorrect");
        let log = sarif(&[fault("games/my game.kif"), guess]);
        let run = &log["runs"][0];
        let [sure, guess] = [0, 1].map(|index| &run["results"][index]);
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(1));
        assert_eq!((&sure["ruleId"], &sure["ruleIndex"]), (&json!("GDL070"), &json!(0)));
        let place = &sure["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "games/my%20game.kif");
        assert_eq!(place["region"]["endColumn"], 7);
        assert_eq!(sure["relatedLocations"][0]["message"]["text"], "here");
        let change = &sure["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["replacements"][0]["deletedRegion"]["startColumn"], 5);
        assert!(guess["fixes"].is_null());
    }
}
