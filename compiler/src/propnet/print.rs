//! Prints a net: as text with one line for each gate, or as a Graphviz digraph.

use super::{Gate, Net, Signal};
use std::fmt::{self, Write as _};

impl Net {
    /// Prints a signal: `0`, `1`, a fluent, `role: move`, or `g` and a number for a gate, with `!`
    /// if complemented.
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

    /// Lists the outputs with their names, such as `next (cell 1 1 x)`, in a fixed order.
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
        for (role, sees) in vocabulary.roles.iter().zip(self.outputs.sees.iter().flatten()) {
            for &(percept, signal) in sees {
                named.push((format!("sees {role} {}", vocabulary.percepts[percept as usize]), signal));
            }
        }
        named
    }

    /// Prints the net as a Graphviz digraph: boxes for inputs and outputs, circles for gates,
    /// dashed lines for complements. O(literals).
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        self.write_dot(&mut out).unwrap_or_default();
        out
    }

    fn write_dot(&self, out: &mut String) -> fmt::Result {
        out.push_str("digraph net {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n");
        let quote = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let outputs = self.named_outputs();
        let mut edges: Vec<(Signal, String)> = Vec::new();
        for gate in self.inputs() as u32..self.len() as u32 {
            if let Gate::And(operands) = self.gate(gate) {
                edges.extend(operands.iter().map(|&s| (s, format!("n{gate}"))));
            }
        }
        edges.extend(outputs.iter().enumerate().map(|(number, (_, s))| (*s, format!("o{number}"))));
        let mut used = vec![false; self.len()];
        edges.iter().for_each(|(s, _)| used[s.gate() as usize] = true);

        for gate in (0..self.len() as u32).filter(|&gate| used[gate as usize]) {
            if let Gate::And(_) = self.gate(gate) {
                writeln!(out, "  n{gate} [shape=circle, label=\"and\"];")?;
            } else {
                let text = quote(&self.signal_text(Signal::new(gate, false)));
                writeln!(out, "  n{gate} [shape=box, label=\"{text}\"];")?;
            }
        }
        for (number, (name, _)) in outputs.iter().enumerate() {
            writeln!(out, "  o{number} [shape=box, style=rounded, label=\"{}\"];", quote(name))?;
        }
        for (from, to) in edges {
            let style = if from.is_negated() { " [style=dashed]" } else { "" };
            writeln!(out, "  n{} -> {to}{style};", from.gate())?;
        }
        writeln!(out, "}}")
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
