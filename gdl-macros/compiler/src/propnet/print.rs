//! A net as text: one line a gate for tests and people, and Graphviz for pictures.

use super::{Gate, Net, Signal};
use std::fmt;

impl Net {
    /// The signal as text: `0`, `1`, a fluent, `role: move`, or `g` and a number for a gate; with `!` if
    /// complemented.
    #[must_use]
    pub fn signal_text(&self, signal: Signal) -> String {
        let name = match self.gate(signal.gate()) {
            Gate::Constant => return u8::from(signal.is_negated()).to_string(),
            Gate::Fluent(fluent) => self.vocabulary.fluents[fluent as usize].clone(),
            Gate::Does { role, action } => {
                let role = &self.vocabulary.roles[role as usize];
                format!("{role}: {}", self.vocabulary.moves[action as usize])
            }
            Gate::And(_) => format!("g{}", signal.gate() as usize - self.inputs()),
        };
        if signal.is_negated() { format!("!{name}") } else { name }
    }

    /// The outputs with their names, in a fixed order.
    fn named_outputs(&self) -> Vec<(String, Signal)> {
        let vocabulary = &self.vocabulary;
        let mut named = Vec::new();
        for (fluent, &signal) in vocabulary.fluents.iter().zip(&self.outputs.next) {
            named.push((format!("next {fluent}"), signal));
        }
        for (role, legal) in vocabulary.roles.iter().zip(&self.outputs.legal) {
            for &(action, signal) in legal {
                named.push((format!("legal {role} {}", vocabulary.moves[action as usize]), signal));
            }
        }
        for (role, goal) in vocabulary.roles.iter().zip(&self.outputs.goal) {
            for &(value, signal) in goal {
                named.push((format!("goal {role} {value}"), signal));
            }
        }
        named.push(("terminal".to_owned(), self.outputs.terminal));
        named
    }

    /// The net as a Graphviz digraph: boxes for inputs and outputs, circles for gates, dashed lines for
    /// complements. O(literals).
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph net {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n");
        let quote = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut used = vec![false; self.len()];
        let mut edges = String::new();
        let mut edge = |from: Signal, to: &str| {
            used[from.gate() as usize] = true;
            let style = if from.is_negated() { " [style=dashed]" } else { "" };
            edges.push_str(&format!("  n{} -> {to}{style};\n", from.gate()));
        };
        for gate in self.inputs() as u32..self.len() as u32 {
            if let Gate::And(operands) = self.gate(gate) {
                operands.iter().for_each(|&s| edge(s, &format!("n{gate}")));
            }
        }
        let outputs = self.named_outputs();
        for (number, (_, signal)) in outputs.iter().enumerate() {
            edge(*signal, &format!("o{number}"));
        }
        for gate in 0..self.len() as u32 {
            match self.gate(gate) {
                _ if !used[gate as usize] => {}
                Gate::And(_) => out.push_str(&format!("  n{gate} [shape=circle, label=\"and\"];\n")),
                _ => {
                    let text = quote(&self.signal_text(Signal::new(gate, false)));
                    out.push_str(&format!("  n{gate} [shape=box, label=\"{text}\"];\n"));
                }
            }
        }
        for (number, (name, _)) in outputs.iter().enumerate() {
            out.push_str(&format!("  o{number} [shape=box, style=rounded, label=\"{}\"];\n", quote(name)));
        }
        out.push_str(&edges);
        out.push_str("}\n");
        out
    }
}

impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for gate in self.inputs() as u32..self.len() as u32 {
            if let Gate::And(operands) = self.gate(gate) {
                let operands: Vec<String> = operands.iter().map(|&s| self.signal_text(s)).collect();
                writeln!(f, "g{} = {}", gate as usize - self.inputs(), operands.join(" & "))?;
            }
        }
        for (name, signal) in self.named_outputs() {
            writeln!(f, "{name} = {}", self.signal_text(signal))?;
        }
        Ok(())
    }
}
