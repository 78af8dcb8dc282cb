//! Translates ground rules into a net.
//!
//! Each derived atom becomes the disjunction of its instances, in the order of dependence. An SCC
//! of atoms is a system of equations, which `cycle` solves. Every gate and every product of a
//! system is paid for, in steps and bytes, when it is made.

use super::{Net, Outputs, Signal, cycle::System};
use crate::{
    Diagnostic, Diagnostics, Limits, Options, Span,
    datalog::terms::AtomId,
    diagnostic::codes,
    ground::ground_rules::{GroundRules, Literal, Meaning},
    meter::{Meter, Stop},
    observer::Phase,
};

/// Builds the net of ground rules. O(literals), except for cycles. If the net exceeds a limit,
/// reports that in `diagnostics` and returns `None`.
pub fn build(ground: &GroundRules, options: &Options, diagnostics: &mut Diagnostics) -> Option<Net> {
    let mut meter = Meter::new(options, Phase::Propnet);
    let mut net = Net::new(ground.vocabulary.clone(), ground.initial.clone(), ground.does.clone());
    let mut signals: Vec<Signal> = ground
        .meaning
        .iter()
        .map(|meaning| match *meaning {
            Meaning::Fluent(fluent) => net.fluent(fluent as usize),
            Meaning::Does(role, action) => net.does_input(role, action),
            Meaning::Derived => Signal::FALSE,
        })
        .collect();
    for group in &ground.order {
        let defined = if group.len() > 1 || depends_on_itself(ground, group[0]) {
            solve(ground, &mut net, &signals, group, &mut meter).map(|solution| {
                group.iter().zip(solution).for_each(|(atom, signal)| signals[atom.index()] = signal);
            })
        } else {
            signals[group[0].index()] = define(ground, &mut net, &signals, group[0]);
            net.pay(&mut meter)
        };
        let has_room = net.operations() <= options.limits.max_gates;
        if defined.is_some() && has_room {
            continue;
        }
        diagnostics.push(match meter.stop() {
            Some(Stop::Cancelled(progress)) => progress.cancelled(),
            None if has_room => knot(group.len(), ground.place(group[0])),
            stop => Diagnostic {
                span: ground.place(group[0]),
                ..excess(stop.filter(|_| has_room), &options.limits)
            },
        });
        return None;
    }
    let of = |atom: AtomId| signals[atom.index()];
    net.outputs = Outputs {
        next: ground.next.iter().map(|atom| atom.map_or(Signal::FALSE, of)).collect(),
        legal: ground.legal.iter().map(|list| list.iter().map(|&(m, a)| (m, of(a))).collect()).collect(),
        goal: Vec::new(),
        terminal: ground.terminal.map_or(Signal::FALSE, of),
        sees: ground
            .sees
            .as_ref()
            .map(|lists| lists.iter().map(|list| list.iter().map(|&(p, a)| (p, of(a))).collect()).collect()),
    };
    // Atoms that differ only in spelling, such as `070` and `70`, are one goal value.
    let goal = ground.goal.iter().map(|list| {
        let same = list.chunk_by(|left, right| left.0 == right.0);
        same.map(|atoms| (atoms[0].0, net.or(atoms.iter().map(|&(_, a)| of(a)).collect()))).collect()
    });
    net.outputs.goal = goal.collect();
    Some(net)
}

/// Returns the error for an SCC of `atoms` atoms whose system of equations exceeds its budget.
fn knot(atoms: usize, place: Option<Span>) -> Diagnostic {
    let message = format!("{atoms} atoms depend on each other in too many ways for a net");
    Diagnostic::new(&codes::OUT_OF_FUEL, place, message).note("this rule derives some of them").help(
        "call a recursive relation once in a rule, such as `(<= (path ?x ?z) (path ?x ?y) (link ?y ?z))`",
    )
}

/// Returns the error for an exceeded limit: of steps or bytes if the meter stopped, otherwise of
/// gates.
fn excess(stop: Option<Stop>, limits: &Limits) -> Diagnostic {
    let (code, message) = match stop {
        None => {
            let message = format!("the game has more than {} gates (`max_gates`)", limits.max_gates);
            (&codes::TOO_MANY_INSTANCES, message)
        }
        Some(Stop::Bytes) => {
            let message = format!("the net takes more than {} bytes (`max_bytes`)", limits.max_bytes);
            (&codes::TOO_MANY_INSTANCES, message)
        }
        Some(_) => {
            let message =
                format!("building the net takes more than {} steps (half of `fuel`)", limits.fuel / 2);
            (&codes::OUT_OF_FUEL, message)
        }
    };
    Diagnostic::new(code, None, message)
        .note("the limit was reached in the instances of this rule")
        .help("use fewer independent variables in the rule, or raise the limit")
}

/// Returns the disjunction of an atom's instances, given the signals of the atoms before it.
fn define(ground: &GroundRules, net: &mut Net, signals: &[Signal], atom: AtomId) -> Signal {
    let value = |literal: &Literal| signals[literal.atom().index()].negate_if(literal.is_negated());
    let terms = ground.bodies(atom).map(|body| net.and(body.iter().map(value).collect())).collect();
    net.or(terms)
}

/// Returns the signals of the atoms of an SCC, in the order of `group`, given the signals of the
/// other atoms.
fn solve(
    ground: &GroundRules,
    net: &mut Net,
    signals: &[Signal],
    group: &[AtomId],
    meter: &mut Meter,
) -> Option<Vec<Signal>> {
    let mut system = System::new(group.len(), meter)?;
    for (head, &atom) in group.iter().enumerate() {
        for body in ground.bodies(atom) {
            let (mut product, mut outside) = (Vec::new(), Vec::new());
            for literal in body {
                match group.binary_search(&literal.atom()) {
                    Ok(unknown) => product.push(unknown as u32),
                    Err(_) => outside.push(signals[literal.atom().index()].negate_if(literal.is_negated())),
                }
            }
            let coefficient = net.and(outside);
            net.pay(meter)?;
            system.add(head, product, coefficient, meter)?;
        }
    }
    system.solve(net, meter)
}

fn depends_on_itself(ground: &GroundRules, atom: AtomId) -> bool {
    ground.bodies(atom).flatten().any(|literal| literal.atom() == atom)
}
