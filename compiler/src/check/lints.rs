//! Rules without effect or with redundant parts (GDL103 to GDL109), and matters of style (GDL070,
//! GDL126 to GDL132).
//!
//! Each rule is checked by itself, and a map of all rules finds duplicates: O(text).

use super::scene::{Form, Scene};
use crate::diagnostic::{Diagnostic, Edit, codes};
use crate::rules::{Atom, Formula, RelationId, Rule, Term, Variable};
use crate::syntax::{Kind, NodeId};
use crate::{Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    duplicates(scene, diagnostics);
    leading_zeros(scene, diagnostics);
    for form in scene.forms() {
        singletons(scene, form, diagnostics);
        body(scene, form, diagnostics);
        // A variable in such a rule is unsafe, which has its own message.
        if form.is_rule && form.body.is_empty() && form.rule.variables.is_empty() {
            let message = "a rule with an empty body is a fact";
            let help = "write the head alone, without `<=`";
            diagnostics.push(
                Diagnostic::new(&codes::EMPTY_BODY_RULE, scene.name(form.head), message)
                    .help(help)
                    .suggest_all(scene.source.unwrap(form.rule.span, scene.if_sign(form)))
                    .machine_applicable(),
            );
        }
        redundant_parens(scene, form.head, diagnostics);
        for (formula, &node) in form.rule.body.iter().zip(form.body) {
            connectives(scene, formula, node, true, diagnostics);
        }
    }
}

/// GDL104 and GDL105: facts and rules that repeat an earlier one, up to renaming variables.
fn duplicates(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    let mut known: FxHashMap<Vec<u32>, Span> = FxHashMap::default();
    for form in scene.forms() {
        if form.rule.head.relation == scene.rules.keywords.role {
            continue;
        }
        let mut key = Vec::new();
        write_atom(&form.rule.head, &mut key);
        form.rule.body.iter().for_each(|formula| write_formula(formula, &mut key));
        let Some(&first) = known.get(&key) else {
            known.insert(key, scene.name(form.head));
            continue;
        };
        let (code, what) =
            if form.is_rule { (&codes::DUPLICATE_RULE, "rule") } else { (&codes::DUPLICATE_FACT, "fact") };
        diagnostics.push(
            Diagnostic::new(code, scene.name(form.head), format!("this {what} is given twice"))
                .label(first, "first given here")
                .help("remove one of them")
                .suggest(scene.whole_form(form), "")
                .machine_applicable(),
        );
    }
}

/// Appends an unambiguous encoding of a formula to `key`. Variables are numbered by first
/// occurrence, so renaming them changes nothing.
fn write_formula(formula: &Formula, key: &mut Vec<u32>) {
    match formula {
        Formula::Atom(atom) => write_atom(atom, key),
        Formula::Distinct(left, right) => {
            key.push(1);
            write_term(left, key);
            write_term(right, key);
        }
        Formula::Not(inner) => {
            key.push(2);
            write_formula(inner, key);
        }
        Formula::Or(branches) => {
            key.extend([3, branches.len() as u32]);
            for branch in branches {
                write_formula(branch, key);
            }
        }
    }
}

fn write_atom(atom: &Atom, key: &mut Vec<u32>) {
    key.extend([0, atom.relation.0]);
    atom.arguments.iter().for_each(|term| write_term(term, key));
}

fn write_term(term: &Term, key: &mut Vec<u32>) {
    match term {
        Term::Variable(variable) => key.extend([0, variable.0]),
        Term::Constant(symbol) => key.extend([1, symbol.0]),
        Term::Function(symbol, arguments) => {
            key.extend([2, symbol.0, arguments.len() as u32]);
            for term in arguments {
                write_term(term, key);
            }
        }
    }
}

/// GDL132: numbers that differ only in leading zeros, and so are different constants.
fn leading_zeros(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let mut plain: FxHashMap<&str, Span> = FxHashMap::default();
    let nodes = || scene.tree.symbols().map(|node| (scene.text(node), scene.span(node)));
    for (text, span) in nodes().filter(|(text, _)| number(text) && !(text.starts_with('0') && text.len() > 1))
    {
        plain.entry(text).or_insert(span);
    }
    let mut reported = FxHashSet::default();
    for (text, span) in nodes().filter(|(text, _)| text.starts_with('0') && text.len() > 1 && number(text)) {
        let value = text.trim_start_matches('0');
        let value = if value.is_empty() { "0" } else { value };
        if let Some(&place) = plain.get(value)
            && reported.insert(text)
        {
            diagnostics.push(
                Diagnostic::new(
                    &codes::LEADING_ZERO_NUMBER,
                    span,
                    format!("`{text}` and `{value}` are different constants"),
                )
                .label(place, format!("`{value}` is used here"))
                .help(format!("write `{value}` if the number is meant")),
            );
        }
    }
}

/// GDL103: variables that occur once.
fn singletons(scene: &Scene<'_>, form: Form<'_>, diagnostics: &mut Diagnostics) {
    let rule = form.rule;
    let mut counts = vec![0_usize; rule.variables.len()];
    let mut places = vec![Span::default(); rule.variables.len()];
    scene.form_terms(form, &mut |term, node| {
        if let Term::Variable(variable) = term {
            counts[variable.index()] += 1;
            places[variable.index()] = scene.span(node);
        }
    });
    // A variable that occurs only in the head, in `distinct` or under `not` is unsafe, which has
    // its own message.
    let mut positive = vec![false; rule.variables.len()];
    for formula in rule.body.iter().filter(|formula| !matches!(formula, Formula::Not(_))) {
        formula.for_each_atom(&mut |atom, negative| {
            let mut mark = |variable: Variable| positive[variable.index()] |= !negative;
            atom.arguments.iter().for_each(|term| term.for_each_variable(&mut mark));
        });
    }
    for (((name, count), place), positive) in rule.variables.iter().zip(counts).zip(places).zip(positive) {
        if count == 1 && positive && !name.starts_with("?_") {
            let other = free_name(rule, &name[1..]);
            diagnostics.push(
                Diagnostic::new(
                    &codes::SINGLETON_VARIABLE,
                    place,
                    format!("variable `{name}` occurs only once"),
                )
                .help(format!("write `{other}` if this is intentional"))
                .suggest(place, other)
                .machine_applicable(),
            );
        }
    }
}

/// Returns a variable that is new in the rule: `?_name`, or `?_name` followed by the least free
/// number from 2 on.
fn free_name(rule: &Rule, name: &str) -> String {
    let is_free = |other: &String| !rule.variables.iter().any(|known| known.eq_ignore_ascii_case(other));
    let numbered = (2..).map(|number| format!("?_{name}{number}"));
    // There are more numbers than variables.
    std::iter::once(format!("?_{name}")).chain(numbered).find(is_free).unwrap_or_default()
}

/// GDL106 and GDL109: rules with their own head in the body, and contradictory bodies.
fn body(scene: &Scene<'_>, form: Form<'_>, diagnostics: &mut Diagnostics) {
    let mut holds: FxHashMap<(RelationId, &[Term]), Span> = FxHashMap::default();
    for (formula, &node) in form.rule.body.iter().zip(form.body) {
        let Formula::Atom(atom) = formula else { continue };
        let place = scene.name(node);
        holds.entry((atom.relation, &atom.arguments)).or_insert(place);
        let head = &form.rule.head;
        if (atom.relation, &atom.arguments) == (head.relation, &head.arguments) {
            let fault = Diagnostic::new(
                &codes::TAUTOLOGICAL_RULE,
                place,
                "this rule has its own head in the body, so it derives nothing",
            )
            .help("remove the rule")
            .suggest(scene.whole_form(form), "");
            // Without any rule for a keyword there may be no game, so a person decides.
            let is_needed = scene.is_keyword(head.relation);
            diagnostics.push(if is_needed { fault } else { fault.machine_applicable() });
        }
    }
    for (formula, &node) in form.rule.body.iter().zip(form.body) {
        let Formula::Not(inner) = formula else { continue };
        let Formula::Atom(atom) = &**inner else { continue };
        if let Some(&place) = holds.get(&(atom.relation, &atom.arguments)) {
            let text = scene.quote(scene.arguments(node)[0]);
            diagnostics.push(
                Diagnostic::new(
                    &codes::CONTRADICTORY_BODY,
                    scene.name(node),
                    format!("the body requires `{text}` and its negation"),
                )
                .note("this rule never fires")
                .label(place, "required here")
                .help("remove one of the two"),
            );
        }
    }
}

fn redundant_parens(scene: &Scene<'_>, node: NodeId, diagnostics: &mut Diagnostics) {
    if let [name] = scene.tree.children(node)
        && scene.tree.node(node).kind != Kind::Symbol
    {
        let text = scene.text(*name);
        diagnostics.push(
            Diagnostic::new(
                &codes::REDUNDANT_PARENS,
                scene.span(node),
                format!("`({text})` is the same as `{text}`"),
            )
            .help(format!("write `{text}`"))
            .suggest(scene.span(node), text)
            .machine_applicable(),
        );
    }
}

/// GDL070, GDL107, GDL108 and GDL127 to GDL131: a literal and the formulas inside it. `of_body` is
/// true for a literal of the body itself, where literals side by side are a conjunction.
fn connectives(
    scene: &Scene<'_>,
    formula: &Formula,
    node: NodeId,
    of_body: bool,
    diagnostics: &mut Diagnostics,
) {
    let parts = scene.arguments(node);
    let place = scene.name(node);
    let mut say = |code, place: Span, message: &str, help: &str, edits: Vec<Edit>| {
        let fault = Diagnostic::new(code, place, message).help(help).suggest_all(edits);
        diagnostics.push(fault.machine_applicable());
    };
    match formula {
        Formula::Atom(_) => redundant_parens(scene, node, diagnostics),
        Formula::Distinct(left, right) if left == right => {
            let message = format!("`{}` is always false", scene.quote(node));
            diagnostics.push(
                Diagnostic::new(&codes::DISTINCT_SAME_VARIABLE, scene.span(node), message)
                    .note("a term never differs from itself")
                    .help("compare two different variables"),
            );
        }
        Formula::Distinct(left, right) => {
            if !left.may_equal(right) {
                let remove = if of_body { vec![Edit::remove(scene.span(node))] } else { Vec::new() };
                let message = format!("`{}` is always true", scene.quote(node));
                say(&codes::DISTINCT_ALWAYS_TRUE, scene.span(node), &message, "remove it", remove);
            }
        }
        Formula::Not(inner) => {
            let inside = scene.name(parts[0]);
            match &**inner {
                Formula::Atom(_) => {}
                Formula::Not(_) => say(
                    &codes::NOT_NOT,
                    inside,
                    "a double negation is an extension of GDL",
                    "write the literal without `not`",
                    [scene.unwrap(node), scene.unwrap(parts[0])].concat(),
                ),
                Formula::Distinct(..) => say(
                    &codes::NOT_DISTINCT,
                    inside,
                    "`distinct` under `not` is an extension of GDL",
                    "use one variable for both terms",
                    Vec::new(),
                ),
                // Only in a body are literals side by side a conjunction.
                Formula::Or(_) => say(
                    &codes::NOT_OR,
                    inside,
                    "`or` under `not` is an extension of GDL",
                    "negate each branch, and write them as separate literals",
                    if of_body {
                        let branches = scene.arguments(parts[0]).iter();
                        let negated = branches.flat_map(|&branch| Edit::wrap(scene.span(branch), "(not "));
                        let open = [scene.unwrap(node), scene.unwrap(parts[0])];
                        open.into_iter().flatten().chain(negated).collect()
                    } else {
                        Vec::new()
                    },
                ),
            }
            connectives(scene, inner, parts[0], false, diagnostics);
        }
        Formula::Or(branches) => {
            if branches.len() == 1 {
                let help = "write the branch alone";
                say(&codes::OR_SINGLE, place, "`or` with a single branch", help, scene.unwrap(node).into());
            }
            for (branch, &node) in branches.iter().zip(parts) {
                if matches!(branch, Formula::Or(_)) {
                    let help = "move its branches into the outer `or`";
                    diagnostics.push(
                        Diagnostic::new(&codes::NESTED_OR, scene.name(node), "`or` inside `or`")
                            .help(help)
                            .suggest_all(scene.unwrap(node))
                            .machine_applicable(),
                    );
                }
                connectives(scene, branch, node, false, diagnostics);
            }
        }
    }
}
