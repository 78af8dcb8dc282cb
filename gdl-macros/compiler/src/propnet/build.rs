//! Ground rules to net.
//!
//! Each derived atom becomes the disjunction of its instances, in the order of dependence. A group of
//! atoms that depend on each other without negation is unrolled from false until the gates repeat:
//! hash-consing makes that the least fixpoint as soon as it is structurally stable, at the latest after
//! as many rounds as the group has atoms.

use super::{Net, Outputs, Signal};
use crate::{
    Diagnostic, Diagnostics, Limits, Options,
    diagnostic::codes,
    ground::{GroundRules, Literal, Meaning, terms::AtomId},
};

/// Builds the net of ground rules. O(literals), times the depth of the cycles there are. A net over a
/// limit goes to `diagnostics`; then nothing comes back.
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
    let mut fuel = limits.fuel;
    for group in &ground.order {
        let is_cycle = group.len() > 1 || depends_on_itself(ground, group[0]);
        for _ in 0..=group.len() {
            let mut changed = false;
            for &atom in group {
                let literals = ground.bodies(atom).map(|body| 1 + body.len() as u64).sum();
                fuel = fuel.saturating_sub(literals);
                let signal = define(ground, &mut net, &signals, atom);
                changed |= std::mem::replace(&mut signals[atom.index()], signal) != signal;
                if let Some(excess) = excess(&net, fuel, limits) {
                    diagnostics.push(Diagnostic { span: ground.place(atom), ..excess });
                    return None;
                }
            }
            if !changed || !is_cycle {
                break;
            }
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

/// What there is too much of.
fn excess(net: &Net, fuel: u64, limits: &Limits) -> Option<Diagnostic> {
    let (code, message) = if net.operations() > limits.max_gates {
        let message = format!("the game has more than {} gates (`max_gates`)", limits.max_gates);
        (&codes::TOO_MANY_INSTANCES, message)
    } else if net.bytes() > limits.max_bytes {
        let message = format!("the net takes more than {} bytes (`max_bytes`)", limits.max_bytes);
        (&codes::TOO_MANY_INSTANCES, message)
    } else if fuel == 0 {
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

fn depends_on_itself(ground: &GroundRules, atom: AtomId) -> bool {
    ground.bodies(atom).flatten().any(|literal| literal.atom() == atom)
}
