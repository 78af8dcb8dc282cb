//! A validator of values against a JSON Schema, for the keywords that our schemas use.

use serde_json::Value;

/// The first violation of a schema by a value. References lead into `root`; `at` is the path of the
/// value.
pub(super) fn fault(schema: &Value, root: &Value, value: &Value, at: &str) -> Option<String> {
    let rules = schema.as_object().expect("a schema is an object");
    let of_type = |name: &Value| match name.as_str().expect("a type is a string") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    };
    for (keyword, rule) in rules {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" => true,
            "type" => rule.as_array().map_or_else(|| of_type(rule), |types| types.iter().any(of_type)),
            "enum" => rule.as_array().expect("a list").contains(value),
            "minimum" => value.as_i64().is_none_or(|number| rule.as_i64() <= Some(number)),
            "pattern" => match rule.as_str() {
                // The two patterns in use, which need no regular expressions.
                Some("^GDL(M[0-9]|[0-9]{3})$") => value.as_str().is_some_and(|text| {
                    let digits = text.strip_prefix("GDL").unwrap_or("x");
                    (digits.len() == 2 && digits.starts_with('M') || digits.len() == 3)
                        && digits.trim_start_matches('M').bytes().all(|b| b.is_ascii_digit())
                }),
                Some("^[a-z][a-z0-9_]*$") => value.as_str().is_some_and(|text| {
                    text.starts_with(|c: char| c.is_ascii_lowercase())
                        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                }),
                other => panic!("pattern {other:?}"),
            },
            "$ref" => {
                let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a local reference");
                let schema = root.pointer(path).expect("a definition");
                if let Some(fault) = fault(schema, root, value, at) {
                    return Some(fault);
                }
                true
            }
            "oneOf" => {
                let schemas = rule.as_array().expect("a list");
                schemas.iter().filter(|schema| fault(schema, root, value, at).is_none()).count() == 1
            }
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                let mut faults = items.filter_map(|(i, item)| fault(rule, root, item, &format!("{at}/{i}")));
                if let Some(fault) = faults.next() {
                    return Some(fault);
                }
                true
            }
            "properties" => {
                let properties = rule.as_object().expect("an object").iter();
                let mut faults = properties
                    .filter_map(|(key, rule)| fault(rule, root, value.get(key)?, &format!("{at}/{key}")));
                if let Some(fault) = faults.next() {
                    return Some(fault);
                }
                true
            }
            "required" => rule
                .as_array()
                .expect("a list")
                .iter()
                .all(|key| value.get(key.as_str().expect("a key")).is_some()),
            "additionalProperties" => {
                let known = rules.get("properties");
                let is_known = |key: &str| known.is_some_and(|known| known.get(key).is_some());
                let mut others =
                    value.as_object().into_iter().flatten().filter(|(key, _)| !is_known(key.as_str()));
                match rule {
                    Value::Bool(false) => others.next().is_none(),
                    _ => others.all(|(_, value)| fault(rule, root, value, at).is_none()),
                }
            }
            other => panic!("the schema says {other}, which this test does not know"),
        };
        if !holds {
            return Some(format!("{at}: {keyword} does not hold of {value}"));
        }
    }
    None
}
