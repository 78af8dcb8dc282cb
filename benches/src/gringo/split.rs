//! Splitting of rules into smaller ones, by the elimination of variables.
//!
//! The method is that of Morak and Woltran, "Preprocessing of Complex Non-Ground Rules in Answer
//! Set Programming" (2012), known as lpopt. A variable that the head does not need is projected out
//! of its literals, which become a separate rule. The greedy order takes the variable whose
//! literals have the fewest variables first. The split uses the syntax of a rule alone, so it helps
//! some games and hurts others.

use super::part::{Part, write_rule};

/// Appends rules that together derive the head of `head :- body`. `helpers` counts the new
/// relations.
pub(super) fn split(head: &Part, mut body: Vec<Part>, helpers: &mut usize, text: &mut String) {
    while let Some((group, rest, keep)) = cheapest(head, &body) {
        let arguments: Vec<String> =
            (0..u64::BITS).filter(|v| keep >> v & 1 == 1).map(|v| format!("V{v}")).collect();
        let arguments =
            if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(",")) };
        let helper = Part { text: format!("h{helpers}{arguments}"), variables: keep, binds: true };
        *helpers += 1;
        write_rule(&helper.text, &group, text);
        body = rest;
        body.push(helper);
    }
    write_rule(&head.text, &body, text);
}

/// The literals that an elimination removes, those that stay, and the variables that the removed
/// ones share with the rest or the head. Returns `None` if no elimination helps.
fn cheapest(head: &Part, body: &[Part]) -> Option<(Vec<Part>, Vec<Part>, u64)> {
    let all = |parts: &[Part]| parts.iter().fold(0, |mask, part| mask | part.variables);
    let candidates = (0..u64::BITS).filter(|v| (all(body) & !head.variables) >> v & 1 == 1);
    let eliminations = candidates.filter_map(|variable| {
        let having = body.iter().filter(|part| part.variables >> variable & 1 == 1);
        let scope = having.fold(0, |mask, part| mask | part.variables);
        // Literals without other variables join the group, since they restrict it at no cost.
        let (group, rest): (Vec<Part>, Vec<Part>) =
            body.iter().cloned().partition(|part| part.variables != 0 && part.variables & !scope == 0);
        let outside = all(&rest) | head.variables;
        let bound = group.iter().filter(|part| part.binds).fold(0, |mask, part| mask | part.variables);
        let is_safe = all(&group) & !bound == 0;
        let has_others = outside & !scope != 0;
        (is_safe && has_others && !rest.is_empty()).then_some((scope, group, rest, scope & outside))
    });
    let (_, group, rest, keep) =
        eliminations.min_by_key(|(scope, _, _, keep)| (scope.count_ones(), keep.count_ones()))?;
    Some((group, rest, keep))
}
