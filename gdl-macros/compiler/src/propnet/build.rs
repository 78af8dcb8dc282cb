//! Ground rules to net.
//!
//! Each derived atom becomes the disjunction of its instances, in the order of dependence. A group of
//! atoms that depend on each other without negation is a system of equations, which `cycle` solves.

use super::{Net, Outputs, Signal, cycle::System};
use crate::{
    Diagnostic, Diagnostics, Limits, Options,
    diagnostic::codes,
    ground::{GroundRules, Literal, Meaning, terms::AtomId},
    meter::Meter,
    observer::Phase,
};

/// Builds the net of ground rules. O(literals), but for cycles. A net over a limit goes to
/// `diagnostics`; then nothing comes back.
pub fn build(ground: &GroundRules, options: &Options, diagnostics: &mut Diagnostics) -> Option<Net> {
    let limits = &options.limits;
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
    let mut meter = Meter::new(options, Phase::Propnet);
    for group in &ground.order {
        let mut over = None;
        if group.len() > 1 || depends_on_itself(ground, group[0]) {
            let system = system(ground, &mut net, &signals, group);
            let solution = system.solve(&mut net, |net, bytes, steps| {
                let paid = meter.spend(steps).and(net.pay(&mut meter));
                over = excess(net, bytes, paid, limits);
                over.is_none()
            });
            let solution = solution.unwrap_or_default();
            group.iter().zip(solution).for_each(|(atom, signal)| signals[atom.index()] = signal);
        } else {
            signals[group[0].index()] = define(ground, &mut net, &signals, group[0]);
            let paid = net.pay(&mut meter);
            over = excess(&net, 0, paid, limits);
        }
        if let Some(progress) = meter.cancelled() {
            diagnostics.push(progress.cancelled());
            return None;
        }
        if let Some(excess) = over {
            diagnostics.push(Diagnostic { span: ground.place(group[0]), ..excess });
            return None;
        }
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
    // `070` and `70` are two atoms and one value.
    let goal = ground.goal.iter().map(|list| {
        let same = list.chunk_by(|left, right| left.0 == right.0);
        same.map(|atoms| (atoms[0].0, net.or(atoms.iter().map(|&(_, a)| of(a)).collect()))).collect()
    });
    net.outputs.goal = goal.collect();
    Some(net)
}

/// What there is too much of; `bytes` are those in use beside the net, `paid` is none if fuel ran out.
fn excess(net: &Net, bytes: usize, paid: Option<()>, limits: &Limits) -> Option<Diagnostic> {
    let (code, message) = if net.operations() > limits.max_gates {
        let message = format!("the game has more than {} gates (`max_gates`)", limits.max_gates);
        (&codes::TOO_MANY_INSTANCES, message)
    } else if net.bytes() + bytes > limits.max_bytes {
        let message = format!("the net takes more than {} bytes (`max_bytes`)", limits.max_bytes);
        (&codes::TOO_MANY_INSTANCES, message)
    } else if paid.is_none() {
        let message = format!("building the net takes more than {} steps (`fuel`)", limits.fuel);
        (&codes::OUT_OF_FUEL, message)
    } else {
        return None;
    };
    let diagnostic = Diagnostic::new(code, None, message);
    Some(
        diagnostic
            .note("the limit was reached in the instances of this rule")
            .help("let fewer variables of the rule vary together, or raise the limit"),
    )
}

/// The disjunction of an atom's instances under the present signals.
fn define(ground: &GroundRules, net: &mut Net, signals: &[Signal], atom: AtomId) -> Signal {
    let value = |literal: &Literal| signals[literal.atom().index()].negate_if(literal.is_negated());
    let terms = ground.bodies(atom).map(|body| net.and(body.iter().map(value).collect())).collect();
    net.or(terms)
}

/// The equations of atoms that depend on each other, numbered as in `group`, under the signals of the others.
fn system(ground: &GroundRules, net: &mut Net, signals: &[Signal], group: &[AtomId]) -> System {
    let mut system = System::new(group.len());
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
            system.add(head, product, coefficient);
        }
    }
    system
}

fn depends_on_itself(ground: &GroundRules, atom: AtomId) -> bool {
    ground.bodies(atom).flatten().any(|literal| literal.atom() == atom)
}
