//! A drawing of a [`Net`]: its nodes and edges, each with the signal whose value it shows.
//!
//! Fluents and moves are on the left, outputs on the right, and gates between. A gate that is
//! mostly used complemented is drawn as a disjunction, by De Morgan's laws, so that few edges are
//! complements. A large net is unreadable as a whole, but the cone of influence of one output is
//! often readable.
//!
//! A drawing has at most [`MOST_NODES`] nodes and `MOST_PIECES` pieces of edges, which bounds the
//! layout. Counting them is linear in the literals. A label has at most `MOST_LETTERS` characters
//! of a name, and a description `MOST_TOLD`.

use super::layout::{Graph, lay_out};
use gdl_compiler::propnet::{Gate, Net, Signal};
use serde::Serialize;
use std::{borrow::Cow, fmt::Write};

/// The most nodes of a drawing; people could not follow a larger one.
pub(crate) const MOST_NODES: usize = 400;
/// The most pieces of edges of a drawing. An edge has a piece for each layer that it advances.
const MOST_PIECES: usize = 20_000;
/// The most characters of a name in a label.
const MOST_LETTERS: usize = 26;
/// The most characters of a name in the description of a node under the pointer.
const MOST_TOLD: usize = 1_000;

/// An output of the net. Its name is built on request, since all names together may take much more
/// memory than the net.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The kind, which is the first word of the name.
    pub kind: &'static str,
    /// The index of the role, if the output has one.
    role: Option<usize>,
    /// The goal value, move, fluent or percept that the output is about.
    about: About,
    /// The signal that computes the output.
    pub signal: Signal,
}

/// The subject of an output: a goal value, or the index of a name.
#[derive(Clone, Copy, Debug)]
enum About {
    Nothing,
    Goal(u8),
    Move(u32),
    Fluent(usize),
    Percept(u32),
}

impl Output {
    /// Returns the name: `terminal`, `legal x (mark 1 1)`, `goal x 100`, `next (cell 1 1 x)`,
    /// `sees x (die 6)`.
    #[must_use]
    pub(crate) fn name(&self, net: &Net) -> String {
        self.words(net).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether the output has this name, without building the whole name.
    #[must_use]
    pub(crate) fn is_called(&self, net: &Net, name: &str) -> bool {
        let mut rest = Some(name);
        for (number, word) in self.words(net).enumerate() {
            rest = rest.and_then(|rest| if number == 0 { Some(rest) } else { rest.strip_prefix(' ') });
            rest = rest.and_then(|rest| rest.strip_prefix(&*word));
        }
        rest == Some("")
    }

    fn words<'n>(&self, net: &'n Net) -> impl Iterator<Item = Cow<'n, str>> + use<'n> {
        let words = &net.vocabulary;
        let about: Option<Cow<'n, str>> = match self.about {
            About::Nothing => None,
            About::Goal(value) => Some(value.to_string().into()),
            About::Move(number) => Some((&*words.moves[number as usize]).into()),
            About::Fluent(number) => Some((&*words.fluents[number]).into()),
            About::Percept(number) => Some((&*words.percepts[number as usize]).into()),
        };
        let role = self.role.map(|role| (&*words.roles[role]).into());
        [Some(self.kind.into()), role, about].into_iter().flatten()
    }
}

/// Returns the outputs of a net: those of the view, then the next state, then the percepts.
#[must_use]
pub(crate) fn outputs(net: &Net) -> Vec<Output> {
    let terminal =
        Output { kind: "terminal", role: None, about: About::Nothing, signal: net.outputs.terminal };
    let mut all = vec![terminal];
    let mut add = |kind, role, about, signal| all.push(Output { kind, role, about, signal });
    for (role, goals) in net.outputs.goal.iter().enumerate() {
        goals.iter().for_each(|&(value, signal)| add("goal", Some(role), About::Goal(value), signal));
    }
    for (role, legal) in net.outputs.legal.iter().enumerate() {
        legal.iter().for_each(|&(action, signal)| add("legal", Some(role), About::Move(action), signal));
    }
    for (fluent, &signal) in net.outputs.next.iter().enumerate() {
        add("next", None, About::Fluent(fluent), signal);
    }
    for (role, sees) in net.outputs.sees.iter().flatten().enumerate() {
        sees.iter().for_each(|&(percept, signal)| add("sees", Some(role), About::Percept(percept), signal));
    }
    all
}

/// A drawing of the net or of a part of it. Lengths are in pixels.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Drawing {
    /// The width of the drawing.
    pub width: f64,
    /// The height of the drawing.
    pub height: f64,
    /// Inputs, gates and outputs.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A box or a gate.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Node {
    /// `fluent`, `does`, `and`, `or`, `constant`, `terminal`, `goal`, `legal`, `next` or `sees`.
    pub kind: &'static str,
    /// The full name of the node.
    pub text: String,
    /// The name, shortened if it is long; a symbol for gates.
    pub label: String,
    /// The horizontal position of the centre.
    pub x: f64,
    /// The vertical position of the centre.
    pub y: f64,
    /// The width of the node.
    pub width: f64,
    /// The height of the node.
    pub height: f64,
    /// The signal whose value it shows.
    #[serde(skip)]
    pub signal: Signal,
}

/// An edge between nodes, given by their indices.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Edge {
    /// The index of the node where the edge begins.
    pub from: usize,
    /// The index of the node where the edge ends.
    pub to: usize,
    /// True if the edge takes the complement of its first node.
    pub negated: bool,
    /// The route, as an SVG path.
    pub path: String,
    /// The signal whose value it carries.
    #[serde(skip)]
    pub signal: Signal,
}

/// Draws the cone of influence of some outputs. O(gates).
///
/// # Errors
/// Returns the number of nodes if the drawing would be too large.
pub(crate) fn draw(net: &Net, outputs: &[Output]) -> Result<Drawing, usize> {
    let inside = net.cone(outputs.iter().map(|output| output.signal));
    let gates: Vec<u32> = (0..net.len() as u32).filter(|&gate| inside[gate as usize]).collect();
    let count = gates.len() + outputs.len();
    if count > MOST_NODES {
        return Err(count);
    }
    let turned = turned(net, &gates, outputs);
    let mut places = vec![usize::MAX; net.len()];
    let mut graph = Graph::default();
    let mut nodes: Vec<Node> = Vec::new();
    for &gate in &gates {
        places[gate as usize] = nodes.len();
        let signal = Signal::new(gate, turned[gate as usize]);
        let (kind, text, label) = describe(net, signal);
        let layer = match net.gate(gate) {
            Gate::And(operands) => {
                1 + operands.iter().map(|s| graph.layers[places[s.gate() as usize]]).max().unwrap_or(0)
            }
            _ => 0,
        };
        graph.layers.push(layer);
        graph.sizes.push(size(&label));
        nodes.push(Node { kind, text, label, x: 0.0, y: 0.0, width: 0.0, height: 0.0, signal });
    }
    let last = 1 + graph.layers.iter().max().copied().unwrap_or(0);
    let mut edges: Vec<Edge> = Vec::new();
    let mut lead = |signal: Signal, to: usize, to_is_turned: bool| {
        let from = places[signal.gate() as usize];
        let carried = signal.negate_if(to_is_turned);
        let negated = carried.is_negated() != turned[signal.gate() as usize];
        graph.edges.push((from, to, usize::from(negated)));
        edges.push(Edge { from, to, negated, path: String::new(), signal: carried });
    };
    for &gate in &gates {
        if let Gate::And(operands) = net.gate(gate) {
            operands.iter().for_each(|&operand| lead(operand, places[gate as usize], turned[gate as usize]));
        }
    }
    for (number, output) in outputs.iter().enumerate() {
        let Output { kind, signal, .. } = output;
        lead(*signal, gates.len() + number, false);
        let name = output.name(net);
        nodes.push(Node {
            kind,
            label: shortened(&name, MOST_LETTERS),
            text: shortened(&name, MOST_TOLD),
            x: 0.0,
            y: 0.0,
            width: 0.0,
            height: 0.0,
            signal: *signal,
        });
    }
    for node in &nodes[gates.len()..] {
        graph.layers.push(last);
        graph.sizes.push(size(&node.label));
    }
    let pieces: usize = graph.edges.iter().map(|&(from, to, _)| graph.layers[to] - graph.layers[from]).sum();
    if pieces > MOST_PIECES {
        return Err(count);
    }
    let drawing = lay_out(&graph);
    for ((node, &[x, y]), &[width, height]) in nodes.iter_mut().zip(&drawing.centres).zip(&graph.sizes) {
        (node.x, node.y, node.width, node.height) = (round(x), round(y), width, height);
    }
    for (edge, route) in edges.iter_mut().zip(&drawing.routes) {
        edge.path = path(route);
    }
    let [width, height] = drawing.size.map(f64::ceil);
    Ok(Drawing { width, height, nodes, edges })
}

/// Returns for each gate whether it is drawn complemented, as a disjunction.
fn turned(net: &Net, gates: &[u32], outputs: &[Output]) -> Vec<bool> {
    let mut uses = vec![[0_u32; 2]; net.len()];
    let mut note = |signal: Signal| uses[signal.gate() as usize][usize::from(signal.is_negated())] += 1;
    outputs.iter().for_each(|output| note(output.signal));
    for &gate in gates {
        if let Gate::And(operands) = net.gate(gate) {
            operands.iter().for_each(|&operand| note(operand));
        }
    }
    let inputs = net.inputs();
    uses.iter()
        .enumerate()
        .map(|(gate, [plain, negated])| (gate == 0 || gate >= inputs) && negated > plain)
        .collect()
}

/// Returns the kind of a gate, its name and its label.
fn describe(net: &Net, signal: Signal) -> (&'static str, String, String) {
    let number = signal.gate() as usize;
    match net.gate(signal.gate()) {
        Gate::Constant => {
            let value = if signal.is_negated() { "true" } else { "false" };
            ("constant", value.to_owned(), value.to_owned())
        }
        Gate::Fluent(_) => {
            let text = net.signal_text(signal);
            ("fluent", shortened(&text, MOST_TOLD), shortened(&text, MOST_LETTERS))
        }
        Gate::Does { role, action } => {
            let (role, action) =
                (&net.vocabulary.roles[role as usize], &net.vocabulary.moves[action as usize]);
            let text = format!("does {role} {action}");
            ("does", shortened(&text, MOST_TOLD), shortened(&text, MOST_LETTERS))
        }
        Gate::And(_) if signal.is_negated() => {
            ("or", format!("gate {}: any of", number - net.inputs()), "or".to_owned())
        }
        Gate::And(_) => ("and", format!("gate {}: all of", number - net.inputs()), "and".to_owned()),
    }
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Returns the width and height of a node with this label.
fn size(label: &str) -> [f64; 2] {
    [label.chars().count() as f64 * 6.7 + 12.0, 20.0]
}

fn round(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

/// Returns an SVG path with curves between layers and straight lines within them.
fn path(route: &[[f64; 2]]) -> String {
    let mut path = String::new();
    for (number, pair) in route.windows(2).enumerate() {
        let [[x0, y0], [x1, y1]] = [pair[0], pair[1]];
        // Writing to a string does not fail.
        let _ = if number == 0 { write!(path, "M{x0:.1} {y0:.1}") } else { Ok(()) };
        let middle = f64::midpoint(x0, x1);
        let _ = if number % 2 == 0 {
            write!(path, "C{middle:.1} {y0:.1} {middle:.1} {y1:.1} {x1:.1} {y1:.1}")
        } else {
            write!(path, "H{x1:.1}")
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_compiler::{Options, Source, compile};

    fn net(name: &str) -> Net {
        let entry = gdl_games::find(name).expect("a built-in game");
        compile(&Source::new(name, entry.text), &Options::default()).expect("it is sound").net
    }

    /// Computes the values of all nodes from the drawing alone.
    fn shown(picture: &Drawing, inputs: &[bool]) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        for (number, node) in picture.nodes.iter().enumerate() {
            let mut led = picture
                .edges
                .iter()
                .filter(|edge| edge.to == number)
                .map(|edge| values[edge.from] != edge.negated);
            values.push(match node.kind {
                "and" => led.all(|value| value),
                "or" => led.any(|value| value),
                "constant" => node.text == "true",
                "fluent" | "does" => inputs[node.signal.gate() as usize],
                _ => led.next().expect("outputs come from somewhere"),
            });
        }
        values
    }

    #[test]
    fn a_picture_computes_what_its_net_does() {
        for name in ["tictactoe", "nim", "monty_hall"] {
            let net = net(name);
            let picture = draw(&net, &outputs(&net)).expect("a small net");
            // The inputs need not be those of a reachable state.
            for seed in 0..40_u64 {
                let bit = |gate: usize| {
                    (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(gate as u32 * 7) & 1 == 1
                };
                let mut gates: Vec<bool> = (0..net.inputs()).map(|gate| gate > 0 && bit(gate)).collect();
                for gate in net.inputs()..net.len() {
                    let Gate::And(operands) = net.gate(gate as u32) else {
                        unreachable!("gates stand behind inputs")
                    };
                    gates.push(operands.iter().all(|s| gates[s.gate() as usize] != s.is_negated()));
                }
                let values = shown(&picture, &gates);
                for (node, value) in picture.nodes.iter().zip(values) {
                    let real = gates[node.signal.gate() as usize] != node.signal.is_negated();
                    assert_eq!(real, value, "{name}: {} {}", node.kind, node.text);
                }
            }
        }
    }

    #[test]
    fn large_nets_are_drawn_output_by_output() {
        let net = net("connect_four");
        let all = outputs(&net);
        assert!(draw(&net, &all).is_err_and(|count| count > MOST_NODES));
        let drawn = all.iter().filter(|output| draw(&net, std::slice::from_ref(*output)).is_ok()).count();
        assert!(drawn > all.len() / 2, "{drawn} of {}", all.len());
    }

    #[test]
    fn paths_run_on() {
        assert_eq!(
            path(&[[0.0, 0.0], [10.0, 4.0], [20.0, 4.0], [30.0, 0.0]]),
            "M0.0 0.0C5.0 0.0 5.0 4.0 10.0 4.0H20.0C25.0 4.0 25.0 0.0 30.0 0.0"
        );
    }
}
