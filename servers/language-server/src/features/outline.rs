//! The outline of a document: its roles, then `init`, then the rules by relation.

use crate::document::Document;
use gdl_compiler::{Span, syntax::NodeId};
use gen_lsp_types::{DocumentSymbol, SymbolKind};
use std::collections::BTreeMap;

/// Returns the symbols: `role` and `init` first, then relations in the order of their first rule.
pub(crate) fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let tree = &document.reading().tree;
    let mut groups: Vec<(String, Vec<DocumentSymbol>, Span)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for &form in &tree.forms {
        let head = match tree.children(form) {
            [first, head, ..] if tree.text(*first, &document.source) == "<=" => *head,
            _ => form,
        };
        let word = tree.children(head).first().copied().unwrap_or(head);
        let name = tree.text(word, &document.source);
        if name.is_empty() || name.starts_with('(') {
            continue;
        }
        let place = *places.entry(name.to_ascii_lowercase()).or_insert_with(|| {
            groups.push((name.to_owned(), Vec::new(), document.span(form)));
            groups.len() - 1
        });
        let (_, rules, span) = &mut groups[place];
        span.end = document.span(form).end;
        let kind = match name.to_ascii_lowercase().as_str() {
            "role" => SymbolKind::Variable,
            "init" => SymbolKind::Field,
            _ if head == form => SymbolKind::Constant,
            _ => SymbolKind::Function,
        };
        rules.push(symbol(document, &title(document, head), kind, document.span(form), head));
    }
    let rank = |name: &str| match name.to_ascii_lowercase().as_str() {
        "role" => 0,
        "init" => 1,
        _ => 2,
    };
    groups.sort_by_key(|(name, ..)| rank(name));
    let group = |(name, rules, span): (String, Vec<DocumentSymbol>, Span)| {
        let count = if rules.len() == 1 { "1 form".to_owned() } else { format!("{} forms", rules.len()) };
        let first = rules[0].selection_range;
        DocumentSymbol {
            detail: Some(count),
            children: Some(rules),
            range: document.range(span),
            selection_range: first,
            ..bare(name, SymbolKind::Namespace)
        }
    };
    groups.into_iter().map(group).collect()
}

/// Returns the head of a rule on one line, cut if it is long.
fn title(document: &Document, head: NodeId) -> String {
    const LONGEST: usize = 80;
    let text = document.source.slice(document.span(head));
    let mut title: Vec<&str> = Vec::new();
    let mut length = 0;
    for part in text.split_whitespace() {
        length += part.len() + 1;
        if length > LONGEST {
            title.push("..");
            break;
        }
        title.push(part);
    }
    title.join(" ")
}

fn symbol(document: &Document, title: &str, kind: SymbolKind, span: Span, head: NodeId) -> DocumentSymbol {
    DocumentSymbol {
        range: document.range(span),
        selection_range: document.range(document.span(head)),
        ..bare(title.to_owned(), kind)
    }
}

fn bare(name: String, kind: SymbolKind) -> DocumentSymbol {
    #[expect(deprecated, reason = "a field that must be there")]
    DocumentSymbol {
        name,
        kind,
        detail: None,
        tags: None,
        deprecated: None,
        range: gen_lsp_types::Range::default(),
        selection_range: gen_lsp_types::Range::default(),
        children: None,
    }
}
