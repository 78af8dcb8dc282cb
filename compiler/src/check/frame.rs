//! Fluents that the next move loses, since no rule for `next` keeps them: GDL140.
//!
//! Fluents are identified by name and arity alone. A fluent with arguments is always reported if it
//! is true at the start, is read, and no rule for `next` derives it. Two kinds are reported only as
//! a possible cause of a fault that [`outcome`](crate::outcome) proves. One is fluents without
//! arguments, which usually mark the start. The other is fluents that every rule for `next` derives
//! from a move and that none keeps: the last move made, or a board without a frame rule. Nothing is
//! reported if a rule has a variable in place of a fluent. O(text).

use crate::diagnostic::{Diagnostic, codes};
use crate::rules::{Formula, RelationId, Rule, Rules, Symbol, Term};
use crate::{Diagnostics, Span};
use rustc_hash::FxHashMap;

/// The name and the number of arguments of fluents.
type Kind = (Symbol, usize);

fn kind(term: &Term) -> Option<Kind> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some((*name, 0)),
        Term::Function(name, arguments) => Some((*name, arguments.len())),
    }
}

/// The rules that derive fluents of a kind.
struct Givers<'a> {
    kind: Kind,
    start: Option<&'a Rule>,
    next: Vec<&'a Rule>,
    is_read: bool,
}

/// Returns all kinds of fluents, by their first occurrence; `None` if a variable stands for a
/// fluent.
fn survey(rules: &Rules) -> Option<Vec<Givers<'_>>> {
    let keywords = &rules.keywords;
    let mut list: Vec<Givers<'_>> = Vec::new();
    let mut places: FxHashMap<Kind, usize> = FxHashMap::default();
    let mut place = |kind: Kind, list: &mut Vec<Givers<'_>>| {
        *places.entry(kind).or_insert_with(|| {
            list.push(Givers { kind, start: None, next: Vec::new(), is_read: false });
            list.len() - 1
        })
    };
    for rule in &rules.rules {
        let relation = rule.head.relation;
        if relation == keywords.init || relation == keywords.next {
            let at = place(kind(&rule.head.arguments[0])?, &mut list);
            if relation == keywords.next {
                list[at].next.push(rule);
            } else {
                list[at].start.get_or_insert(rule);
            }
        }
        let mut read = Some(Vec::new());
        for formula in &rule.body {
            formula.for_each_atom(&mut |atom, _| {
                if atom.relation == keywords.fact {
                    match kind(&atom.arguments[0]) {
                        Some(kind) => read.iter_mut().for_each(|read| read.push(kind)),
                        None => read = None,
                    }
                }
            });
        }
        for kind in read? {
            let at = place(kind, &mut list);
            list[at].is_read = true;
        }
    }
    Some(list)
}

impl Givers<'_> {
    /// The place of the rule that makes fluents of the kind true at the start, if fluents of the
    /// kind are read and no rule for `next` derives them.
    fn lost(&self) -> Option<Span> {
        self.start.filter(|_| self.next.is_empty() && self.is_read).map(|rule| rule.head.span)
    }

    /// True if a rule for `next` that derives fluents of the kind also reads one positively.
    fn is_kept(&self, rules: &Rules) -> bool {
        let mut keeps = false;
        for formula in self.next.iter().flat_map(|rule| &rule.body) {
            formula.for_each_atom(&mut |atom, negative| {
                keeps |= !negative
                    && atom.relation == rules.keywords.fact
                    && kind(&atom.arguments[0]) == Some(self.kind);
            });
        }
        keeps
    }

    /// The place of the first rule for `next`, if fluents of the kind are read, and each of these
    /// rules needs a move and reads no fluent of the kind positively.
    fn unkept(&self, rules: &Rules) -> Option<Span> {
        let is_move = |formula: &Formula| matches!(formula, Formula::Atom(atom) if atom.relation == rules.keywords.does);
        let moved = |rule: &&Rule| rule.body.iter().any(is_move);
        let first = self.next.first().filter(|_| self.is_read && self.next.iter().all(moved))?;
        (!self.is_kept(rules)).then_some(first.head.span)
    }

    /// A frame rule for the fluents, as KIF text.
    fn frame(&self, rules: &Rules) -> String {
        let name = rules.symbols.name(self.kind.0);
        let arguments: Vec<String> = (1..=self.kind.1).map(|number| format!("?x{number}")).collect();
        let arguments = arguments.join(" ");
        let fluent = if arguments.is_empty() { name.to_owned() } else { format!("({name} {arguments})") };
        format!("(<= (next {fluent}) (true {fluent}))")
    }

    /// A fluent of the kind with variables for its arguments, as KIF text.
    fn pattern(&self, rules: &Rules) -> String {
        let (name, arity) = (rules.symbols.name(self.kind.0), self.kind.1);
        match arity {
            0 => name.to_owned(),
            1 => format!("({name} ?x)"),
            2 => format!("({name} ?x ?y)"),
            3 => format!("({name} ?x ?y ?z)"),
            _ => format!("({name} ?a ?b ?c ..)"),
        }
    }

    fn fault(&self, rules: &Rules, place: Span) -> Diagnostic {
        let pattern = self.pattern(rules);
        if self.next.is_empty() {
            let message = format!("`{pattern}` is gone after one move: no rule for `next` keeps it");
            let relation = if self.kind.1 == 0 {
                String::new()
            } else {
                ", or make it a relation if it never changes".to_owned()
            };
            Diagnostic::new(&codes::FLUENT_NOT_KEPT, place, message).note("true at the start alone").help(
                format!(
                    "keep it by `(<= (next {pattern}) (true {pattern}))`{relation}; nothing is wrong if \
                     it is to hold at the start alone"
                ),
            )
        } else {
            let message =
                format!("`{pattern}` is gone one move after it becomes true: no rule for `next` keeps it");
            Diagnostic::new(&codes::FLUENT_NOT_KEPT, place, message).note("only a move gives it").help(
                format!("keep it where no move changes it: `(<= (next {pattern}) (true {pattern}) ..)`"),
            )
        }
    }
}

/// Reports each kind of fluents with arguments that is true at the start and read, but that no rule
/// for `next` derives.
pub(super) fn check(rules: &Rules, diagnostics: &mut Diagnostics) {
    // A missing `next` has its own message.
    if !rules.rules.iter().any(|rule| rule.head.relation == rules.keywords.next) {
        return;
    }
    for givers in survey(rules).unwrap_or_default().iter().filter(|givers| givers.kind.1 > 0) {
        if let Some(place) = givers.lost() {
            diagnostics.push(givers.fault(rules, place));
        }
    }
}

/// Reports lost fluents that `roots` depend on in the same state, as possible causes of a fault of
/// the roots. Earlier reports are not repeated.
pub(crate) fn causes(rules: &Rules, roots: &[RelationId], diagnostics: &mut Diagnostics) {
    let read = reads(rules, roots);
    for givers in survey(rules).unwrap_or_default() {
        let place = givers.lost().or_else(|| givers.unkept(rules));
        let Some(place) = place.filter(|_| read.contains(&givers.kind)) else { continue };
        if !diagnostics.iter().any(|known| known.code == &codes::FLUENT_NOT_KEPT && known.span == Some(place))
        {
            diagnostics.push(givers.fault(rules, place));
        }
    }
}

/// A kind of fluents that rules for `next` derive and none keeps, although `terminal` depends on
/// them.
#[derive(Clone, Debug)]
pub struct Unkept {
    /// The name of the fluents.
    pub name: String,
    /// The place of the first rule for `next` that derives them.
    pub place: Span,
    /// A frame rule for them, as KIF text.
    pub rule: String,
    /// The offset at which to insert that rule: the end of the first rule for `next`.
    pub end: u32,
}

/// Returns the fluents that `terminal` depends on, if rules for `next` derive them and none keeps
/// them. O(text).
#[must_use]
pub fn unkept(rules: &Rules) -> Vec<Unkept> {
    let read = reads(rules, &[rules.keywords.terminal]);
    let unkept = survey(rules).unwrap_or_default().into_iter().filter_map(|givers| {
        let first = *givers.next.first()?;
        let is_lost = read.contains(&givers.kind) && !givers.is_kept(rules);
        is_lost.then(|| Unkept {
            name: rules.symbols.name(givers.kind.0).to_owned(),
            place: first.head.span,
            rule: givers.frame(rules),
            end: first.span.end,
        })
    });
    unkept.collect()
}

/// Returns the kinds of fluents that the relations read, directly or through others, sorted.
fn reads(rules: &Rules, roots: &[RelationId]) -> Vec<Kind> {
    let mut heads: Vec<Vec<&Rule>> = vec![Vec::new(); rules.relations.len()];
    for rule in &rules.rules {
        heads[rule.head.relation.index()].push(rule);
    }
    let mut known = vec![false; rules.relations.len()];
    let mut waiting = roots.to_vec();
    let mut read = Vec::new();
    while let Some(relation) = waiting.pop() {
        if std::mem::replace(&mut known[relation.index()], true) {
            continue;
        }
        for formula in heads[relation.index()].iter().flat_map(|rule| &rule.body) {
            formula.for_each_atom(&mut |atom, _| {
                if atom.relation == rules.keywords.fact {
                    read.extend(kind(&atom.arguments[0]));
                } else {
                    waiting.push(atom.relation);
                }
            });
        }
    }
    read.sort_unstable();
    read.dedup();
    read
}
